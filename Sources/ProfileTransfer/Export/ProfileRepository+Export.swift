internal import CSVStream
internal import ProfileCore
public import ProfileStore
internal import Threads

extension ProfileRepository {
    /// Writes every profile, in the order of their ids, with the fields of the schema in force (I13).
    ///
    /// Profiles are read in pages that are written once they are read, so that memory stays the same however many there
    /// are, and a slow reader of a pipe holds up neither the store nor its write-ahead log. What is committed meanwhile
    /// may or may not be in the export.
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
        let schema = try await reading { () throws(ProfileStoreError) in try await refreshSchema().schema }
        let columns = ExportColumns(schema, includingHashes: includingHashes)
        let sink = ByteSink.descriptor(descriptor)
        // Its own, since a pipe may keep it waiting.
        let thread = ThreadPool(threads: 1)
        let output: any ExportOutput = try await thread.writing { () throws(ByteStreamError) in
            switch format {
            case .csv: try CSVExport(columns, to: sink, spreadsheetSafe: spreadsheetSafe)
            case .json: JSONExport(columns, to: sink, isArray: true)
            case .ndjson: JSONExport(columns, to: sink, isArray: false)
            }
        }
        var scan = StoreScan(
            fields: columns.fields, includesHashes: columns.includesHashes, mostRows: .max,
            mostBytes: Self.exportPageBytes)
        var count = 0
        while true {
            guard !Task.isCancelled else { throw .store(.cancelled) }
            let rows = try await reading { [scan] () throws(ProfileStoreError) in try await engine.scan(scan) }
            guard let last = rows.rows.last else { break }
            try await thread.writing { () throws(ByteStreamError) in try output.write(rows) }
            scan.after = last.id
            count += rows.rows.count
        }
        try await thread.writing { () throws(ByteStreamError) in try output.finish() }
        return count
    }

    private static var exportPageBytes: Int { 1 << 18 }

    private func reading<Value>(
        _ body: () async throws(ProfileStoreError) -> Value
    ) async throws(ExportError) -> Value {
        do throws(ProfileStoreError) { return try await body() } catch { throw .store(error) }
    }
}

extension ThreadPool {
    /// Does what writes, where it may block.
    fileprivate func writing<Value: Sendable>(
        _ body: @escaping @Sendable () throws(ByteStreamError) -> Value
    ) async throws(ExportError) -> Value {
        try await run { () throws(ExportError) in
            do throws(ByteStreamError) { return try body() } catch { throw .writing(code: error.code) }
        } refused: {
            .store(ProfileStoreError($0))
        }
    }
}
