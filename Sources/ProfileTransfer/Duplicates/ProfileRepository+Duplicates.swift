internal import CSVStream
public import ProfileCore
public import ProfileStore

extension ProfileRepository {
    /// Finds profiles that may be duplicates of each other. Reads every profile once.
    ///
    /// A group contains the profiles whose values of all `fields` are equal apart from case, accents, spaces and
    /// punctuation. Only texts are compared in this way; other values must be equal. A profile that lacks one of the
    /// fields is in no group. Without `fields`, all fields except the primary key are compared, and a value may be absent
    /// in all profiles of a group.
    ///
    /// A pair contains two profiles whose names are similar: without regard to case, accents, punctuation and the order of
    /// words, they are equal or differ in a few letters. If both names have at least 6 letters, one letter may differ.
    /// If both names have at least 12 letters, two letters may differ. To find pairs among very many profiles, each
    /// name is only compared with ten other names in each of three orders: by its beginning, by its end and by its
    /// sound. So some pairs may be missing.
    ///
    /// Memory use does not depend on the number of profiles. Many values are sorted in parts, and each part is
    /// written to an encrypted temporary file, which has no name in the file system.
    ///
    /// - Parameters:
    ///   - fields: The fields that must be equal. They must not be secret. If the list is empty, there are no groups. Nil
    ///     means all fields except the primary key.
    ///   - nameFields: The fields that together make the name. If the list is empty, there are no pairs.
    ///   - query: The conditions of the profiles. Its order, limit and cursor have no effect.
    ///   - temporaryFolder: The folder for the files that many profiles need.
    /// - Returns: The groups and the pairs.
    /// - Throws: ``ComparisonError``: `store` with `invalidQuery` if a field does not exist or is secret, …
    public func duplicates(
        by fields: [FieldName]? = nil, similarNames nameFields: [FieldName] = [],
        matching query: ProfileQuery = ProfileQuery(), temporaryFolder: String = "/var/tmp"
    ) async throws(ComparisonError) -> ProfileDuplicates {
        let finder: DuplicateFinder
        do throws(ProfileStoreError) {
            finder = try await DuplicateFinder(self, fields, nameFields, query, keptIn: temporaryFolder)
        } catch {
            throw .store(error, .first)
        }
        return try await finder.run()
    }
}

/// One search for duplicates.
private struct DuplicateFinder {
    private let repository: ProfileRepository
    private let selection: RowSelection
    private let fields: [FieldRules]
    private let nameFields: [FieldRules]
    /// Whether absent values of a field count as equal. If false, a profile that lacks a value is in no group.
    private let allowsAbsent: Bool
    private let temporaryFolder: String

    init(
        _ repository: ProfileRepository, _ fields: [FieldName]?, _ nameFields: [FieldName], _ query: ProfileQuery,
        keptIn temporaryFolder: String
    ) async throws(ProfileStoreError) {
        let schema = try await repository.refreshSchema().schema
        self.repository = repository
        self.fields =
            try fields.map { names throws(ProfileStoreError) in try schema.columns(names) }
            ?? schema.openFields.filter { !$0.isPrimaryKey }
        allowsAbsent = fields == nil
        self.nameFields = try schema.columns(nameFields)
        self.temporaryFolder = temporaryFolder
        var query = query
        query.order = nil
        query.isReversed = false
        selection = RowSelection(
            try await repository.search(query), columns: [schema.primaryKey] + self.fields + self.nameFields,
            includesHashes: false, schema: schema, pageBytes: 1 << 18)
    }

    func run() async throws(ComparisonError) -> ProfileDuplicates {
        let groups = fields.isEmpty ? nil : RecordSorter(in: temporaryFolder)
        let names = nameFields.isEmpty ? nil : RecordSorter(in: temporaryFolder)
        var scan = selection.scan
        var page = try await nextPage(of: &scan)
        while let rows = page {
            let (reading, place) = (repository, scan)
            // The next page is read while this page is added.
            async let next = reading.following(place)
            for row in selection.selectedRows(of: rows) { try add(row, of: rows, to: groups, names) }
            do throws(ProfileStoreError) { (page, scan) = try await next.get() } catch { throw .store(error, .first) }
        }
        try sorting { () throws(ByteStreamError) in
            try groups?.finish()
            try names?.finish()
        }
        return try ProfileDuplicates(
            fields: fields.map(\.name), nameFields: nameFields.map(\.name), groups: groups,
            pairs: try names.map { names throws(ComparisonError) in try pairs(of: names) })
    }

    private func nextPage(of scan: inout StoreScan) async throws(ComparisonError) -> StoredRows? {
        do throws(ProfileStoreError) {
            return try await repository.nextPage(of: &scan)
        } catch {
            throw .store(error, .first)
        }
    }

