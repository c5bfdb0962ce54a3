internal import ProfileCore
internal import ProfileStore
internal import SQLiteAccess

// Finding profiles by their values.
extension ProfileTable {
    /// One page of what a search finds.
    func page(
        _ search: ProfileSearch, by access: SearchAccess, _ connection: borrowing Connection
    ) throws -> ProfilePage {
        let stretches = StatementStretch.all(of: search, by: access)
        guard stretches.count > 1 else { return try page(search, by: access, stretches, connection) }
        // Of one moment: a profile that gets a value between two statements would be found twice, or not at all.
        return try connection.readTransaction { try page(search, by: access, stretches, connection) }
    }

    private func page(
        _ search: ProfileSearch, by access: SearchAccess, _ stretches: [StatementStretch],
        _ connection: borrowing Connection
    ) throws(SQLiteError) -> ProfilePage {
        var page = PageReading(search)
        for stretch in stretches {
            let sql = sql(of: search, by: access, in: stretch, limit: search.limit + 1 - page.count)
            var statement = try connection.prepare(sql.text)
            try sql.bind(to: &statement)
            while try statement.step() {
                if page.isFull { return page.end(hasMore: true) }
                page.append(profile(in: statement))
            }
        }
        return page.end(hasMore: false)
    }

    /// How many profiles a search finds.
    func count(_ search: ProfileSearch, _ connection: borrowing Connection) throws(SQLiteError) -> Int {
        var search = search
        search.order = nil
        search.after = nil
        var sql = SearchSQL("SELECT count(*) FROM profiles")
        let conditions = conditions(of: search, by: SearchAccess(search), in: .ids(after: nil), &sql)
        sql.add(conditions: conditions)
        var statement = try connection.prepare(sql.text)
        try sql.bind(to: &statement)
        return try statement.step() ? Int(statement.integer(at: 0)) : 0
    }

    /// The statement for a stretch of a search's order.
    func sql(
        of search: ProfileSearch, by access: SearchAccess, in stretch: StatementStretch, limit: Int
    ) -> SearchSQL {
        var sql = SearchSQL(selection)
        let conditions = conditions(of: search, by: access, in: stretch, &sql)
        sql.add(conditions: conditions)
        let direction = search.isAscending ? "" : " DESC"
        var terms = [id(of: search, by: access) + direction]
        if let order = search.order, stretch.hasValues {
            terms.insert(place(in: order, isWalked: access.way == .order, &sql) + direction, at: 0)
        }
        let most = sql.parameter(Int64(limit))
        sql.text += " ORDER BY \(terms.joined(separator: ", ")) LIMIT \(most)"
        return sql
    }

    // MARK: Conditions

    private func conditions(
        of search: ProfileSearch, by access: SearchAccess, in stretch: StatementStretch, _ sql: inout SearchSQL
    ) -> [String] {
        var terms: [String] = []
        for (index, condition) in search.conditions.enumerated() {
            terms += self.terms(of: condition, &sql) { isLowerBound in
                // Where the index is walked, the place to go on after is a bound already, and the nearer one.
                access.way == .condition(index)
                    || access.way == .order && (stretch.cursor == nil || isLowerBound != search.isAscending)
            }
        }
        switch search.status {
        case .invalid: terms.append((access.way == .marks ? "" : "+") + "issues IS NOT NULL")
        case .judged(let versions): terms.append("schema_version IN (\(Self.list(versions)))")
        case nil: break
        }
        if let text = search.text { terms.append(contains(text, openFields, &sql)) }
        if let last = search.lastID { terms.append("id \(search.isAscending ? "<=" : ">=") \(sql.parameter(last))") }
        return terms + bounds(of: stretch, search, by: access, &sql)
    }

