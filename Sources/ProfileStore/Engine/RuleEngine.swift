package import ProfileCore

/// Stores the rules in force, and the results of judging profiles by these rules.
package protocol RuleEngine: Sendable {
    /// Returns the rules in force. Returns the same object until the rules change.
    func schemaInForce() async throws(ProfileStoreError) -> AdoptedSchema

    /// Returns the rules in force, and whether every password of the store was validated by these rules (L1). The two
    /// results describe the same moment. The number of rows that are read does not depend on the number of profiles.
    func loginRules() async throws(ProfileStoreError) -> LoginRules

    /// Puts other rules in force and logs the change. Does nothing if the rules are in force already. Profiles keep all
    /// their values, including the values of fields that the new rules do not have.
    ///
    /// - Parameters:
    ///   - schema: The rules.
    ///   - version: The version that must be in force before the write; nil for any.
    ///   - stamp: The time, author and key of the write.
    /// - Returns: The rules in force afterwards, and the version of the adopted schema. If the call repeats an earlier
    ///   write with a key, the adopted schema may no longer be in force.
    /// - Throws: `schemaChanged` if another version is in force, even if it has the same rules; `repeatedValues` if two
    ///   profiles have the same value in a field that becomes unique; `tooManyColumns`; `otherPrimaryKey` if the stored
    ///   profiles have another primary key.
    func adopt(
        _ schema: ProfileSchema, expecting version: Int?, _ stamp: WriteStamp
    ) async throws(ProfileStoreError) -> (inForce: AdoptedSchema, version: Int)

    /// Stores the validation results of profiles. If a profile has changed since it was validated, its result is
    /// ignored. If later rules have already validated the profile, the result of the later rules stays.
    func mark(_ marks: [JudgementMark], judgedBy version: Int) async throws(ProfileStoreError)
}
