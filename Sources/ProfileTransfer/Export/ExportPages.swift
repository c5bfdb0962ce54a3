internal import ProfileStore

/// The format and options of an export.
struct ExportForm: Sendable {
    let format: ExportFormat
    let includesHashes: Bool
    let isSpreadsheetSafe: Bool
    /// Whether the file has the headers and notations of the file from which the schema was inferred.
    var isOriginal = false
}

/// Reads the profiles of an export page by page, in the order of their ids.
struct ExportPages {
    private let repository: ProfileRepository
    private var scan: StoreScan

    private static let pageBytes = 1 << 18

    init(_ repository: ProfileRepository, _ columns: ExportColumns) {
        self.repository = repository
        scan = StoreScan(
            fields: columns.fields, includesHashes: columns.includesHashes, mostRows: .max, mostBytes: Self.pageBytes)
    }

    /// Returns the next page, or nil at the end.
    mutating func next() async throws(ProfileStoreError) -> StoredRows? {
        guard !Task.isCancelled else { throw .cancelled }
        let rows = try await repository.scan(scan)
        guard let last = rows.rows.last else { return nil }
        scan.after = last.id
        return rows
    }
}
