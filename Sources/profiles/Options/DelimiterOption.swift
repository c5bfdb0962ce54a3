internal import ArgumentParser

/// The option for the separator of CSV cells.
struct DelimiterOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Separate cells by one ASCII character, or by tab. (default: , ; tab or |, detected)", valueName: "c")
    )
    var delimiter: Delimiter?

    /// The delimiter. Nil if the importer detects the delimiter.
    var byte: UInt8? { delimiter?.byte }
    /// Whether the option is given.
    var isGiven: Bool { delimiter != nil }
}

/// A delimiter, given as one character such as `;`, or as `tab`, `\t` or `auto`.
struct Delimiter: ExpressibleByArgument {
    /// Nil for `auto`.
    let byte: UInt8?

    init?(argument: String) {
        switch argument {
        case "auto": byte = nil
        case "tab", "\\t": byte = UInt8(ascii: "\t")
        default:
            guard argument.utf8.count == 1, let only = argument.utf8.first, only == 9 || 0x20...0x7E ~= only,
                only != UInt8(ascii: "\"")
            else { return nil }
            byte = only
        }
    }
}
