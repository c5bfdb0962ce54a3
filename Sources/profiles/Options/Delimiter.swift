internal import ArgumentParser

/// A delimiter, given as one character such as `;`, or as `tab`, `\t` or `auto`.
struct Delimiter: ExpressibleByArgument {
    /// Nil for `auto`.
    let byte: UInt8?

    /// The help of the option `--delimiter`.
    static let help = ArgumentHelp(
        "Separate cells by one ASCII character, or by tab. (default: , ; tab or |, detected)", valueName: "c")

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
