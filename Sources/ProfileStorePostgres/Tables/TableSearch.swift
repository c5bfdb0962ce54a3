internal import PostgresAccess
internal import ProfileCore
internal import ProfileStore

/// A search in the table `profiles`.
///
/// The server compares values by their bytes. If this comparison gives the right result for a condition, the server
/// checks the condition. If the comparison gives the right result for the sort field, the server sorts the rows.
/// Otherwise this program checks and sorts the rows that the server returns. For example, the server cannot find a text
/// regardless of case and accents, and it cannot compare numbers by value.
struct TableSearch: Sendable {
    private let search: ProfileSearch
    private let table: ProfileTable
    /// The conditions that this program checks.
    private let looked: [ProfileSearch.Condition]
    /// The column by which the server sorts, in the order of the bytes. Nil if the server does not sort by a field.
    private let orderColumn: String?

    init(_ search: ProfileSearch, _ table: ProfileTable) {
        self.search = search
        self.table = table
        let unknown = search.conditions.filter { !$0.isKnownToServer }
        // If the conditions are joined by OR and the server cannot check all of them, the server cannot leave out any
        // row. Then this program checks all conditions.
        looked = search.joinsByOr && !unknown.isEmpty ? search.conditions : unknown
        orderColumn = search.order.flatMap { order in
            guard let field = order.field, field.isOrderedAsText else { return nil }
            return ProfileTable.comparedColumn(field)
        }
    }

    // MARK: Reading

