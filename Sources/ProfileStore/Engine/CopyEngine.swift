package import ProfileCore

/// Copies a whole store into a new store. ``BulkEngine/scan(_:)`` reads the profiles of the source store.
package protocol CopyEngine: Sendable {
    /// Returns all parts of the store that a copy needs, except the profiles. All parts come from one consistent
    /// snapshot.
    func head() async throws(ProfileStoreError) -> StoreHead

    /// Makes this store an unfinished copy of another store. The copy has all schemas of the other store, but no
    /// profiles yet. If this store is already an unfinished copy of the other store, the call changes nothing, unless
    /// `restarting` is true.
    ///
    /// - Parameters:
    ///   - head: The head of the other store.
    ///   - restarting: If true, any unfinished copy in this store is discarded first.
    /// - Throws: `notUnused` if this store cannot receive a new copy, for example because it has profiles.
    ///   `unfinishedCopy` if this store is an unfinished copy of a different store and `restarting` is false.
    func beginCopy(of head: StoreHead, restarting: Bool) async throws(ProfileStoreError)

    /// Stores rows in one transaction, exactly as they were read. The profiles keep their ids. No change is logged.
    ///
    /// - Parameters:
    ///   - rows: The rows. Each row must contain its ``StoredRows/Record``.
    ///   - fields: The fields of the rows' cells.
    /// - Throws: `notUnused` if another writer has stored profiles in this store during the copy.
    func place(_ rows: StoredRows, of fields: [FieldRules]) async throws(ProfileStoreError)

    /// Stores the rest of the other store's head. After this call, the copy is finished, and the store can be used.
    func endCopy(of head: StoreHead) async throws(ProfileStoreError)
}
