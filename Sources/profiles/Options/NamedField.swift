internal import ProfileCore
internal import ProfileTransfer
internal import TextLayout

// Looks up fields and columns by the names that users type: the names, titles and headers that tables and files show.

extension ProfileSchema {
    /// Returns the name of the field that a user named in an assignment. Returns the text unchanged if it names the
    /// password or its hash, or if no field has this name.
    ///
    /// - Throws: A failure if several fields have this title or header, or if the text names a fact that the store keeps.
    func name(told name: String) throws(CommandFailure) -> String {
        switch try column(told: name) {
        case .field(let rules)?: return rules.name.text
        case .fact?:
            let meant = fieldsHidden(byFact: name)
            throw CommandFailure(
                .usage,
                lines: ["\(name) is kept by the store, and cannot be set"]
                    + (meant.isEmpty ? [] : ["The field with this title or header is \(CommandFailure.list(meant))"]))
        case nil: return name
        }
    }

    /// Returns the names of the fields whose title or header is the name of a fact, such as `_id` in files of MongoDB.
    func fieldsHidden(byFact name: String) -> [String] {
        guard ProfileFact(name: name) != nil else { return [] }
        return openFields.filter { ([$0.title] + $0.columns).contains(name) }.map(\.name.text)
    }

    /// Returns the values in the arguments of a command, with the names of the fields that the user named.
    ///
    /// - Throws: A failure if several fields have a title or header that the user gave, or if two values belong to one
    ///   field.
    func named(_ values: [JSONMember]) throws(CommandFailure) -> [JSONMember] {
        var told: [String: String] = [:]
        return try values.map { value throws(CommandFailure) in
            let name = try name(told: value.name)
            if let other = told.updateValue(value.name, forKey: name) {
                let (first, second) = (other.quoted(longest: 64), value.name.quoted(longest: 64))
                throw CommandFailure(
                    .usage,
                    other == value.name
                        ? "\(first) is given twice" : "\(first) and \(second) both mean the field \(name)",
                    "Give one of the two")
            }
            return JSONMember(name, value.value)
        }
    }

    /// Returns the heading of a column in a table. A user can type the heading to name the column, for example in a
    /// condition. So the heading is the title only if the title names this column. Otherwise it is the column's name.
    func heading(of column: ProfileColumn) -> String {
        let meant = try? self.column(told: column.title)
        return meant == column ? column.title : column.name
    }

    /// Returns the rules of the field, or of the fact, that a user named in a condition or an order.
    ///
    /// - Throws: A failure with the text `forbidden` if the field is secret. If the field does not exist, a failure
    ///   that lists the fields and suggests the most similar name.
    func comparedField(told name: String, forbidden: String) throws(CommandFailure) -> FieldRules {
        let facts = ProfileFact.allCases.filter { $0.rules != nil }
        switch try requiredColumn(told: name, forbidden: forbidden, facts: facts) {
        case .field(let rules): return rules
        case .fact(let fact):
            if let rules = fact.rules { return rules }
            throw CommandFailure(.usage, "Profiles cannot be looked up or sorted by \(fact.name)")
        }
    }

    /// Returns the columns with the given names.
    ///
    /// - Throws: A failure if a name belongs to no column, belongs to a secret field, or is repeated.
    func columns(told names: [String]) throws(CommandFailure) -> [ProfileColumn] {
        var columns: [ProfileColumn] = []
        for name in names {
            let column = try requiredColumn(
                told: name, forbidden: "A secret is never shown", facts: ProfileFact.allCases)
            guard !columns.contains(column) else {
                throw CommandFailure(.usage, "--columns names \(name.quoted(longest: 64)) twice")
            }
            columns.append(column)
        }
        return columns
    }

    private func requiredColumn(
        told name: String, forbidden: String, facts: [ProfileFact]
    ) throws(CommandFailure) -> ProfileColumn {
        if let column = try column(told: name) { return column }
        guard FieldName(name).flatMap({ self[$0] })?.isSecret != true else { throw CommandFailure(.usage, forbidden) }
        throw .unknownField(name, among: openFields.map(\.name.text), or: facts.map(\.name))
    }

    /// Returns the column that a user named, or nil if there is none.
    ///
    /// The method searches the names of fields first, then the names of facts, such as `_id`, and then the titles and
    /// headers of fields. It first looks for the exact text, and then for a text that differs only in case, spaces,
    /// hyphens or underscores. If nothing has the name, `username` means the primary key, and a fact can be named by
    /// its title or without `_`. Secret fields are never returned.
    private func column(told name: String) throws(CommandFailure) -> ProfileColumn? {
        let facts = ProfileFact.allCases
        if FieldName(name).flatMap({ self[$0] })?.isSecret == true { return nil }
        let matches = [{ $0 == name }, { FoldedHeader($0) == FoldedHeader(name) }] as [(String) -> Bool]
        for isNamed in matches {
            if let rules = openFields.first(where: { isNamed($0.name.text) }) { return .field(rules) }
            if name.first == "_", let fact = facts.first(where: { isNamed($0.name) }) { return .fact(fact) }
            for texts in [{ [$0.title] }, { $0.columns }] as [(FieldRules) -> [String]] {
                let fields = openFields.filter { texts($0).contains(where: isNamed) }
                guard fields.count < 2 else { throw .ambiguousField(name, fields.map(\.name.text)) }
                if let rules = fields.first { return .field(rules) }
            }
        }
        for isNamed in matches {
            if isNamed(FieldName.username.text) { return .field(primaryKey) }
            if let fact = facts.first(where: { isNamed($0.rawValue) || isNamed($0.title) }) { return .fact(fact) }
        }
        return nil
    }
}

extension CommandFailure {
    fileprivate static func unknownField(
        _ name: String, among names: [String], or others: [String]
    ) -> CommandFailure {
        // A fact may also be named without its `_`.
        let nearest =
            name.nearest(in: names + others)
            ?? name.nearest(in: others.map { String($0.dropFirst()) }).map { "_" + $0 }
        let hint = nearest.map { ". Did you mean \"\($0)\"?" } ?? ""
        let besides = others.isEmpty ? [] : ["Other columns are: \(list(others))"]
        return CommandFailure(
            .usage,
            lines: ["There is no field \(name.quoted(longest: 64))\(hint)", "The fields are: \(list(names))"] + besides)
    }

    fileprivate static func ambiguousField(_ name: String, _ names: [String]) -> CommandFailure {
        CommandFailure(
            .usage, "\(name.quoted(longest: 64)) means several fields: \(list(names))", "Give the name of one of them")
    }
}
