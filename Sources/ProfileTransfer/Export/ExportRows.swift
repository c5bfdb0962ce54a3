internal import CSVStream
internal import ProfileCore
internal import ProfileStore

/// An export that has read the rules, and has checked its query and its columns, but has read no profile.
struct OpenedExport: Sendable {
    let columns: ExportColumns
    fileprivate let repository: ProfileRepository
    /// The first page of the scan.
    fileprivate let scan: StoreScan
    /// Nil if all rows of the scan are exported unchanged.
    fileprivate let selection: RowSelection?
    /// Whether the column `_issues` contains the issues as JSON. True if the format is JSON or NDJSON.
    fileprivate let issuesAreJSON: Bool
    fileprivate let temporaryFolder: String

    /// Reads the rules in force.
    ///
    /// - Throws: `invalidQuery` if the query or a column of the form is invalid.
    init(_ repository: ProfileRepository, _ form: ExportForm) async throws(ProfileStoreError) {
        let schema = try await repository.refreshSchema().schema
        columns = try ExportColumns(schema, as: form)
        self.repository = repository
        temporaryFolder = form.temporaryFolder
        issuesAreJSON = form.format == .json || form.format == .ndjson
        guard form.query != nil || form.ids != nil || columns.hasFacts else {
            selection = nil
            scan = columns.scan
            return
        }
        let selection = RowSelection(
            try await repository.search(form.query ?? ProfileQuery()), columns: columns.fields,
            includesHashes: columns.includesHashes, schema: schema, pageBytes: ExportColumns.pageBytes, ids: form.ids)
        self.selection = selection
        scan = selection.scan
    }
}

/// The rows of an export, page by page, with a cell for each column of the export.
struct ExportRows {
    private let export: OpenedExport
    /// The next page of the scan.
    private var scan: StoreScan
    /// The sorted rows. Nil before the first page, and if the export is not sorted.
    private var sorted: RecordSorter?

    init(_ export: OpenedExport) {
        self.export = export
        scan = export.scan
    }

    private var columns: ExportColumns { export.columns }

    /// Returns the next page, which has at least one row; nil at the end.
    mutating func next() async throws(ExportError) -> StoredRows? {
        guard let selection = export.selection else { return try await page() }
        guard selection.isSorted else {
            while let page = try await page() {
                let selected = try selected(page, by: selection)
                if !selected.rows.isEmpty { return selected }
            }
            return nil
        }
        return try nextSorted(try await sort(by: selection), selection)
    }

    private mutating func page() async throws(ExportError) -> StoredRows? {
        do throws(ProfileStoreError) { return try await export.repository.nextPage(of: &scan) } catch {
            throw .store(error)
        }
    }

    private func selected(_ page: StoredRows, by selection: RowSelection) throws(ExportError) -> StoredRows {
        var selected = StoredRows(columns: columns.fields.count, mostBytes: ExportColumns.pageBytes)
        for row in page.rows.indices where selection.isSelected(row, of: page) {
            try append(row, of: page, by: selection, to: &selected)
        }
        return selected
    }

    private func append(
        _ row: Int, of page: StoredRows, by selection: RowSelection, to selected: inout StoredRows
    ) throws(ExportError) {
        do throws(ProfileStoreError) {
            try selection.append(row, of: page, issuesAsJSON: export.issuesAreJSON, to: &selected)
        } catch {
            throw .store(error)
        }
    }

    // MARK: Sorting

    /// Reads and sorts all rows, unless an earlier call has done so.
    private mutating func sort(by selection: RowSelection) async throws(ExportError) -> RecordSorter {
        if let sorted { return sorted }
        let sorter = RecordSorter(in: export.temporaryFolder)
        let reading = export.repository
        var next = try await page()
        while let page = next {
            let place = scan
            // The next page is read while this page is added.
            async let following = reading.following(place)
            var selected = StoredRows(columns: columns.fields.count, mostBytes: .max)
            for row in page.rows.indices where selection.isSelected(row, of: page) {
                try append(row, of: page, by: selection, to: &selected)
                let record = selected.record(ofRow: selected.rows.count - 1, columns: columns.fields.count)
                do throws(ByteStreamError) {
                    try sorter.add(key: selection.sortKey(of: row, of: page), record)
                } catch {
                    throw .sorting(code: error.code)
                }
            }
            do throws(ProfileStoreError) { (next, scan) = try await following.get() } catch { throw .store(error) }
        }
        do throws(ByteStreamError) { try sorter.finish() } catch { throw .sorting(code: error.code) }
        sorted = sorter
        return sorter
    }

    private func nextSorted(_ sorter: RecordSorter, _ selection: RowSelection) throws(ExportError) -> StoredRows? {
        guard !Task.isCancelled else { throw .store(.cancelled) }
        var page = StoredRows(columns: columns.fields.count, mostBytes: ExportColumns.pageBytes)
        do {
            while !page.isFull, let record = try sorter.next() {
                try page.append(record: record.contents, columns: columns.fields.count)
            }
        } catch let error as ByteStreamError {
            throw .sorting(code: error.code)
        } catch {
            throw .store(error as? ProfileStoreError ?? .cancelled)
        }
        return page.rows.isEmpty ? nil : page
    }
}
