internal import ProfileCore
internal import ProfileTransfer
internal import TextLayout

// Fields as somebody names them.

extension ProfileSchema {
    /// The name of a field as it is told to a command, where `username` means the primary key, whatever the schema calls it.
    func name(told name: String) -> String { name == FieldName.username.text ? primaryKey.name.text : name }

    /// The field of a name as it is told. It throws what is said of one that is secret, and a failure that names the nearest
    /// field, or other name that would do, where there is none.
    func openField(
        told name: String, forbidden: String, orOneOf others: [String] = []
    ) throws(CommandFailure) -> FieldRules {
        guard let field = FieldName(self.name(told: name)), let rules = self[field] else {
            throw .unknownField(name, among: openFields.map(\.name.text), or: others)
        }
        guard !rules.isSecret else { throw CommandFailure(.usage, forbidden) }
        return rules
    }

    /// The columns of some names.
    ///
    /// - Throws: A failure where one means no column, or comes twice.
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
        let besides = others.isEmpty ? [] : ["Besides there are: \(list(others))"]
        return CommandFailure(
            .usage,
            lines: ["There is no field \(name.quoted(longest: 64))\(hint)", "The fields are: \(list(names))"] + besides)
    }
}
