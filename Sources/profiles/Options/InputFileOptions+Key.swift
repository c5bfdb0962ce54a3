internal import ProfileCore
internal import ProfileTransfer
internal import TextLayout

// The key of a file, and the key of the store into which the file is imported.
extension InputFileOptions {
    /// Requires that the key options name the key of an existing store, because a store has one key.
    func requireKey(of schema: ProfileSchema, _ options: ImportOptions) throws(CommandFailure) {
        guard let keySource else { return }
        var options = options
        options.key = .column
        let uses = ColumnUses(schema, options)
        switch (schema.importSettings.key, keySource) {
        case (_, .columns(let headers)) where headers.map({ uses.use(of: $0) }) == [.field(schema.primaryKeyIndex)]:
            return
        case (.column, .columns(let headers)):
            // A column that matches no field is accepted, because it can hold the key. Several columns are accepted
            // too, because they may form the key together if the schema was written by hand.
            guard headers.count == 1, let header = headers.first, case .field = uses.use(of: header) else { return }
        case (.column, _): return
        case (.columns(let stored), .columns(let headers)):
            if stored.map(FoldedHeader.init) == headers.map(FoldedHeader.init) { return }
        case (let stored, _) where stored == keySource: return
        default: break
        }
        throw .otherKey(of: schema)
    }

    /// Returns the failure for an error of an import, if the key options have caused the error. Otherwise returns nil.
    func failure(_ error: ImportError, of schema: ProfileSchema?) -> CommandFailure? {
        switch (error, keySource) {
        case (_, nil): nil
        case (.columnTwice(schema?.primaryKey.name.text, columns: _), _): schema.map(CommandFailure.otherKey(of:))
        case (.keyColumnMissing(let name), .columns?):
            CommandFailure(.usage, "--key names the column \(name.quoted(longest: 64)), which the input does not have")
        default: nil
        }
    }
}

extension CommandFailure {
    fileprivate static func otherKey(of schema: ProfileSchema) -> CommandFailure {
        let key =
            switch schema.importSettings.key {
            case .column: schema.primaryKey.originalHeader.quoted(longest: 64)
            case .columns(let headers): headers.map { $0.quoted(longest: 64) }.listed("and") + " together"
            case .rowNumber: "the number of the row"
            case .content: "the content of the row"
            }
        return CommandFailure(
            .usage, "The key of the store is \(key), and a store has one key; nothing was imported",
            "Leave out --key, --key-by-row and --key-by-content, or make a new store for another key")
    }
}
