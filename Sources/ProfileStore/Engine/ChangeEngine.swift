/// Keeps the log of changes, and notifies the listener of new changes.
package protocol ChangeEngine: Sendable {
    /// Returns the number of the newest change in the log. Each change has the next number.
    func changeNumber() async throws(ProfileStoreError) -> Int64

    /// Returns the changes after a number, oldest first. A change of one profile contains the current username and
    /// revision of that profile.
    ///
    /// - Returns: The changes; a single change of the kind `missed` if the log no longer contains the change after this
    ///   number, or if the number comes from another store's log.
    func changes(after number: Int64, limit: Int) async throws(ProfileStoreError) -> [ProfileChange]

    /// From now on, calls the listener after each commit that logs a change. Commits of other processes may be missed.
    /// The engine holds no lock during the call. A repository has one listener.
    func listen(_ listener: CommitListener)
}
