extension JSONValue {
    /// The text of this value: on one line, or indented by two spaces per level for people.
    ///
    /// Control characters and bidirectional controls are escaped.
    public func text(indented: Bool = false) -> String { String(decoding: utf8(indented: indented), as: UTF8.self) }

    /// The text of this value in UTF-8, for a response: the bytes of ``text(indented:)``, without a `String`.
    public func utf8(indented: Bool = false) -> [UInt8] { utf8(indentation: indented ? 0 : nil) }

    /// The text of this value inside another value's text, indented by this number of spaces after its first line.
    package func text(within indentation: Int) -> String {
        String(decoding: utf8(indentation: indentation), as: UTF8.self)
    }

    /// Appends the text of this value, on one line.
    package func write(to output: inout [UInt8]) { write(to: &output, indentation: nil) }

    private func utf8(indentation: Int?) -> [UInt8] {
        var output: [UInt8] = []
        // The length of a typical profile in bytes.
        output.reserveCapacity(512)
        write(to: &output, indentation: indentation)
        return output
    }

    /// Returns the escape of a scalar in a JSON string; nil if the scalar needs none.
    ///
    /// RFC 8259 section 7 requires escapes for quotes, backslashes and the controls below U+0020. Other controls, line
    /// and paragraph separators and bidirectional controls are escaped too, because people read JSON in terminals and
    /// editors, which act on these characters. A parser turns the escapes back into the same characters.
    package static func escape(of scalar: Unicode.Scalar) -> String? {
        switch scalar {
        case "\"": "\\\""
        case "\\": "\\\\"
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        case "\u{00}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{061C}", "\u{200E}", "\u{200F}", "\u{2028}"..."\u{202E}",
            "\u{2066}"..."\u{2069}":
            "\\u" + String(0x1_0000 | scalar.value, radix: 16).dropFirst()
        default: nil
        }
    }

    /// Appends a string literal, with the escapes of ``escape(of:)``.
    private static func write(_ string: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        let bytes = string.utf8Span.span
        // Nearly every name and value is ASCII without escapes, and is copied in one step.
        if bytes.isPlain {
            bytes.withUnsafeBufferPointer { output.append(contentsOf: $0) }
        } else {
            for scalar in string.unicodeScalars {
                if let escape = escape(of: scalar) {
                    output.append(contentsOf: escape.utf8)
                } else {
                    output.append(contentsOf: scalar.utf8)
                }
            }
        }
        output.append(UInt8(ascii: "\""))
    }

    private func write(to output: inout [UInt8], indentation: Int?) {
        switch self {
        case .null: output.append(contentsOf: "null".utf8)
        case .bool(let value): output.append(contentsOf: (value ? "true" : "false").utf8)
        case .number(let text): output.append(contentsOf: text.utf8)
        case .string(let text): Self.write(text, to: &output)
        case .array(let elements):
            output.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                Self.beginElement(index, to: &output, indentation)
                element.write(to: &output, indentation: indentation.map { $0 + 2 })
            }
            Self.endList(elements.count, to: &output, indentation)
            output.append(UInt8(ascii: "]"))
        case .object(let members):
            output.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                Self.beginElement(index, to: &output, indentation)
                Self.write(member.name, to: &output)
                output.append(UInt8(ascii: ":"))
                if indentation != nil { output.append(UInt8(ascii: " ")) }
                member.value.write(to: &output, indentation: indentation.map { $0 + 2 })
            }
            Self.endList(members.count, to: &output, indentation)
            output.append(UInt8(ascii: "}"))
        }
    }

    private static func beginElement(_ index: Int, to output: inout [UInt8], _ indentation: Int?) {
        if index > 0 { output.append(UInt8(ascii: ",")) }
        if let indentation { beginLine(indentation + 2, to: &output) }
    }

    private static func endList(_ count: Int, to output: inout [UInt8], _ indentation: Int?) {
        if let indentation, count > 0 { beginLine(indentation, to: &output) }
    }

    private static func beginLine(_ indentation: Int, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\n"))
        output.append(contentsOf: repeatElement(UInt8(ascii: " "), count: indentation))
    }
}

extension Span<UInt8> {
    /// Whether every byte is ASCII that needs no escape in a JSON string.
    fileprivate var isPlain: Bool {
        for index in indices {
            let byte = self[index]
            guard 0x20...0x7E ~= byte, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") else { return false }
        }
        return true
    }
}
