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
        _ change: @Sendable (Profile, inout ProfileDraft) -> Void
    ) async throws(StoppedWrite<EditReport>) -> EditReport {
        var edit = ManyEdits(isPreview: isPreview, by: author)
        var query = query
        // The order of ids is the only one that the edit itself cannot change.
        (query.order, query.isReversed, query.after) = (nil, false, nil)
        query.limit = ManyEdits.batchSize
        do throws(ProfileStoreError) {
            var isDone = false
            while !isDone {
                guard !Task.isCancelled else { throw .cancelled }
                let page = try await repeatingIfRulesChange { () throws(ProfileStoreError) in
                    let page = try await profiles(query)
                    let stale = try await edit.write(page.profiles, in: self, change)
                    return (stale: stale, next: page.next)
                }
                try await edit.repeat(page.stale, matching: query, in: self, change)
                query.after = page.next
                isDone = page.next == nil
            }
        } catch {
            throw StoppedWrite(error, after: edit.report)
        }
        return edit.report
    }
}

/// The outcome of an edit of many profiles.
public struct EditReport: Hashable, Sendable {
    /// The number of edited profiles.
    public internal(set) var edited = 0
    /// The number of profiles that the query found, but that already had the new values.
    public internal(set) var unchanged = 0
    /// The number of profiles that other writers changed again and again, or so that the query does not find them any
    /// more. They are not edited.
    public internal(set) var changed = 0
    /// The number of profiles that the edit has left as they are, because their values would be refused.
    public internal(set) var leftCount = 0
    /// The first 1,000 of these profiles.
    public internal(set) var left: [Left] = []
    /// The first ten edited profiles, with the values before and after.
    public internal(set) var examples: [Example] = []

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

/// An edit of many profiles that is under way.
private struct ManyEdits {
    private(set) var report = EditReport()
    private let isPreview: Bool
    private let author: Author?
    private let origin = ChangeOrigin(ofManyTransactionsFrom: nil)

    static let batchSize = 1_000
    private static let mostLeft = 1_000
    private static let mostExamples = 10
    /// The number of times that the edit of a profile is repeated if other writers change the profile.
    private static let mostRepeats = 10

    init(isPreview: Bool, by author: Author?) {
        self.isPreview = isPreview
        self.author = author
    }

    /// Edits profiles in one transaction.
    ///
    /// - Returns: The profiles that have changed since they were read.
    mutating func write(
        _ profiles: [Profile], in repository: ProfileRepository,
        _ change: @Sendable (Profile, inout ProfileDraft) -> Void
    ) async throws(ProfileStoreError) -> [Profile] {
        guard !profiles.isEmpty else { return [] }
        let plans = profiles.map { profile in
            var draft = profile.draft
            change(profile, &draft)
            (draft.password, draft.passwordHash) = (nil, nil)
            return PlannedWrite.edit(profile, draft, hasPassword: profile.hasPassword)
        }
        let outcomes = try await repository.make(
            plans, under: repository.adoptedSchema, isPreview: isPreview, by: author, from: origin)
        var stale: [Profile] = []
        for (profile, outcome) in zip(profiles, outcomes) {
            switch outcome {
            case .unchanged: report.unchanged += 1
            case .stale: stale.append(profile)
            case .refused(let refusal):
                report.leftCount += 1
                guard report.left.count < Self.mostLeft else { continue }
                report.left.append(
                    EditReport.Left(profileID: profile.id, username: profile.username, reason: refusal))
            case .written(let values):
                report.edited += 1
                guard report.examples.count < Self.mostExamples else { continue }
                report.examples.append(
                    EditReport.Example(profileID: profile.id, username: profile.username, values: values))
            }
        }
        return stale
    }

    /// Repeats the edit of profiles that other writers have changed, if the query still finds them.
    mutating func `repeat`(
        _ stale: [Profile], matching query: ProfileQuery, in repository: ProfileRepository,
        _ change: @Sendable (Profile, inout ProfileDraft) -> Void
    ) async throws(ProfileStoreError) {
        for profile in stale {
            var query = query
            query.after = nil
            query.conditions.append(ProfileQuery.Condition(FieldName(of: .id), .equals(String(profile.id))))
            var isDone = false
            for _ in 0..<Self.mostRepeats where !isDone {
                let again = try await repository.repeatingIfRulesChange { () throws(ProfileStoreError) in
                    let found = try await repository.profiles(query).profiles
                    return found.isEmpty ? nil : try await write(found, in: repository, change)
                }
                guard let again else { break }
                isDone = again.isEmpty
            }
            if !isDone { report.changed += 1 }
        }
    }
}
