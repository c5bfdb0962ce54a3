internal import CSVStream
internal import ProfileCore
internal import ProfileStore
internal import Threads

/// The rows of one side of a comparison, in the order of their keys.
final class ComparedRows {
    struct Row {
        /// The primary key as bytes for sorting, without regard to the case of ASCII letters.
        let sortKey: ArraySlice<UInt8>
        let contents: [UInt8]
        private let cells: StoredRows

        init(_ record: RecordSorter.Record, fieldCount: Int) throws(ProfileStoreError) {
            sortKey = record.key.dropLast(8)
            contents = record.contents
            var cells = StoredRows(columns: fieldCount + 1, mostBytes: .max)
            try cells.append(record: record.contents, columns: fieldCount + 1)
            self.cells = cells
            count = fieldCount
        }

        private let count: Int

        /// The primary key as it is written.
        var key: String { String(cells.cell(0, 0)) }

        /// The values of the compared fields.
        var values: [String?] {
            (1..<count + 1).map { cells.isAbsent(0, $0) ? nil : String(cells.cell(0, $0)) }
        }
    }

    var reading = ProfileComparison.Reading()
    private let sorter: RecordSorter
    private let fieldCount: Int
    private let side: ComparisonError.Side
    private var count: UInt64 = 0
    private var last: ArraySlice<UInt8>?

    init(fieldCount: Int, side: ComparisonError.Side, keptIn folder: String) {
        sorter = RecordSorter(in: folder)
        self.fieldCount = fieldCount
        self.side = side
    }

    // MARK: Adding

    /// Adds a row with its primary key. `contents` has the key and the values in the form of
    /// ``StoredRows/record(ofRow:columns:)``.
    func add(key: Span<UInt8>, _ contents: [UInt8]) throws(ComparisonError) {
        var sortKey: [UInt8] = []
        ValueOrder.ignoringCase.appendKey(of: key, to: &sortKey)
        // The row's number is the end of the sort key, so rows with equal keys keep their order.
        count += 1
        Swift.withUnsafeBytes(of: count.bigEndian) { sortKey.append(contentsOf: $0) }
        do throws(ByteStreamError) {
            try sorter.add(key: sortKey, contents)
        } catch {
            throw .sorting(code: error.code)
        }
    }

    func noteUnread(line: Int) {
        reading.unreadRows += 1
        if reading.unreadLines.count < 20 { reading.unreadLines.append(line) }
    }

    func finish() throws(ComparisonError) {
        do throws(ByteStreamError) { try sorter.finish() } catch { throw .sorting(code: error.code) }
    }

    // MARK: Reading

    /// Returns the next row whose key differs from the key of the previous row; nil after the last row.
    func next() throws(ComparisonError) -> Row? {
        while true {
            let record: RecordSorter.Record?
            do throws(ByteStreamError) { record = try sorter.next() } catch { throw .sorting(code: error.code) }
            guard let record else { return nil }
            let key = record.key.dropLast(8)
            guard key != last else {
                reading.repeatedKeys += 1
                continue
            }
            last = key
            do throws(ProfileStoreError) {
                return try Row(record, fieldCount: fieldCount)
            } catch {
                throw .store(error, side)
            }
        }
    }
}

/// An opened side of a comparison, whose fields are known.
struct OpenedSource {
    private enum Contents {
        case store(ProfileRepository, ProfileSchema)
        case file(InputReading, ImportSource, ProfileSchema, ThreadPool)
    }

    /// The fields that can be compared, apart from the primary key.
    let fields: [FieldName]
    private let contents: Contents
    private let side: ComparisonError.Side

    init(_ source: ProfileComparison.Source, side: ComparisonError.Side) async throws(ComparisonError) {
        self.side = side
        switch source {
        case .store(let repository):
            let schema: ProfileSchema
            do throws(ProfileStoreError) {
                schema = try await repository.refreshSchema().schema
            } catch {
                throw .store(error, side)
            }
            fields = schema.openFields.filter { !$0.isPrimaryKey }.map(\.name)
            contents = .store(repository, schema)
        case .file(let input, let rules, var options):
            let schema = rules.forComparing
            options.ignoresUnknownColumns = true
            let thread = ThreadPool(threads: 1)
            do throws(ImportError) {
                let reading = try InputReading(input)
                let source = try await reading.blocking(thread) { [options] () throws(ImportError) in
                    try ImportSource(reading, schema: schema, options: options)
                }
                fields = schema.fields.indices.compactMap { index in
                    let field = schema.fields[index]
                    return field.isPrimaryKey || source.columns.columnOfField[index] == nil ? nil : field.name
                }
                contents = .file(reading, source, schema, thread)
            } catch {
                throw .file(error, side)
            }
        }
    }

