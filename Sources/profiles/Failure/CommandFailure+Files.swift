internal import ProfileStore
internal import ProfileTransfer
internal import TextLayout

// Files that cannot be imported or written.
extension CommandFailure {
    init(_ error: ImportError) {
        switch error {
        case .noHeader: self.init(.badInput, "The input is empty: its first row should name the columns")
        case .unreadableHeader(let line): self.init(.badInput, "The header in line \(line) cannot be read")
        case .tooManyColumns(let count, let most):
            self.init(
                .badInput, "The first row names \(count) columns, and \(most) are read at most; nothing was imported",
                "If another character separates the cells, name it with --delimiter")
        case .unknownColumns(let names):
            let list = Self.list(names.map { $0.quoted(longest: 64) }, most: 20)
            self.init(
                .badInput,
                "No field has the name of the column\(names.count == 1 ? "" : "s") \(list); nothing was imported",
                "Map a column with --map \"COLUMN=FIELD\", or pass over unknown ones with --ignore-unknown")
        case .noKnownColumns:
            self.init(
                .badInput, "The first row names no field; nothing was imported",
                "It should name the columns; map one with --map \"COLUMN=FIELD\", or choose another --delimiter")
        case .otherDelimiter(let byte):
            let name = byte == 9 ? "tab" : "\"\(Character(Unicode.Scalar(byte)))\""
            self.init(
                .badInput, "The cells of the first row seem to be separated by \(name); nothing was imported",
                "Say so with --delimiter \(name)")
        case .columnTwice(let name):
            self.init(.badInput, "Two columns go to the field \"\(name)\"; nothing was imported")
        case .mappedColumnMissing(let name):
            self.init(.usage, "--map names the column \"\(name)\", which the input does not have")
        case .unknownField(let name):
            self.init(.usage, "--map names the field \"\(name)\", which the schema does not have")
        case .noUsernameColumn:
            self.init(
                .badInput, "No column holds usernames; nothing was imported",
                "The first row should name the columns; map one with --map \"COLUMN=username\"")
        case .reading(let code): self.init(.inputOutput, "The input cannot be read: \(Self.systemText(code))")
        case .copyingInput(let code):
            self.init(
                .inputOutput,
                "What came through the pipe cannot be kept beside the store until its passwords are hashed: "
                    + Self.systemText(code))
        case .inputChanged:
            self.init(.inputOutput, "The input was changed while it was read; nothing was imported", "Import it again")
        case .writingRejects(let code): self = .cannotWrite("The file of rejected rows", code)
        case .ended(let error, after: _): self.init(error)
        case .store(let error): self.init(error)
        }
    }

    /// The first few, and how many more there are.
    private static func list(_ names: [String], most: Int) -> String {
        let more = names.count > most ? " and \(names.count - most) more" : ""
        return names.prefix(most).joined(separator: ", ") + more
    }

    init(_ error: ExportError) {
        switch error {
        case .writing(let code): self = .cannotWrite("The export", code)
        case .store(let error): self.init(error)
        }
    }
}
