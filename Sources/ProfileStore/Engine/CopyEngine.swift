package import ProfileCore

/// Copies a whole store into a new one. ``BulkEngine/scan(_:)`` reads the profiles of the store that is copied.
package protocol CopyEngine: Sendable {
    /// Returns the parts of the store that a copy includes in addition to the profiles, as of one moment.
    func head() async throws(ProfileStoreError) -> StoreHead

    /// Returns whether the store is an unfinished copy.
    func isUnfinishedCopy() async throws(ProfileStoreError) -> Bool

    /// Makes the store an unfinished copy of another store, with every schema and without profiles. If the store is
    /// already an unfinished copy, it stays as it is.
    ///
    /// - Parameters:
    ///   - head: The head of the other store.
    ///   - restarting: Whether an unfinished copy of any store is discarded.
    /// - Throws: `notUnused`, or `unfinishedCopy` if this store is an unfinished copy of a third store.
    func beginCopy(of head: StoreHead, restarting: Bool) async throws(ProfileStoreError)

    /// Stores rows as they are, with their ids, in one transaction, and logs nothing.
    ///
    /// - Parameters:
    ///   - rows: The rows, with their records.
    ///   - fields: The fields of the rows' cells.
    /// - Throws: `notUnused` if another writer has stored profiles meanwhile.
    func place(_ rows: StoredRows, of fields: [FieldRules]) async throws(ProfileStoreError)

    /// Stores the rest of the other store's head. The copy is finished, and the store is usable.
    func endCopy(of head: StoreHead) async throws(ProfileStoreError)
}
