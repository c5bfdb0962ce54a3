internal import ProfileCore
internal import ProfileStore
internal import SQLiteAccess

// Finding profiles by their values.
extension ProfileTable {
    /// Returns one page of a search's results.
    func page(
        _ search: ProfileSearch, by access: SearchAccess, _ connection: borrowing Connection
    ) throws -> ProfilePage {
        let stretches = StatementStretch.all(of: search, by: access)
        guard stretches.count > 1 else { return try page(search, by: access, stretches, connection) }
        // All statements read one snapshot. Otherwise a profile that changes between two statements could be found
        // twice or not at all.
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

    /// Returns the number of profiles that match a search.
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

    /// Returns the statement that reads one stretch of a search; see `StatementStretch`.
    func sql(
        of search: ProfileSearch, by access: SearchAccess, in stretch: StatementStretch, limit: Int
    ) -> SearchSQL {
        var sql = SearchSQL(selection)
        let conditions = conditions(of: search, by: access, in: stretch, &sql)
        sql.add(conditions: conditions)
        let direction = search.isAscending ? "" : " DESC"
        var terms = [id(of: search, by: access) + direction]
        if let order = search.order, stretch.hasValues {
            terms.insert(contentsOf: places(in: order, of: search, by: access, direction, &sql), at: 0)
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
        var choices: [String] = []
        for (index, condition) in search.conditions.enumerated() {
            let conditionTerms = self.terms(of: condition, &sql) { isLowerBound in
                // If SQLite scans an index in the sort order, the scan begins at the cursor. A condition that is a
                // bound at the same end does not use the index, because the cursor is the stricter bound.
                access.way == .condition(index)
                    || access.way == .order && (stretch.cursor == nil || isLowerBound != search.isAscending)
            }
            if search.joinsByOr {
                choices.append("(" + conditionTerms.joined(separator: " AND ") + ")")
            } else {
                terms += conditionTerms
            }
        }
        if !choices.isEmpty { terms.append("(" + SearchSQL.grouped(choices, by: " OR ") + ")") }
        switch search.status {
        case .invalid: terms.append((access.way == .marks ? "" : "+") + "issues IS NOT NULL")
        case .judged(let versions): terms.append("schema_version IN (\(Self.list(versions)))")
        case .hasPassword(let versions):
            // `NULL NOT IN ()` is true, so profiles without a password are excluded explicitly.
            terms.append("password_hash IS NOT NULL AND password_schema_version NOT IN (\(Self.list(versions)))")
        case nil: break
        }
        if let text = search.text { terms.append(contains(text, openFields, &sql)) }
        if let last = search.lastID { terms.append("id \(search.isAscending ? "<=" : ">=") \(sql.parameter(last))") }
        return terms + bounds(of: stretch, search, by: access, &sql)
    }

    /// Returns the SQL terms of a condition. A unary plus before a column keeps SQLite from using an index of the
    /// column. `usesIndex` returns whether a term may use an index. Its argument says whether the term is a lower
    /// bound.
    private func terms(
        of condition: ProfileSearch.Condition, _ sql: inout SearchSQL, usesIndex: (_ isLowerBound: Bool) -> Bool
    ) -> [String] {
        let field = condition.field
        let name = Self.quoted(field.column)
        let column = (usesIndex(false) ? "" : "+") + name
        func bound(_ comparison: String, _ value: String) -> [String] {
            let place = place(of: field, isWalked: usesIndex(comparison.hasPrefix(">")))
            let bound = "\(place) \(comparison) \(sql.parameter(value))"
            // A text column can contain a value that is not a number or moment. Such a value does not match a bound.
            return field.type == .string ? [bound] : [bound, "profiles_holds('\(field.type.rawValue)', \(name))"]
        }
        switch condition.comparison {
        case .equals(let value): return ["\(column) = \(sql.parameter(value))"]
        case .differs(let value): return ["+\(name) IS NOT \(sql.parameter(value))"]
        case .hasPrefix(let prefix):
            // The condition is a range, because LIKE interprets wildcards and would not use an index. UTF-8 text has no
            // byte 0xFF, so the upper bound is greater than every text with the prefix.
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

    /// Returns the SQL term that is true if one of the fields contains a text.
    private func contains(_ text: FoldedText, _ fields: [FieldRules], _ sql: inout SearchSQL) -> String {
        let calls = calls(of: "profiles_contains", text, fields, &sql)
        return calls.count == 1 ? calls[0] : "(\(calls.joined(separator: " OR ")))"
    }

    /// Returns the calls of a function for a text and some fields. If one call cannot take all columns as arguments,
    /// the result contains several calls.
    private func calls(
        of function: String, _ text: FoldedText, _ fields: [FieldRules], _ sql: inout SearchSQL
    ) -> [String] {
        let parameter = sql.parameter(text.bytes)
        return stride(from: 0, to: fields.count, by: Self.mostColumnsOfCall).map { start in
            let columns = fields[start..<min(start + Self.mostColumnsOfCall, fields.count)].map(\.column)
            return "\(function)(\(parameter), \(columns.map(Self.quoted).joined(separator: ", ")))"
        }
    }

    /// The maximum number of columns in one call. A call has at most 32 arguments, and the text is one of them.
    private static let mostColumnsOfCall = 31

    // MARK: Order

    /// Returns the SQL terms that limit a search to one stretch; see `StatementStretch`.
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
        if order.fields.count > 1 {
            guard let cursor = stretch.cursor else { return [] }
            let sorts = Array(zip(order.fields, cursor.values))
            return [isBehind(cursor, sorts[...], search, &sql)]
        }
        guard let field = order.field else {
            // The sort value is negative: a better match has a smaller sort value.
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
            // No stored value is empty, so the bound matches every value. Because of the bound, the index scan starts
            // after the NULLs.
            return isWalked && search.conditions.isEmpty ? ["\(place) > ''"] : ["+\(column) IS NOT NULL"]
        }
    }

    /// Returns the terms of ORDER BY for an order, without the id.
    private func places(
        in order: ProfileSearch.Order, of search: ProfileSearch, by access: SearchAccess, _ direction: String,
        _ sql: inout SearchSQL
    ) -> [String] {
        guard order.fields.count > 1 else {
            return [place(in: order, isWalked: access.way == .order, &sql) + direction]
        }
        return order.fields.flatMap { sort in
            // SQLite sorts NULL before all values. In a search, profiles without a value come after all values.
            let absence = "+\(Self.quoted(sort.field.column)) IS NULL" + (search.isReversed ? " DESC" : "")
            let direction = sort.isDescending == search.isReversed ? "" : " DESC"
            return [absence, place(of: sort.field, isWalked: false) + direction]
        }
    }

    /// Returns the SQL term for the profiles after a cursor in the order of several fields. `sorts` are the fields that
    /// are still to be compared, each with the value of the cursor.
    private func isBehind(
        _ cursor: ProfileCursor, _ sorts: ArraySlice<(ProfileSearch.SortField, [UInt8]?)>, _ search: ProfileSearch,
        _ sql: inout SearchSQL
    ) -> String {
        guard let (sort, value) = sorts.first else {
            return "id \(search.isAscending ? ">" : "<") \(sql.parameter(cursor.id))"
        }
        let rest = isBehind(cursor, sorts.dropFirst(), search, &sql)
        let column = "+" + Self.quoted(sort.field.column)
        guard let value else {
            let isEqual = "\(column) IS NULL AND \(rest)"
            return search.isReversed ? "(\(column) IS NOT NULL OR \(isEqual))" : "(\(isEqual))"
        }
        let place = place(of: sort.field, isWalked: false)
        let parameter = sql.parameter(value)
        let sign = sort.isDescending == search.isReversed ? ">" : "<"
        let isAbsent = search.isReversed ? "" : " OR \(column) IS NULL"
        return "(\(place) \(sign) \(parameter)\(isAbsent) OR \(place) = \(parameter) AND \(rest))"
    }

    /// Returns the SQL of the sort value of an order. Profiles are sorted by this value.
    private func place(in order: ProfileSearch.Order, isWalked: Bool, _ sql: inout SearchSQL) -> String {
        switch order {
        case .fields(let fields): return fields.first.map { place(of: $0.field, isWalked: isWalked) } ?? "id"
        case .relevance(let text):
            let calls = calls(of: "profiles_match", text, openFields, &sql)
            return "-" + (calls.count == 1 ? calls[0] : "max(\(calls.joined(separator: ", ")))")
        }
    }

    /// Returns the SQL of the sort value for a search that has `field` as its sort field.
    private func place(of field: FieldRules, isWalked: Bool) -> String {
        let column = (isWalked ? "" : "+") + Self.quoted(field.column)
        return switch ValueOrder(field) {
        // The column's own collation already gives this order.
        case .bytes, .ignoringCase: column
        case .number: column + " COLLATE profiles_number"
        case .moment: column + " COLLATE profiles_moment"
        }
    }

    /// Returns the SQL of the id as a sort value. In an index, the entries with the same value are sorted by id. So a
    /// condition that selects one value can use this order. For other conditions, a unary plus prevents SQLite from
    /// scanning all ids. SQLite then uses the condition's index.
    private func id(of search: ProfileSearch, by access: SearchAccess) -> String {
        guard case .condition(let index) = access.way else { return "id" }
        switch search.conditions[index].comparison {
        case .equals, .isAbsent: return "id"
        default: return "+id"
        }
    }
}
