internal import ProfileCore
internal import Threads

// The history: what profiles were before each change (D1).
extension ProfileRepository {
    /// Returns the history of the profile with a username, newest first. If no profile has this username, returns the
    /// history of the profile that was removed last under this username.
    ///
    /// - Parameter username: The username, ignoring the case of ASCII letters.
    /// - Returns: The entries; nil if neither the store nor the history has a profile with this username.
    /// - Throws: `busy`, `corrupt`, …
    public func history(of username: String) async throws(ProfileStoreError) -> [HistoryEntry]? {
        try await call { () throws(ProfileStoreError) in
            if let profile = try await profile(username: username) { return try await history(ofID: profile.id) }
            let removals = try await entries(HistoryList(of: .removals(of: username), limit: 1))
            guard let removal = removals.first else { return nil }
            return try await history(ofID: removal.profileIDs.lowerBound)
        }
    }

    /// Returns the history of the profile with an id, newest first. The profile may have been removed. If it has more
    /// than 10,000 entries, the oldest ones are missing.
    public func history(ofID id: Int64) async throws(ProfileStoreError) -> [HistoryEntry] {
        let entries = try await entries(HistoryList(of: .profile(id), limit: Self.mostEntriesOfProfile))
        // An import can begin before an edit and change the profile after the edit. So the entries are sorted by
        // revision and not by the number of the change. A change of a passcode has no revision, so it is sorted by the
        // revision of the change before it.
        var revision: Int64 = 0
        let revisions = entries.reversed().map { entry in
            revision = entry.revision ?? revision
            return revision
        }
        return zip(entries, revisions.reversed()).enumerated().sorted { left, right in
            (right.element.1, left.offset) < (left.element.1, right.offset)
        }.map(\.element.0)
    }

    /// Reads a page of the whole history.
    ///
    /// - Parameters:
    ///   - time: Only entries at this time or later are returned; nil for all entries that are kept.
    ///   - entry: The last entry of the previous page; nil for the first page.
    ///   - limit: The maximum number of entries.
    /// - Returns: The entries, newest first.
    /// - Throws: `busy`, `corrupt`, …
    public func history(
        since time: Timestamp? = nil, after entry: HistoryEntry? = nil, limit: Int = 1_000
    ) async throws(ProfileStoreError) -> [HistoryEntry] {
        try await entries(HistoryList(of: .all, since: time, after: entry?.place, limit: limit))
    }

    /// Reads the newest changes of the history, with the numbers of profiles that each one has changed.
    ///
    /// - Parameters:
    ///   - onlyImports: Whether to return only imports of files.
    ///   - limit: The maximum number of changes.
    /// - Returns: The changes, newest first.
    /// - Throws: `busy`, `corrupt`, …
    public func historyChanges(
        onlyImports: Bool = false, limit: Int = 1_000
    ) async throws(ProfileStoreError) -> [HistoryChange] {
        let list = HistoryChangeList(onlyImports: onlyImports, limit: limit)
        return try await ask(.readHistory, rows: \.count, await engine.historyChanges(list, at: options.now()))
    }

    /// Returns a profile as it was at an earlier time.
    ///
    /// - Parameters:
    ///   - username: The present username of the profile, or the username under which it was removed. Ignores the case of
    ///     ASCII letters.
    ///   - time: The time.
    /// - Returns: The profile; nil if it did not exist at that time, or if no such profile is known.
    /// - Throws: `beyondHistory` if the history does not reach back to that time.
    public func profile(_ username: String, at time: Timestamp) async throws(ProfileStoreError) -> PastProfile? {
        try await call { () throws(ProfileStoreError) in
            guard let present = try await profile(username: username) else {
                guard let entries = try await history(of: username) else { return nil }
                return try PastProfile(nil, entries[...], at: time)
            }
            // If the profile has changed between the two reads, the entries of these later changes are skipped.
            let entries = try await history(ofID: present.id).drop { entry in
                entry.kind == .removed || entry.revision.map { $0 > present.revision } ?? false
            }
            return try PastProfile(present, entries, at: time)
        }
    }

    /// The time for which the history is kept: 90 days by default. It is zero if the store keeps no history.
    public func historyTime() async throws(ProfileStoreError) -> Duration {
        try await ask(.readHistory, rows: { _ in 0 }, await engine.historyTime())
    }

