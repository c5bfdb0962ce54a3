internal import CSVStream
internal import Dispatch
internal import SQLiteAccess
internal import Synchronization

extension ProfileRepository {
    /// Writes every profile, in the order of their ids, with the fields of the schema in force (I13).
    ///
    /// Profiles are read in pages that are written once they are read, so that memory stays the same however many there
    /// are, and a slow reader of a pipe holds up neither the store nor its write-ahead log. What is committed meanwhile
    /// may or may not be in the export. It runs on a thread of its own.
    ///
    /// - Parameters:
    ///   - format: CSV and NDJSON import back as they are, with hashes where the schema requires a password.
    ///   - includingHashes: Whether `password_hash` comes last, where the schema has a password. Whoever has the hashes
    ///     can try passwords against them.
    ///   - spreadsheetSafe: Whether a cell of CSV that a spreadsheet would run is prefixed with `'`. Such an export does
    ///     not import back as it was.
    ///   - descriptor: Open for writing; it stays the caller's to close.
    /// - Returns: How many profiles were written.
    /// - Throws: `store`, with `cancelled` when the task was, or `writing`.
    @discardableResult
    public func export(
        as format: ExportFormat, includingHashes: Bool = false, spreadsheetSafe: Bool = false, to descriptor: Int32
    ) async throws(ExportError) -> Int {
        let isCancelled = CancellationFlag()
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Result<Int, ExportError>, Never>) in
                DispatchQueue(label: "ProfileExport").async {
                    continuation.resume(
                        returning: Result { () throws(ExportError) in
                            let columns = try self.exportColumns(includingHashes: includingHashes)
                            let sink = ByteSink.descriptor(descriptor)
                            switch format {
                            case .csv:
                                return try self.export(
                                    CSVExport(columns, to: sink, spreadsheetSafe: spreadsheetSafe), isCancelled)
                            case .json, .ndjson:
                                return try self.export(
                                    JSONExport(columns, to: sink, isArray: format == .json), isCancelled)
                            }
                        })
                }
            }
        } onCancel: {
            isCancelled.set()
        }
        return try outcome.get()
    }

    private func exportColumns(includingHashes: Bool) throws(ExportError) -> ExportColumns {
        do throws(ProfileStoreError) {
            let adopted = try read { connection throws(ProfileStoreError) in try self.refreshSchema(connection) }
            return ExportColumns(adopted.table, includingHashes: includingHashes)
        } catch {
            throw .store(error)
        }
    }

    private func export<Output: ExportOutput & ~Copyable>(
        _ output: consuming Output, _ isCancelled: CancellationFlag
    ) throws(ExportError) -> Int {
        var page = RecordBatch(containsSecrets: output.columns.includesHashes)
        var lastID: Int64 = 0
        var count = 0
        while true {
            guard !isCancelled.isSet else { throw .store(.cancelled) }
            do throws(ProfileStoreError) {
                try fill(&page, output.columns, after: &lastID)
            } catch {
                throw .store(error)
            }
            do throws(ByteStreamError) {
                guard !page.records.isEmpty else {
                    try output.finish()
                    return count
                }
                for record in page.records { try output.write(record, of: page) }
            } catch {
                throw .writing(code: error.code)
            }
            count += page.records.count
        }
    }

    /// Replaces the page's contents by the next profiles, as many as make up its size.
    private func fill(
        _ page: inout RecordBatch, _ columns: ExportColumns, after lastID: inout Int64
    ) throws(ProfileStoreError) {
        page.removeAll()
        try read { connection throws(ProfileStoreError) in
            try ProfileStoreError.wrap { () throws(SQLiteError) in
                var statement = try connection.prepare(columns.selection)
                try statement.bind(lastID, at: 1)
                while page.byteCount < Self.exportPageBytes, try statement.step() {
                    lastID = statement.integer(at: 0)
                    page.beginRecord(line: 0, number: 0)
                    for column in 1...columns.names.count {
                        if let text = statement.bytes(at: column) {
                            page.appendCell(text)
                        } else {
                            page.appendAbsentCell()
                        }
                    }
                    page.endRecord()
                }
            }
        }
    }

    private static var exportPageBytes: Int { 1 << 18 }
}

/// Set by the task that is cancelled, read by the thread that works for it.
private final class CancellationFlag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .relaxed) }

    func set() { value.store(true, ordering: .relaxed) }
}
