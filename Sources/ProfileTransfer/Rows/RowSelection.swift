internal import ProfileCore
internal import ProfileStore

/// Selects the rows of a scan that meet the conditions of a search, and the columns to return.
///
/// The conditions are evaluated here, and not by the engine. A scan reads each profile once, so the time does not depend
/// on the conditions, and the same code serves every engine.
struct RowSelection: Sendable {
    private let search: ProfileSearch
    /// The ids of the profiles that may be selected; nil for all profiles.
    private let ids: Set<Int64>?
    /// The columns of the selected rows: fields, and facts such as `_created_at`.
    let columns: [FieldRules]
    /// The scan that reads the columns, and the values that the conditions and the order need.
    let scan: StoreScan
    /// The location of each column's value in a row of the scan. The next two arrays have the locations for the
    /// conditions and for the order. With these arrays, the loops over rows do not copy a `FieldRules` for each row.
    private let places: [Place]
    private let conditionPlaces: [Place]
    private let orderPlaces: [Place]
    /// The cells that a text search examines: those of the fields that are not secret. Empty without a text search.
    private let openCells: [Int]

    /// The location of a value in a row of the scan: one of the cells, or a fact about the profile.
    private enum Place {
        case cell(Int)
        case fact(ProfileFact)
    }

    /// - Parameters:
    ///   - search: The conditions and the order. Its limits and its cursor have no effect.
    ///   - columns: The columns of the selected rows: fields and facts.
    ///   - includesHashes: Whether the rows have the hashes of passwords.
    ///   - schema: The rules in force.
    ///   - pageBytes: The maximum number of bytes that a page of the scan reads.
    ///   - ids: The ids of the profiles that may be selected; nil for all profiles.
    init(
        _ search: ProfileSearch, columns: [FieldRules], includesHashes: Bool, schema: ProfileSchema, pageBytes: Int,
        ids: Set<Int64>? = nil
    ) {
        var named = columns + search.conditions.map(\.field) + (search.order?.fields.map(\.field) ?? [])
        let readsAll = search.text != nil
        if readsAll { named += schema.openFields }
        var fields: [FieldRules] = []
        var cells: [FieldName: Int] = [:]
        for field in named where field.column.fact == nil && cells[field.name] == nil {
            cells[field.name] = fields.count
            fields.append(field)
        }
        func place(_ field: FieldRules) -> Place {
            field.column.fact.map(Place.fact) ?? .cell(cells[field.name] ?? 0)
        }
        self.search = search
        self.ids = ids
        self.columns = columns
        places = columns.map(place)
        conditionPlaces = search.conditions.map { place($0.field) }
        orderPlaces = (search.order?.fields ?? []).map { place($0.field) }
        openCells = readsAll ? schema.openFields.compactMap { cells[$0.name] } : []
        var scan = StoreScan(fields: fields, includesHashes: includesHashes, mostRows: .max, mostBytes: pageBytes)
        scan.includesRecords = search.status != nil || named.contains { $0.column.fact.map { $0 != .id } ?? false }
        self.scan = scan
    }

    /// Whether the rows must be sorted. Otherwise they are selected in the order of the scan.
    var isSorted: Bool { search.order != nil || search.isReversed }

    /// Returns whether a row of the scan meets the conditions.
    func isSelected(_ row: Int, of rows: StoredRows) -> Bool {
        if let ids, !ids.contains(rows.rows[row].id) { return false }
        switch search.status {
        case nil: break
        case .invalid: if rows.rows[row].record?.issues == nil { return false }
        case .judged(let versions):
            guard let record = rows.rows[row].record, versions.contains(record.schemaVersion) else { return false }
        case .hasPassword(let versions):
            guard let password = rows.rows[row].record?.password, !versions.contains(password.schemaVersion) else {
                return false
            }
        }
        if let text = search.text {
            guard openCells.contains(where: { !rows.isAbsent(row, $0) && text.isContained(in: rows.cell(row, $0)) })
            else { return false }
        }
        for (index, place) in conditionPlaces.enumerated() {
            let found: Bool? = withValue(at: place, row, rows) { search.conditions[index].isMet(by: $0) }
            let isMet = found ?? search.conditions[index].isMetByAbsence
            if isMet == search.joinsByOr { return isMet }
        }
        return !search.joinsByOr
    }

    /// Returns the rows of a page that meet the conditions.
    func selectedRows(of rows: StoredRows) -> [Int] { rows.rows.indices.filter { isSelected($0, of: rows) } }

    /// Calls `body` with the value at a location of a row. Returns nil if the row has no value there.
    @inline(__always)
    private func withValue<Value>(
        at place: Place, _ row: Int, _ rows: StoredRows, _ body: (Span<UInt8>) -> Value
    ) -> Value? {
        switch place {
        case .cell(let cell): return rows.isAbsent(row, cell) ? nil : body(rows.cell(row, cell))
        case .fact(let fact): return rows.rows[row].text(of: fact).map { body($0.utf8Span.span) }
        }
    }

    /// Calls `body` for each of these rows that has a value in a column, with the row's position and the value.
    @inline(__always)
    func forEachValue(
        ofColumn column: Int, in selected: ArraySlice<Int>, of rows: StoredRows, _ body: (Int, Span<UInt8>) -> Void
    ) {
        let place = places[column]
        for row in selected { withValue(at: place, row, rows) { body(row, $0) } }
    }

    /// Calls `body` with the value of a column in a row, if it has one.
    @inline(__always)
    func withValue(ofColumn column: Int, row: Int, of rows: StoredRows, _ body: (Span<UInt8>) -> Void) {
        withValue(at: places[column], row, rows, body)
    }

