public import ProfileCore
internal import Threads

extension ProfileRepository {
    /// Edits all profiles that a query finds. The query's `limit`, order and cursor have no effect.
    ///
    /// Each transaction writes up to a thousand profiles. Every edited profile is validated; a profile that would be
    /// invalid is left as it is. If another writer changes a profile before its edit, the profile is read again, and is
    /// edited only if the query still finds it. The whole edit is one change of the history, so it can be undone.
    ///
    /// The edit cannot set passwords: a password of the draft is ignored.
    /// - Parameters:
    ///   - query: The query.
    ///   - isPreview: Whether nothing is written. A preview does not detect duplicates of unique values.
    ///   - author: The author of the change.
    ///   - change: Changes the draft of a profile. It may run more than once for a profile.
    /// - Returns: The number of edited profiles, and the profiles that are left as they are.
    /// - Throws: The error that stopped the call, such as `busy`, with a report of the previous transactions.
    public func edit(
        matching query: ProfileQuery, isPreview: Bool = false, by author: Author? = nil,
        _ change: @escaping @Sendable (Profile, inout ProfileDraft) -> Void
    ) async throws(StoppedWrite<EditReport>) -> EditReport {
        // The order of ids is the only one that the edit itself cannot change.
        let chosen = ChosenProfiles(matching: query.inOrderOfIDs)
        return try await edit(chosen, isPreview: isPreview, by: author) { profile, draft in
            change(profile, &draft)
            return true
        }
    }

    /// Edits the profiles with these ids; see ``edit(matching:isPreview:by:_:)``. Ids of removed profiles are ignored.
    package func edit(
        ids: some Sequence<Int64>, isPreview: Bool = false, by author: Author? = nil,
        _ change: @escaping @Sendable (Profile, inout ProfileDraft) -> Void
    ) async throws(StoppedWrite<EditReport>) -> EditReport {
        try await edit(ChosenProfiles(ids: ids), isPreview: isPreview, by: author) { profile, draft in
            change(profile, &draft)
            return true
        }
    }

    /// Edits the chosen profiles for which `change` returns true.
    func edit(
        _ chosen: ChosenProfiles, isPreview: Bool, by author: Author?,
        _ change: @escaping @Sendable (Profile, inout ProfileDraft) -> Bool
    ) async throws(StoppedWrite<EditReport>) -> EditReport {
        var report = EditReport()
        let edit = ManyEdits(chosen, in: self, isPreview: isPreview, by: author, change)
        var last: ManyEdits.Batch?
        var stale: [Int64] = []
        do throws(ProfileStoreError) {
            // While a batch is written, the next one is read and validated, and the outcomes of the previous one are
            // counted. So the writer hardly waits between two batches. The task that writes is started first, because there
            // may be too few threads for all tasks.
            var next = try await edit.batch(at: chosen.start).get()
            while let batch = next {
                guard !Task.isCancelled else { throw .cancelled }
                async let written = edit.written(batch)
                async let following = edit.batch(at: batch.next)
                stale += report.count(last.take())
                last = try await written.get()
                next = try await following.get()
            }
            stale += report.count(last.take())
            for id in stale { try await report.repeatEdit(of: id, in: edit) }
        } catch {
            _ = report.count(last)
            throw StoppedWrite(error, after: report)
        }
        return report
    }
}

/// The outcome of an edit of many profiles.
public struct EditReport: Hashable, Sendable {
    /// The number of edited profiles.
    public fileprivate(set) var edited = 0
    /// The number of profiles that the query found, but that already had the new values.
    public fileprivate(set) var unchanged = 0
    /// The number of profiles that are not edited because of other writers. Either another writer changed the profile
    /// before each repeat of the edit, or the query does not find the profile any more.
    public fileprivate(set) var changed = 0
    /// The number of profiles that the edit has left as they are, because their values would be refused.
    public fileprivate(set) var leftCount = 0
    /// The first 1,000 profiles that the edit has left as they are.
    public fileprivate(set) var left: [Left] = []
    /// The first ten edited profiles, with the values before and after.
    public fileprivate(set) var examples: [Example] = []

    /// A profile that an edit has left as it is.
    public struct Left: Hashable, Sendable {
        /// The id of the profile.
        public let profileID: Int64
        /// The username.
        public let username: String
        /// The reason.
        public let reason: ProfileRefusal
    }

    /// An edited profile.
    public struct Example: Hashable, Sendable {
        /// The id of the profile.
        public let profileID: Int64
        /// The username before the edit.
        public let username: String
        /// The changed values.
        public let values: [HistoryEntry.ChangedValue]
    }
}