    /// Returns one page of the matching profiles.
    func page(_ connection: Connection) async throws -> ProfilePage {
        if search.order != nil, orderColumn == nil { return try await bestPage(connection) }
        let stretches = search.stretches
        if isExact, stretches.count == 1, search.limit < Self.firstPortion {
            return try await page(stretches) { command in try await connection.run([command])[0] }
        }
        // All statements read one snapshot. Otherwise a profile that changes between two statements could be found
        // twice or not at all.
        return try await connection.transaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") { transaction in
            try await page(stretches) { command in try await transaction.run([command])[0] }
        }
    }

    private func page(
        _ stretches: [SearchStretch], _ run: (Command) async throws -> Rows
    ) async throws -> ProfilePage {
        var page = PageReading(search)
        for stretch in stretches {
            var after = stretch.after
            var portion = isExact ? min(search.limit + 1, Self.firstPortion) : Self.firstPortion
            while true {
                let rows = try await run(command(stretch, after: after, limit: portion))
                for row in 0..<rows.count where isFound(rows, row) {
                    if page.isFull { return page.end(hasMore: true) }
                    page.append(table.profile(in: rows, row))
                }
                guard rows.count == portion else { break }
                after = search.place(of: table.profile(in: rows, rows.count - 1))
                portion = min(portion * 4, Self.largestPortion)
            }
        }
        return page.end(hasMore: false)
    }

    /// Returns a page in an order that the server cannot produce. This method reads all matching profiles, and keeps
    /// only the first profiles in the sort order.
    private func bestPage(_ connection: Connection) async throws -> ProfilePage {
        var best: [(place: ProfileCursor, profile: Profile)] = []
        try await forEachFound(connection) { rows, row in
            let profile = table.profile(in: rows, row)
            let place = search.place(of: profile)
            if let after = search.after, !search.precedes(after, place) { return }
            if best.count > search.limit, let last = best.last, !search.precedes(place, last.place) { return }
            let index = best.partitioningIndex { search.precedes(place, $0.place) }
            best.insert((place, profile), at: index)
            if best.count > search.limit + 1 { best.removeLast() }
        }
        var page = PageReading(search)
        for found in best {
            if page.isFull { return page.end(hasMore: true) }
            page.append(found.profile)
        }
        return page.end(hasMore: false)
    }

    /// Returns the number of matching profiles. The order and the cursor of the search do not affect this number.
    func count(_ connection: Connection) async throws -> Int {
        if isExact {
            var sql = SearchSQL("SELECT count(*) FROM profiles")
            addConditions(to: &sql)
            return try await connection.run(sql.text, sql.values).count(0, 0)
        }
        var count = 0
        try await forEachFound(connection) { _, _ in count += 1 }
        return count
    }

    /// Calls `body` for each matching row, sorted by id. All rows come from one snapshot.
    private func forEachFound(_ connection: Connection, _ body: (Rows, Int) -> Void) async throws {
        try await connection.transaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") { transaction in
            var last: Int64 = .min
            while true {
                var sql = SearchSQL(table.selection)
                addConditions(to: &sql)
                sql.add("id > \(sql.place(.number(last)))")
                sql.text += " ORDER BY id LIMIT \(Self.largestPortion)"
                let rows = try await transaction.run(sql.text, sql.values)
                for row in 0..<rows.count where isFound(rows, row) { body(rows, row) }
                guard rows.count == Self.largestPortion, let id = rows.number(rows.count - 1, 0) else { return }
                last = id
            }
        }
    }

    private static let firstPortion = 256
    private static let largestPortion = 4_096

    // MARK: Conditions checked here

    /// Whether the server can check all conditions.
    private var isExact: Bool { looked.isEmpty && search.text == nil }

    /// Whether a row satisfies the conditions in `looked`, joined as in the search, and contains the text of the
    /// search.
    private func isFound(_ rows: Rows, _ row: Int) -> Bool {
        let isMet = { condition in self.isMet(condition, rows, row) }
        guard looked.isEmpty || (search.joinsByOr ? looked.contains(where: isMet) : looked.allSatisfy(isMet)) else {
            return false
        }
        guard let text = search.text else { return true }
        return table.openFields.indices.contains { index in
            rows.withBytes(row, index + ProfileTable.firstFieldColumn) { text.isContained(in: $0.span) } ?? false
        }
    }

    private func isMet(_ condition: ProfileSearch.Condition, _ rows: Rows, _ row: Int) -> Bool {
        if let fact = condition.field.column.fact {
            let text = table.profile(in: rows, row).text(of: fact)
            return text.map { condition.isMet(by: $0.utf8Span.span) } ?? condition.isMetByAbsence
        }
        guard let index = table.schema.openIndex(of: condition.field.name) else { return false }
        let isMet = rows.withBytes(row, index + ProfileTable.firstFieldColumn) { condition.isMet(by: $0.span) }
        return isMet ?? condition.isMetByAbsence
    }

    // MARK: The statement

    private func command(_ stretch: SearchStretch, after: ProfileCursor?, limit: Int) -> Command {
        var sql = SearchSQL(table.selection)
        addConditions(to: &sql)
        let isAfter = search.isAscending ? ">" : "<"
        let direction = search.isAscending ? "" : " DESC"
        var order = "id" + direction
        switch stretch.part {
        case .ids: if let after { sql.add("id \(isAfter) \(sql.place(.number(after.id)))") }
        case .absent:
            sql.add("\(orderColumn ?? "id") IS NULL")
            if let after { sql.add("id \(isAfter) \(sql.place(.number(after.id)))") }
        case .present:
            let column = orderColumn ?? "id"
            sql.add("\(column) IS NOT NULL")
            if let after, let field = search.order?.field {
                let value = ProfileTable.compared(String(decoding: after.value ?? [], as: UTF8.self), of: field)
                sql.add("(\(column), id) \(isAfter) (\(sql.place(.text(value))), \(sql.place(.number(after.id))))")
            }
            order = "\(column)\(direction), " + order
        }
        sql.text += " ORDER BY \(order) LIMIT \(sql.place(.number(Int64(limit))))"
        return Command(sql.text, sql.values)
    }

    private func addConditions(to sql: inout SearchSQL) {
        if !search.joinsByOr {
            for term in search.conditions.flatMap({ $0.terms(&sql) }) { sql.add(term) }
        } else if looked.isEmpty {
            let choices = search.conditions.map { condition in
                // A condition without a term is met by every profile.
                (["true"] + condition.terms(&sql)).joined(separator: " AND ")
            }
            sql.add("(" + choices.joined(separator: " OR ") + ")")
        }
        switch search.status {
        case .invalid: sql.add("issues IS NOT NULL")
        case .judged(let versions):
            sql.add("schema_version = ANY (\(sql.place(.numbers(versions.map(Int64.init))))::bigint[])")
        case .hasPassword(let versions):
            sql.add("password_hash IS NOT NULL")
            sql.add("password_schema_version <> ALL (\(sql.place(.numbers(versions.map(Int64.init))))::bigint[])")
        case nil: break
        }
        if let last = search.lastID {
            sql.add("id \(search.isAscending ? "<=" : ">=") \(sql.place(.number(last)))")
        }
    }

    // MARK: The plan

    /// Returns how the server will probably run a search. The result depends on the existing indexes, not on the
    /// server's statistics.
    static func plan(of search: ProfileSearch) -> QueryPlan {
        if search.order == nil, search.conditions.isEmpty, search.text == nil, search.status == nil {
            return .index([])
        }
        if !search.joinsByOr,
            let served = search.conditions.first(where: { $0.rank(havingIndex: $0.field.hasIndex) != nil })
        {
            return .index([served.field.name])
        }
        if case .invalid? = search.status { return .index([]) }
        if let field = search.order?.field, field.hasIndex, field.isOrderedAsText, search.conditions.isEmpty,
            search.text == nil, search.status == nil
        {
            return .index([field.name])
        }
        return .everything
    }
}

