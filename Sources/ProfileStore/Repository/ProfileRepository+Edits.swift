public import ProfileCore
internal import Threads

extension ProfileRepository {
    /// Edits all profiles that a query finds. The query's `limit` and order have no effect.
    ///
    /// Each transaction writes up to a thousand profiles. Every edited profile is validated; a profile that would be
    /// invalid is left as it is. If another writer changes a profile before its edit, the profile is read again, and is
    /// edited only if the query still finds it. The whole edit is one change of the history, so it can be undone.
    ///
    /// The edit cannot set passwords: a password of the draft is ignored.
    /// - Parameters:
    ///   - query: The query.
    ///   - isPreview: Whether nothing is written. A preview does not find values that other profiles have.
    ///   - author: The author of the change.
    ///   - change: Changes the draft of a profile. It may run more than once for a profile.
    /// - Returns: The numbers of edited profiles, and the profiles that are left.
    /// - Throws: The error that stopped the call, such as `busy`, with a report of the previous transactions.
    public func edit(
        matching query: ProfileQuery, isPreview: Bool = false, by author: Author? = nil,
        _ change: @escaping @Sendable (Profile, inout ProfileDraft) -> Void
    ) async throws(StoppedWrite<EditReport>) -> EditReport {
        let edit = ManyEdits(query, in: self, isPreview: isPreview, by: author) { profile, draft in
            change(profile, &draft)
            return true
        }
        return try await make(edit)
    }

    func make(_ edit: ManyEdits) async throws(StoppedWrite<EditReport>) -> EditReport {
        var report = EditReport()
        do throws(ProfileStoreError) {
            // The next profiles are read and validated while these are written.
            var next = try await edit.batch(after: nil).get()
            while let batch = next {
                guard !Task.isCancelled else { throw .cancelled }
                async let following = edit.batch(after: batch)
                try await report.take(batch, of: edit)
                next = try await following.get()
            }
        } catch {
            throw StoppedWrite(error, after: report)
        }
        return report
    }
}

extension ProfileQuery {
    fileprivate func inOrderOfIDs(limit: Int) -> ProfileQuery {
        var query = self
        (query.order, query.isReversed, query.after) = (nil, false, nil)
        query.limit = limit
        return query
    }
}

/// The outcome of an edit of many profiles.
public struct EditReport: Hashable, Sendable {
    /// The number of edited profiles.
    public fileprivate(set) var edited = 0
    /// The number of profiles that the query found, but that already had the new values.
    public fileprivate(set) var unchanged = 0
    /// The number of profiles that other writers changed again and again, or so that the query does not find them any
    /// more. They are not edited.
    public fileprivate(set) var changed = 0
    /// The number of profiles that the edit has left as they are, because their values would be refused.
    public fileprivate(set) var leftCount = 0
    /// The first 1,000 of these profiles.
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
struct ManyEdits: Sendable {
    /// Changes the draft of a profile. Returns whether the profile is edited.
    typealias Change = @Sendable (Profile, inout ProfileDraft) -> Bool

    /// Profiles that are read together, with their validated edits.
    fileprivate struct Batch: Sendable {
        /// The profiles to edit.
        let profiles: [Profile]
        /// The number of further profiles, which are not edited.
        let othersCount: Int
        /// Nil if other rules came into force while the profiles were read.
        var writes: PlannedWrites?
        /// The place of the next batch; nil for the last one.
        let next: ProfileCursor?
    }

    fileprivate let repository: ProfileRepository
    fileprivate let isPreview: Bool
    private let query: ProfileQuery
    private let author: Author?
    private let origin = ChangeOrigin(ofManyTransactionsFrom: nil)
    private let change: Change

    private static let batchSize = 1_000

    init(
        _ query: ProfileQuery, in repository: ProfileRepository, isPreview: Bool, by author: Author?,
        _ change: @escaping Change
    ) {
        self.repository = repository
        // The order of ids is the only one that the edit itself cannot change.
        self.query = query.inOrderOfIDs(limit: Self.batchSize)
        self.isPreview = isPreview
        self.author = author
        self.change = change
    }

    fileprivate var stamp: WriteStamp { repository.stamp(author, from: origin) }

    /// Returns the first batch after a cursor of the previous one. Nil if there are no profiles any more.
    fileprivate func batch(after previous: Batch?) async -> Result<Batch?, ProfileStoreError> {
        do throws(ProfileStoreError) {
            var query = query
            if let previous {
                guard let next = previous.next else { return .success(nil) }
                query.after = next
            }
            return .success(try await batch(of: query))
        } catch {
            return .failure(error)
        }
    }

    /// Returns the profile with an id, if the query still finds it.
    fileprivate func batch(id: Int64) async throws(ProfileStoreError) -> Batch {
        var query = query
        query.after = ProfileCursor(id: id - 1)
        return try await batch(of: query, through: id)
    }

    private func batch(
        of query: ProfileQuery, through lastID: Int64? = nil
    ) async throws(ProfileStoreError) -> Batch {
        let page = try await repository.page(of: query, through: lastID)
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
            return Batch(profiles: profiles, othersCount: others, writes: writes, next: page.next)
        } catch {
            guard error.code == .schemaChanged else { throw error }
            return Batch(profiles: profiles, othersCount: others, writes: nil, next: page.next)
        }
    }
}

extension EditReport {
    /// Makes the writes of a batch and counts their outcomes. Profiles that other writers have changed are read again.
    fileprivate mutating func take(_ batch: ManyEdits.Batch, of edit: ManyEdits) async throws(ProfileStoreError) {
        unchanged += batch.othersCount
        for profile in try await write(batch, of: edit) {
            var isDone = false
            for _ in 0..<Self.mostRepeats where !isDone {
                let again = try await edit.batch(id: profile.id)
                if again.profiles.isEmpty { break }
                isDone = try await write(again, of: edit).isEmpty
            }
            if !isDone { changed += 1 }
        }
    }

    /// Makes the writes of a batch and counts their outcomes.
    ///
    /// - Returns: The profiles to read again: those that have changed since they were read, or all of them if other rules
    ///   have come into force.
    private mutating func write(
        _ batch: ManyEdits.Batch, of edit: ManyEdits
    ) async throws(ProfileStoreError) -> [Profile] {
        guard var writes = batch.writes else { return batch.profiles }
        if !edit.isPreview {
            do throws(ProfileStoreError) {
                try await writes.make(in: edit.repository, edit.stamp)
            } catch {
                guard error.code == .schemaChanged else { throw error }
                return batch.profiles
            }
        }
        var stale: [Profile] = []
        for (position, profile) in batch.profiles.enumerated() {
            switch writes.outcomes[position] {
            case .unchanged: unchanged += 1
            case .stale: stale.append(profile)
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

    private static let mostLeft = 1_000
    private static let mostExamples = 10
    /// The number of times that the edit of a profile is repeated if other writers change the profile.
    private static let mostRepeats = 10
}
