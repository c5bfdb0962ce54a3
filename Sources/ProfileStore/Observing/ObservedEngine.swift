internal import ProfileCore
internal import SecretHashing

/// Another engine, of which an observer is told what it is asked for. Without an observer nobody puts it around one.
struct ObservedEngine: StoreEngine {
    let engine: any StoreEngine
    let observer: Observer

    var place: String { engine.place }
    var scratchFileTemplate: [CChar] { engine.scratchFileTemplate }

    func expectBatches(_ areComing: Bool, waits: Bool) async { await engine.expectBatches(areComing, waits: waits) }

    /// Whether this task reads again what the observer was told of.
    @TaskLocal private static var isConfirming = false

    /// The observer is not told of what is read again: it belongs to the same operation.
    func confirmed<Value: Sendable>(
        _ found: Value, _ read: () async throws(ProfileStoreError) -> Value
    ) async throws(ProfileStoreError) -> Value {
        let outcome = await Self.$isConfirming.withValue(true) { () async -> Result<Value, ProfileStoreError> in
            do throws(ProfileStoreError) {
                return .success(try await engine.confirmed(found, read))
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }

    func listen(_ listener: CommitListener) { engine.listen(listener) }

    func close() async { await engine.close() }

    func ping() async throws(ProfileStoreError) {
        try await observing(.ping, rows: { _ in 0 }, await engine.ping())
    }

    /// Asks the engine, and tells the observer of it. What `rows` leaves out is about one.
    private func observing<Value>(
        _ name: Observer.Operation.Name, rows: (Value) -> Int = { _ in 1 }, refusal: (Value) -> String? = { _ in nil },
        _ verb: @autoclosure () async throws(ProfileStoreError) -> Value
    ) async throws(ProfileStoreError) -> Value {
        if Self.isConfirming { return try await verb() }
        return try await observer.observing(name, rows: rows, refusal: refusal, verb)
    }

    private static func found(_ value: Any?) -> Int { value == nil ? 0 : 1 }
}

// MARK: Rules

extension ObservedEngine {
    func schemaInForce() async throws(ProfileStoreError) -> AdoptedSchema {
        try await observing(.readSchema, await engine.schemaInForce())
    }

    func schemas() async throws(ProfileStoreError) -> [AdoptedSchema] {
        try await observing(.readSchema, rows: \.count, await engine.schemas())
    }

    func loginRules() async throws(ProfileStoreError) -> LoginRules {
        try await observing(.readSchema, await engine.loginRules())
    }

    func adopt(
        _ schema: ProfileSchema, _ stamp: WriteStamp
    ) async throws(ProfileStoreError) -> (inForce: AdoptedSchema, version: Int) {
        try await observing(.adopt, await engine.adopt(schema, stamp))
    }

    func countJudged(by versions: [Int]) async throws(ProfileStoreError) -> Int {
        try await observing(.count, rows: { $0 }, await engine.countJudged(by: versions))
    }

    func countPasswords(setUnderOthersThan versions: [Int]) async throws(ProfileStoreError) -> Int {
        try await observing(.count, rows: { $0 }, await engine.countPasswords(setUnderOthersThan: versions))
    }

    func invalidProfiles(
        judgedBy versions: [Int], after id: Int64
    ) async throws(ProfileStoreError) -> [MarkedProfile] {
        try await observing(
            .lookUpInvalid, rows: \.count, await engine.invalidProfiles(judgedBy: versions, after: id))
    }

    func mark(_ marks: [JudgementMark], judgedBy version: Int) async throws(ProfileStoreError) {
        try await observing(.mark, rows: { marks.count }, await engine.mark(marks, judgedBy: version))
    }
}

// MARK: Look-ups

extension ObservedEngine {
    func profile(_ key: ProfileKey, under rules: AdoptedSchema) async throws(ProfileStoreError) -> Profile? {
        try await observing(.lookUp, rows: Self.found, await engine.profile(key, under: rules))
    }

    func page(_ search: ProfileSearch, under rules: AdoptedSchema) async throws(ProfileStoreError) -> ProfilePage {
        try await observing(.page, rows: \.profiles.count, await engine.page(search, under: rules))
    }

    func count(_ search: ProfileSearch, under rules: AdoptedSchema) async throws(ProfileStoreError) -> Int {
        try await observing(.count, rows: { $0 }, await engine.count(search, under: rules))
    }

    /// It looks into nothing.
    func plan(of search: ProfileSearch, under rules: AdoptedSchema) async throws(ProfileStoreError) -> QueryPlan {
        try await engine.plan(of: search, under: rules)
    }

    func scan(_ scan: StoreScan) async throws(ProfileStoreError) -> StoredRows {
        try await observing(.scan, rows: \.rows.count, await engine.scan(scan))
    }

    func statistics() async throws(ProfileStoreError) -> StoreStatistics {
        try await observing(.statistics, rows: \.profiles, await engine.statistics())
    }
}

// MARK: Profiles

extension ObservedEngine {
    func register(
        _ row: ValidProfiles, judgedBy schema: ProfileSchema, _ stamp: WriteStamp
    ) async throws(ProfileStoreError) -> Profile {
        try await observing(.register, await engine.register(row, judgedBy: schema, stamp))
    }

    func replace(
        _ stored: Profile, with row: ValidProfiles, judgedBy schema: ProfileSchema, _ stamp: WriteStamp
    ) async throws(ProfileStoreError) -> Profile {
        try await observing(.replace, await engine.replace(stored, with: row, judgedBy: schema, stamp))
    }

    func confirm(_ stored: Profile, _ stamp: WriteStamp) async throws(ProfileStoreError) -> Profile {
        try await observing(stamp.request == nil ? .lookUp : .keepKey, await engine.confirm(stored, stamp))
    }

    func remove(
        _ username: String, expecting revision: Int64?, _ stamp: WriteStamp
    ) async throws(ProfileStoreError) -> Profile {
        try await observing(.remove, await engine.remove(username, expecting: revision, stamp))
    }

    func remove(_ profiles: [Profile], _ stamp: WriteStamp) async throws(ProfileStoreError) -> Int {
        try await observing(.remove, rows: { $0 }, await engine.remove(profiles, stamp))
    }

    func outcome(of request: KeyedRequest, at time: Timestamp) async throws(ProfileStoreError) -> KeyedOutcome? {
        try await observing(.lookUpKey, rows: Self.found, await engine.outcome(of: request, at: time))
    }
}

// MARK: Many at once

extension ObservedEngine {
    func isEmpty() async throws(ProfileStoreError) -> Bool {
        try await observing(.lookUpNames, rows: { $0 ? 0 : 1 }, await engine.isEmpty())
    }

    func areStored(_ usernames: [String]) async throws(ProfileStoreError) -> [Bool] {
        try await observing(.lookUpNames, rows: { $0.count { $0 } }, await engine.areStored(usernames))
    }

    func store<Batch: ImportBatch>(
        _ batch: Batch, judgedBy schema: ProfileSchema, _ stamp: WriteStamp
    ) async throws(ProfileStoreError) -> Batch {
        try await observing(.storeBatch, rows: \.rows.count, await engine.store(batch, judgedBy: schema, stamp))
    }

    func preview<Batch: ImportBatch>(
        _ batch: Batch, judgedBy schema: ProfileSchema
    ) async throws(ProfileStoreError) -> Batch {
        try await observing(.previewBatch, rows: \.rows.count, await engine.preview(batch, judgedBy: schema))
    }

    func load(
        _ load: some BulkLoad, judgedBy schema: ProfileSchema, _ stamp: WriteStamp
    ) async throws(ProfileStoreError) -> BulkLoadOutcome {
        let counted = CountedLoad(load)
        return try await observing(
            .load, rows: { counted.rows(of: $0) }, await engine.load(counted, judgedBy: schema, stamp))
    }
}

// MARK: Copying a whole store

extension ObservedEngine {
    func head() async throws(ProfileStoreError) -> StoreHead {
        try await observing(.copy, rows: { _ in 0 }, await engine.head())
    }

    func isUnfinishedCopy() async throws(ProfileStoreError) -> Bool {
        try await observing(.copy, rows: { _ in 0 }, await engine.isUnfinishedCopy())
    }

    func beginCopy(of head: StoreHead, restarting: Bool) async throws(ProfileStoreError) {
        try await observing(.copy, rows: { _ in 0 }, await engine.beginCopy(of: head, restarting: restarting))
    }

    func place(_ rows: StoredRows, of fields: [FieldRules]) async throws(ProfileStoreError) {
        try await observing(.copy, rows: { rows.rows.count }, await engine.place(rows, of: fields))
    }

    func endCopy(of head: StoreHead) async throws(ProfileStoreError) {
        try await observing(.copy, rows: { _ in 0 }, await engine.endCopy(of: head))
    }
}

// MARK: Secrets

extension ObservedEngine {
    func credential(
        _ kind: CredentialKind, of username: String
    ) async throws(ProfileStoreError) -> StoredCredential? {
        try await observing(.lookUpCredential, rows: Self.found, await engine.credential(kind, of: username))
    }

    func setPasscode(
        _ hash: PasswordHash, of username: String, _ stamp: WriteStamp
    ) async throws(ProfileStoreError) -> Bool {
        try await observing(.setPasscode, rows: { $0 ? 1 : 0 }, await engine.setPasscode(hash, of: username, stamp))
    }

    func replacePasscode(
        of profileID: Int64, _ old: PasswordHash, by new: PasswordHash, _ stamp: WriteStamp
    ) async throws(ProfileStoreError) -> Bool {
        try await observing(
            .replacePasscode, rows: { $0 ? 1 : 0 }, await engine.replacePasscode(of: profileID, old, by: new, stamp))
    }

    func removePasscode(of username: String, _ stamp: WriteStamp) async throws(ProfileStoreError) -> Bool {
        try await observing(.removePasscode, rows: { $0 ? 1 : 0 }, await engine.removePasscode(of: username, stamp))
    }

    func admit(_ attempt: LoginAttempt) async throws(ProfileStoreError) -> ThrottleState.Decision {
        try await observing(
            .admitAttempt,
            refusal: { decision in
                switch decision {
                case .admitted: nil
                case .wait: "throttled"
                case .locked: "locked"
                }
            }, await engine.admit(attempt))
    }

    func settle(
        _ attempt: LoginAttempt, _ outcome: LoginAttempt.Outcome
    ) async throws(ProfileStoreError) -> LoginAttempt.Success? {
        try await observing(.settleAttempt, rows: Self.found, await engine.settle(attempt, outcome))
    }

    func unlock(_ username: String) async throws(ProfileStoreError) {
        try await observing(.unlock, await engine.unlock(username))
    }
}

// MARK: Accounts

extension ObservedEngine {
    func issue(
        _ token: StoredToken, to username: String?, atMost limit: Int
    ) async throws(ProfileStoreError) -> StoredToken? {
        let verb: Observer.Operation.Name =
            switch token.kind {
            case .session: .startSession
            case .access: .createToken
            case .reset: .issueReset
            }
        let isNameTaken: (StoredToken?) -> Bool = { token.kind == .access && $0 == nil }
        return try await observing(
            verb, rows: { isNameTaken($0) ? 1 : Self.found($0) },
            refusal: { isNameTaken($0) ? ProfileStoreError.tokenExists(name: "").code : nil },
            await engine.issue(token, to: username, atMost: limit))
    }

    func token(_ hash: TokenHash, at time: Timestamp) async throws(ProfileStoreError) -> StoredToken? {
        let verb: Observer.Operation.Name =
            switch hash.kind {
            case .session: .lookUpSession
            case .access: .lookUpToken
            case .reset: .lookUpReset
            }
        return try await observing(verb, rows: Self.found, await engine.token(hash, at: time))
    }

    func tokens(_ list: TokenList) async throws(ProfileStoreError) -> [StoredToken] {
        let verb: Observer.Operation.Name = if case .access = list { .listTokens } else { .listSessions }
        return try await observing(verb, rows: \.count, await engine.tokens(list))
    }

    func note(_ uses: [TokenUse]) async throws(ProfileStoreError) {
        try await observing(.noteUses, rows: { uses.count }, await engine.note(uses))
    }

    func end(_ tokens: EndingTokens) async throws(ProfileStoreError) -> [StoredToken]? {
        let verb: Observer.Operation.Name =
            switch tokens {
            case .one(.access, _), .all(.access, _): .revokeToken
            case .one, .all: .endSession
            }
        return try await observing(verb, rows: { $0?.count ?? 0 }, await engine.end(tokens))
    }

    func redeemReset(
        _ token: TokenHash, _ hash: PasswordHash, judgedBy schema: ProfileSchema, at time: Timestamp
    ) async throws(ProfileStoreError) -> Profile? {
        try await observing(
            .redeemReset, rows: Self.found, await engine.redeemReset(token, hash, judgedBy: schema, at: time))
    }

    func removeExpired(at time: Timestamp) async throws(ProfileStoreError) -> Int {
        try await observing(.removeExpired, rows: { $0 }, await engine.removeExpired(at: time))
    }
}

// MARK: Those who watch

extension ObservedEngine {
    func changeNumber() async throws(ProfileStoreError) -> Int64 {
        try await observing(.readChanges, rows: { _ in 0 }, await engine.changeNumber())
    }

    func changes(after number: Int64, limit: Int) async throws(ProfileStoreError) -> [ProfileChange] {
        try await observing(.readChanges, rows: \.count, await engine.changes(after: number, limit: limit))
    }

    func takeWelcome() async throws(ProfileStoreError) -> Bool {
        try await observing(.takeWelcome, rows: { $0 ? 1 : 0 }, await engine.takeWelcome())
    }
}
