/// Keeps the log of changes, and notifies the listener of new changes.
package protocol ChangeEngine: Sendable {
    /// Returns the number of the newest change in the log. The number of each change is one greater than the number of
    /// the change before it.
    func changeNumber() async throws(ProfileStoreError) -> Int64

    /// Returns the changes whose number is greater than `number`, oldest first. If a change affects one profile, it
    /// contains the present username and the present revision of the profile.
    ///
    /// - Returns: The changes. If the next change after this number was already deleted from the log, the result is a
    ///   single change of the kind `missed`. The result is the same if the number comes from the log of another store.
    func changes(after number: Int64, limit: Int) async throws(ProfileStoreError) -> [ProfileChange]

    /// Registers a listener. The engine calls the listener after each commit that logs a change. The engine does not
    /// always notice commits of other processes. During the call, the engine holds no lock. A repository has one
    /// listener.
    func listen(_ listener: CommitListener)
}