/// An edit of many profiles.
private struct ManyEdits: Sendable {
    /// Profiles that are read together, with their validated edits.
    struct Batch: Sendable {
        /// The profiles to edit.
        let profiles: [Profile]
        /// The number of profiles that were read but are not edited, because `change` returned false.
        let othersCount: Int
        /// Nil if other rules came into force before the batch was written.
        var writes: PlannedWrites?
        /// The place of the next batch; nil for the last one.
        let next: ChosenProfiles.Place?
    }

    let repository: ProfileRepository
    let isPreview: Bool
    private let chosen: ChosenProfiles
    private let author: Author?
    private let origin = ChangeOrigin(ofManyTransactionsFrom: nil)
    /// Changes the draft of a profile. Returns whether the profile is edited.
    private let change: @Sendable (Profile, inout ProfileDraft) -> Bool

    init(
        _ chosen: ChosenProfiles, in repository: ProfileRepository, isPreview: Bool, by author: Author?,
        _ change: @escaping @Sendable (Profile, inout ProfileDraft) -> Bool
    ) {
        self.repository = repository
        self.chosen = chosen
        self.isPreview = isPreview
        self.author = author
        self.change = change
    }

    var stamp: WriteStamp { repository.stamp(author, from: origin) }

    /// Returns the batch at a position. Nil if there are no profiles any more.
    func batch(at place: ChosenProfiles.Place?) async -> Result<Batch?, ProfileStoreError> {
        guard let place else { return .success(nil) }
        do throws(ProfileStoreError) {
            let (page, next) = try await chosen.page(at: place, in: repository)
            return .success(try batch(of: page, next: next))
        } catch {
            return .failure(error)
        }
    }

    /// Makes the writes of a batch.
    ///
    /// - Returns: The batch with the outcomes, or without writes if other rules have come into force.
    func written(_ batch: Batch) async -> Result<Batch, ProfileStoreError> {
        var batch = batch
        if isPreview { return .success(batch) }
        do throws(ProfileStoreError) {
            try await batch.writes?.make(in: repository, stamp)
        } catch {
            guard error.code == .schemaChanged else { return .failure(error) }
            batch.writes = nil
        }
        return .success(batch)
    }

    /// Returns the profile with an id, if it is still one of the chosen profiles.
    func batch(id: Int64) async throws(ProfileStoreError) -> Batch {
        try batch(of: try await chosen.page(id: id, in: repository), next: nil)
    }

    private func batch(of page: ProfilePage, next: ChosenProfiles.Place?) throws(ProfileStoreError) -> Batch {
        var profiles: [Profile] = []
        var plans: [PlannedWrite] = []
        for profile in page.profiles {
            var draft = profile.draft
            guard change(profile, &draft) else { continue }
            (draft.password, draft.passwordHash) = (nil, nil)
            profiles.append(profile)
            plans.append(.edit(profile, draft, hasPassword: profile.hasPassword))
        }
        let others = page.profiles.count - profiles.count
        do throws(ProfileStoreError) {
            let writes = try PlannedWrites(plans, under: repository.adoptedSchema, on: repository.today)
            return Batch(profiles: profiles, othersCount: others, writes: writes, next: next)
        } catch {
            guard error.code == .schemaChanged else { throw error }
            return Batch(profiles: profiles, othersCount: others, writes: nil, next: next)
        }
    }
}

extension EditReport {
    /// Counts the outcomes of a batch.
    ///
    /// - Returns: The ids of the profiles to read again: those that have changed since they were read, or all of them if
    ///   other rules have come into force.
    fileprivate mutating func count(_ batch: ManyEdits.Batch?) -> [Int64] {
        guard let batch else { return [] }
        unchanged += batch.othersCount
        guard let writes = batch.writes else { return batch.profiles.map(\.id) }
        var stale: [Int64] = []
        for (position, profile) in batch.profiles.enumerated() {
            switch writes.outcomes[position] {
            case .unchanged: unchanged += 1
            case .stale: stale.append(profile.id)
            case .refused(let refusal):
                leftCount += 1
                guard left.count < Self.mostLeft else { continue }
                left.append(Left(profileID: profile.id, username: profile.username, reason: refusal))
            case .written:
                edited += 1
                guard examples.count < Self.mostExamples else { continue }
                examples.append(
                    Example(profileID: profile.id, username: profile.username, values: writes.changes(position)))
            }
        }
        return stale
    }

    /// Edits a profile that another writer has changed before its edit.
    fileprivate mutating func repeatEdit(of id: Int64, in edit: ManyEdits) async throws(ProfileStoreError) {
        for _ in 0..<Self.mostRepeats {
            let batch = try await edit.batch(id: id)
            if batch.profiles.isEmpty { break }
            if count(try await edit.written(batch).get()).isEmpty { return }
        }
        changed += 1
    }

    private static let mostLeft = 1_000
    private static let mostExamples = 10
    /// The number of times that the edit of a profile is repeated if other writers change the profile.
    private static let mostRepeats = 10
}
