internal import ProfileCore
internal import ProfileTransfer
internal import TextLayout

// Fields as somebody names them.

extension ProfileSchema {
    /// The name of a field as it is told to a command, where `username` means the primary key, whatever the schema calls it.
    func name(told name: String) -> String { name == FieldName.username.text ? primaryKey.name.text : name }

    /// The field of a name as it is told. It throws what is said of one that is secret, and a failure that names the nearest
    /// field where there is none.
    func openField(told name: String, forbidden: String) throws(CommandFailure) -> FieldRules {
        guard let field = FieldName(self.name(told: name)), let rules = self[field] else {
            throw .unknownField(name, among: openFields.map(\.name.text))
        }
        guard !rules.isSecret else { throw CommandFailure(.usage, forbidden) }
        return rules
    }

    /// The columns of some names.
    ///
    /// - Throws: A failure where one means no column, or comes twice.
    func columns(told names: [String]) throws(CommandFailure) -> [ProfileColumn] {
        var columns: [ProfileColumn] = []
        for name in names {
            let column: ProfileColumn
            if let other = ProfileColumn.besidesFields.first(where: { $0.name == name }) {
                column = other
            } else {
                column = .field(try openField(told: name, forbidden: "A secret is never shown"))
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
    fileprivate static func unknownField(_ name: String, among names: [String]) -> CommandFailure {
        let hint = name.nearest(in: names).map { ". Did you mean \"\($0)\"?" } ?? ""
        return CommandFailure(
            .usage, "There is no field \(name.quoted(longest: 64))\(hint)", "The fields are: \(list(names))")
    }
}