    /// Reads all rows and sorts them.
    func rows(_ fields: [FieldName], keptIn folder: String) async throws(ComparisonError) -> ComparedRows {
        let rows = ComparedRows(fieldCount: fields.count, side: side, keptIn: folder)
        switch contents {
        case .store(let repository, let schema):
            try await add(repository, [schema.primaryKey] + fields.compactMap { schema[$0] }, to: rows)
        case .file(let reading, let source, let schema, let thread):
            let judging = ComparedFile(source: source, schema: schema, fields: fields)
            rows.reading.ignoredColumns = source.columns.ignoredColumns.sorted().map { source.columns.header[$0] }
            do {
                while let batch = try await reading.blocking(
                    thread,
                    { () throws(ImportError) in
                        do throws(ByteStreamError) { return try source.next() } catch { throw ImportError(error) }
                    })
                {
                    try judging.add(batch, to: rows)
                }
            } catch let error as ImportError {
                throw .file(error, side)
            } catch let error as ComparisonError {
                throw error
            } catch {
                throw .store(.cancelled, side)
            }
            reading.interruption.reset()
        }
        try rows.finish()
        return rows
    }

    private func add(
        _ repository: ProfileRepository, _ columns: [FieldRules], to rows: ComparedRows
    ) async throws(ComparisonError) {
        var scan = StoreScan(fields: columns, mostRows: .max, mostBytes: 1 << 18)
        var page: StoredRows?
        do throws(ProfileStoreError) {
            page = try await repository.nextPage(of: &scan)
        } catch {
            throw .store(error, side)
        }
        while let added = page {
            let place = scan
            // The next page is read while this page is added.
            async let next = repository.following(place)
            for row in added.rows.indices {
                try rows.add(key: added.cell(row, 0), added.record(ofRow: row, columns: columns.count))
            }
            do throws(ProfileStoreError) { (page, scan) = try await next.get() } catch { throw .store(error, side) }
        }
    }
}

/// The rules and the columns by which the rows of a file are compared.
private struct ComparedFile {
    let source: ImportSource
    private let validator: ProfileValidator
    /// The positions of the primary key and of the compared fields in the schema.
    private let positions: [Int]

    init(source: ImportSource, schema: ProfileSchema, fields: [FieldName]) {
        self.source = source
        validator = ProfileValidator(schema)
        positions = [schema.primaryKeyIndex] + fields.compactMap { schema.index(of: $0) }
    }

    func add(_ batch: ReadBatch, to rows: ComparedRows) throws(ComparisonError) {
        // A comparison does not check dates against the current day. With `today: .latest`, the constraint
        // `"maximum": "today"` of a field allows every date.
        let judged = JudgedBatch(
            batch, columns: source.columns, validator: validator, today: .latest, isCompletedByStore: false)
        for row in 0..<judged.rows.count {
            var contents: [UInt8] = []
            for position in positions { append(judged.rows, row, position, to: &contents) }
            let key = judged.rows.slot(row: row, field: positions[0])
            try rows.add(key: judged.rows.bytes.span.extracting(key.isAbsent ? 0..<0 : key.range), contents)
        }
        for rejected in judged.rejected { try add(rejected, of: batch, to: rows) }
    }

    private func append(_ rows: ValidProfiles, _ row: Int, _ position: Int, to contents: inout [UInt8]) {
        let slot = rows.slot(row: row, field: position)
        if slot.isAbsent {
            contents.append(length: StoredRows.absent)
        } else {
            contents.append(cell: rows.bytes.span.extracting(slot.range))
        }
    }

    /// Adds a row with issues. A value that has the type of its field is compared in its stored form. Any other value
    /// is compared as it is written.
    private func add(
        _ rejected: JudgedBatch.Rejected, of batch: ReadBatch, to rows: ComparedRows
    ) throws(ComparisonError) {
        let record = batch.records.records[rejected.record]
        let isReadable = !rejected.issues.contains { $0.field == nil }
        let values = isReadable ? positions.map { value(at: $0, rejected.record, batch) } : []
        guard let key = values.first ?? nil else { return rows.noteUnread(line: record.line) }
        var contents: [UInt8] = []
        for value in values {
            if let value { contents.append(cell: value.utf8.span) } else { contents.append(length: StoredRows.absent) }
        }
        try rows.add(key: key.utf8.span, contents)
    }

    private func value(at position: Int, _ index: Int, _ batch: ReadBatch) -> String? {
        if position == positions[0], let key = batch.key(ofRecord: index) { return key }
        guard let column = source.columns.columnOfField[position] else { return nil }
        let first = batch.records.records[index].cells.lowerBound
        let text = text(first, column, batch.records).trimmed
        guard !text.isEmpty else { return nil }
        let name = validator.schema.fields[position].name
        do throws(ValidationFailure) { return try validator.searchedForm(of: text, in: name) } catch { return text }
    }

    private func text(_ first: Int, _ column: Int, _ records: borrowing RecordBatch) -> String {
        String(records.cell(first, column))
    }
}
