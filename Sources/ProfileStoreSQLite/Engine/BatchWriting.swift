internal import ProfileCore
internal import ProfileStore
internal import SQLiteAccess

/// Writes many rows within one transaction.
struct BatchWriting {
    let time: Timestamp
    private let rules: RulesInForce
    private(set) var ids: BatchIDs
    /// The number of new profiles whose password was not validated.
    private(set) var unjudgedPasswords: Int64 = 0
    var history: HistoryWriting

    init(under rules: RulesInForce, _ stamp: WriteStamp, _ connection: borrowing Connection) throws {
        self.rules = rules
        time = stamp.time
        history = try HistoryWriting(stamp, connection)
        ids = BatchIDs(from: try StoreTable.nextID(connection))
    }

    /// Runs all steps of a batch.
    ///
    /// - Parameters:
    ///   - batch: The rows to write.
    ///   - turn: The time during which the batch may write although other writers wait. If nil, other writers wait
    ///     until the batch ends.
    ///   - connection: The writer's connection.
    /// - Throws: Errors of SQLite.
    mutating func run<Batch: ImportBatch>(
        _ batch: inout Batch, givingWayAfter turn: Duration?, _ connection: borrowing Connection
    ) throws {
        var wait = TurnOfOthers(after: turn)
        let rows = batch.rows
        let version = Int64(rules.adopted.version)
        var insertion = try connection.prepare(rules.table.insert)
        try rules.table.bindCommon(at: time, schemaVersion: rules.adopted.version, to: &insertion)
        var entry = try connection.prepare(HistoryTable.insert)
        try rows.bytes.withUnsafeBufferPointer { bytes in
            var step = batch.next(after: .none)
            while true {
                if wait.hasCome(connection) { batch.giveWay() }
                let outcome = try step.take(in: batch, under: rules.schema) { rows, row, id in
                    try rules.takenFields(of: rows, row: row, besides: id, connection)
                } stored: { username in
                    try rules.stored(username, connection)
                } matches: { range in
                    try rules.table.matches(of: rows, range, withValues: batch.wantsStoredProfiles, connection)
                } insert: { row in
                    guard
                        try rules.table.insert(
                            row: row, of: rows, bytes, id: ids.next, schemaVersion: version, with: &insertion)
                    else { return false }
                    ids.next += 1
                    if rules.table.bringsUnjudgedPassword(row, of: rows) { unjudgedPasswords += 1 }
                    return true
                } update: { update in
                    switch try rules.update(update, at: time, connection) {
                    case .updated:
                        ids.addUpdated(update.id)
                        try history.add(update.record(.updated), with: &entry, connection)
                    case .duplicate: return false
                    case .stale: throw ProfileStoreError.corrupt(.changedProfile)
                    }
                    return true
                }
                guard let outcome else { return }
                step = batch.next(after: outcome)
            }
        }
    }

    // MARK: Into an empty table

    /// Inserts new rows into the empty table. The indexes of the table are dropped first, and are created again
    /// afterwards.
    mutating func fillEmptyTable(from load: some BulkLoad, _ connection: borrowing Connection) throws {
        let indexes = try Self.dropIndexes(connection)
        while let rows = load.nextNewRows() { try insert(rows, connection) }
        try Self.makeIndexes(indexes, connection)
    }

    private mutating func insert(_ new: NewRows, _ connection: borrowing Connection) throws(SQLiteError) {
        let rows = new.rows
        let table = rules.table
        let version = Int64(rules.adopted.version)
        var ids = ids
        var unjudgedPasswords: Int64 = 0
        var statement = try connection.prepare(table.insert)
        try table.bindCommon(at: time, schemaVersion: rules.adopted.version, to: &statement)
        try rows.bytes.withUnsafeBufferPointer { bytes throws(SQLiteError) in
            for row in new.new {
                // The table has no unique index now, so no row is refused here. If a value occurs twice, the creation
                // of the unique indexes fails after the last row.
                _ = try table.insert(row: row, of: rows, bytes, id: ids.next, schemaVersion: version, with: &statement)
                ids.next += 1
                if table.bringsUnjudgedPassword(row, of: rows) { unjudgedPasswords += 1 }
            }
        }
        self.ids = ids
        self.unjudgedPasswords += unjudgedPasswords
    }

    /// Drops the indexes that contain every row. The index of invalid profiles is not dropped: it gets no rows, because
    /// all new rows are valid.
    ///
    /// - Returns: The SQL that creates the indexes again.
    private static func dropIndexes(_ connection: borrowing Connection) throws(SQLiteError) -> [String] {
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
        // These are this program's indexes, and plain indexes that other programs added; see `StoreLayout`.
        for index in indexes {
            try connection.run("DROP INDEX \"\(index.name.replacing("\"", with: "\"\""))\"")
        }
        return indexes.map(\.sql)
    }

    private static func makeIndexes(_ indexes: [String], _ connection: borrowing Connection) throws(SQLiteError) {
        // A second thread sorts the entries of an index while the first thread reads the rows.
        connection.setWorkerThreads(1)
        defer { connection.setWorkerThreads(0) }
        for sql in indexes { try connection.run(sql) }
    }
}

/// Decides when a batch ends early, so that waiting writers get their turn.
private struct TurnOfOthers {
    private let earliest: ContinuousClock.Instant?
    private var steps = 0
    private var isTaken = false

    /// Starts to measure the time. If `duration` is nil, the batch never ends early.
    init(after duration: Duration?) { earliest = duration.map { .now + $0 } }

    /// Returns whether the time is over and other writers wait. Returns true only once. Only every 32nd call reads the
    /// clock and checks whether other writers wait.
    mutating func hasCome(_ connection: borrowing Connection) -> Bool {
        guard let earliest, !isTaken else { return false }
        steps += 1
        guard steps % 32 == 0, .now >= earliest, connection.othersWait else { return false }
        isTaken = true
        return true
    }
}
