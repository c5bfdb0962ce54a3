internal import Platform
internal import ProfileCore
internal import ProfileStore

// Writes of many profiles.
extension MemoryEngine {
    func areStored(_ usernames: [String]) async throws(ProfileStoreError) -> [Bool] {
        try current.areStored(usernames)
    }

    func store<Batch: ImportBatch>(
        _ batch: Batch, judgedBy schema: ProfileSchema, _ stamp: WriteStamp
    ) async throws(ProfileStoreError) -> Batch {
        try await write { [options] state throws(ProfileStoreError) in
            try state.rules.require(schema)
            var batch = batch
            var writing = MemoryBatches(stamp, state)
            try writing.run(&batch, &state)
            writing.finish(&state, keeping: options.mostChanges)
            return batch
        }
    }

    func preview<Batch: ImportBatch>(
        _ batch: Batch, judgedBy schema: ProfileSchema
    ) async throws(ProfileStoreError) -> Batch {
        let state = try currentAtLength
        try state.rules.require(schema)
        var batch = batch
        let rows = batch.rows
        batch.look(under: state.rules.schema) { rows, row, id in
            state.takenFields(of: rows, row: row, besides: id)
        } stored: { username in
            state.stored(username)
        } matches: { range in
            state.matches(of: rows, range)
        }
        return batch
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
