internal import ProfileCore

/// An undo that is under way. It collects entries of the change, newest first, and writes them in batches.
struct Undo {
    private(set) var report: UndoReport
    private let overridesLaterChanges: Bool
    private let isPreview: Bool
    private let author: Author?
    var origin = ChangeOrigin()
    /// The entries of the next batch, at most one for each profile.
    private var batch: [(id: Int64, entry: HistoryEntry)] = []
    private var ids: Set<Int64> = []

    init(
        of change: HistoryChange, overridesLaterChanges: Bool, isPreview: Bool, by author: Author?
    ) {
        report = UndoReport(of: change)
        self.overridesLaterChanges = overridesLaterChanges
        self.isPreview = isPreview
        self.author = author
    }

    // MARK: Entries

    /// Adds an entry for each of its profiles. Only an entry of the kind `imported` can have more than one profile.
    mutating func add(_ entry: HistoryEntry, to repository: ProfileRepository) async throws(ProfileStoreError) {
        if entry.setsPassword || entry.kind == .credentialChanged { report.keptSecrets += 1 }
        guard entry.isRevertible else { return }
        for id in entry.profileIDs { try await add(entry, id, to: repository) }
    }

    private mutating func add(
        _ entry: HistoryEntry, _ id: Int64, to repository: ProfileRepository
    ) async throws(ProfileStoreError) {
        // A later entry of the change must be undone before an earlier one of the same profile.
        if batch.count == Self.batchSize || !ids.insert(id).inserted {
            try await finish(in: repository)
            ids.insert(id)
        }
        batch.append((id, entry))
    }

    private static let batchSize = 1_000

    // MARK: Batches

    /// Undoes the entries of the batch.
    mutating func finish(in repository: ProfileRepository) async throws(ProfileStoreError) {
        guard !batch.isEmpty else { return }
        guard !Task.isCancelled else { throw .cancelled }
        let before = report
        try await repository.repeatingIfRulesChange { () throws(ProfileStoreError) in
            report = before
            try await write(in: repository)
        }
        batch.removeAll(keepingCapacity: true)
        ids.removeAll(keepingCapacity: true)
    }

    private mutating func write(in repository: ProfileRepository) async throws(ProfileStoreError) {
        let rules = repository.adoptedSchema
        let profiles = try await repository.profiles(ids: batch.map(\.id))
        var plans: [PlannedWrite] = []
        var planned: [(id: Int64, entry: HistoryEntry)] = []
        for (id, entry) in batch {
            let profile = profiles[id]
            switch try await state(of: entry, of: id, profile, in: repository) {
            case .isLast: break
            case .isChangedSince where overridesLaterChanges: break
            case .isChangedSince:
                report.leave(id, profile?.username, .changedSince)
                continue
            case .isUndone:
                report.unchanged += 1
                continue
            }
            guard let plan = plan(for: entry, of: id, profile, under: rules) else { continue }
            plans.append(plan)
            planned.append((id, entry))
        }
        var writes = try PlannedWrites(plans, under: rules, on: repository.today)
        if !isPreview { try await writes.make(in: repository, repository.stamp(author, from: origin)) }
        for ((id, entry), (plan, outcome)) in zip(planned, zip(plans, writes.outcomes)) {
            count(outcome, of: plan, entry, profiles[id]?.username ?? plan.username(under: rules), id)
        }
    }

    private func state(
        of entry: HistoryEntry, of id: Int64, _ profile: Profile?, in repository: ProfileRepository
    ) async throws(ProfileStoreError) -> ProfileTimeline.State {
        switch (entry.kind, profile) {
        case (.registered, nil), (.imported, nil), (.removed, _?): return .isUndone
        // Usually the profile has not changed since the entry, so its history need not be read.
        case (_, let profile?) where profile.revision == entry.revision: return .isLast
        default: break
        }
        let entries = try await repository.history(ofID: id)
        // If the newest change of this profile is missing in the history, the profile counts as changed afterwards.
        let newest = entries.first { $0.revision != nil }
        let isKnown = profile.map { $0.revision == newest?.revision && newest?.kind != .removed }
        guard isKnown ?? (newest?.kind == .removed) else { return .isChangedSince }
        // An undo keeps passwords. So a password that was set later only prevents an undo that removes the profile.
        let ignoresPasswords = entry.kind == .edited || entry.kind == .updated
        return ProfileTimeline(entries, ignoresPasswords: ignoresPasswords).state(of: entry, withItsChange: isPreview)
    }

