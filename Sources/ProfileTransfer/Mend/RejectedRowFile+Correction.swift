internal import CSVStream
public import ProfileCore
public import ProfileStore
internal import Threads

// One correction for all rows that have the same wrong value (N9).
extension RejectedRowFile {
    /// The correction of a wrong value in every row that has it.
    public struct Correction: Hashable, Sendable {
        /// The field. Its values must not be secret.
        public let field: FieldName
        /// The wrong value, without whitespace at its ends.
        public let wrong: String
        /// The right value in the form that an import accepts. If it is empty, the rows get no value.
        public let right: String

        /// Creates a correction.
        public init(_ field: FieldName, from wrong: String, to right: String) {
            self.field = field
            self.wrong = wrong
            self.right = right
        }
    }

    /// The rows that ``store(_:without:in:)`` has stored.
    public struct StoredTogether: Sendable {
        /// The numbers of the rows that need no further work: they are stored, or the options skip them.
        public internal(set) var numbers = RangeSet<Int>()
        /// The number of new and updated profiles.
        public internal(set) var stored = 0
        /// The number of rows that changed nothing, or that the options skip.
        public internal(set) var skipped = 0
        /// The error that ended the import early. The rows of earlier transactions are stored.
        public internal(set) var failure: ImportError?
    }

    /// Returns the number of rows that a correction changes.
    ///
    /// - Parameters:
    ///   - correction: The correction. This method does not apply it to the file.
    ///   - dropped: The numbers of rows that do not count.
    /// - Returns: The number of rows.
    /// - Throws: The error of reading the file.
    public func count(
        of correction: Correction, without dropped: RangeSet<Int>
    ) async throws(ImportError) -> Int {
        let file = correcting(correction)
        return try await file.reading { source throws(ImportError) in
            let corrections = file.cellCorrections(source.columns)
            var count = 0
            while let batch = try source.nextOfRejects() {
                for record in batch.records.records where !dropped.contains(record.number) {
                    if corrections.cells(of: record, batch.records)?.hasLast ?? false { count += 1 }
                }
            }
            return count
        }
    }

    /// Stores the rows that a correction makes valid. The rows are imported with the options of this file. This file
    /// stays unchanged.
    ///
    /// A row with a password or a password hash is not stored, because the secrets in the file are not used. A row that
    /// was rejected because of its password is not stored either. Otherwise it would be stored without a password.
    /// - Parameters:
    ///   - correction: The correction.
    ///   - dropped: The numbers of rows that are not stored.
    ///   - repository: The store.
    /// - Returns: The stored rows. If an error ends the import early, the rows that were stored before, and the error.
    public func store(
        _ correction: Correction, without dropped: RangeSet<Int>, in repository: ProfileRepository
    ) async -> StoredTogether {
        let channel = ByteChannel()
        let input = ImportInput(name: name) { () throws(ImportError) in InputReading(channel.source, channel) }
        var options = optionsOfStoring
        do throws(ImportError) {
            options.format = .csv(delimiter: try await reading { source in source.delimiter.byte })
        } catch {
            return StoredTogether(failure: error)
        }
        async let written = correcting(correction).write(to: channel, without: dropped)
        var stored = StoredTogether()
        var report: ImportReport?
        do throws(ImportError) {
            report = try await ProfileImporter(repository: repository, options: options).run(input)
            if report?.earlyEnd == .cancelled { stored.failure = .store(.cancelled) }
        } catch {
            switch error {
            case .ended(let error, let unfinished): (stored.failure, report) = (error, unfinished)
            // A required field has no column, so none of the rows can be stored.
            case .columnMismatch: break
            default: stored.failure = error
            }
        }
        // If the import has ended early, the rest of the rows is not read.
        channel.close()
        let rows = await written
        guard let report else { return stored }
        // The importer processes the rows in the order of `rows`. Each of the first `report.rows` rows was stored,
        // skipped or rejected.
        for (index, number) in rows.prefix(report.rows).enumerated()
        where !report.rejectedRecords.contains(index + 1) {
            stored.numbers.insert(contentsOf: number..<number + 1)
        }
        stored.stored = report.imported + report.updated
        stored.skipped = report.skipped
        return stored
    }

