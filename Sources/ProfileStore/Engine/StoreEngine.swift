package import ProfileCore
package import SecretHashing

/// What keeps profiles: an SQLite file, a PostgreSQL database, or plain memory.
///
/// A verb is a whole outcome: it is done or it is not (atomic), and what it has done is kept when it returns (durable). An
/// engine may commit several verbs together. None takes or returns SQL, a statement or a connection, and none judges a
/// profile: what arrives is valid. Verbs may run at once, and each sees the store as it is at one moment.
///
/// What every verb may throw: `busy` when its turn did not come in time, `cancelled` when the task was cancelled before it
/// (nothing is written), `closed`, and what the file or the server is in the way with: `corrupt`, `full`,
/// `inputOutput`, …
///
/// Engines are added inside this package; each has an `open` of its own.
package protocol StoreEngine: Sendable {
    /// Where it keeps the profiles, for people: the path of a file, or the address of a database without its user.
    var place: String { get }

    /// Asks for a sign of life, in one cheap round trip: whether the store can be reached, and can be read.
    ///
    /// - Throws: What a read would throw.
    func ping() async throws(ProfileStoreError)

    // MARK: Rules

    /// The rules in force. The same object comes back as long as they stay the same.
    func schemaInForce() async throws(ProfileStoreError) -> AdoptedSchema

    /// Every schema that was ever in force, oldest first.
    func schemas() async throws(ProfileStoreError) -> [AdoptedSchema]

    /// The rules in force, and whether they have judged every password of the store, as of the same moment (L1). Looks at
    /// a row or two, however many profiles there are.
    func loginRules() async throws(ProfileStoreError) -> LoginRules

    /// Puts other rules in force and logs the change; with those that are in force already it does nothing. Profiles keep
    /// their values, also those of fields that the rules do not have.
    ///
    /// - Returns: The rules in force afterwards, and the version that the schema has, which is theirs unless a write is
    ///   repeated that has a key.
    /// - Throws: `repeatedValues` when a field that becomes unique has a value more than once, `tooManyColumns`,
    ///   `otherPrimaryKey` when there are profiles, which are known by another field.
    func adopt(
        _ schema: ProfileSchema, _ stamp: WriteStamp
    ) async throws(ProfileStoreError) -> (inForce: AdoptedSchema, version: Int)

    // MARK: Look-ups

    /// One profile, with the fields of the rules given.
    ///
    /// - Returns: Nil where there is none. A profile whose ``Profile/schemaVersion`` is later than the rules' was judged by
    ///   others, which may have further fields.
    /// - Throws: `schemaChanged` when later rules are in force and these cannot be gone by any more.
    func profile(_ key: ProfileKey, under rules: AdoptedSchema) async throws(ProfileStoreError) -> Profile?

    /// Profiles that a search finds, in its order; see ``profile(_:under:)`` for the rules. The order of a field's values
    /// is that of `ValueOrder` in ProfileCore, whatever the engine would do by itself.
    ///
    /// Where many may have to be read for few, that is done on a thread that may block, never on one of Swift's.
    func page(_ search: ProfileSearch, under rules: AdoptedSchema) async throws(ProfileStoreError) -> ProfilePage

    /// How many profiles a search finds, wherever it goes on and whatever its limits.
    func count(_ search: ProfileSearch, under rules: AdoptedSchema) async throws(ProfileStoreError) -> Int

    /// How the engine goes about ``page(_:under:)``.
    func plan(of search: ProfileSearch, under rules: AdoptedSchema) async throws(ProfileStoreError) -> QueryPlan

    /// Raw values of profiles in the order of their ids; a field that the store has no values of is absent in all.
    ///
    /// What is long is read on a thread that may block, never on one of Swift's.
    func scan(_ scan: StoreScan) async throws(ProfileStoreError) -> StoredRows

    /// How much the store holds; looks at every profile.
    func statistics() async throws(ProfileStoreError) -> StoreStatistics

    /// Confirms what a look-up found, before a write is answered "no" because of it.
    ///
    /// A server that was frozen may answer look-ups for a while after another one took over. A verb that writes confirms its
    /// answer by itself, whether it throws or returns it; what is decided outside of the engine is confirmed here.
    /// - Parameters:
    ///   - found: What `read` returned before.
    ///   - read: Looks it up by verbs of this engine. An engine whose look-ups are never out of date does not run it.
    /// - Returns: What is stored.
    /// - Throws: What every verb may throw where it cannot be confirmed.
    func confirmed<Value: Sendable>(
        _ found: Value, _ read: () async throws(ProfileStoreError) -> Value
    ) async throws(ProfileStoreError) -> Value

    // MARK: Profiles

    /// Stores a new profile, whose password is hashed, logs the change, and forgets failed attempts at its name: whoever
    /// guessed before had nothing to guess. No id is given twice.
    ///
    /// - Parameters:
    ///   - row: The profile, alone in its rows.
    ///   - schema: The rules that judged it.
    ///   - stamp: When, and by whom.
    /// - Returns: The profile as it is stored, with revision 1.
    /// - Throws: `duplicate` with every unique field of which another profile has the value; `schemaChanged`.
    func register(
        _ row: ValidProfiles, judgedBy schema: ProfileSchema, _ stamp: WriteStamp
    ) async throws(ProfileStoreError) -> Profile

    /// Stores a profile in the place of one that has this id and revision, and logs the change. A password that the row
    /// does not bring stays, and another one than before ends the profile's sessions and its reset (H4).
    ///
    /// Failed attempts at the password are forgotten if there is a new one. If the name changes, failed attempts go with the
    /// profile to the new name (P9). Attempts at the new name before any profile had it do not count; of others there the
    /// stricter count stays. The old name keeps its count as a name without a profile, so that its answers tell nothing
    /// (P10).
    ///
    /// - Throws: `staleRevision`, `notFound`, `duplicate`, `schemaChanged`.
    func replace(
        _ stored: Profile, with row: ValidProfiles, judgedBy schema: ProfileSchema, _ stamp: WriteStamp
    ) async throws(ProfileStoreError) -> Profile

    /// Answers an edit that would change nothing: the profile is still there with the revision that it was read with. Writes
    /// and logs nothing, but remembers the answer if the stamp has a key.
    ///
    /// - Returns: The profile as it was read.
    /// - Throws: `staleRevision`, `notFound`.
    func confirm(_ stored: Profile, _ stamp: WriteStamp) async throws(ProfileStoreError) -> Profile

    /// Removes a profile with its secrets, its sessions, its reset and what is remembered of attempts, and logs the change.
    ///
    /// - Parameters:
    ///   - username: Whose.
    ///   - revision: The revision that it must have; nil for any.
    ///   - stamp: When, and by whom.
    /// - Returns: The profile as it was, by the rules in force.
    /// - Throws: `notFound`, `staleRevision`.
    func remove(
        _ username: String, expecting revision: Int64?, _ stamp: WriteStamp
    ) async throws(ProfileStoreError) -> Profile

    /// Removes those of some profiles that have the revision they were read with, all in one transaction, and logs a
    /// change for each.
    ///
    /// - Returns: How many were removed: the others are gone or have changed.
    func remove(_ profiles: [Profile], _ stamp: WriteStamp) async throws(ProfileStoreError) -> Int

    // MARK: Writes that may be repeated

    // What came of a write whose stamp has a key is remembered in its transaction: what it returned, or that the answer was
    // no (``ProfileStoreError/isAnswer``). The same request with that key does nothing within ``WriteKey/lifetime`` and
    // has that outcome; another one is refused as `keyReused`.

    /// What came of a write that was made with this key; nil where none was.
    ///
    /// - Throws: `keyReused`.
    func outcome(of request: KeyedRequest, at time: Timestamp) async throws(ProfileStoreError) -> KeyedOutcome?

    // MARK: Secrets

    /// The hash of one of a profile's secrets; nil where there is no such profile.
    func credential(_ kind: CredentialKind, of username: String) async throws(ProfileStoreError) -> StoredCredential?

    /// Sets the passcode of a profile that has none, logs the change, and forgets failed attempts at it.
    ///
    /// - Returns: False if it has one, or is gone.
    func setPasscode(
        _ hash: PasswordHash, of username: String, _ stamp: WriteStamp
    ) async throws(ProfileStoreError) -> Bool

    /// Replaces the hash of a passcode, if it is still the one that is expected, and logs the change.
    ///
    /// - Returns: False if it is not, or the profile is gone.
    func replacePasscode(
        of profileID: Int64, _ old: PasswordHash, by new: PasswordHash, _ stamp: WriteStamp
    ) async throws(ProfileStoreError) -> Bool

    /// Removes the passcode of a profile, logs the change, and forgets failed attempts at it.
    ///
    /// - Returns: False if it has none, or is gone.
    func removePasscode(of username: String, _ stamp: WriteStamp) async throws(ProfileStoreError) -> Bool

    /// Counts an attempt at a secret before it is made, or refuses it, by the rule of ``/SecretHashing/ThrottleState``
    /// (P9). A refused attempt is not counted, and what the rule mends is kept.
    ///
    /// It takes the same time whether there is such a profile or not (P10).
    func admit(_ attempt: LoginAttempt) async throws(ProfileStoreError) -> ThrottleState.Decision

    /// Writes what came of an attempt that was admitted, and starts the session that it is to start. A better hash of the
    /// same password ends no session. Only `right` finds a profile.
    func settle(
        _ attempt: LoginAttempt, _ outcome: LoginAttempt.Outcome
    ) async throws(ProfileStoreError) -> LoginAttempt.Success?

    /// Forgets failed attempts at both secrets of a name.
    func unlock(_ username: String) async throws(ProfileStoreError)

    // MARK: Tokens

    // Sessions, access tokens and resets are tokens of three kinds. A session or a reset belongs to a profile and ends with
    // it; an access token belongs to none and has a name of its own.

    /// Issues a token. A token of a profile replaces tokens: a few expired ones of any profile, and the least recently used
    /// ones of its kind and profile if there would be more than the limit.
    ///
    /// - Parameters:
    ///   - token: The token, without an owner.
    ///   - username: The profile that the token belongs to; nil for an access token.
    ///   - limit: The most tokens of this kind that the profile may have; has no effect on an access token.
    /// - Returns: The token with its owner. Nil if there is no such profile, or if another access token has the name,
    ///   whatever the case of its ASCII letters.
    /// - Throws: What every verb may throw.
    func issue(
        _ token: StoredToken, to username: String?, atMost limit: Int
    ) async throws(ProfileStoreError) -> StoredToken?

    /// Returns the token that has this hash, unless it has expired at this time. Reads two rows and writes nothing.
    func token(_ hash: TokenHash, at time: Timestamp) async throws(ProfileStoreError) -> StoredToken?

    /// Returns the tokens of a list.
    func tokens(_ list: TokenList) async throws(ProfileStoreError) -> [StoredToken]

    /// Writes down when tokens were used, and postpones the expiry of sessions. A use has no effect if a later one is
    /// written, or if the token has expired by then.
    func note(_ uses: [TokenUse]) async throws(ProfileStoreError)

    /// Ends tokens, expired ones too.
    ///
    /// - Returns: The tokens that ended; nil if there is no such profile.
    func end(_ tokens: EndingTokens) async throws(ProfileStoreError) -> [StoredToken]?

    /// Sets the password that a reset was issued for, as an edit does: the revision rises, the change is logged, failed
    /// attempts at the password are forgotten, and the profile's sessions and the reset end.
    ///
    /// - Parameters:
    ///   - token: The reset's.
    ///   - hash: Of a password that the rules have judged.
    ///   - schema: These rules.
    ///   - time: The time of the change.
    /// - Returns: The profile; nil if there is no such reset, or it has expired.
    /// - Throws: `schemaChanged`.
    func redeemReset(
        _ token: TokenHash, _ hash: PasswordHash, judgedBy schema: ProfileSchema, at time: Timestamp
    ) async throws(ProfileStoreError) -> Profile?

    /// Removes some expired sessions and resets; access tokens stay until they are revoked. It also removes other rows that
    /// are too old or too many, if the engine's writers leave any.
    ///
    /// - Returns: The number of removed tokens, at most some hundreds; 0 if none is left.
    func removeExpired(at time: Timestamp) async throws(ProfileStoreError) -> Int

    // MARK: Judging again

    /// How many profiles were judged by one of these versions of the schema.
    func countJudged(by versions: [Int]) async throws(ProfileStoreError) -> Int

    /// How many passwords were set under other versions of the schema than these.
    func countPasswords(setUnderOthersThan versions: [Int]) async throws(ProfileStoreError) -> Int

    /// Profiles that were found invalid by one of these versions, in the order of their ids; some at a time.
    func invalidProfiles(
        judgedBy versions: [Int], after id: Int64
    ) async throws(ProfileStoreError) -> [MarkedProfile]

    /// Remembers what was found of profiles that have not changed since; a judgement by later rules stays.
    func mark(_ marks: [JudgementMark], judgedBy version: Int) async throws(ProfileStoreError)

    // MARK: Many at once

    /// Whether there is no profile.
    func isEmpty() async throws(ProfileStoreError) -> Bool

    /// Which of these usernames a profile has, whatever the case of their ASCII letters: one answer for each.
    func areStored(_ usernames: [String]) async throws(ProfileStoreError) -> [Bool]

    /// Says whether batches are about to come, so that an engine may keep more in memory.
    ///
    /// - Parameters:
    ///   - areComing: Whether they are, or have ended.
    ///   - waits: Whether its turn is waited for, or it is left as it is where others are at it.
    func expectBatches(_ areComing: Bool, waits: Bool) async

    /// A name for `mkstemp(3)`, which ends in `XXXXXX` and a NUL: where a private file may be made that is as large as what
    /// is to be stored.
    var scratchFileTemplate: [CChar] { get }

    /// Runs a batch in one transaction: the outcome is that of its rows one after another. Logs the profiles that were
    /// added as one change, and those that were updated as another.
    ///
    /// - Returns: The batch as it was when its transaction was committed.
    /// - Throws: `schemaChanged` when other rules are in force.
    func store<Batch: ImportBatch>(
        _ batch: Batch, judgedBy schema: ProfileSchema, _ stamp: WriteStamp
    ) async throws(ProfileStoreError) -> Batch

    /// Runs a batch that writes nothing: it only asks what is stored.
    func preview<Batch: ImportBatch>(
        _ batch: Batch, judgedBy schema: ProfileSchema
    ) async throws(ProfileStoreError) -> Batch

    /// Takes all that a load has to give, in one transaction; logs it as ``store(_:judgedBy:_:)`` does.
    ///
    /// An engine that cannot have it in one transaction does it in steps that can be taken up again.
    func load(
        _ load: some BulkLoad, judgedBy schema: ProfileSchema, _ stamp: WriteStamp
    ) async throws(ProfileStoreError) -> BulkLoadOutcome

    // MARK: Copying a whole store

    // The profiles of the store that is copied are read by ``scan(_:)``.

    /// What the store holds besides the profiles, as of one moment.
    func head() async throws(ProfileStoreError) -> StoreHead

    /// Whether the store is a copy that was not made to its end.
    func isUnfinishedCopy() async throws(ProfileStoreError) -> Bool

    /// Makes the store a copy of another one that is not at its end: it gets every schema, and has no profile yet. Where it
    /// is one already, of the same store, it stays as it is.
    ///
    /// - Parameters:
    ///   - head: What the other store holds.
    ///   - restarting: Whether a copy that was broken off loses its profiles, whichever store it is of.
    /// - Throws: `notUnused`, or `unfinishedCopy` where it is one of another store.
    func beginCopy(of head: StoreHead, restarting: Bool) async throws(ProfileStoreError)

    /// Stores rows as they are, with their ids, in one transaction, and logs nothing.
    ///
    /// - Parameters:
    ///   - rows: With records.
    ///   - fields: Those of the rows' cells.
    /// - Throws: `notUnused` where others have written profiles meanwhile.
    func place(_ rows: StoredRows, of fields: [FieldRules]) async throws(ProfileStoreError)

    /// Takes over the rest of what the other store holds: the store is one like any other from then on.
    func endCopy(of head: StoreHead) async throws(ProfileStoreError)

    // MARK: Those who watch

    /// The number of the newest change in the log; it rises by one with each.
    func changeNumber() async throws(ProfileStoreError) -> Int64

    /// What came after a change, oldest first, with what is known now of a profile that is alone in its change. Where
    /// the log does not go back so far, or is another one, a single change of the kind `missed`.
    func changes(after number: Int64, limit: Int) async throws(ProfileStoreError) -> [ProfileChange]

    /// Calls the listener after every commit that logs a change, from now on: always for those of this process, and for
    /// others' as well as it can. Never under a lock of the engine's. A repository has one listener.
    func listen(_ listener: CommitListener)

    // MARK: The end

    /// Ends what is being read and listened to, lets writes come to their end, and closes. Verbs throw `closed` from then
    /// on. A server that does not answer is not waited for longer than a second or two.
    func close() async
}

extension StoreEngine {
    package func confirmed<Value: Sendable>(
        _ found: Value, _ read: () async throws(ProfileStoreError) -> Value
    ) async throws(ProfileStoreError) -> Value {
        found
    }
}
