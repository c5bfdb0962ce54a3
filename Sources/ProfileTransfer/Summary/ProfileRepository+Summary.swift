public import ProfileCore
public import ProfileStore
internal import Threads

extension ProfileRepository {
    /// Summarises the values of the profiles that a query finds. Reads every profile once.
    ///
    /// Memory use does not depend on the number of profiles: it is at most about 64 MiB. Therefore at most 100,000
    /// different values of a field are counted exactly. The limit is lower if there are many fields or the values are
    /// long; see ``ProfileSummary/DistinctCount``. If a change is committed during the call, the summary may or may not
    /// contain this change.
    ///
    /// - Parameters:
    ///   - fields: The fields, which must not be secret, or facts of the store such as `_created_at`. Nil means all fields
    ///     that are not secret.
    ///   - query: The conditions of the profiles. Its order, limit and cursor have no effect.
    ///   - mostValues: The maximum number of ``ProfileSummary/Field/frequentValues`` of a field.
    /// - Returns: The summary.
    /// - Throws: `invalidQuery` if a field does not exist or is secret, `cancelled`, …
    public func summary(
        of fields: [FieldName]? = nil, matching query: ProfileQuery = ProfileQuery(), mostValues: Int = 10
    ) async throws(ProfileStoreError) -> ProfileSummary {
        let schema = try await refreshSchema().schema
        let columns = try schema.columns(fields)
        var query = query
        query.order = nil
        query.isReversed = false
        let selection = RowSelection(
            try await search(query), columns: columns, includesHashes: false, schema: schema, pageBytes: 1 << 18)
        let mostBytes = Self.mostSummaryBytes / max(1, columns.count)
        let tallies = columns.map { SharedTally($0, mostBytes: mostBytes) }
        var profiles = 0
        var scan = selection.scan
        var page = try await nextPage(of: &scan)
        while let rows = page {
            // The next page is read while this page is counted.
            async let next = following(scan)
            let selected = selection.selectedRows(of: rows)
            profiles += selected.count
            await withTaskGroup { group in
                for (index, tally) in tallies.enumerated() {
                    group.addTask {
                        tally.value.withLock { $0.add(rows, selected, by: selection, column: index) }
                    }
                }
            }
            (page, scan) = try await next.get()
        }
        let fields = tallies.map { tally in tally.value.withLock { $0.summary(mostValues: mostValues) } }
        return ProfileSummary(profiles: profiles, fields: fields)
    }

    private static var mostSummaryBytes: Int { 64 << 20 }
}

/// The tally of a column. For each page, a new task adds the page's values.
private final class SharedTally: Sendable {
    let value: Locked<ColumnTally>

    init(_ rules: FieldRules, mostBytes: Int) { value = Locked(ColumnTally(rules, mostBytes: mostBytes)) }
}

extension ProfileRepository {
    /// Returns the next page of a scan, and the scan that continues after this page. The page can be read while the
    /// caller works on another page.
    func following(_ scan: StoreScan) async -> Result<(StoredRows?, StoreScan), ProfileStoreError> {
        var scan = scan
        do throws(ProfileStoreError) {
            let page = try await nextPage(of: &scan)
            return .success((page, scan))
        } catch {
            return .failure(error)
        }
    }
}
