internal import Platform
internal import ProfileCore
public import ProfileStore
internal import SecretHashing
internal import Synchronization

extension ProfileRepository {
    /// Opens a new, empty store in memory, without a database. Use such a store to test code that uses a repository.
    /// The content is lost when the repository is released.
    ///
    /// The repository supports all functions of a store in a file, except functions that need a file, such as `check()`
    /// and `backup(to:)`.
    /// - Parameter options: The options for using the store. `createsMissing` is ignored, because the store is always
    ///   created.
    /// - Returns: The open store. Call ``/ProfileStore/ProfileRepository/close()`` when you no longer need it.
    /// - Throws: `ProfileStoreError`: `tooManyColumns`, `hashing`.
    public static func openInMemory(
        options: Options = Options()
    ) async throws(ProfileStoreError) -> ProfileRepository {
        try await open(MemoryStore(options.initialSchema, at: options.now()), options: options)
    }

    /// Opens another repository on an in-memory store, like a second process that opens the same file.
    package static func open(
        _ store: MemoryStore, options: Options = Options()
    ) async throws(ProfileStoreError) -> ProfileRepository {
        try options.requireFinished(copyOf: store.current.copyOf, at: "memory")
        return try await ProfileRepository(MemoryEngine(store, options), options)
    }
}

/// Stores profiles in memory, without a database. Tests compare the other engines with this reference model.
///
/// Each read uses a consistent snapshot of the state. Each write replaces the state. Hashes of secrets are not zeroed
/// after use.
final class MemoryEngine: StoreEngine {
    let store: MemoryStore
    let options: ProfileRepository.Options
    private let isClosed = Atomic(false)

    init(_ store: MemoryStore, _ options: ProfileRepository.Options) {
        self.store = store
        self.options = options
    }

    var place: String { "memory" }

    func ping() async throws(ProfileStoreError) { _ = try current }

    func close() async {
        isClosed.store(true, ordering: .relaxed)
        store.stopListening(self)
        await store.finishWriting()
    }

    // MARK: Rules

    func schemaInForce() async throws(ProfileStoreError) -> AdoptedSchema { try current.rules }

    func loginRules() async throws(ProfileStoreError) -> LoginRules {
        let state = try current
        return LoginRules(state.rules, haveJudgedPasswords: state.haveJudgedPasswords)
    }

    func adopt(
        _ schema: ProfileSchema, expecting expected: Int?, _ stamp: WriteStamp
    ) async throws(ProfileStoreError) -> (inForce: AdoptedSchema, version: Int) {
        let version: Int = try await change(stamp) { state throws(ProfileStoreError) in
            try state.rules.requireVersion(expected)
            guard !state.rules.isSame(as: schema) else { return ([], state.rules.version) }
            try state.putInForce(schema, at: stamp.time)
            return ([.adopted], state.rules.version)
        }
        return (store.current.rules, version)
    }

    // MARK: Look-ups

    func profile(_ key: ProfileKey, under rules: AdoptedSchema) async throws(ProfileStoreError) -> Profile? {
        try current.profile(key)?.profile(under: rules.schema)
    }

    func page(_ search: ProfileSearch, under rules: AdoptedSchema) async throws(ProfileStoreError) -> ProfilePage {
        var page = PageReading(search)
        for profile in try currentAtLength.profiles(search, under: rules.schema) {
            let profile = profile.profile(under: rules.schema)
            if let after = search.after, !search.precedes(after, search.place(of: profile)) { continue }
            if page.isFull { return page.end(hasMore: true) }
            page.append(profile)
        }
        return page.end(hasMore: false)
    }

    func count(_ search: ProfileSearch, under rules: AdoptedSchema) async throws(ProfileStoreError) -> Int {
        try currentAtLength.profiles(search, under: rules.schema).count
    }

    /// Always `.everything` (a full scan), because an in-memory store has no index.
    func plan(of search: ProfileSearch) -> QueryPlan { .everything }