    /// Changes the time for which the history is kept. Expired entries are never returned. They are removed little by
    /// little, by later writes and by ``run()``.
    ///
    /// - Parameter time: The time; zero for no history. It is at most 100 years.
    /// - Throws: `busy`, `readOnly`, …
    public func keepHistory(for time: Duration) async throws(ProfileStoreError) {
        let time = min(max(time, .zero), .seconds(100 * 366 * 86_400))
        try await ask(.keepHistory, rows: { _ in 0 }, await engine.keepHistory(for: time))
    }

    /// Removes a profile, and everything that the store has kept of it: its secrets, sessions and resets, its history,
    /// and the outcomes of its keyed writes. Also removes the failed attempts for all usernames that the profile has
    /// had, and these usernames as authors of changes.
    ///
    /// On SQLite, the rows are overwritten. On PostgreSQL, they are deleted, and remain in the table's file until VACUUM.
    /// Backups, standbys and a write-ahead log may still have them; see <doc:Writing>.
    /// - Parameters:
    ///   - id: The id of the profile, which may have been removed before.
    ///   - author: The author of the change.
    /// - Returns: Whether the store had anything of this profile.
    /// - Throws: `busy`, `readOnly`, …
    public func erase(id: Int64, by author: Author? = nil) async throws(ProfileStoreError) -> Bool {
        defer { tokenLooks.forget() }
        return try await ask(.erase, rows: { $0 ? 1 : 0 }, await engine.erase(id, stamp(author)))
    }

    func entries(_ list: HistoryList) async throws(ProfileStoreError) -> [HistoryEntry] {
        try await ask(.readHistory, rows: \.count, await engine.history(list, at: options.now()))
    }

    private static var mostEntriesOfProfile: Int { 10_000 }
}

/// A profile as it was at an earlier time; see ``ProfileRepository/profile(_:at:)``.
public struct PastProfile: Hashable, Sendable {
    /// The id.
    public let id: Int64
    /// The revision that the profile had at that time.
    public let revision: Int64
    /// The values by the names of their fields. ``HistoryEntry/ChangedValue/field`` describes the name of a field that
    /// the rules in force do not have.
    public let values: [String: String]

    /// Computes the profile at a time: reverts the later entries, starting from the present profile or from its
    /// removal. The result is nil if the profile did not exist at that time.
    ///
    /// - Parameters:
    ///   - present: The present profile; nil if it was removed.
    ///   - entries: The history of the profile, newest first.
    ///   - time: The time.
    /// - Throws: `beyondHistory`.
    init?(_ present: Profile?, _ entries: ArraySlice<HistoryEntry>, at time: Timestamp) throws(ProfileStoreError) {
        var state = present.map(State.init)
        var isKnown = present.map { $0.updatedAt <= time } ?? false
        for entry in entries where entry.revision != nil {
            guard entry.changedAt > time else {
                if entry.kind == .removed { return nil }
                // If the revisions differ, a change between this entry and the next one was not recorded.
                isKnown = entry.revision == state?.revision
                break
            }
            switch entry.kind {
            // An undo has restored the profile. Before that, it was removed.
            case .registered where entry.revision ?? 1 > 1: state = nil
            case .registered, .imported: return nil
            case .removed:
                guard let removed = State(removedBy: entry) else { throw .beyondHistory }
                state = removed
            default:
                guard state?.revision == entry.revision else { throw .beyondHistory }
                state?.revert(entry)
            }
        }
        guard let state else { throw .beyondHistory }
        guard state.createdAt <= time else { return nil }
        // If the chain of entries reaches the first revision, no older entry is missing.
        guard isKnown || state.revision == 1 else { throw .beyondHistory }
        (id, revision, values) = (state.id, state.revision, state.values)
    }
}

extension PastProfile {
    fileprivate struct State {
        let id: Int64
        let createdAt: Timestamp
        private(set) var revision: Int64
        private(set) var values: [String: String] = [:]

        init(_ profile: Profile) {
            (id, createdAt, revision) = (profile.id, profile.createdAt, profile.revision)
            for field in profile.fields { values[field.rules.name.text] = field.value }
        }

        init?(removedBy entry: HistoryEntry) {
            guard let removed = entry.removed, let revision = entry.revision else { return nil }
            (id, createdAt, self.revision) = (entry.profileIDs.lowerBound, removed.createdAt, revision)
            for value in entry.values { values[value.field] = value.before }
        }

        mutating func revert(_ entry: HistoryEntry) {
            for value in entry.values { values[value.field] = value.before }
            // In a damaged file, the revision can be any number, so the subtraction must not trap.
            revision &-= 1
        }
    }
}