    /// Writes to a channel the rows that the last correction changes, except rows that need a password. Then ends the
    /// channel.
    ///
    /// - Returns: The numbers of the written rows.
    private func write(to channel: ByteChannel, without dropped: RangeSet<Int>) async -> [Int] {
        let numbers = Locked<[Int]>([])
        do throws(ImportError) {
            try await reading { source throws(ImportError) in
                let corrections = cellCorrections(source.columns)
                do throws(ByteStreamError) {
                    var writer = CSVWriter(to: channel.blockingSink, delimiter: source.delimiter)
                    try writer.record(source.columns.header)
                    while let batch = try source.next() {
                        for record in batch.records.records where !dropped.contains(record.number) {
                            guard let (cells, hasLast) = corrections.cells(of: record, batch.records), hasLast,
                                !record.needsPassword(batch.records, source.columns)
                            else { continue }
                            numbers.withLock { $0.append(record.number) }
                            try writer.record(cells)
                        }
                    }
                    try writer.finish()
                } catch {
                    throw ImportError(error)
                }
            }
            channel.finish()
        } catch {
            channel.fail(ByteStreamError(operation: .read, cause: error))
        }
        return numbers.withLock { $0 }
    }

    func cellCorrections(_ columns: ImportColumns) -> CellCorrections {
        CellCorrections(corrections, schema, columns)
    }
}

extension RejectedRows.Row {
    /// Returns the row with corrected values.
    ///
    /// - Parameter corrections: The corrections, in the order in which they were made.
    /// - Returns: The row.
    public func correcting(_ corrections: [RejectedRowFile.Correction]) -> RejectedRows.Row {
        var values = values
        for correction in corrections where values[correction.field] == correction.wrong {
            values[correction.field] = .some(correction.right.isEmpty ? nil : correction.right)
        }
        return RejectedRows.Row(
            number: number, line: line, values: values, reason: reason, isUnreadable: isUnreadable, cells: cells,
            holdsSecret: holdsSecret)
    }
}

/// The corrections of a file, with the index of the column that each correction changes.
struct CellCorrections {
    private struct Entry {
        let column: Int
        let wrong: [UInt8]
        let correction: RejectedRowFile.Correction
    }

    private let entries: [Entry]
    private let lastColumn: Int?
    private let columns: ImportColumns

    init(_ corrections: [RejectedRowFile.Correction], _ schema: ProfileSchema, _ columns: ImportColumns) {
        self.columns = columns
        func column(_ correction: RejectedRowFile.Correction) -> Int? {
            guard let field = schema.index(of: correction.field), !schema.fields[field].isSecret else { return nil }
            return columns.columnOfField[field]
        }
        entries = corrections.compactMap { correction in
            column(correction).map { Entry(column: $0, wrong: Array(correction.wrong.utf8), correction: correction) }
        }
        lastColumn = corrections.last.flatMap(column)
    }

    /// Returns the cells of a record with the corrections, and whether the last correction has changed one of them. Nil
    /// if no correction changes the record.
    func cells(
        of record: RecordBatch.Record, _ batch: borrowing RecordBatch
    ) -> (cells: [String], hasLast: Bool)? {
        guard record.isWhole(by: columns) else { return nil }
        // Most records have no wrong value, so their cells are compared without a copy.
        let isAny = entries.contains { entry in
            batch.cell(record.cells.lowerBound + entry.column).trimmed().isEqual(to: entry.wrong.span)
        }
        guard isAny else { return nil }
        var cells = record.cells.map { String(batch.cell($0)) }
        var hasLast = false
        for (index, entry) in entries.enumerated() {
            // A correction may change the result of an earlier one.
            let text = Array(cells[entry.column].utf8)
            guard text.span.trimmed().isEqual(to: entry.wrong.span) else { continue }
            cells[entry.column] = entry.correction.right
            hasLast = index == entries.count - 1 && lastColumn != nil
        }
        return (cells, hasLast)
    }
}

extension RecordBatch.Record {
    /// Whether a person must type the password of the row.
    fileprivate func needsPassword(_ batch: borrowing RecordBatch, _ columns: ImportColumns) -> Bool {
        if columns.secretColumns.contains(where: { !batch.cell(cells.lowerBound + $0).isEmpty }) { return true }
        guard let column = columns.header.firstIndex(of: ImportColumns.issuesColumn) else { return false }
        return RejectedRows.Row.isRejected(
            for: .password, String(batch.cell(cells.lowerBound + column)))
    }
}