    /// What the values of a field must be. A plus keeps SQLite from looking for an index of a column; `usesIndex` says
    /// whether one is to be used, for a bound from below or for anything else.
    private func terms(
        of condition: ProfileSearch.Condition, _ sql: inout SearchSQL, usesIndex: (_ isLowerBound: Bool) -> Bool
    ) -> [String] {
        let field = condition.field
        let name = Self.quoted(field.column)
        let column = (usesIndex(false) ? "" : "+") + name
        func bound(_ comparison: String, _ value: String) -> [String] {
            let place = place(of: field, isWalked: usesIndex(comparison.hasPrefix(">")))
            let bound = "\(place) \(comparison) \(sql.parameter(value))"
            // Every text has its place among texts, but what is no number has none among numbers.
            return field.type == .string ? [bound] : [bound, "profiles_holds('\(field.type.rawValue)', \(name))"]
        }
        switch condition.comparison {
        case .equals(let value): return ["\(column) = \(sql.parameter(value))"]
        case .differs(let value): return ["+\(name) IS NOT \(sql.parameter(value))"]
        case .hasPrefix(let prefix):
            // A range rather than LIKE, which knows wildcards and would not use an index. No text has the byte 0xFF.
            let bytes = Array(prefix.utf8)
            let lower = (usesIndex(true) ? "" : "+") + name
            return ["\(lower) >= \(sql.parameter(bytes))", "\(column) < \(sql.parameter(bytes + [0xFF]))"]
        case .contains(let text): return [contains(FoldedText(text), [field], &sql)]
        case .isLess(let value): return bound("<", value)
        case .isAtMost(let value): return bound("<=", value)
        case .isGreater(let value): return bound(">", value)
        case .isAtLeast(let value): return bound(">=", value)
        case .isAny(let values):
            return ["\(column) IN (\(values.map { sql.parameter($0) }.joined(separator: ", ")))"]
        case .isAbsent: return ["\(column) IS NULL"]
        case .isPresent: return ["+\(name) IS NOT NULL"]
        }
    }

    /// Whether one of some fields contains a text.
    private func contains(_ text: FoldedText, _ fields: [FieldRules], _ sql: inout SearchSQL) -> String {
        let calls = calls(of: "profiles_contains", text, fields, &sql)
        return calls.count == 1 ? calls[0] : "(\(calls.joined(separator: " OR ")))"
    }

    /// Calls of a function of a text and some fields: one for as many columns as it may have arguments.
    private func calls(
        of function: String, _ text: FoldedText, _ fields: [FieldRules], _ sql: inout SearchSQL
    ) -> [String] {
        let parameter = sql.parameter(text.bytes)
        return stride(from: 0, to: fields.count, by: Self.mostColumnsOfCall).map { start in
            let columns = fields[start..<min(start + Self.mostColumnsOfCall, fields.count)].map(\.column)
            return "\(function)(\(parameter), \(columns.map(Self.quoted).joined(separator: ", ")))"
        }
    }

    /// One less than the arguments that a function may have.
    private static let mostColumnsOfCall = 31

    // MARK: Order

    /// What a stretch of the order leaves of the profiles.
    private func bounds(
        of stretch: StatementStretch, _ search: ProfileSearch, by access: SearchAccess, _ sql: inout SearchSQL
    ) -> [String] {
        let id = id(of: search, by: access)
        let isAfter = search.isAscending ? ">" : "<"
        func ids(after cursor: ProfileCursor?) -> [String] {
            cursor.map { ["\(id) \(isAfter) \(sql.parameter($0.id))"] } ?? []
        }
        guard let order = search.order else { return ids(after: stretch.cursor) }
        let isWalked = access.way == .order
        guard let field = order.field else {
            // A better match has a smaller place.
            guard let cursor = stretch.cursor else { return [] }
            let place = self.place(in: order, isWalked: isWalked, &sql)
            let (match, last) = (sql.parameter(-Int64(cursor.value?.first ?? 0)), sql.parameter(cursor.id))
            return ["(\(place), \(id)) \(isAfter) (\(match), \(last))"]
        }
        let column = Self.quoted(field.column)
        let place = self.place(of: field, isWalked: isWalked)
        switch stretch {
        case .ids(let cursor): return ids(after: cursor)
        case .absent(let cursor): return ["\(isWalked ? "" : "+")\(column) IS NULL"] + ids(after: cursor)
        case .same(let cursor): return ["\(place) = \(sql.parameter(cursor.value ?? []))"] + ids(after: cursor)
        case .beyond(let cursor): return ["\(place) \(isAfter) \(sql.parameter(cursor.value ?? []))"]
        case .present(let cursor?):
            let value = sql.parameter(cursor.value ?? [])
            return ["(\(place), \(id)) \(isAfter) (\(value), \(sql.parameter(cursor.id)))"]
        case .present(nil):
            // No value is empty. An index begins at a bound, so that it passes those without a value over.
            return isWalked && search.conditions.isEmpty ? ["\(place) > ''"] : ["+\(column) IS NOT NULL"]
        }
    }

