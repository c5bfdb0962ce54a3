internal import Platform
internal import ProfileCore
internal import ProfileStore

// Writes of many profiles.
extension MemoryEngine {
    func areStored(_ usernames: [String]) async throws(ProfileStoreError) -> [Bool] {
        try current.areStored(usernames)
    }

    func store<Batch: ImportBatch>(
        _ batch: Batch, judgedBy schema: ProfileSchema, _ stamp: WriteStamp?
    ) async throws(ProfileStoreError) -> Batch {
        guard let stamp else {
            var (state, batch) = (try currentAtLength, batch)
            try state.rules.require(schema)
            var reading = MemoryBatches(WriteStamp(at: options.now()), state)
            try reading.run(&batch, &state)
            return batch
        }
        return try await write { [options] state throws(ProfileStoreError) in
            try state.rules.require(schema)
            var batch = batch
            var writing = MemoryBatches(stamp, state)
            try writing.run(&batch, &state)
            writing.finish(&state, keeping: options.mostChanges)
            return batch
        }
    }

    func load(
        _ load: some BulkLoad, judgedBy schema: ProfileSchema, _ stamp: WriteStamp
    ) async throws(ProfileStoreError) -> BulkLoadOutcome {
        if !load.takesUsedStore, try !current.profiles.isEmpty { return .declined }
        return try await write { [options] state throws(ProfileStoreError) in
            let before = state
            let isEmpty = state.profiles.isEmpty
            guard isEmpty || load.takesUsedStore, try load.mayBegin(into: before) else { return .declined }
            try state.rules.require(schema)
            var writing = MemoryBatches(stamp, state)
            if isEmpty, load.knowsNewRows {
                while let rows = load.nextNewRows() { try writing.insert(rows, &state) }
            } else {
                while var batch = load.nextBatch() {
                    try writing.run(&batch, &state)
                    load.take(batch)
                }
            }
            guard load.mayStay() else {
                state = before
                return .undone
            }
            writing.finish(&state, keeping: options.mostChanges)
            return .loaded
        }
    }
}
