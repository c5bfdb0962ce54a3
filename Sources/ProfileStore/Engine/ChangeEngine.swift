/// Keeps the log of changes, and tells listeners of new ones.
package protocol ChangeEngine: Sendable {
    /// Returns the number of the newest change in the log. Each change has the next number.
    func changeNumber() async throws(ProfileStoreError) -> Int64

    /// Returns the changes after a number, oldest first. A change of one profile has what is known of that profile now.
    ///
    /// - Returns: The changes; a single change of the kind `missed` if the log does not go back that far, or if it is
    ///   another store's log.
    func changes(after number: Int64, limit: Int) async throws(ProfileStoreError) -> [ProfileChange]

    /// Calls the listener after every commit that logs a change, from now on: always for commits of this process, and as
    /// far as possible for those of others. The call never holds a lock of the engine. A repository has one listener.
    func listen(_ listener: CommitListener)
}
