package import ProfileCore

/// Writes of some profiles that were read before; see ``ProfileEngine/apply(_:_:)``. A write takes effect only if the
/// profile has not changed since.
package struct ConditionalWrites: Sendable {
    package enum Write: Sendable {
        /// Changes values of a profile. The update sets no password.
        case update(RowUpdate, of: Profile)
        case remove(Profile)
        /// Stores a removed profile again.
        case restore(RemovedProfile, row: Int)
    }

    /// The data of a removed profile, read from the history.
    package struct RemovedProfile: Sendable {
        package let id: Int64
        /// The last revision.
        package let revision: Int64
        package let createdAt: Timestamp

        package init(id: Int64, revision: Int64, createdAt: Timestamp) {
            self.id = id
            self.revision = revision
            self.createdAt = createdAt
        }
    }

    /// The outcome of one write.
    package enum Outcome: Hashable, Sendable {
        case written
        /// The profile was changed or removed. For a restored profile: the profile exists already, or the history does
        /// not contain its removal.
        case stale
        /// Other profiles have the same values in these unique fields.
        case taken([FieldName])
    }

    /// The rules that validated the rows; nil if there are only removals.
    package let schema: ProfileSchema?
    /// The new values. They have no passwords.
    package let rows: ValidProfiles
    /// The writes. Each profile has at most one write.
    package private(set) var writes: [Write] = []
    /// Whether nothing is written if one of the writes is refused.
    package let areAllOrNothing: Bool

    /// Creates writes of new values. The caller appends the writes.
    package init(of rows: ValidProfiles, judgedBy schema: ProfileSchema, allOrNothing areAllOrNothing: Bool = false) {
        self.schema = schema
        self.rows = rows
        self.areAllOrNothing = areAllOrNothing
    }

    package init(removing profiles: [Profile]) {
        schema = nil
        rows = ValidProfiles(joining: [], of: .standard)
        writes = profiles.map { .remove($0) }
        areAllOrNothing = false
    }

    package mutating func append(_ write: Write) { writes.append(write) }

    package var isEmpty: Bool { writes.isEmpty }

    /// The positions of the writes in the order in which they take effect: the removals by id, the updates, and then the
    /// restored profiles.
    package var order: [Int] {
        var (removals, updates, restorations): ([Int], [Int], [Int]) = ([], [], [])
        for position in writes.indices {
            switch writes[position] {
            case .remove: removals.append(position)
            case .update: updates.append(position)
            case .restore: restorations.append(position)
            }
        }
        return removals.sorted { writes[$0].id < writes[$1].id } + updates + restorations
    }

    /// Returns the reason why nothing is written: the error of the first refused write, if the writes are all or nothing.
    /// The engine calls this method before it commits.
    ///
    /// - Parameters:
    ///   - outcomes: The outcome of each write.
    ///   - revision: Returns the present revision of a profile; nil if there is no profile with this id.
    /// - Returns: `notFound`, `staleRevision` or `duplicate`. Nil if the transaction can be committed.
    /// - Throws: The error of `revision`.
    package func refusal<Failure>(
        _ outcomes: [Outcome], revision: (_ id: Int64) throws(Failure) -> Int64?
    ) throws(Failure) -> ProfileStoreError? {
        guard areAllOrNothing, let position = order.first(where: { outcomes[$0] != .written }) else { return nil }
        if case .taken(let fields) = outcomes[position] { return .duplicate(fields) }
        let write = writes[position]
        return write.staleness(try revision(write.id))
    }
}

extension ConditionalWrites.Write {
    package var id: Int64 {
        switch self {
        case .update(let update, _): update.id
        case .remove(let profile): profile.id
        case .restore(let removed, _): removed.id
        }
    }

    /// Returns the error of the refused write. `current` is the profile's present revision; nil if it is not stored.
    fileprivate func staleness(_ current: Int64?) -> ProfileStoreError {
        switch (self, current) {
        case (.update(_, let profile), nil), (.remove(let profile), nil): .notFound(username: profile.username)
        case (.update(_, let profile), let current?), (.remove(let profile), let current?):
            .staleRevision(expected: profile.revision, current: current)
        case (.restore(let removed, _), let current):
            .staleRevision(expected: removed.revision, current: current ?? removed.revision)
        }
    }
}

/// The changes that conditional writes log: first the removed and the restored profiles, then all updates.
package struct ConditionalChanges: Sendable {
    private var others: [LoggedChange] = []
    private var updates: [HistoryRecord] = []

    package init() {}

    package mutating func update(_ update: RowUpdate) { updates.append(update.record(.updated)) }

    package mutating func remove(_ profile: Profile) { others.append(.removed(profile)) }

    package mutating func restore(_ removed: ConditionalWrites.RemovedProfile) {
        let id = removed.id
        others.append(
            LoggedChange(.registered, id...id, [HistoryRecord(.registered, id...id, revision: removed.revision + 1)]))
    }

    /// The changes to log. All updates are one change.
    package var all: [LoggedChange] {
        let ids = updates.map(\.profileIDs.lowerBound)
        guard let first = ids.min(), let last = ids.max() else { return others }
        return others + [LoggedChange(.updated, first...last, updates)]
    }
}
