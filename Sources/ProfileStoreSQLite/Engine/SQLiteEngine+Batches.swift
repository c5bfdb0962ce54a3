internal import ProfileCore
internal import ProfileStore
internal import SQLiteAccess

extension SQLiteEngine {
    func areStored(_ usernames: [String]) async throws(ProfileStoreError) -> [Bool] {
        try session.read { connection in
            // All statements read one snapshot. Otherwise a profile that is renamed between two statements could be
            // found under both names or under neither name.
            try connection.readTransaction { try Self.areStored(usernames, connection) }
        }
    }

    func store<Batch: ImportBatch>(
        _ batch: Batch, judgedBy schema: ProfileSchema, _ stamp: WriteStamp?
    ) async throws(ProfileStoreError) -> Batch {
        guard let stamp else {
            return try await session.readAtLength(in: .pages) { connection in
                try connection.readTransaction {
                    let rules = try self.rulesInForce(connection, being: schema)
                    var reading = try BatchWriting(under: rules, WriteStamp(at: self.options.now()), connection)
                    var batch = batch
                    try reading.run(&batch, givingWayAfter: nil, connection)
                    return batch
                }
            }
        }
        let (stored, isChange) = try await session.writeBatch { connection in
            let rules = try self.rulesInForce(connection, being: schema)
            var writing = try BatchWriting(under: rules, stamp, connection)
            var batch = batch
            try writing.run(&batch, givingWayAfter: Self.leastTurn, connection)
            return (batch, try self.finish(&writing, stamp, connection))
        }
        // The write lock is released before listeners are notified.
        if isChange { announce() }
        return stored
    }

    /// The minimum time that a batch may write while other writers wait. A batch must not end too early: each commit
    /// costs a sync, and the import must also make progress.
    private static let leastTurn = Duration.milliseconds(2)

    func load(
        _ load: some BulkLoad, judgedBy schema: ProfileSchema, _ stamp: WriteStamp
    ) async throws(ProfileStoreError) -> BulkLoadOutcome {
        // This check needs no write lock. So if the store has profiles, the load is declined even while another writer
        // holds the lock.
        if !load.takesUsedStore, try await !isEmpty() { return .declined }
        let (outcome, isChange) = try await session.withWriter { connection in
            guard try self.hasNoReaders(connection), load.knowsNewRows else {
                return try self.write(load, judgedBy: schema, stamp, connection)
            }
            self.session.closeIdleReaders()
            return try connection.withRollbackJournal {
                try self.write(load, judgedBy: schema, stamp, connection)
            }
        }
        if isChange { announce() }
        return outcome
    }

    /// Whether the store has no readers yet, because this engine created the store only for this load.
    private func hasNoReaders(_ connection: borrowing Connection) throws(SQLiteError) -> Bool {
        guard isMadeHere, options.isUnreadUntilLoaded else { return false }
        return try !SchemaTable.hasProfiles(connection)
    }

    /// Stores all rows of a load in one transaction.
    ///
    /// - Returns: The outcome, and whether anything has changed.
    private func write(
        _ load: some BulkLoad, judgedBy schema: ProfileSchema, _ stamp: WriteStamp, _ connection: borrowing Connection
    ) throws -> (outcome: BulkLoadOutcome, isChange: Bool) {
        do {
            return try connection.writeTransaction {
                let isEmpty = try !SchemaTable.hasProfiles(connection)
                guard isEmpty || load.takesUsedStore,
                    try load.mayBegin({ try Self.areStored($0, connection) })
                else { return (BulkLoadOutcome.declined, false) }
                let rules = try self.rulesInForce(connection, being: schema)
                var writing = try BatchWriting(under: rules, stamp, connection)
                if isEmpty, load.knowsNewRows {
                    try writing.fillEmptyTable(from: load, connection)
                } else {
                    while var batch = load.nextBatch() {
                        try writing.run(&batch, givingWayAfter: nil, connection)
                        load.take(batch)
                    }
                }
                guard load.mayStay() else { throw LoadIsUndone() }
                return (.loaded, try self.finish(&writing, stamp, connection))
            }
        } catch is LoadIsUndone {
            return (.undone, false)
        }
    }

    /// Completes a batch within its transaction: writes the next id, the counts and the log of changes.
    ///
    /// - Returns: Whether anything has changed.
    private func finish(
        _ writing: inout BatchWriting, _ stamp: WriteStamp, _ connection: borrowing Connection
    ) throws -> Bool {
        if let added = writing.ids.added {
            try StoreTable.setNextID(added.upperBound + 1, connection)
            try StoreTable.add(writing.unjudgedPasswords, to: .unjudgedPasswords, connection)
            try ThrottleTable.forgetUnknown(namesOf: added, connection)
        }
        let changes = writing.ids.changes()
        try record(changes, stamp, &writing.history, connection)
        return !changes.isEmpty
    }

    private static func areStored(
        _ usernames: [String], _ connection: borrowing Connection
    ) throws(SQLiteError) -> [Bool] {
        var areStored: [Bool] = []
        for username in usernames {
            areStored.append(try ProfileTable.owner(of: username, in: .username, connection) != nil)
        }
        return areStored
    }
}
