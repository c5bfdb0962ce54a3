internal import ProfileCore
package import ProfileStore

extension ProfileRepository {
    /// Returns the ids of all profiles that a query finds. The query's order, limit and cursor have no effect. Reads every
    /// profile once.
    ///
    /// - Returns: The ids; nil if the query finds more than `most` profiles.
    /// - Throws: `invalidQuery` if the query is invalid, `cancelled`, …
    package func ids(matching query: ProfileQuery, atMost most: Int) async throws(ProfileStoreError) -> Set<Int64>? {
        var query = query
        (query.order, query.isReversed) = (nil, false)
        let schema = try await refreshSchema().schema
        let selection = RowSelection(
            try await search(query), columns: [], includesHashes: false, schema: schema, pageBytes: 1 << 18)
        var ids: Set<Int64> = []
        var scan = selection.scan
        while let page = try await nextPage(of: &scan) {
            ids.formUnion(selection.selectedRows(of: page).map { page.rows[$0].id })
            guard ids.count <= most else { return nil }
        }
        return ids
    }
}
