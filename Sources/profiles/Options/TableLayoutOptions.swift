internal import ArgumentParser
internal import ProfileCore

/// The options that say which lines of a CSV file belong to the table, and how its rows are read.
struct TableLayoutOptions: ParsableArguments {
    @Flag(help: "Read the first row as data, and name the columns column_1, column_2, ...")
    var noHeader = false

    @Option(
        help: ArgumentHelp("Skip this number of lines at the start of the file, whatever is in them.", valueName: "n"))
    var skip = 0

    @Option(help: ArgumentHelp("Read the header from this line, and skip the lines above it.", valueName: "n"))
    var headerLine: Int?

    @Option(help: ArgumentHelp("Skip lines that begin with this ASCII character, such as #.", valueName: "c"))
    var comment: CommentCharacter?

    @Flag(help: "Read a row with too few cells as if empty cells followed.")
    var pad = false

    func validate() throws {
        guard 0...Self.mostLines ~= skip else { throw ValidationError("--skip takes 0 or more.") }
        if let headerLine {
            guard 1...Self.mostLines ~= headerLine else { throw ValidationError("--header-line takes 1 or more.") }
            if noHeader { throw ValidationError("--header-line and --no-header exclude each other.") }
            if skip > 0 { throw ValidationError("--header-line and --skip exclude each other.") }
        }
    }

    /// The maximum line number. A larger number is probably a mistake.
    private static let mostLines = 1_000_000_000

    var layout: TableLayout {
        var layout = TableLayout()
        layout.hasHeader = !noHeader
        layout.skippedLines = skip
        layout.headerLine = headerLine
        layout.comment = comment?.byte
        layout.padsShortRows = pad
        return layout
    }
}

/// The character with which a comment line begins.
struct CommentCharacter: ExpressibleByArgument {
    let byte: UInt8

    init?(argument: String) {
        guard argument.utf8.count == 1, let only = argument.utf8.first, 0x21...0x7E ~= only, only != UInt8(ascii: "\"")
        else { return nil }
        byte = only
    }
}

extension TableLayout {
    /// The options of a command that describe this layout.
    var words: [String] {
        var words: [String] = []
        if !hasHeader { words.append("--no-header") }
        if skippedLines > 0, headerLine == nil { words += ["--skip", String(skippedLines)] }
        if let headerLine { words += ["--header-line", String(headerLine)] }
        if let comment { words += ["--comment", String(Unicode.Scalar(comment))] }
        if padsShortRows { words.append("--pad") }
        return words
    }
}
