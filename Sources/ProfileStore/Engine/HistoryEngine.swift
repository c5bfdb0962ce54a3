internal import ProfileCore

/// Keeps the history of profiles (D1). The writes of the other engine protocols add their entries to the
/// history in the same transactions.
package protocol HistoryEngine: Sendable {
    /// Returns entries of the history, newest first. Expired entries are not returned, even if they are still stored.
    ///
    /// A list that can be long is read on a separate thread, because the read could block a thread of Swift's executor.
    func history(_ list: HistoryList, at time: Timestamp) async throws(ProfileStoreError) -> [HistoryEntry]

    /// Returns changes of the history, newest first. Each change has the numbers of profiles that it added, updated and
    /// removed. Expired changes are not returned.
    func historyChanges(
        _ list: HistoryChangeList, at time: Timestamp
    ) async throws(ProfileStoreError) -> [HistoryChange]

    /// Returns the time for which the history is kept. It is zero if there is no history.
    func historyTime() async throws(ProfileStoreError) -> Duration

    /// Changes the time for which the history is kept. If it is zero, the whole history expires.
    func keepHistory(for time: Duration) async throws(ProfileStoreError)

    /// Removes all traces of a profile: the profile itself with its secrets and tokens, its history, the stored
    /// outcomes of keyed writes that contain it, and the failed attempts for its usernames. If one of its usernames is
    /// the author of a change, this author is removed too. Logs the removal if the profile was still there.
    ///
    /// - Parameters:
    ///   - id: The profile, which may have been removed before.
    ///   - stamp: The time and author of the write.
    /// - Returns: Whether the store contained the profile, its history, or a stored outcome with this profile.
    /// - Throws: The errors that every method may throw; see ``StoreEngine``.
    func erase(_ id: Int64, _ stamp: WriteStamp) async throws(ProfileStoreError) -> Bool
}

/// Which entries of the history to return.
package struct HistoryList: Sendable {
    package enum Subject: Sendable {
        /// The entries of the profile with this id.
        case profile(Int64)
        /// The removals of profiles with this username. Ignores the case of ASCII letters.
        case removals(of: String)
        /// The entries of the change with this number.
        case change(Int64)
        /// All entries.
        case all
    }

    package let subject: Subject
    /// Only entries at this time or later are returned; nil for all entries.
    package let since: Timestamp?
    /// Only entries that follow this entry in the list are returned. They are older. Nil for the first page.
    package let after: Place?
    package let limit: Int

    /// The position of an entry in the list.
    package struct Place: Hashable, Sendable {
        package let changedAt: Timestamp
        package let change: Int64
        package let part: Int64
    }

    package init(of subject: Subject, since: Timestamp? = nil, after: Place? = nil, limit: Int) {
        self.subject = subject
        self.since = since
        self.after = after
        self.limit = limit
    }
}

extension HistoryList {
    /// Returns the exclusive lower bound for the times of the list's entries, in milliseconds. Entries at the time
    /// `expired` or earlier have expired.
    package func start(after expired: Int64) -> Int64 {
        since.map { max(expired, $0.advanced(byMilliseconds: -1).millisecondsSince1970) } ?? expired
    }
}

extension Timestamp {
    /// Returns the expiry limit of the history at this time. An entry has expired if its time is not later than the
    /// limit.
    ///
    /// - Parameter milliseconds: The time for which the history is kept; 0 if there is no history.
    /// - Returns: The limit in milliseconds. If there is no history, every entry has expired.
    package func historyExpiry(keepingFor milliseconds: Int64) -> Int64 {
        milliseconds == 0 ? .max : advanced(byMilliseconds: -milliseconds).millisecondsSince1970
    }
}

extension HistoryEntry {
    package var place: HistoryList.Place {
        HistoryList.Place(changedAt: changedAt, change: change, part: part)
    }
}

/// Which changes of the history to return.
package struct HistoryChangeList: Sendable {
    /// Whether only imports are returned.
    package let onlyImports: Bool
    /// The number of the only change to return; nil for all changes.
    package let number: Int64?
    package let limit: Int

    package init(onlyImports: Bool, limit: Int) {
        self.onlyImports = onlyImports
        self.limit = limit
        number = nil
    }

    package init(number: Int64) {
        onlyImports = false
        limit = 1
        self.number = number
    }
}

/// A change of profiles or rules, for the log of changes and for the history.
package struct LoggedChange: Sendable {
    package let kind: ProfileChange.Kind
    /// The profiles; nil for `adopted`.
    package let profileIDs: ClosedRange<Int64>?
    /// The entries for the history.
    package let records: [HistoryRecord]

    package init(_ kind: ProfileChange.Kind, _ profileIDs: ClosedRange<Int64>?, _ records: [HistoryRecord]) {
        self.kind = kind
        self.profileIDs = profileIDs
        self.records = records
    }

    package static let adopted = LoggedChange(.adopted, nil, [])

    package static func registered(_ id: Int64) -> LoggedChange {
        LoggedChange(.registered, id...id, [HistoryRecord(.registered, id...id, revision: 1)])
    }

    /// The changes of an edit. If it sets a password, a second change is logged.
    package static func edited(
        _ id: Int64, revision: Int64, _ values: RecordedValues, setsPassword: Bool
    ) -> [LoggedChange] {
        let edit = HistoryRecord(.edited, id...id, revision: revision, values)
        return [LoggedChange(.edited, id...id, [edit])]
            + (setsPassword ? [LoggedChange(.credentialChanged, id...id, [])] : [])
    }

    /// A change of the passcode.
    package static func credentialChanged(_ id: Int64) -> LoggedChange {
        LoggedChange(.credentialChanged, id...id, [HistoryRecord(.credentialChanged, id...id, revision: nil)])
    }

    package static func removed(_ profile: Profile) -> LoggedChange {
        LoggedChange(.removed, profile.id...profile.id, [HistoryRecord(removing: profile)])
    }
}

/// The numbers of profiles that a change has added, updated and removed.
package struct HistoryCounts: Sendable {
    package private(set) var added = 0
    package private(set) var updated = 0
    package private(set) var removed = 0

    package init() {}

    package init(of records: [HistoryRecord]) { for record in records { add(record) } }

    package mutating func add(_ record: HistoryRecord) {
        switch record.kind {
        case .registered, .imported: added += record.profileIDs.count
        case .removed: removed += 1
        default: updated += 1
        }
    }
}

/// An entry to add to the history.
package struct HistoryRecord: Sendable {
    package let kind: ProfileChange.Kind
    package let profileIDs: ClosedRange<Int64>
    package let revision: Int64?
    package let values: RecordedValues
    /// The username of a removed profile; otherwise nil.
    package let username: String?

    package init(
        _ kind: ProfileChange.Kind, _ profileIDs: ClosedRange<Int64>, revision: Int64?,
        _ values: RecordedValues = RecordedValues()
    ) {
        self.kind = kind
        self.profileIDs = profileIDs
        self.revision = revision
        self.values = values
        username = nil
    }

    package init(removing profile: Profile) {
        kind = .removed
        profileIDs = profile.id...profile.id
        revision = profile.revision
        values = RecordedValues(removing: profile)
        username = profile.username
    }
}