    /// Returns the write that reverts an entry; nil if there is nothing to write.
    private mutating func plan(
        for entry: HistoryEntry, of id: Int64, _ profile: Profile?, under rules: AdoptedSchema
    ) -> PlannedWrite? {
        let schema = rules.schema
        switch (entry.kind, profile) {
        case (.registered, let profile?), (.imported, let profile?): return .remove(profile)
        case (.removed, nil):
            guard let removed = entry.removed, let revision = entry.revision else { return nil }
            var draft = ProfileDraft()
            draft.revert(entry.values, under: schema)
            leaveFormerFields(of: entry, id, nil, under: schema)
            return .restore(
                ConditionalWrites.RemovedProfile(id: id, revision: revision, createdAt: removed.createdAt),
                draft.withStoredKey(of: schema))
        case (.edited, let profile?), (.updated, let profile?):
            var draft = profile.draft
            draft.revert(entry.values, under: schema)
            leaveFormerFields(of: entry, id, profile.username, under: schema)
            // A restored profile may still lack its password. Its other values are reverted nevertheless.
            return .edit(profile, draft, hasPassword: true)
        default:
            report.leave(id, profile?.username, .changedSince)
            return nil
        }
    }

    private mutating func leaveFormerFields(
        of entry: HistoryEntry, _ id: Int64, _ username: String?, under schema: ProfileSchema
    ) {
        let former = entry.values.map(\.field).filter { name in FieldName(name).flatMap { schema[$0] } == nil }
        guard !former.isEmpty else { return }
        report.leave(id, username, .formerFields(former))
    }

    private mutating func count(
        _ outcome: PlannedWrites.Outcome, of plan: PlannedWrite, _ entry: HistoryEntry, _ username: String?, _ id: Int64
    ) {
        switch (outcome, plan) {
        case (.written, .remove): report.removed += 1
        case (.written, .edit): report.reverted += 1
        case (.written, .restore):
            report.restored += 1
            if entry.removed?.hadPassword ?? false { report.needReset += 1 }
        case (.unchanged, _): report.unchanged += 1
        case (.stale, _): report.leave(id, username, .changedSince)
        case (.refused(let refusal), _): report.leave(id, username, .refused(refusal))
        }
    }
}

extension HistoryEntry {
    /// Whether an undo has something to revert: the addition or the removal of profiles, or values.
    var isRevertible: Bool {
        switch kind {
        case .imported, .registered, .removed: true
        default: revision != nil && !values.isEmpty
        }
    }
}

extension PlannedWrite {
    fileprivate func username(under rules: AdoptedSchema) -> String? {
        switch self {
        case .edit(let profile, _, _), .remove(let profile): profile.username
        case .restore(_, let draft): draft[rules.schema.primaryKey.name]?.text
        }
    }
}

extension ProfileDraft {
    /// Sets values to what they were before a change. Fields that the schema does not have are left out. If the primary
    /// key of a stored profile is computed from other fields, the key is left out too, because validation computes it.
    fileprivate mutating func revert(_ values: [HistoryEntry.ChangedValue], under schema: ProfileSchema) {
        for value in values {
            guard let name = FieldName(value.field), schema[name] != nil else { continue }
            if stored != nil, name == schema.primaryKey.name { continue }
            self[name] = value.before.map(DraftValue.init(canonical:))
        }
    }
}

extension ProfileRepository {
    /// Returns the profiles with these ids. Profiles that do not exist are missing in the result.
    func profiles(ids: [Int64]) async throws(ProfileStoreError) -> [Int64: Profile] {
        var profiles: [Int64: Profile] = [:]
        guard let first = ids.min(), let last = ids.max() else { return profiles }
        // The difference of two ids of a damaged file may be too large for an integer.
        guard last.subtractingReportingOverflow(first).partialValue.magnitude < 4 * ids.count else {
            for id in ids { profiles[id] = try await profile(id: id) }
            return profiles
        }
        var query = ProfileQuery(limit: Self.mostProfilesOfPage, after: ProfileCursor(id: first &- 1))
        repeat {
            let page = try await page(of: query, through: last)
            for profile in page.profiles { profiles[profile.id] = profile }
            query.after = page.next
        } while query.after != nil
        return profiles
    }

    private static var mostProfilesOfPage: Int { 4_000 }
}
