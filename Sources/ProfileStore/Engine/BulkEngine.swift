package import ProfileCore

/// Reads and writes many profiles.
package protocol BulkEngine: Sendable {
    /// Returns raw values of profiles in the order of their ids. A field without a column in the store is absent in every
    /// row.
    ///
    /// A long scan runs on a thread that may block, never on a thread of Swift's executor.
    func scan(_ scan: StoreScan) async throws(ProfileStoreError) -> StoredRows

    /// Returns for each username whether a profile has it, as of one moment. Ignores the case of ASCII letters.
    func areStored(_ usernames: [String]) async throws(ProfileStoreError) -> [Bool]

    /// Runs a batch in one transaction. The outcome is the same as if the batch's rows were stored one after another.
    /// Logs the added profiles as one change, and the updated profiles as another.
    ///
    /// - Returns: The batch in the state that it has at the commit.
    /// - Throws: `schemaChanged` if other rules are in force.
    func store<Batch: ImportBatch>(
        _ batch: Batch, judgedBy schema: ProfileSchema, _ stamp: WriteStamp
    ) async throws(ProfileStoreError) -> Batch

    /// Runs a batch without storing its rows. The batch only reads stored values.
    func preview<Batch: ImportBatch>(
        _ batch: Batch, judgedBy schema: ProfileSchema
    ) async throws(ProfileStoreError) -> Batch

    /// Stores all rows of a load in one transaction. Logs the added and the updated profiles like
    /// ``store(_:judgedBy:_:)``.
    ///
    /// An engine that cannot use one transaction stores the rows in steps that can be resumed.
    func load(
        _ load: some BulkLoad, judgedBy schema: ProfileSchema, _ stamp: WriteStamp
    ) async throws(ProfileStoreError) -> BulkLoadOutcome
}

extension BulkEngine {
    /// Returns whether the store has no profiles.
    package func isEmpty() async throws(ProfileStoreError) -> Bool {
        try await scan(StoreScan(fields: [], mostRows: 1, mostBytes: 1)).rows.isEmpty
    }
}

/// An error that rolls the transaction of a load back. The caller receives ``BulkLoadOutcome/undone`` instead of an
/// error.
package struct LoadIsUndone: Error {
    package init() {}
}
