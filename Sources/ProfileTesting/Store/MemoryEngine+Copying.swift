internal import ProfileCore
internal import ProfileStore

// Copies of whole stores.
extension MemoryEngine {
    func head() async throws(ProfileStoreError) -> StoreHead { try current.head }

    func beginCopy(of head: StoreHead, restarting: Bool) async throws(ProfileStoreError) {
        try await write { state throws(ProfileStoreError) in try state.beginCopy(of: head, restarting: restarting) }
    }

    func place(_ rows: StoredRows, of fields: [FieldRules]) async throws(ProfileStoreError) {
        try await write { state throws(ProfileStoreError) in try state.place(rows, of: fields) }
    }

    func endCopy(of head: StoreHead) async throws(ProfileStoreError) {
        try await write { state in state.endCopy(of: head) }
    }
}
