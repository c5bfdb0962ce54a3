internal import ProfileCore
internal import ProfileTransfer
internal import SchemaInference
internal import TextLayout

// The options that choose rules, if a store already has rules.
extension InferredRulesOptions {
    /// Returns the rules of a store with changed import settings: they ignore the columns of `--omit`, and no longer
    /// ignore the columns of `--keep`. The settings also apply to the imports of later files.
    ///
    /// - Throws: A failure if the column of a required field, or of a field of the key, is omitted.
    func columnsChanged(in schema: ProfileSchema) throws(CommandFailure) -> ProfileSchema {
        let uses = ColumnUses(schema)
        let keyFields = uses.fields(of: schema.importSettings.key, in: schema)
        for header in omitted {
            guard case .field(let field) = uses.use(of: header) else { continue }
            guard !keyFields.contains(schema.fields[field].name) else {
                throw CommandFailure(
                    .usage,
                    "--omit names \(header.quoted(longest: 64)), but the keys of the store are made of its field "
                        + "\(schema.fields[field].name)",
                    "Leave out --omit \(header.visible(upTo: 64)), or make a new store for another key")
            }
            guard schema.fields[field].isRequired else { continue }
            throw CommandFailure(
                .usage,
                "--omit names \(header.quoted(longest: 64)), but its field \(schema.fields[field].name) is required",
                Self.adoptAdvice)
        }
        var settings = schema.importSettings
        settings.ignoredColumns.removeAll { header in kept.contains { header.isHeader($0) } }
        for header in omitted where !settings.ignoredColumns.contains(header) { settings.ignoredColumns.append(header) }
        return schema.importing(with: settings)
    }

    /// Requires that `--type`, `--rename`, `--tighten` and `--relax` name only columns that become new fields, because
    /// the existing fields keep their rules.
    ///
    /// - Parameters:
    ///   - schema: The rules of the store, with the omitted and kept columns.
    ///   - onlyKept: Whether only the columns of `--keep` become fields.
    /// - Throws: A failure that says what to do instead.
    func requireNewFields(beside schema: ProfileSchema, onlyKept: Bool) throws(CommandFailure) {
        if strict, onlyKept {
            throw CommandFailure(.usage, "--strict changes no rule of a store that exists", Self.adoptAdvice)
        }
        let uses = ColumnUses(schema)
        let options: [(name: String, headers: [String])] = [
            ("--type", types.map(\.header)), ("--rename", renamed.map(\.header)), ("--tighten", tightened),
            ("--relax", relaxed),
        ]
        for (option, headers) in options {
            for header in headers {
                let column = "\(option) names \(header.quoted(longest: 64))"
                switch uses.use(of: header) {
                case .field(let field):
                    throw CommandFailure(
                        .usage, "\(column), but the store has the field \(schema.fields[field].name) for it",
                        Self.adoptAdvice)
                case .hash: throw CommandFailure(.usage, "\(column), but the column holds password hashes")
                case .unknown where onlyKept && !kept.contains(where: header.isHeader):
                    throw CommandFailure(
                        .usage, "\(column), but the store has no field for it", "Add a field for it with --keep")
                case .ignored where !kept.contains(where: header.isHeader):
                    throw CommandFailure(
                        .usage, "\(column), but the store leaves this column out", "Give it a field with --keep")
                case .unknown, .ignored: break
                }
            }
        }
    }

    /// Returns the rules with a new field for each column of `--keep` that has no field yet.
    ///
    /// - Throws: A failure if the file has no such column, or if a field cannot be added.
    func adding(keptOf proposal: SchemaProposal, to schema: ProfileSchema) throws(CommandFailure) -> ProfileSchema {
        let uses = ColumnUses(schema)
        var added: [FieldRules] = []
        for header in kept where !uses.use(of: header).isOfField {
            let named = proposal.columns.first { $0.header == header }
            guard let column = named ?? proposal.columns.first(where: { $0.header.isHeader(header) }) else {
                throw CommandFailure(
                    .usage, "--keep names \(header.quoted(longest: 64)), which the input does not have")
            }
            guard let rules = column.rules, !rules.isSecret || !schema.hasPassword else {
                throw CommandFailure(.usage, "The column \(header.quoted(longest: 64)) cannot become a field")
            }
            added.append(rules)
        }
        return try schema.addingAll(added)
    }

    private static let adoptAdvice =
        "To change the rules, write them with \"schema show --format json\", edit them, and put them in force with "
        + "\"schema adopt\""
}

extension ProfileSchema {
    /// Returns the schema with further fields.
    ///
    /// - Throws: A failure if a field of the schema has the name of one of them, or if there are too many.
    fileprivate func addingAll(_ others: [FieldRules]) throws(CommandFailure) -> ProfileSchema {
        let schema = adding(others)
        for rules in others where self[rules.name] != nil || schema[rules.name] == nil {
            let isTaken = self[rules.name] != nil
            throw CommandFailure(
                .usage, "The column \(rules.originalHeader.quoted(longest: 64)) gets no field named \(rules.name)",
                isTaken
                    ? "The store has a field of this name: choose another with --rename COLUMN=field"
                    : "A schema has at most \(ProfileSchema.mostFields) fields, and their names differ by more than _")
        }
        return schema
    }
}

extension String {
    /// Whether the other text is the same header for an import, perhaps in another spelling.
    fileprivate func isHeader(_ other: String) -> Bool { FoldedHeader(self) == FoldedHeader(other) }
}
