internal import ArgumentParser
internal import ProfileCore
internal import TextLayout

// The options that say which lines of a CSV file belong to the table, and how its rows are read.
extension InputFileOptions {
    func validateLayout() throws {
        guard 0...TableLayout.mostLines ~= skip else {
            throw ValidationError("--skip takes a number of lines from 0 to \(TableLayout.mostLines.grouped).")
        }
        if let headerLine {
            guard 1...TableLayout.mostLines ~= headerLine else {
                throw ValidationError("--header-line takes a line from 1 to \(TableLayout.mostLines.grouped).")
            }
            if noHeader { throw ValidationError("--header-line and --no-header exclude each other.") }
            if skip > 0 { throw ValidationError("--header-line and --skip exclude each other.") }
        }
    }

    /// The layout that the options describe.
    var layout: TableLayout {
        var layout = TableLayout()
        layout.hasHeader = !noHeader
        layout.skippedLines = skip
        layout.headerLine = headerLine
        layout.comment = comment?.byte
        layout.padsShortRows = pad
        layout.sheet = sheet
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