    private func sorting<Value>(_ body: () throws(ByteStreamError) -> Value) throws(ComparisonError) -> Value {
        do throws(ByteStreamError) { return try body() } catch { throw .sorting(code: error.code) }
    }

    // MARK: Adding

    private func add(
        _ row: Int, of rows: StoredRows, to groups: RecordSorter?, _ names: RecordSorter?
    ) throws(ComparisonError) {
        let id = rows.rows[row].id
        if let groups, var key = groupKey(of: row, rows) {
            // The id is the end of the sort key, so the members of a group are sorted by id. Ids are positive, so their
            // big-endian bytes have the order of the numbers.
            Swift.withUnsafeBytes(of: id.bigEndian) { key.append(contentsOf: $0) }
            let contents = ProfileDuplicates.Member.contents(id: id, record(of: row, rows, 1..<1 + fields.count))
            try sorting { () throws(ByteStreamError) in try groups.add(key: key, contents) }
        }
        guard let names else { return }
        var written: [UInt8] = []
        for column in nameColumns {
            selection.withValue(ofColumn: column, row: row, of: rows) { value in
                written.append(UInt8(ascii: " "))
                value.withUnsafeBufferPointer { written.append(contentsOf: $0) }
            }
        }
        let name = PlainText.words(of: written.span)
        guard !name.isEmpty else { return }
        let contents = ProfileDuplicates.Member.contents(id: id, record(of: row, rows, nameColumns))
        for order in SimilarNames.Order.allCases {
            // The id is the end of the sort key, so profiles with equal names are sorted by id.
            let key = SimilarNames.key(of: name, in: order) + contents.prefix(8)
            var named: [UInt8] = []
            named.append(length: UInt32(truncatingIfNeeded: name.count))
            named += name + contents
            try sorting { () throws(ByteStreamError) in try names.add(key: key, named) }
        }
    }

    private var nameColumns: Range<Int> { 1 + fields.count..<1 + fields.count + nameFields.count }

    /// Returns the plain values of the fields that must be equal. Nil if all values are absent. If absent values do not
    /// count as equal, nil if any value is absent.
    private func groupKey(of row: Int, _ rows: StoredRows) -> [UInt8]? {
        var key: [UInt8] = []
        var isAny = false
        for (index, rules) in fields.enumerated() {
            // A value without letters and digits is like an absent value.
            var plain: [UInt8] = []
            let isText = rules.type == .string
            selection.withValue(ofColumn: index + 1, row: row, of: rows) { value in
                plain = isText ? PlainText.bytes(of: value) : value.withUnsafeBufferPointer { Array($0) }
            }
            if !plain.isEmpty { isAny = true } else if !allowsAbsent { return nil }
            ValueOrder.bytes.appendKey(of: plain.span, to: &key)
        }
        return isAny ? key : nil
    }

    /// Returns the primary key and the values of columns in the form of ``StoredRows/record(ofRow:columns:)``.
    private func record(of row: Int, _ rows: StoredRows, _ columns: Range<Int>) -> [UInt8] {
        var record: [UInt8] = []
        for column in [0] + columns {
            var isThere = false
            selection.withValue(ofColumn: column, row: row, of: rows) { value in
                isThere = true
                record.append(cell: value)
            }
            if !isThere { record.append(length: StoredRows.absent) }
        }
        return record
    }

    // MARK: Pairs

    /// Compares the sorted names with their neighbours, and returns the pairs, sorted by the ids of their profiles.
    private func pairs(of names: RecordSorter) throws(ComparisonError) -> RecordSorter {
        let pairs = RecordSorter(in: temporaryFolder)
        var similar = SimilarNames()
        var order: UInt8?
        while let record = try sorting({ () throws(ByteStreamError) in try names.next() }) {
            if Task.isCancelled { throw .store(.cancelled, .first) }
            if record.key.first != order { similar.begin() }
            order = record.key.first
            let length = Int(record.contents.length(at: 0))
            let name = Array(record.contents[4..<4 + length])
            let contents = Array(record.contents[(4 + length)...])
            try similar.add(name, contents) { other, distance throws(ComparisonError) in
                let isFirst = contents.prefix(8).lexicographicallyPrecedes(other.prefix(8))
                let (first, second) = isFirst ? (contents, other) : (other, contents)
                var pair = [UInt8(distance)]
                pair.append(length: UInt32(truncatingIfNeeded: first.count))
                pair += first + second
                try sorting { () throws(ByteStreamError) in
                    try pairs.add(key: Array(first.prefix(8) + second.prefix(8)), pair)
                }
            }
        }
        try sorting { () throws(ByteStreamError) in try pairs.finish() }
        return pairs
    }
}