    /// The place that a profile has in an order.
    private func place(in order: ProfileSearch.Order, isWalked: Bool, _ sql: inout SearchSQL) -> String {
        switch order {
        case .field(let field, _): return place(of: field, isWalked: isWalked)
        case .relevance(let text):
            let calls = calls(of: "profiles_match", text, openFields, &sql)
            return "-" + (calls.count == 1 ? calls[0] : "max(\(calls.joined(separator: ", ")))")
        }
    }

    /// The place that a profile's value has in the order of the field's values.
    private func place(of field: FieldRules, isWalked: Bool) -> String {
        let column = (isWalked ? "" : "+") + Self.quoted(field.column)
        return switch ValueOrder(field) {
        // As the column compares by itself.
        case .bytes, .ignoringCase: column
        case .number: column + " COLLATE profiles_number"
        case .moment: column + " COLLATE profiles_moment"
        }
    }

    /// The id, as what is found by an index is put in its order. Within one value an index has that order by itself.
    private func id(of search: ProfileSearch, by access: SearchAccess) -> String {
        guard case .condition(let index) = access.way else { return "id" }
        switch search.conditions[index].comparison {
        case .equals, .isAbsent: return "id"
        default: return "+id"
        }
    }
}

/// A part of a search's order that one SQLite statement reads.
enum StatementStretch {
    /// In the order of ids.
    case ids(after: ProfileCursor?)
    case present(after: ProfileCursor?)
    /// Profiles with the cursor's value and higher ids. SQLite skips profiles before the cursor in an index only if the
    /// statement has this value alone.
    case same(as: ProfileCursor)
    /// Profiles with values beyond the cursor's value.
    case beyond(ProfileCursor)
    case absent(after: ProfileCursor?)

    /// The statements for the stretches of a search, in their order.
    static func all(of search: ProfileSearch, by access: SearchAccess) -> [StatementStretch] {
        search.stretches.flatMap { stretch -> [StatementStretch] in
            switch stretch.part {
            case .ids: [.ids(after: stretch.after)]
            case .absent: [.absent(after: stretch.after)]
            case .present:
                if access.way == .order, let after = stretch.after {
                    [.same(as: after), .beyond(after)]
                } else {
                    [.present(after: stretch.after)]
                }
            }
        }
    }

    /// The cursor that it continues after.
    var cursor: ProfileCursor? {
        switch self {
        case .ids(let cursor), .present(let cursor), .absent(let cursor): cursor
        case .same(let cursor), .beyond(let cursor): cursor
        }
    }

    /// Whether it is in the order of values, not of ids alone.
    var hasValues: Bool {
        switch self {
        case .present, .beyond: true
        case .ids, .same, .absent: false
        }
    }
}

/// The text of a statement, and the values that it binds.
struct SearchSQL {
    var text: String
    private var values: [Value] = []

    private enum Value {
        case number(Int64)
        case text([UInt8])
    }

    init(_ text: String) { self.text = text }

    /// Adds what must all hold: in groups, since SQLite bounds how deep an expression is, and each AND is deeper by one.
    mutating func add(conditions: [String]) {
        guard !conditions.isEmpty else { return }
        let groups = stride(from: 0, to: conditions.count, by: 20).map { start in
            "(" + conditions[start..<min(start + 20, conditions.count)].joined(separator: " AND ") + ")"
        }
        text += " WHERE " + groups.joined(separator: " AND ")
    }

    /// The parameter that stands for a value.
    mutating func parameter(_ number: Int64) -> String { parameter(.number(number)) }
    mutating func parameter(_ text: String) -> String { parameter(.text(Array(text.utf8))) }
    mutating func parameter(_ text: [UInt8]) -> String { parameter(.text(text)) }

    private mutating func parameter(_ value: Value) -> String {
        values.append(value)
        return "?\(values.count)"
    }

    func bind(to statement: inout Statement) throws(SQLiteError) {
        for (index, value) in values.enumerated() {
            switch value {
            case .number(let number): try statement.bind(number, at: index + 1)
            case .text(let bytes): try statement.bind(text: bytes.span, at: index + 1)
            }
        }
    }
}
