/// The entries of a change, newest first, a page at a time.
struct EntryPages {
    /// The next page; nil after the last one.
    private var list: HistoryList?

    private static let entriesPerPage = 1_000

    init(of change: HistoryChange) { list = HistoryList(of: .change(change.number), limit: Self.entriesPerPage) }

    mutating func next(in repository: ProfileRepository) async throws(ProfileStoreError) -> [HistoryEntry]? {
        guard let list else { return nil }
        let page = try await repository.entries(list)
        self.list =
            page.count < list.limit ? nil : HistoryList(of: list.subject, after: page.last?.place, limit: list.limit)
        return page
    }
}
