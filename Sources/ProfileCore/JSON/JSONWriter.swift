extension JSONValue {
    /// Returns the JSON text of this value. If `indented` is true, the text has several lines, and each level is
    /// indented by two spaces. Otherwise the text has one line.
    ///
    /// Control characters and bidirectional controls are escaped.
    public func text(indented: Bool = false) -> String { String(decoding: utf8(indented: indented), as: UTF8.self) }

    /// Returns the bytes of ``text(indented:)`` without creating a `String`.
    public func utf8(indented: Bool = false) -> [UInt8] { utf8(indentation: indented ? 0 : nil) }

    /// Returns the text of this value for use inside another text. All lines after the first line are indented by
    /// `indentation` spaces.
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

    /// Returns the escape of a scalar in a JSON string. Returns nil if the scalar needs no escape.
    ///
    /// RFC 8259 section 7 requires escapes for quotes, backslashes and the controls below U+0020. Other control
    /// characters, line and paragraph separators and bidirectional controls are also escaped. Without escapes, these
    /// characters would change what a terminal or an editor shows. A parser converts the escapes to the original
    /// characters.
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

    /// Appends a string literal. Its characters are escaped as in ``escape(of:)``.
    private static func write(_ string: String, to output: inout [UInt8]) {
        if appendPlain(string.utf8Span.span, to: &output) { return }
        output.append(UInt8(ascii: "\""))
        for scalar in string.unicodeScalars {
            if let escape = escape(of: scalar) {
                output.append(contentsOf: escape.utf8)
            } else {
                output.append(contentsOf: scalar.utf8)
            }
        }
        output.append(UInt8(ascii: "\""))
    }

    /// Appends a text in UTF-8 as a string literal, in the same way as a ``string(_:)`` value is written. If no
    /// character needs an escape, no `String` is created.
    package static func write(string bytes: Span<UInt8>, to output: inout [UInt8]) {
        if !appendPlain(bytes, to: &output) { write(String(bytes), to: &output) }
    }

    /// Appends a string literal, if all characters are ASCII and need no escape. Most names and values are such texts.
    /// Their bytes are copied in one step.
    ///
    /// - Returns: Whether the literal was appended.
    private static func appendPlain(_ bytes: Span<UInt8>, to output: inout [UInt8]) -> Bool {
        guard bytes.isPlain else { return false }
        output.append(UInt8(ascii: "\""))
        bytes.withUnsafeBufferPointer { output.append(contentsOf: $0) }
        output.append(UInt8(ascii: "\""))
        return true
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
    /// Whether all bytes are ASCII characters that need no escape in a JSON string.
    fileprivate var isPlain: Bool {
        withUnsafeBufferPointer { bytes in
            var isPlain = true
            for byte in bytes {
                // The loop has no early exit, so the compiler can vectorize it.
                isPlain =
                    isPlain && byte >= 0x20 && byte <= 0x7E && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
            }
            return isPlain
        }
    }
}
