internal import CSVStream
internal import ProfileCore
public import ProfileStore
internal import Threads

extension ProfileRepository {
    /// Exports all profiles as the bytes of a file. The profiles are ordered by id and have the fields of the current
    /// schema (I13).
    ///
    /// The export reads a page of the store only when the caller needs the next chunk. Therefore its memory use does
    /// not depend on the number of profiles. No read transaction stays open between two pages. Therefore a slow caller
    /// does not delay other calls or checkpoints. If a change is committed during the export, the export may or may not
    /// contain this change. To end an export early, stop the iteration. Each iteration is a separate export.
    ///
    /// ```swift
    /// for try await chunk in repository.export(as: .csv) { try await response.write(chunk) }
    /// ```
    ///
    /// - Parameters:
    ///   - format: The file format. CSV and NDJSON files can be imported again without changes. If the schema requires
    ///     a password, a file for a later import must include the hashes.
    ///   - includingHashes: Whether to add `password_hash` as the last column, if the schema has a password. With
    ///     the hashes, an attacker can guess passwords.
    ///   - spreadsheetSafe: Whether to prefix a CSV cell with `'` if a spreadsheet would run it as a formula. Importing
    ///     such an export does not restore the original values.
    ///   - original: Whether the file is like the file from which the schema was inferred: with the headers, the order
    ///     and the notations of that file (N13). Values come out as they were written if their column has one notation.
    /// - Returns: A sequence of chunks. Each chunk is read from the store when the caller requests it.
    public func export(
        as format: ExportFormat, includingHashes: Bool = false, spreadsheetSafe: Bool = false, original: Bool = false
    ) -> ProfileExport {
        ProfileExport(
            repository: self,
            form: ExportForm(
                format: format, includesHashes: includingHashes, isSpreadsheetSafe: spreadsheetSafe,
                isOriginal: original))
    }

    /// Writes all profiles to an open descriptor, which the caller closes. A separate thread writes the profiles,
    /// because writing to a pipe may block. Returns the number of profiles.
    @discardableResult
    package func export(
        as format: ExportFormat, includingHashes: Bool = false, spreadsheetSafe: Bool = false, original: Bool = false,
        to descriptor: Int32
    ) async throws(ExportError) -> Int {
        let form = ExportForm(
            format: format, includesHashes: includingHashes, isSpreadsheetSafe: spreadsheetSafe, isOriginal: original)
        let columns: ExportColumns
        do throws(ProfileStoreError) { columns = try await self.columns(of: form) } catch { throw .store(error) }
        let thread = ThreadPool(threads: 1)
        let output = try await thread.writing { () throws(ByteStreamError) in
            try form.output(columns, to: .descriptor(descriptor))
        }
        var scan = columns.scan
        var count = 0
        while true {
            let page: StoredRows?
            do throws(ProfileStoreError) { page = try await nextPage(of: &scan) } catch { throw .store(error) }
            guard let page else { break }
            try await thread.writing { () throws(ByteStreamError) in try output.write(page) }
            count += page.rows.count
        }
        try await thread.writing { () throws(ByteStreamError) in try output.finish() }
        return count
    }

    /// Returns the columns of an export under the current schema.
    func columns(of form: ExportForm) async throws(ProfileStoreError) -> ExportColumns {
        ExportColumns(try await refreshSchema().schema, as: form)
    }
}

extension ThreadPool {
    /// Runs a write that may block.
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
