internal import ProfileCore
internal import ProfileTransfer
internal import TextLayout

// Looks up fields by the names that users type.

extension ProfileSchema {
    /// Returns the name of the field that a user named. `username` always means the primary key, even if the primary
    /// key has another name.
    func name(told name: String) -> String { name == FieldName.username.text ? primaryKey.name.text : name }

    /// Returns the rules of the field that a user named.
    ///
    /// - Throws: A failure with the text `forbidden` if the field is secret. If the field does not exist, a failure
    ///   that lists the fields. The failure also suggests the most similar name among the fields and `others`.
    func openField(
        told name: String, forbidden: String, orOneOf others: [String] = []
    ) throws(CommandFailure) -> FieldRules {
        guard let field = FieldName(self.name(told: name)), let rules = self[field] else {
            throw .unknownField(name, among: openFields.map(\.name.text), or: others)
        }
        guard !rules.isSecret else { throw CommandFailure(.usage, forbidden) }
        return rules
    }

    /// Returns the columns with the given names.
    ///
    /// - Throws: A failure if a name belongs to no column, belongs to a secret field, or is repeated.
    func columns(told names: [String]) throws(CommandFailure) -> [ProfileColumn] {
        let others = ProfileColumn.besidesFields
        var columns: [ProfileColumn] = []
        for name in names {
            let column: ProfileColumn
            if let other = others.first(where: { $0.name == name }) {
                column = other
            } else {
                column = .field(
                    try openField(told: name, forbidden: "A secret is never shown", orOneOf: others.map(\.name)))
            }
            guard !columns.contains(column) else {
                throw CommandFailure(.usage, "--columns names \"\(name)\" twice")
            }
            columns.append(column)
        }
        return columns
    }
}

extension CommandFailure {
    fileprivate static func unknownField(
        _ name: String, among names: [String], or others: [String]
    ) -> CommandFailure {
        let hint = name.nearest(in: names + others).map { ". Did you mean \"\($0)\"?" } ?? ""
        let besides = others.isEmpty ? [] : ["Other columns are: \(list(others))"]
        return CommandFailure(
            .usage,
            lines: ["There is no field \(name.quoted(longest: 64))\(hint)", "The fields are: \(list(names))"] + besides)
    }
}
