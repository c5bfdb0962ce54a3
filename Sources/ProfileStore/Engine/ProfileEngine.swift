package import ProfileCore

/// Finds and writes profiles, one or a few at a time.
package protocol ProfileEngine: Sendable {
    // MARK: Look-ups

    /// Returns one profile with the fields of `rules`; nil if there is no such profile.
    ///
    /// If ``Profile/schemaVersion`` is later than the version of `rules`, the profile was last validated by later
    /// rules. The later rules may have additional fields.
    /// - Throws: `schemaChanged` if later rules are in force and the store has no column for a field of `rules`.
    func profile(_ key: ProfileKey, under rules: AdoptedSchema) async throws(ProfileStoreError) -> Profile?

    /// Returns one page of the profiles that a search finds, in the search's order; see ``profile(_:under:)`` for the
    /// parameter `rules`. Every engine orders the values of a field by `ValueOrder` of ProfileCore.
    ///
    /// If a search possibly reads many profiles to find a few, the page is read on a separate thread. Otherwise, the
    /// read could block a thread of Swift's executor.
    func page(_ search: ProfileSearch, under rules: AdoptedSchema) async throws(ProfileStoreError) -> ProfilePage

    /// Returns the number of profiles that a search finds. The search's cursor and limits have no effect.
    func count(_ search: ProfileSearch, under rules: AdoptedSchema) async throws(ProfileStoreError) -> Int

    /// Returns whether ``page(_:under:)`` uses an index or may read every profile.
    func plan(of search: ProfileSearch) -> QueryPlan

    /// Returns the numbers of profiles and the size of the store. Reads every profile.
    func statistics() async throws(ProfileStoreError) -> StoreStatistics

    /// Confirms the result of a look-up before the repository refuses a write because of this result.
    ///
    /// After another server has become the leader, a server that was frozen may still answer look-ups for a while. Such
    /// answers can be outdated. A method that writes needs no confirmation, because it confirms its own answer. If the
    /// repository refuses a write because of a look-up, this method confirms that look-up.
    /// - Parameters:
    ///   - found: The earlier result of `read`.
    ///   - read: Repeats the look-up with methods of this engine. If the look-ups of an engine are never outdated, the
    ///     engine does not call `read`.
    /// - Returns: The confirmed result.
    /// - Throws: The error that prevented the confirmation.
    func confirmed<Value: Sendable>(
        _ found: Value, _ read: () async throws(ProfileStoreError) -> Value
    ) async throws(ProfileStoreError) -> Value

    // MARK: Writes

    // If the stamp of a write has a key, the write's transaction also stores the outcome: the returned value, or the
    // refusal (``ProfileStoreError/isAnswer``). If the same request is repeated with this key within
    // ``WriteKey/lifetime``, the repeat writes nothing and gets the stored outcome. If another request uses this key,
    // it is refused as `keyReused`.

    /// Stores a new profile with a hashed password, and logs the change. Also deletes the count of failed attempts for
    /// the profile's username, because attempts before the profile existed do not count. An id is never used for two
    /// profiles.
    ///
    /// - Parameters:
    ///   - row: The profile, which is the only row.
    ///   - schema: The rules that validated the profile.
    ///   - stamp: The time, author and key of the write.
    /// - Returns: The stored profile, with revision 1.
    /// - Throws: `duplicate` with every unique field in which another profile has the same value; `schemaChanged`.
    func register(
        _ row: ValidProfiles, judgedBy schema: ProfileSchema, _ stamp: WriteStamp
    ) async throws(ProfileStoreError) -> Profile

    /// Replaces a profile if the store still has it with the same id and revision, and logs the change. If the row has
    /// no password, the stored password stays. A different password ends all tokens of the profile (H4).
    ///
    /// If there is a new password, the engine forgets the failed attempts at the old password.
    ///
    /// An edit that changes nothing has no row. The engine then only checks that the revision of the stored profile has
    /// not changed since the profile was read. It logs nothing, and writes nothing except the outcome of a key.
    ///
    /// If the name changes, the engine copies the profile's count of failed attempts to the new name (P9). The new
    /// name may already have a count. If no profile had the new name at the last attempt, this count is deleted first.
    /// Otherwise, the stricter of the two counts applies. The old name keeps its count of failed attempts, like any
    /// name without a profile. So login attempts with the old name do not show that a profile had this name (P10).
    ///
    /// - Parameters:
    ///   - stored: The profile as it was read.
    ///   - row: The new values, in the only row; nil if the edit changes nothing.
    ///   - schema: The rules that validated the new values.
    ///   - stamp: The time, author and key of the write.
    /// - Returns: The stored profile. If the edit changes nothing, the profile as it was read.
    /// - Throws: `staleRevision`, `notFound`, `duplicate`, `schemaChanged`.
    func replace(
        _ stored: Profile, with row: ValidProfiles?, judgedBy schema: ProfileSchema, _ stamp: WriteStamp
    ) async throws(ProfileStoreError) -> Profile

    /// Removes a profile with its secrets, tokens and failed attempts, and logs the change.
    ///
    /// - Parameters:
    ///   - key: The username or the id of the profile.
    ///   - revision: The revision that the profile must have; nil for any.
    ///   - stamp: The time, author and key of the write.
    /// - Returns: The removed profile, with the fields of the rules in force.
    /// - Throws: `notFound`, `staleRevision`.
    func remove(
        _ key: ProfileKey, expecting revision: Int64?, _ stamp: WriteStamp
    ) async throws(ProfileStoreError) -> Profile

    /// Writes several profiles in one transaction. First removes profiles in the order of their ids, so that their unique
    /// values become free. Then updates profiles, and then restores profiles, in the order of the writes.
    ///
    /// Logs one change for each removed profile, one for each restored profile, and one for all updated profiles. A
    /// restored profile continues with the next revision, and has no secrets. It is restored only if the history contains
    /// its removal, so an erased profile never comes back.
    ///
    /// - Returns: The outcome of each write.
    /// - Throws: `schemaChanged` if other rules than those of the writes are in force. If the writes are all or nothing
    ///   and one is refused, the error of ``ConditionalWrites/refusal(_:revision:)``; nothing is written.
    func apply(
        _ writes: ConditionalWrites, _ stamp: WriteStamp
    ) async throws(ProfileStoreError) -> [ConditionalWrites.Outcome]

    /// Returns the stored outcome of the write that used the request's key; nil if no write used the key.
    ///
    /// - Throws: `keyReused`.
    func outcome(of request: KeyedRequest, at time: Timestamp) async throws(ProfileStoreError) -> KeyedOutcome?
}

extension ProfileEngine {
    package func confirmed<Value: Sendable>(
        _ found: Value, _ read: () async throws(ProfileStoreError) -> Value
    ) async throws(ProfileStoreError) -> Value {
        found
    }
}
