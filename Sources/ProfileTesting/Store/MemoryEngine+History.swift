internal import ProfileCore
internal import ProfileStore

// The history of profiles.
extension MemoryEngine {
    func history(_ list: HistoryList, at time: Timestamp) async throws(ProfileStoreError) -> [HistoryEntry] {
        let state = try currentAtLength
        return try state.history.entries(list, at: time, under: state.rules.schema)
    }

    func historyChanges(
        _ list: HistoryChangeList, at time: Timestamp
    ) async throws(ProfileStoreError) -> [HistoryChange] {
        try currentAtLength.history.changes(list, at: time)
    }

    func historyTime() async throws(ProfileStoreError) -> Duration { .milliseconds(try current.history.keptTime) }

    func keepHistory(for time: Duration) async throws(ProfileStoreError) {
        try await write { state in state.history.keptTime = time.wholeMilliseconds }
    }

    func erase(_ id: Int64, _ stamp: WriteStamp) async throws(ProfileStoreError) -> Bool {
        try await write { [options] state in
            let profile = state.profiles[id]
            if profile != nil {
                state.remove(id)
                state.log.append(.removed, id...id, stamp, keeping: options.mostChanges)
            }
            var (usernames, isFound) = state.history.erase(id)
            usernames += [profile?.username].compactMap(\.self)
            isFound = state.eraseOutcomes(of: id) || isFound
            for username in usernames {
                state.throttles.forget(username)
                state.log.forgetAuthor(username)
                state.history.forgetAuthor(username)
            }
            return isFound || profile != nil
        }
    }
}
