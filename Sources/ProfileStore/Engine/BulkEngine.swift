package import ProfileCore

/// Reads and writes many profiles.
package protocol BulkEngine: Sendable {
    /// Returns raw values of profiles, sorted by id. If the store has no column for a field, the field has no value in
    /// any row.
    ///
    /// A long scan runs on a separate thread, because it may block. It must not block a thread of Swift's executor.
    func scan(_ scan: StoreScan) async throws(ProfileStoreError) -> StoredRows

    /// Returns, for each username, whether a profile has this username. All results come from one consistent snapshot.
    /// Ignores the case of ASCII letters.
    func areStored(_ usernames: [String]) async throws(ProfileStoreError) -> [Bool]

    /// Runs a batch in one transaction. The result is the same as if the rows of the batch were stored one after
    /// another. All added profiles are logged as one change, and all updated profiles are logged as another change.
    ///
    /// - Parameters:
    ///   - batch: The batch.
    ///   - schema: The rules that validated the rows.
    ///   - stamp: The time and author of the write. If it is nil, the transaction only reads, so the batch must not ask
    ///     for an insertion or an update.
    /// - Returns: The batch in the state that it had after its last step.
    /// - Throws: `schemaChanged` if other rules are in force.
    func store<Batch: ImportBatch>(
        _ batch: Batch, judgedBy schema: ProfileSchema, _ stamp: WriteStamp?
    ) async throws(ProfileStoreError) -> Batch

    /// Stores all rows of a load in one transaction. Logs the changes in the same way as ``store(_:judgedBy:_:)``.
    ///
    /// The engine for PostgreSQL drops indexes before a load into an empty store, and creates them again afterwards. If
    /// the process ends during the load, another process creates the indexes.
    func load(
        _ load: some BulkLoad, judgedBy schema: ProfileSchema, _ stamp: WriteStamp
    ) async throws(ProfileStoreError) -> BulkLoadOutcome
}

extension BulkEngine {
    /// Runs a batch that only reads stored values.
    package func preview<Batch: ImportBatch>(
        _ batch: Batch, judgedBy schema: ProfileSchema
    ) async throws(ProfileStoreError) -> Batch {
        try await store(batch, judgedBy: schema, nil)
    }

    /// Returns whether the store has no profiles.
    package func isEmpty() async throws(ProfileStoreError) -> Bool {
        try await scan(StoreScan(fields: [], mostRows: 1, mostBytes: 1)).rows.isEmpty
    }
}

/// If this error is thrown in the transaction of a load, the transaction is rolled back. The engine does not throw the
/// error to its caller. It returns ``BulkLoadOutcome/undone`` instead.
package struct LoadIsUndone: Error {
    package init() {}
}
