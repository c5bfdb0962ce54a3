internal import CSVStream
public import ProfileCore
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
    /// A service that sends its status before the first chunk opens the export first; see ``ProfileExport/opened()``.
    ///
    /// - Parameters:
    ///   - format: The file format. CSV and NDJSON files can be imported again without changes. If the schema requires
    ///     a password, a file for a later import must include the hashes.
    ///   - includingHashes: Whether to add the password hashes as the last column, if the schema has a password. The
    ///     header is `password_hash`. With `original`, it is the header of the hash column in the original file, if
    ///     that file had such a column. With the hashes, an attacker can guess passwords.
    ///   - spreadsheetSafe: Whether to prefix a CSV cell with `'` if a spreadsheet would run it as a formula. Importing
    ///     such an export does not restore the original values.
    ///   - original: Whether the file is like the file from which the schema was inferred: with the headers, the order
    ///     of columns and the notations of that file (N13). If all values of a column had the same notation there, the
    ///     export writes them in this notation.
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

    /// Exports selected profiles and columns as the bytes of a file; see
    /// ``export(as:includingHashes:spreadsheetSafe:original:)``.
    ///
    /// Without an order, the profiles are ordered by id. A sorted export reads all profiles before its first chunk. If the
    /// selected columns have more than 32 MiB, sorted parts of them are written to an encrypted file without a name.
    ///
    /// - Parameters:
    ///   - query: The conditions, the text, the status and the order of the profiles. Its limit and its cursor have no
    ///     effect. Every profile is read, even if an index could serve the query.
    ///   - columns: The columns in their order: fields that are not secret, and facts of the store such as `_id`. Nil
    ///     exports all fields.
    ///   - format: The file format.
    ///   - includingHashes: Whether to add `password_hash` as the last column.
    ///   - spreadsheetSafe: Whether to prefix a cell with `'` if a spreadsheet would run it as a formula.
    ///   - original: Whether the file has the headers and the notations of the file from which the schema was inferred.
    ///   - temporaryFolder: The folder for the file that a large sorted export needs.
    /// - Returns: A sequence of chunks. It throws `invalidQuery` if the query or a column is invalid.
    public func export(
        matching query: ProfileQuery, columns: [FieldName]? = nil, as format: ExportFormat,
        includingHashes: Bool = false, spreadsheetSafe: Bool = false, original: Bool = false,
        temporaryFolder: String = "/var/tmp"
    ) -> ProfileExport {
        ProfileExport(
            repository: self,
            form: ExportForm(
                format: format, query: query, columns: columns, includesHashes: includingHashes,
                isSpreadsheetSafe: spreadsheetSafe, isOriginal: original, temporaryFolder: temporaryFolder))
    }

    /// Writes profiles to an open descriptor, which the caller closes. A separate thread writes the profiles, because
    /// writing to a pipe may block. If there are ids, only profiles with these ids are written. Returns the number of
    /// profiles. See
    /// ``export(matching:columns:as:includingHashes:spreadsheetSafe:original:temporaryFolder:)``.
    @discardableResult
    package func export(
        matching query: ProfileQuery? = nil, ids: Set<Int64>? = nil, columns: [FieldName]? = nil,
        as format: ExportFormat, includingHashes: Bool = false, spreadsheetSafe: Bool = false, original: Bool = false,
        temporaryFolder: String = "/var/tmp", to descriptor: Int32
    ) async throws(ExportError) -> Int {
        let form = ExportForm(
            format: format, query: query, ids: ids, columns: columns, includesHashes: includingHashes,
            isSpreadsheetSafe: spreadsheetSafe, isOriginal: original, temporaryFolder: temporaryFolder)
        let opened: OpenedExport
        do throws(ProfileStoreError) { opened = try await OpenedExport(self, form) } catch { throw .store(error) }
        var rows = ExportRows(opened)
        let thread = ThreadPool(threads: 1)
        let output = try await thread.writing { () throws(ByteStreamError) in
            try form.output(opened.columns, to: .descriptor(descriptor))
        }
        var count = 0
        while let page = try await rows.next() {
            try await thread.writing { () throws(ByteStreamError) in try output.write(page) }
            count += page.rows.count
        }
        try await thread.writing { () throws(ByteStreamError) in try output.finish() }
        return count
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
