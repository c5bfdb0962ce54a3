internal import CSVStream
internal import ProfileCore
public import ProfileStore
internal import Threads

extension ProfileRepository {
    /// Every profile, in the order of their ids, with the fields of the schema in force (I13), as the bytes of a file.
    ///
    /// The store is read page by page, as the chunks are taken, so that memory stays the same however many profiles there
    /// are, and who takes them slowly holds up neither the store nor its write-ahead log. What is committed meanwhile may
    /// or may not be in the export. Whoever ends early just stops. Each iteration is an export of its own.
    ///
    /// ```swift
    /// for try await chunk in repository.export(as: .csv) { try await response.write(chunk) }
    /// ```
    ///
    /// - Parameters:
    ///   - format: CSV and NDJSON import back as they are, with hashes where the schema requires a password.
    ///   - includingHashes: Whether `password_hash` comes last, where the schema has a password. Whoever has the hashes
    ///     can try passwords against them.
    ///   - spreadsheetSafe: Whether a cell of CSV that a spreadsheet would run is prefixed with `'`. Such an export does
    ///     not import back as it was.
    /// - Returns: The chunks, which are read when they are asked for.
    public func export(
        as format: ExportFormat, includingHashes: Bool = false, spreadsheetSafe: Bool = false
    ) -> ProfileExport {
        ProfileExport(
            repository: self,
            form: ExportForm(
                format: format, includesHashes: includingHashes, isSpreadsheetSafe: spreadsheetSafe))
    }

    /// Writes every profile as above to an open descriptor that stays the caller's to close, on a thread of its own, since a
    /// pipe may keep it waiting. It answers how many they were.
    @discardableResult
    package func export(
        as format: ExportFormat, includingHashes: Bool = false, spreadsheetSafe: Bool = false, to descriptor: Int32
    ) async throws(ExportError) -> Int {
        let form = ExportForm(format: format, includesHashes: includingHashes, isSpreadsheetSafe: spreadsheetSafe)
        let columns: ExportColumns
        do throws(ProfileStoreError) { columns = try await self.columns(of: form) } catch { throw .store(error) }
        let thread = ThreadPool(threads: 1)
        let output = try await thread.writing { () throws(ByteStreamError) in
            try form.output(columns, to: .descriptor(descriptor))
        }
        var pages = ExportPages(self, columns)
        var count = 0
        while true {
            let page: StoredRows?
            do throws(ProfileStoreError) { page = try await pages.next() } catch { throw .store(error) }
            guard let page else { break }
            try await thread.writing { () throws(ByteStreamError) in try output.write(page) }
            count += page.rows.count
        }
        try await thread.writing { () throws(ByteStreamError) in try output.finish() }
        return count
    }

    /// What is exported of each profile by the schema in force.
    func columns(of form: ExportForm) async throws(ProfileStoreError) -> ExportColumns {
        ExportColumns(try await refreshSchema().schema, includingHashes: form.includesHashes)
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
