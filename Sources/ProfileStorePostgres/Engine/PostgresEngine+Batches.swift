internal import Platform
internal import PostgresAccess
internal import ProfileCore
internal import ProfileStore
internal import Threads

// Reading and writing many profiles.
extension PostgresEngine {
    func areStored(_ usernames: [String]) async throws(ProfileStoreError) -> [Bool] {
        try await session.read { connection in
            try await Self.areStored(usernames) { command in try await connection.run([command])[0] }
        }
    }

    private static func areStored(
        _ usernames: [String], _ run: (Command) async throws -> Rows
    ) async throws -> [Bool] {
        let keys = usernames.map { ProfileTable.key(of: $0) }
        let rows = try await run(
            Command("SELECT username$key FROM profiles WHERE username$key = ANY ($1::text[])", [.texts(keys)]))
        // Names are compared by their bytes, because equal `String`s can be different names.
        let stored = Set((0..<rows.count).compactMap { rows.text($0, 0).map { Array($0.utf8) } })
        return keys.map { stored.contains(Array($0.utf8)) }
    }

    func store<Batch: ImportBatch>(
        _ batch: Batch, judgedBy schema: ProfileSchema, _ stamp: WriteStamp?
    ) async throws(ProfileStoreError) -> Batch {
        guard let stamp else {
            return try await session.readAtOneMoment { transaction in
                let rules = try await rulesAtHand(transaction)
                try rules.adopted.require(schema)
                var (batch, plan) = (batch, BatchPlan(under: rules, ids: BatchIDs(from: 1), at: options.now()))
                try await plan.run(&batch, transaction)
                return batch
            }
        }
        return try await session.writingCall { () throws(ProfileStoreError) in
            // Reserves an id for every row. The new profiles have consecutive ids.
            let firstID = try await ids.take(batch.rows.count, session, at: stamp.time)
            return try await store(batch, from: firstID, judgedBy: schema, stamp)
        }
    }

    private func store<Batch: ImportBatch>(
        _ batch: Batch, from firstID: Int64, judgedBy schema: ProfileSchema, _ stamp: WriteStamp
    ) async throws(ProfileStoreError) -> Batch {
        let committed = try await commit(stamp) { transaction in
            let rules = try await rulesInForce(transaction, being: schema)
            var batch = batch
            var plan = BatchPlan(under: rules, ids: BatchIDs(from: firstID), at: stamp.time)
            try await plan.run(&batch, transaction)
            try await plan.write(batch.rows, transaction)
            let (changes, last) = plan.finish()
            return Written(value: batch, changes: changes, last: last)
        }
        var batch = committed.value
        batch.isOnOneMachine = committed.isOnOneMachine
        return batch
    }

    // MARK: All at once

    func load(
        _ load: some BulkLoad, judgedBy schema: ProfileSchema, _ stamp: WriteStamp
    ) async throws(ProfileStoreError) -> BulkLoadOutcome {
        // This check takes no lock. So a load that is declined here does not make other writers wait.
        let isEmpty = try await isEmpty()
        if !isEmpty, !load.takesUsedStore { return .declined }
        if isEmpty, load.knowsNewRows {
            let loaded = try await session.withoutIndexes(at: stamp.time) { transaction in
                guard try await transaction.run(ProfileTable.selectAny).isEmpty else { return false }
                return try await mayBegin(load, transaction)
            } _: { () throws(ProfileStoreError) in
                try await fill(from: load, judgedBy: schema, stamp, withoutIndexes: true)
            }
            // If the load without indexes did not begin, or if another session has ended it, the load with indexes
            // follows.
            if let loaded, loaded != .declined { return loaded }
        }
        return try await fill(from: load, judgedBy: schema, stamp, withoutIndexes: false)
    }

    private func fill(
        from load: some BulkLoad, judgedBy schema: ProfileSchema, _ stamp: WriteStamp, withoutIndexes: Bool
    ) async throws(ProfileStoreError) -> BulkLoadOutcome {
        let number = try await takeChangeNumber(at: stamp.time)
        let loaded = try await session.writeOnce(at: stamp.time) { connection, transaction, key in
            // A cancellation of the task does not interrupt the connection. The load itself stops providing rows. Then
            // its `mayStay()` decides whether the rows that were written until then are committed.
            connection.mayBeCancelled = false
            return try await fill(
                from: load, judgedBy: schema, stamp, key, number, withoutIndexes: withoutIndexes, connection,
                transaction)
        }
        guard let loaded else { return .undone }
        let (outcome, isChange) = loaded.value
        if isChange { watch.announce() }
        return loaded.isOnOneMachine && outcome == .loaded ? .loadedOnOneMachine : outcome
    }

