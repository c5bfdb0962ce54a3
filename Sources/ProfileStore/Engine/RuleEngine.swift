package import ProfileCore

/// Keeps the rules in force, and the results of judging profiles by them.
package protocol RuleEngine: Sendable {
    /// Returns the rules in force; the same object until they change.
    func schemaInForce() async throws(ProfileStoreError) -> AdoptedSchema

    /// Returns every schema that was ever in force, oldest first.
    func schemas() async throws(ProfileStoreError) -> [AdoptedSchema]

    /// Returns the rules in force, and whether they have judged every password of the store, as of one moment (L1). Reads
    /// one or two rows, however many profiles there are.
    func loginRules() async throws(ProfileStoreError) -> LoginRules

    /// Puts other rules in force and logs the change. Does nothing if they are in force already. Profiles keep all their
    /// values, also in fields that the new rules do not have.
    ///
    /// - Returns: The rules in force afterwards, and the version of the adopted schema. They differ only if a write with
    ///   a key is repeated.
    /// - Throws: `repeatedValues` if two profiles have the same value in a field that becomes unique; `tooManyColumns`;
    ///   `otherPrimaryKey` if the stored profiles have another primary key.
    func adopt(
        _ schema: ProfileSchema, _ stamp: WriteStamp
    ) async throws(ProfileStoreError) -> (inForce: AdoptedSchema, version: Int)

    /// Stores the results of judging profiles that have not changed since. A judgement by later rules stays.
    func mark(_ marks: [JudgementMark], judgedBy version: Int) async throws(ProfileStoreError)
}