    func scan(_ scan: StoreScan) async throws(ProfileStoreError) -> StoredRows {
        var rows = StoredRows(of: scan)
        for profile in try currentAtLength.profiles(after: scan.after) {
            if rows.isFull { break }
            if scan.besides.contains(profile.schemaVersion) { continue }
            let hash = scan.includesHashes ? profile.password.map { Secret($0.hash) } : nil
            let judgement = StoredRows.Judgement(
                revision: profile.revision, schemaVersion: profile.schemaVersion,
                hasPassword: profile.password != nil, issues: profile.issues)
            try rows.append(
                StoredRows.Row(
                    id: profile.id, judgement: scan.includesJudgements ? judgement : nil, hash: hash,
                    record: scan.includesRecords ? profile.record : nil))
            for field in scan.fields {
                if let text = profile.values[field.column] {
                    rows.append(cell: text.utf8.span)
                } else {
                    rows.appendAbsentCell()
                }
            }
        }
        return rows
    }

    func statistics() async throws(ProfileStoreError) -> StoreStatistics {
        let state = try currentAtLength
        let profiles = state.profiles.values
        return StoreStatistics(
            profiles: profiles.count, invalid: profiles.count { $0.issues != nil },
            withPassword: profiles.count { $0.password != nil },
            withPasscode: profiles.count { $0.passcodeHash != nil },
            schemaVersion: state.rules.version, changeNumber: state.log.number, fileBytes: 0, walBytes: 0)
    }

    // MARK: Profiles

    func register(
        _ row: ValidProfiles, judgedBy schema: ProfileSchema, _ stamp: WriteStamp
    ) async throws(ProfileStoreError) -> Profile {
        try await change(stamp) { state throws(ProfileStoreError) in
            try state.rules.require(schema)
            guard let profile = state.insert(row: 0, of: row, at: stamp.time) else {
                throw .duplicate(state.takenFields(of: row, row: 0, besides: nil))
            }
            // A login attempt does not count if it was made before the profile existed.
            state.throttles.forget(profile.username)
            return ([.registered(profile.id)], profile.profile(under: state.rules.schema))
        }
    }

    func replace(
        _ stored: Profile, with row: ValidProfiles?, judgedBy schema: ProfileSchema, _ stamp: WriteStamp
    ) async throws(ProfileStoreError) -> Profile {
        if row == nil, stamp.request == nil {
            try stored.requireUnchanged(current.profiles[stored.id]?.revision)
            return stored
        }
        return try await change(stamp) { state throws(ProfileStoreError) in
            if row != nil { try state.rules.require(schema) }
            try stored.requireUnchanged(state.profiles[stored.id]?.revision)
            guard let row else { return ([], stored) }
            let update = RowUpdate(of: stored, with: row, judgedBy: state.rules.schema)
            switch state.update(update, at: stamp.time) {
            case .updated(let profile):
                let bringsPassword = schema.passwordIndex.map { row.text(row: 0, field: $0) != nil } ?? false
                state.throttles.move(from: stored.username, to: profile.username)
                if bringsPassword { state.throttles.forget(profile.username, [.password]) }
                return (update.edit(setsPassword: bringsPassword), profile.profile(under: state.rules.schema))
            case .duplicate(let fields): throw .duplicate(fields)
            case .stale: throw .corrupt(.changedProfile)
            }
        }
    }

    func remove(
        _ key: ProfileKey, expecting revision: Int64?, _ stamp: WriteStamp
    ) async throws(ProfileStoreError) -> Profile {
        try await change(stamp) { state throws(ProfileStoreError) in
            guard let stored = state.profile(key) else { throw .notFound(key) }
            let profile = stored.profile(under: state.rules.schema)
            try profile.requireRevision(revision)
            state.remove(profile.id)
            state.throttles.forget(profile.username)
            return ([.removed(profile)], profile)
        }
    }

