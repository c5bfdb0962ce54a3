internal import ProfileCore
internal import ProfileStore

/// Stores batches of rows in an in-memory store, in a single transaction.
struct MemoryBatches {
    private let stamp: WriteStamp
    private var ids: BatchIDs
    /// The history entries of the updated profiles.
    private var updates: [HistoryRecord] = []

    init(_ stamp: WriteStamp, _ state: MemoryState) {
        self.stamp = stamp
        ids = BatchIDs(from: state.nextID)
    }

    /// Runs all steps of a batch.
    mutating func run<Batch: ImportBatch>(
        _ batch: inout Batch, _ state: inout MemoryState
    ) throws(ProfileStoreError) {
        var step = batch.next(after: .none)
        while let outcome = try take(step, of: batch, &state) { step = batch.next(after: outcome) }
    }

    private mutating func take(
        _ step: ImportStep, of batch: some ImportBatch, _ state: inout MemoryState
    ) throws(ProfileStoreError) -> ImportStep.Outcome? {
        try step.take(in: batch, under: state.rules.schema) { rows, row, id throws(ProfileStoreError) in
            state.takenFields(of: rows, row: row, besides: id)
        } stored: { username throws(ProfileStoreError) in
            state.stored(username)
        } matches: { range throws(ProfileStoreError) in
            state.matches(of: batch.rows, range)
        } insert: { row throws(ProfileStoreError) in
            insert(row, of: batch.rows, &state)
        } update: { update throws(ProfileStoreError) in
            switch state.update(update, at: stamp.time) {
            case .updated:
                ids.addUpdated(update.id)
                updates.append(update.record(.updated))
            case .duplicate: return false
            case .stale: throw .corrupt(.changedProfile)
            }
            return true
        }
    }

    /// Stores a row as a new profile. Returns false if another profile has the same value in a unique field.
    private mutating func insert(_ row: Int, of rows: ValidProfiles, _ state: inout MemoryState) -> Bool {
        guard state.insert(row: row, of: rows, at: stamp.time) != nil else { return false }
        ids.next = state.nextID
        return true
    }

    /// Stores rows that must be new. Throws `corrupt` if a stored profile has the same value in a unique field.
    mutating func insert(_ new: NewRows, _ state: inout MemoryState) throws(ProfileStoreError) {
        for row in new.new {
            guard insert(row, of: new.rows, &state) else {
                throw .corrupt(.reported("rows that should be new have values of stored ones"))
            }
        }
    }

    /// Logs the added and updated profiles. Deletes the failed login attempts for the usernames of the added profiles.
    /// An attempt does not count if the profile did not exist at that time.
    func finish(_ state: inout MemoryState, keeping mostChanges: Int) {
        if let added = ids.added {
            for profile in state.profiles(after: added.lowerBound - 1) {
                state.throttles.forgetUnknown(profile.username)
            }
        }
        state.record(ids.changes(updates), stamp, keeping: mostChanges)
    }
}

extension MemoryState {
    /// Returns the profile with a username, and the hash of its password.
    func stored(_ username: String) -> StoredMatch {
        guard let profile = profile(.username(username)) else { return StoredMatch() }
        return StoredMatch(profile: profile.profile(under: rules.schema), passwordHash: profile.password?.hash)
    }

    func matches(of rows: ValidProfiles, _ range: Range<Int>) -> StoredMatches {
        StoredMatches(of: rows, range, under: rules.schema) { stored($0) }
    }

    func areStored(_ usernames: [String]) -> [Bool] { usernames.map { owner(of: $0, in: .username) != nil } }
}

extension BulkLoad {
    func mayBegin(into state: MemoryState) throws(ProfileStoreError) -> Bool {
        do {
            return try mayBegin { state.areStored($0) }
        } catch {
            // Here, `mayBegin` throws only errors of the type `ProfileStoreError`.
            throw error as? ProfileStoreError ?? .database(String(describing: error), code: 0)
        }
    }
}