    /// Appends the columns of a row to the selected rows. If `issuesAsJSON` is true, the column `_issues` has the stored
    /// form of the issues, which is JSON.
    func append(
        _ row: Int, of rows: StoredRows, issuesAsJSON: Bool, to selected: inout StoredRows
    ) throws(ProfileStoreError) {
        let stored = rows.rows[row]
        try selected.append(StoredRows.Row(id: stored.id, judgement: nil, hash: stored.hash))
        for place in places {
            switch place {
            case .cell(let cell) where !rows.isAbsent(row, cell): selected.append(cell: rows.cell(row, cell))
            case .cell: selected.appendAbsentCell()
            case .fact(let fact):
                let text = fact == .issues && issuesAsJSON ? stored.record?.issues : stored.text(of: fact)
                if let text { selected.append(cell: text.utf8Span.span) } else { selected.appendAbsentCell() }
            }
        }
    }

    // MARK: Order

    /// Returns the sort key of a row. If rows are sorted by the bytes of their keys, they have the order of the search.
    /// The keys of two rows differ, because a key ends with the id of the profile.
    func sortKey(of row: Int, of rows: StoredRows) -> [UInt8] {
        let id = rows.rows[row].id
        var key: [UInt8] = []
        switch search.order {
        case .fields(let fields):
            for (field, place) in zip(fields, orderPlaces) {
                // Each field's part of the key begins with a byte that is 1 if the profile has no value. A descending
                // order does not invert this byte, because profiles without a value come last in both directions.
                let start = key.count + 1
                key.append(0)
                let value: Void? = withValue(at: place, row, rows) {
                    ValueOrder(field.field).appendKey(of: $0, to: &key)
                }
                if value == nil { key[start - 1] = 1 }
                if field.isDescending { for index in start..<key.count { key[index] = ~key[index] } }
            }
            let start = key.count
            append(id, to: &key)
            if fields.last?.isDescending ?? false { for index in start..<key.count { key[index] = ~key[index] } }
        case .relevance(let text):
            let matches = openCells.compactMap { rows.isAbsent(row, $0) ? nil : text.match(in: rows.cell(row, $0)) }
            key.append(.max - UInt8(matches.max()?.rawValue ?? 0))
            append(id, to: &key)
        case nil: append(id, to: &key)
        }
        if search.isReversed { for index in key.indices { key[index] = ~key[index] } }
        return key
    }

    private func append(_ id: Int64, to key: inout [UInt8]) {
        let bits = UInt64(bitPattern: id) ^ (1 << 63)
        for shift in stride(from: 56 as UInt64, through: 0, by: -8) {
            key.append(UInt8(truncatingIfNeeded: bits >> shift))
        }
    }
}

extension ProfileSchema {
    /// Returns the fields and facts with these names; without names, all fields that are not secret.
    ///
    /// - Throws: `invalidQuery` if a field does not exist or is secret.
    func columns(_ names: [FieldName]?) throws(ProfileStoreError) -> [FieldRules] {
        guard let names else { return openFields }
        var columns: [FieldRules] = []
        var issues: [ValidationIssue] = []
        for name in names {
            if let fact = ProfileFact(name: name.text) {
                columns.append(fact.column)
            } else if let rules = self[name], !rules.isSecret {
                columns.append(rules)
            } else {
                issues.append(ValidationIssue(nil, .unknownField(name.text)))
            }
        }
        guard issues.isEmpty else { throw .invalidQuery(issues) }
        return columns
    }
}

// MARK: - Records

extension StoredRows {
    /// Returns the cells of a row, and its hash, as bytes.
    func record(ofRow row: Int, columns: Int) -> [UInt8] {
        var record: [UInt8] = []
        for column in 0..<columns {
            if isAbsent(row, column) {
                record.append(length: Self.absent)
            } else {
                record.append(cell: cell(row, column))
            }
        }
        if let hash = rows[row].hash { record.append(cell: hash.bytes) }
        return record
    }

    /// Appends a row from the bytes of ``record(ofRow:columns:)``.
    mutating func append(record: [UInt8], columns: Int) throws(ProfileStoreError) {
        var index = 0
        var cells: [Range<Int>?] = []
        for _ in 0..<columns {
            let length = record.length(at: index)
            index += 4
            guard length != Self.absent else {
                cells.append(nil)
                continue
            }
            cells.append(index..<index + Int(length))
            index += Int(length)
        }
        let hash = index + 4 <= record.count ? Secret(record.span.extracting(index + 4..<record.count)) : nil
        try append(Row(id: 0, judgement: nil, hash: hash))
        for cell in cells {
            if let cell { append(cell: record.span.extracting(cell)) } else { appendAbsentCell() }
        }
    }

    /// The length that stands for an absent cell.
    static var absent: UInt32 { .max }
}

extension [UInt8] {
    /// Appends a length as four bytes.
    mutating func append(length: UInt32) {
        Swift.withUnsafeBytes(of: length.littleEndian) { append(contentsOf: $0) }
    }

    /// Appends a cell in the form of ``StoredRows/record(ofRow:columns:)``.
    mutating func append(cell: Span<UInt8>) {
        append(length: UInt32(truncatingIfNeeded: cell.count))
        cell.withUnsafeBufferPointer { append(contentsOf: $0) }
    }

    /// Returns the length that ``append(length:)`` wrote at this index.
    func length(at index: Int) -> UInt32 {
        withUnsafeBytes { UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: index, as: UInt32.self)) }
    }
}