extension ProfileSearch.Condition {
    /// Whether the server finds exactly the profiles that satisfy the condition.
    fileprivate var isKnownToServer: Bool {
        switch comparison {
        case .equals, .differs, .hasPrefix, .isAny, .isAbsent, .isPresent: true
        case .contains: false
        // The server compares bytes, which is right for texts. For all other types, this program checks the condition.
        // The reasons: numbers and their bytes have different orders, and a value from earlier rules in a date field
        // may not be a date.
        case .isLess, .isAtMost, .isGreater, .isAtLeast: field.type == .string
        }
    }

    /// Returns the SQL terms with which the server checks the condition, or a part of it. All terms must be true.
    fileprivate func terms(_ sql: inout SearchSQL) -> [String] {
        let column = ProfileTable.comparedColumn(field)
        func bound(_ comparison: String, _ value: String) -> [String] {
            guard field.isOrderedAsText else { return [] }
            // No stored text contains U+0000, so the server gets only the part of the value before U+0000. A stored
            // text that equals this part sorts before the whole value. So `<` becomes `<=`, and `>=` becomes `>`.
            let storable = value.utf8.firstIndex(of: 0).map { value[..<$0] }
            let comparison = storable == nil ? comparison : comparison.hasPrefix("<") ? "<=" : ">"
            let text = ProfileTable.compared(storable.map(String.init) ?? value, of: field)
            return ["\(column) \(comparison) \(sql.place(.text(text)))"]
        }
        if !comparison.canBeStored {
            if case .differs = comparison { return [] }
            return ["false"]
        }
        switch comparison {
        case .equals(let value):
            return ["\(column) = \(sql.place(.text(ProfileTable.compared(value, of: field))))"]
        case .differs(let value):
            return ["\(column) IS DISTINCT FROM \(sql.place(.text(ProfileTable.compared(value, of: field))))"]
        case .hasPrefix(let prefix):
            let prefix = ProfileTable.compared(prefix, of: field)
            let end = prefix.endOfPrefix.map { ["\(column) < \(sql.place(.text($0)))"] } ?? []
            return end + [
                "\(column) >= \(sql.place(.text(prefix)))", "starts_with(\(column), \(sql.place(.text(prefix))))",
            ]
        case .contains: return []
        case .isLess(let value): return bound("<", value)
        case .isAtMost(let value): return bound("<=", value)
        case .isGreater(let value): return bound(">", value)
        case .isAtLeast(let value): return bound(">=", value)
        case .isAny(let values):
            let texts = values.filter { !$0.utf8.contains(0) }.map { ProfileTable.compared($0, of: field) }
            return ["\(column) = ANY (\(sql.place(.texts(texts)))::text[])"]
        case .isAbsent: return ["\(column) IS NULL"]
        case .isPresent: return ["\(column) IS NOT NULL"]
        }
    }
}

extension ProfileQuery.Comparison {
    /// Whether the server could store the text that the comparison looks for.
    fileprivate var canBeStored: Bool {
        switch self {
        case .equals(let text), .differs(let text), .hasPrefix(let text): !text.utf8.contains(0)
        default: true
        }
    }
}

extension String {
    /// The first text that sorts after all texts with this prefix, or nil if no such text exists.
    fileprivate var endOfPrefix: String? {
        var scalars = Array(unicodeScalars)
        while let last = scalars.popLast() {
            // Skips the surrogates, which are not Unicode scalars.
            let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
            guard let scalar = Unicode.Scalar(next) else { continue }
            scalars.append(scalar)
            var text = String.UnicodeScalarView()
            text.append(contentsOf: scalars)
            return String(text)
        }
        return nil
    }
}

/// The text of an unfinished statement, and its values.
private struct SearchSQL {
    var text: String
    private(set) var values: Values = []
    private var placeCount = 0
    private var hasCondition = false

    init(_ text: String) { self.text = text }

    /// Adds a condition, joined with AND.
    mutating func add(_ condition: String) {
        text += (hasCondition ? " AND " : " WHERE ") + condition
        hasCondition = true
    }

    /// Adds a value and returns its placeholder.
    mutating func place(_ value: Values.Value) -> String {
        values.append(value)
        placeCount += 1
        return "$\(placeCount)"
    }
}

extension Array {
    /// Uses a binary search to find the first element that satisfies the condition, and returns the index of this
    /// element. If an element satisfies the condition, every later element must satisfy it too.
    fileprivate func partitioningIndex(where isAfter: (Element) -> Bool) -> Int {
        var range = startIndex..<endIndex
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = isAfter(self[middle]) ? range.lowerBound..<middle : middle + 1..<range.upperBound
        }
        return range.lowerBound
    }
}
