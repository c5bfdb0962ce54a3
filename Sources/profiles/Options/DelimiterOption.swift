internal import ArgumentParser

/// What separates the cells of CSV.
struct DelimiterOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "What separates the cells: one ASCII character, or tab. (default: , ; tab or |, found out)", valueName: "c")
    )
    var delimiter: Delimiter?

    /// Nil where it is to be found out.
    var byte: UInt8? { delimiter?.byte }
    /// Whether anything was said of it.
    var isGiven: Bool { delimiter != nil }
}

/// `;`, `tab`, `\t`, or `auto`.
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