    /// Fills the table in a transaction during which no other session writes profiles.
    private func fill(
        from load: some BulkLoad, judgedBy schema: ProfileSchema, _ stamp: WriteStamp, _ key: String, _ number: Int64,
        withoutIndexes: Bool, _ connection: Connection, _ transaction: Transaction
    ) async throws -> PostgresSession.Outcome<(BulkLoadOutcome, isChange: Bool)> {
        let held = try await transaction.run(SchemaTable.hold)
        if withoutIndexes {
            // Another session may have assumed that this process was dead, and may have ended the load. Other sessions
            // may have written since.
            guard held.flag(0, 1), try await transaction.run(ProfileTable.selectAny).isEmpty else {
                return PostgresSession.Outcome(value: (.declined, isChange: false))
            }
        } else {
            guard !held.flag(0, 1) else { throw LoadGoesOn() }
            let isEmpty = try await transaction.run(ProfileTable.selectAny).isEmpty
            guard isEmpty || load.takesUsedStore, try await mayBegin(load, transaction) else {
                return PostgresSession.Outcome(value: (.declined, isChange: false))
            }
        }
        let rules = try await rulesAtHand(transaction)
        try rules.adopted.require(schema)
        // This statement locks the counter. Until the commit, no other transaction can take an id. So the ids of the
        // load are consecutive.
        let counter = try await transaction.run(
            "SELECT value FROM counters WHERE name = 'next_profile_id' FOR UPDATE")
        let firstID = try ProfileStoreError.counted(counter.number(0, 0), atLeast: 1, "next_profile_id")
        var ids = BatchIDs(from: firstID)
        if withoutIndexes {
            ids.next = try await copy(load, under: rules, from: firstID, at: stamp.time, connection, transaction)
        } else {
            while var batch = try await onThread({ load.nextBatch() }) {
                connection.deadline = session.newDeadline
                var plan = BatchPlan(under: rules, ids: ids, at: stamp.time)
                try await plan.run(&batch, transaction)
                try await plan.write(batch.rows, transaction)
                try await transaction.run(HistoryTable.append(plan.updates, stamp, number: number))
                ids = plan.ids
                try await onThread { [batch] in load.take(batch) }
            }
        }
        connection.deadline = session.newDeadline
        guard load.mayStay() else { throw LoadIsUndone() }
        let changes = ids.changes()
        var last: [Command] = []
        if let added = ids.added {
            last = [
                Command("UPDATE counters SET value = $1 WHERE name = 'next_profile_id'", [.number(ids.next)]),
                ThrottleTable.forgetUnknown(namesOf: added),
            ]
        }
        last += Self.recording(changes, stamp, key, number)
        return PostgresSession.Outcome(value: (.loaded, isChange: !changes.isEmpty), last: last)
    }

    /// Asks the load whether it may begin. The load calls a synchronous closure to learn which names are stored, but
    /// this method can read the answers only asynchronously. Therefore this method asks the load twice: the first time
    /// it receives the names, and the second time it passes the answers.
    private func mayBegin(_ load: some BulkLoad, _ transaction: Transaction) async throws -> Bool {
        var asked: [String]?
        var answers: [Bool] = []
        while true {
            do {
                return try load.mayBegin { usernames in
                    guard let asked, asked == usernames else { throw AsksForNames(usernames: usernames) }
                    return answers
                }
            } catch let question as AsksForNames {
                asked = question.usernames
                answers = try await Self.areStored(question.usernames) { try await transaction.run([$0])[0] }
            }
        }
    }

    private struct AsksForNames: Error { let usernames: [String] }

    /// Copies new rows into an empty table without indexes.
    ///
    /// - Returns: The id that follows the id of the last row.
    /// - Throws: Also the server's error about a value that is too long for its index.
    private func copy(
        _ load: some BulkLoad, under rules: RulesInForce, from firstID: Int64, at time: Timestamp,
        _ connection: Connection, _ transaction: Transaction
    ) async throws -> Int64 {
        let stream = CopyStream(of: load, CopyEncoding(rules, from: firstID, at: time))
        _ = try await connection.copyIn(rules.table.copy) {
            let bytes = try await onThread { stream.next() }
            connection.deadline = session.newDeadline
            return bytes
        }
        // If such rows were committed, their indexes could not be created, and the load could never end.
        if stream.mayExceedIndex {
            connection.deadline = .now + PostgresSession.longestWork
            try await PostgresSession.makeIndexes(for: rules.adopted.schema, transaction)
        }
        return stream.nextID
    }

    /// Runs a body that may block, on one of the engine's threads. The body runs even if the task was cancelled,
    /// because the load itself notices the cancellation.
    private func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async throws -> Value {
        let result = Promise<Value>()
        do throws(ThreadRefusal) {
            try threads.start { result.fulfill(with: body()) }
        } catch {
            throw ProfileStoreError(error)
        }
        return await result.value
    }
}
