extension JSONValue {
    /// The text of this value: on one line, or indented by two spaces a level for people to read.
    package func text(indented: Bool = false) -> String { text(indentation: indented ? 0 : nil) }

    /// The text of this value as it stands in another's, so many spaces in, on whose line it begins.
    package func text(within indentation: Int) -> String { text(indentation: indentation) }

    private func text(indentation: Int?) -> String {
        var output = ""
        write(to: &output, indentation: indentation)
        return output
    }

    /// What stands for a scalar in a string of JSON; nil if the scalar stands for itself.
    ///
    /// RFC 8259 section 7 wants escapes for quotes, backslashes and the controls below U+0020. The other controls, line and
    /// paragraph separators and the marks that turn the direction of writing are escaped too, since people read JSON in
    /// terminals and editors, which would obey them. A parser reads the same text.
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
    package static func writeString(_ string: some StringProtocol, to output: inout String) {
        output.append("\"")
        for scalar in string.unicodeScalars {
            if let escape = escape(of: scalar) { output += escape } else { output.unicodeScalars.append(scalar) }
        }
        output.append("\"")
    }

    private func write(to output: inout String, indentation: Int?) {
        switch self {
        case .null: output += "null"
        case .bool(let value): output += value ? "true" : "false"
        case .number(let text): output += text
        case .string(let text): Self.writeString(text, to: &output)
        case .array(let elements):
            Self.writeList(elements, brackets: ("[", "]"), to: &output, indentation) { element, output, indentation in
                element.write(to: &output, indentation: indentation)
            }
        case .object(let members):
            Self.writeList(members, brackets: ("{", "}"), to: &output, indentation) { member, output, indentation in
                Self.writeString(member.name, to: &output)
                output += indentation == nil ? ":" : ": "
                member.value.write(to: &output, indentation: indentation)
            }
        }
    }

    private static func writeList<Element>(
        _ elements: [Element], brackets: (open: String, close: String), to output: inout String, _ indentation: Int?,
        write: (Element, inout String, Int?) -> Void
    ) {
        output += brackets.open
        let inner = indentation.map { $0 + 2 }
        for (index, element) in elements.enumerated() {
            if index > 0 { output += "," }
            if let inner { output += "\n" + String(repeating: " ", count: inner) }
            write(element, &output, inner)
        }
        if let indentation, !elements.isEmpty { output += "\n" + String(repeating: " ", count: indentation) }
        output += brackets.close
    }
}