    func apply(
        _ writes: ConditionalWrites, _ stamp: WriteStamp
    ) async throws(ProfileStoreError) -> [ConditionalWrites.Outcome] {
        try await write { [options] state throws(ProfileStoreError) in
            if let schema = writes.schema { try state.rules.require(schema) }
            var outcomes = Array(repeating: ConditionalWrites.Outcome.stale, count: writes.writes.count)
            var changes = ConditionalChanges()
            for position in writes.order {
                outcomes[position] = state.apply(writes.writes[position], of: writes.rows, at: stamp.time, &changes)
            }
            if let refusal = writes.refusal(outcomes, revision: { state.profiles[$0]?.revision }) { throw refusal }
            state.record(changes.all, stamp, keeping: options.mostChanges)
            return outcomes
        }
    }

    // MARK: Idempotent writes

    func outcome(
        of request: KeyedRequest, at time: Timestamp
    ) async throws(ProfileStoreError) -> KeyedOutcome? {
        try current.outcome(of: request, at: time)
    }

    /// Runs a write and logs its changes. If an earlier write had the same idempotency key, returns the outcome of the
    /// earlier write instead.
    func change<Value: KeyedValue>(
        _ stamp: WriteStamp,
        _ body:
            @escaping @Sendable (inout MemoryState) throws(ProfileStoreError) -> (changes: [LoggedChange], value: Value)
    ) async throws(ProfileStoreError) -> Value {
        let answer = try await write { [options] state throws(ProfileStoreError) -> Result<Value, ProfileStoreError> in
            let written = Result { () throws -> AnsweredWrite<Value> in
                try stamp.once { request in
                    try state.outcome(of: request, at: stamp.time)
                } store: { outcome, request in
                    state.remember(outcome, of: request, at: stamp.time)
                } _: {
                    var changed = state
                    let (changes, value) = try body(&changed)
                    changed.record(changes, stamp, keeping: options.mostChanges)
                    state = changed
                    return (value, isChange: !changes.isEmpty)
                }
            }
            switch written {
            case .success(let written): return written.answer
            case .failure(let error): throw error as? ProfileStoreError ?? .corrupt(.foreignOutcome)
            }
        }
        return try answer.get()
    }

    // MARK: Revalidation

    func mark(_ marks: [JudgementMark], judgedBy version: Int) async throws(ProfileStoreError) {
        try await write { state in
            for mark in marks {
                state.change(mark.id) { profile in
                    guard profile.revision == mark.revision, profile.schemaVersion <= version else { return }
                    profile.schemaVersion = version
                    profile.issues = mark.issues
                }
            }
        }
    }

    // MARK: Watching

    func changeNumber() async throws(ProfileStoreError) -> Int64 { try current.log.number }

    func changes(after number: Int64, limit: Int) async throws(ProfileStoreError) -> [ProfileChange] {
        let state = try current
        return state.log.changes(after: number, limit: limit) { state.profiles[$0] }
    }

    func listen(_ listener: CommitListener) { store.listen(self, listener) }

    // MARK: State

    /// The current state. After `close()`, throws `closed`. If the `readingProblem` of the store is not nil, throws
    /// this error.
    var current: MemoryState {
        get throws(ProfileStoreError) {
            guard !isClosed.load(ordering: .relaxed) else { throw .closed }
            if let problem = store.readingProblem { throw problem }
            return store.current
        }
    }

    /// The current state, for calls that read many profiles. Throws `cancelled` if the task is cancelled.
    var currentAtLength: MemoryState {
        get throws(ProfileStoreError) {
            guard !Task.isCancelled else { throw .cancelled }
            return try current
        }
    }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (inout MemoryState) throws(ProfileStoreError) -> Value
    ) async throws(ProfileStoreError) -> Value {
        guard !isClosed.load(ordering: .relaxed) else { throw .closed }
        return try await store.write(body)
    }
}
