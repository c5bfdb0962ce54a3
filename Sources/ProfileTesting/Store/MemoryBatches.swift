internal import ProfileCore
internal import ProfileStore

/// Batches of rows on their way into a store in memory, within one transaction.
struct MemoryBatches {
    private let stamp: WriteStamp
    private let firstID: Int64
    /// Where the profiles lie that were updated.
    private var updatedIDs: ClosedRange<Int64>?

    init(_ stamp: WriteStamp, _ state: MemoryState) {
        self.stamp = stamp
        firstID = state.nextID
    }

    /// Takes the steps of a batch to its end.
    mutating func run<Batch: ImportBatch>(
        _ batch: inout Batch, _ state: inout MemoryState
    ) throws(ProfileStoreError) {
        var step = batch.next(after: .none)
        while let outcome = try take(step, of: batch, &state) { step = batch.next(after: outcome) }
    }

    /// Nil at the end.
    private mutating func take(
        _ step: ImportStep, of batch: some ImportBatch, _ state: inout MemoryState
    ) throws(ProfileStoreError) -> ImportStep.Outcome? {
        switch step {
        case .insert(let row):
            if state.insert(row: row, of: batch.rows, at: stamp.time) != nil { return .inserted }
            return .found(state.match(row, of: batch.rows, besides: nil, batch.wantsStoredProfiles))
        case .update(let stored, let merged):
            switch state.update(id: stored.id, revision: stored.revision, with: merged, at: stamp.time) {
            case .updated:
                let ids = updatedIDs ?? stored.id...stored.id
                updatedIDs = min(ids.lowerBound, stored.id)...max(ids.upperBound, stored.id)
                return .updated
            case .duplicate(let fields): return .found(StoredMatch(takenFields: fields))
            case .stale: throw .corrupt("a profile changed within one transaction")
            }
        case .look, .find, .end: return state.found(by: step, batch.wantsStoredProfiles).map { .found($0) }
        }
    }

    /// Stores rows that are said to be new.
    mutating func insert(_ new: NewRows, _ state: inout MemoryState) throws(ProfileStoreError) {
        for row in new.new {
            guard state.insert(row: row, of: new.rows, at: stamp.time) != nil else {
                throw .corrupt("rows that were said to be new have values of others")
            }
        }
    }

    /// Logs what was added and updated, and forgets failed attempts at names that no profile had.
    func finish(_ state: inout MemoryState, keeping mostChanges: Int) {
        if state.nextID > firstID {
            for profile in state.profiles(after: firstID - 1) { state.throttles.forgetUnknown(profile.username) }
            state.log.append(.imported, firstID...state.nextID - 1, stamp, keeping: mostChanges)
        }
        if let updatedIDs { state.log.append(.updated, updatedIDs, stamp, keeping: mostChanges) }
    }
}

// What a store has of a batch's rows.
extension MemoryState {
    /// Takes the steps of a batch that writes nothing; one that would write ends it.
    func preview<Batch: ImportBatch>(_ batch: inout Batch) {
        var step = batch.next(after: .none)
        while let match = found(by: step, batch.wantsStoredProfiles) { step = batch.next(after: .found(match)) }
    }

    /// What is found by a step that asks for it; nil for others.
    func found(by step: ImportStep, _ wantsProfile: Bool) -> StoredMatch? {
        switch step {
        case .look(let row, let rows, let id): match(row, of: rows, besides: id, wantsProfile)
        case .find(let username): match(username)
        case .insert, .update, .end: nil
        }
    }

    /// What other profiles than the one with this id have of a row's unique values.
    func match(_ row: Int, of rows: ValidProfiles, besides id: Int64?, _ wantsProfile: Bool) -> StoredMatch {
        var match = StoredMatch()
        if wantsProfile, let name = rows.text(row: row, field: rules.schema.primaryKeyIndex) {
            match = self.match(name)
        }
        match.takenFields = takenFields(of: rows, row: row, besides: id)
        return match
    }

    private func match(_ username: String) -> StoredMatch {
        guard let profile = profile(.username(username)) else { return StoredMatch() }
        return StoredMatch(profile: profile.profile(under: rules.schema), passwordHash: profile.password?.hash)
    }

    func areStored(_ usernames: [String]) -> [Bool] { usernames.map { owner(of: $0, in: .username) != nil } }
}

extension BulkLoad {
    func mayBegin(into state: MemoryState) throws(ProfileStoreError) -> Bool {
        do {
            return try mayBegin { state.areStored($0) }
        } catch {
            // Nothing else is thrown by a load.
            throw error as? ProfileStoreError ?? .database(String(describing: error), code: 0)
        }
    }
}
