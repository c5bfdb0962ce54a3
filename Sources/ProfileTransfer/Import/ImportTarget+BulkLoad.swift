internal import ProfileCore
internal import SQLiteAccess
internal import Synchronization

// The bulk load: one transaction, into an empty table without indexes, which are made afterwards.
extension ImportTarget {
    /// One transaction over everything, since nobody uses the store or the caller wants it so.
    ///
    /// - Parameters:
    ///   - evenIfUsed: Also into a store that has profiles.
    ///   - spared: The passwords that were not hashed before because the store takes them not.
    /// - Returns: False if it has profiles, or takes some of those passwords now, and nothing was done.
    /// - Throws: What ends the import; nothing is stored.
    func loadInBulk(
        evenIfUsed: Bool, sparing spared: SparedPasswords = SparedPasswords()
    ) async throws(ImportError) -> Bool {
        if !evenIfUsed {
            // Before asking for the lock, which others may hold.
            guard try read({ connection throws(ImportError) in try Self.isEmpty(connection) }) else { return false }
        }
        return try await write { connection throws(ImportWriteError) in
            let isEmpty = try wrap { () throws(ImportError) in try Self.isEmpty(connection) }
            guard isEmpty || evenIfUsed else { return false }
            guard try wrap({ () throws(ImportError) in try stillSpares(spared, connection) }) else { return false }
            // An update may complete a row that is no profile by itself, so that what is new is not known beforehand.
            if isEmpty, run.options.duplicates != .update {
                try wrap { () throws(ImportError) in try loadIntoEmptyTable(connection) }
                return true
            }
            while var judged = try wrap({ () throws(ImportError) in try run.next() }) {
                try wrap { () throws(ImportError) in try requireHashes(judged, connection) }
                try store(&judged, storeIsEmpty: isEmpty, connection)
                run.progress(after: judged.batch)
            }
            return true
        } ?? true
    }

    private func loadIntoEmptyTable(_ connection: borrowing Connection) throws(ImportError) {
        do throws(ProfileStoreError) {
            _ = try repository.requireSchema(adopted.schema, connection)
        } catch {
            throw .store(error)
        }
        let indexes = try Self.dropIndexes(connection)
        // Which rows are new depends on the input alone, so that another thread finds them while this one stores.
        let run = run
        let sifted = OrderedPipeline<SiftedBatch, SiftedBatch, ImportError>(workers: 1, depth: 3) {
            () throws(ImportError) in
            guard let judged = try run.next() else { return nil }
            let newRows = try run.sift(judged)
            if !judged.rows.passwords.isEmpty, newRows.contains(where: { judged.rows.passwords[$0] != nil }) {
                throw .inputChanged
            }
            return SiftedBatch(judged: judged, newRows: newRows)
        } process: {
            $0
        }
        defer {
            // What the other thread counts must not be counted after a failure took it back; it may wait for input.
            sifted.stop()
            run.stop()
            sifted.waitUntilEnded()
        }
        var nextID = try ImportError.wrap { () throws(SQLiteError) in try StoreTable.nextID(connection) }
        while let batch = try sifted.next() {
            nextID = try ImportError.wrap { () throws(SQLiteError) in
                try insert(batch, firstID: nextID, connection)
            }
            run.progress(after: batch.judged.batch)
        }
        try ImportError.wrap { () throws(SQLiteError) in try StoreTable.setNextID(nextID, connection) }
        run.ledger.withLock { $0.keys.removeAll() }
        try Self.makeIndexes(indexes, connection)
    }

    /// - Returns: The id that the next profile gets.
    private func insert(
        _ batch: SiftedBatch, firstID: Int64, _ connection: borrowing Connection
    ) throws(SQLiteError) -> Int64 {
        let rows = batch.judged.rows
        let table = adopted.table
        let version = Int64(adopted.version)
        var nextID = firstID
        var unjudgedPasswords = 0
        var statement = try connection.prepare(table.insert)
        try table.bindCommon(at: repository.options.now(), schemaVersion: adopted.version, to: &statement)
        try rows.bytes.withUnsafeBufferPointer { bytes throws(SQLiteError) in
            for row in batch.newRows {
                // Without indexes nothing is refused here; the unique ones are made last, and would refuse it then.
                _ = try table.insert(row: row, of: rows, bytes, id: nextID, schemaVersion: version, with: &statement)
                nextID += 1
                if table.bringsUnjudgedPassword(row, of: rows) { unjudgedPasswords += 1 }
            }
        }
        run.ledger.withLock { $0.countUnjudgedPasswords(unjudgedPasswords) }
        return nextID
    }

    /// Drops the indexes that hold every row. The one of invalid profiles costs nothing to keep: all rows are valid.
    ///
    /// - Returns: What makes them anew.
    private static func dropIndexes(_ connection: borrowing Connection) throws(ImportError) -> [String] {
        try ImportError.wrap { () throws(SQLiteError) in
            var indexes: [(name: String, sql: String)] = []
            do {
                var statement = try connection.prepare(
                    """
                    SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'profiles'
                    AND sql IS NOT NULL AND name <> 'profiles_invalid'
                    """)
                while try statement.step() {
                    indexes.append((statement.string(at: 0) ?? "", statement.string(at: 1) ?? ""))
                }
            }
            // Of ours, and of others that are plain; see `StoreLayout`.
            for index in indexes {
                try connection.run("DROP INDEX \"\(index.name.replacing("\"", with: "\"\""))\"")
            }
            return indexes.map(\.sql)
        }
    }

    private static func makeIndexes(_ indexes: [String], _ connection: borrowing Connection) throws(ImportError) {
        try ImportError.wrap { () throws(SQLiteError) in
            // A second thread sorts while the first reads.
            connection.setWorkerThreads(1)
            defer { connection.setWorkerThreads(0) }
            for sql in indexes { try connection.run(sql) }
        }
    }
}

/// A judged batch and which of its rows are new where nothing was stored before.
private struct SiftedBatch: Sendable {
    let judged: JudgedBatch
    let newRows: [Int]
}
