internal import PostgresAccess
internal import ProfileCore
internal import ProfileStore
internal import Threads

extension PostgresEngine {
    func schemaInForce() async throws(ProfileStoreError) -> AdoptedSchema {
        try await session.read { connection in try await rulesInForce(connection).adopted }
    }

    func loginRules() async throws(ProfileStoreError) -> LoginRules {
        try await session.readAtOneMoment { transaction in
            let schemas = try SchemaTable.schemas(in: try await transaction.run(SchemaTable.selectAll))
            let version = try await transaction.run(SchemaTable.selectVersion).number(0, 0)
            guard let inForce = schemas.first(where: { Int64($0.version) == version }) else {
                throw ProfileStoreError.corrupt(.noSchema)
            }
            let rules = inForce.schema[.password]
            let others = schemas.filter { $0.schema[.password] != rules }.map { Int64($0.version) }
            let unjudged = try await transaction.run(Self.selectUnjudged, [.numbers(others)])
            return LoginRules(inForce, haveJudgedPasswords: unjudged.isEmpty)
        }
    }

    /// Finds a password that was not validated by the rules in force. Either the store got only the hash of the
    /// password, or the password was set under one of the schema versions in `$1`.
    private static let selectUnjudged = """
        (SELECT 1 FROM profiles WHERE password_hash IS NOT NULL AND password_is_judged = false LIMIT 1)
        UNION ALL
        (SELECT 1 FROM profiles WHERE password_hash IS NOT NULL AND password_is_judged = true
            AND password_schema_version = ANY ($1::bigint[]) LIMIT 1)
        """

    // MARK: Adopting

    func adopt(
        _ schema: ProfileSchema, expecting version: Int?, _ stamp: WriteStamp
    ) async throws(ProfileStoreError) -> (inForce: AdoptedSchema, version: Int) {
        if let request = stamp.request, let first = try await outcome(of: request, at: stamp.time) {
            return (try await schemaInForce(), try first.answer().get())
        }
        do throws(ProfileStoreError) {
            return try await adoptInSteps(schema, expecting: version, stamp)
        } catch {
            // If the schema was not adopted, its new unique indexes are dropped, because they would still refuse
            // repeated values.
            try? await dropUnwantedIndexes()
            throw error
        }
    }

    /// Puts other rules in force in steps. The first steps create the columns and the indexes. The last step sets the
    /// version in its own transaction. Each step skips the work that other sessions have already done. While an index
    /// of a unique field is created, other sessions can write, because a large table must stay available. As soon as
    /// the index exists, these sessions cannot write repeated values.
    private func adoptInSteps(
        _ schema: ProfileSchema, expecting version: Int?, _ stamp: WriteStamp
    ) async throws(ProfileStoreError) -> (inForce: AdoptedSchema, version: Int) {
        let start = ContinuousClock.now
        var deadline = session.deadline
        func inTime<Value>(
            _ step: () async throws(ProfileStoreError) -> Value
        ) async throws(ProfileStoreError) -> Value { try await CallDeadline.at(deadline, step) }
        while true {
            let schemas = try await inTime { () throws(ProfileStoreError) in
                try await session.read { connection in
                    try SchemaTable.schemas(in: try await connection.run(SchemaTable.selectAll))
                }
            }
            if let inForce = schemas.last, inForce.isSame(as: schema) { break }
            let placed = schema.placed(after: schemas.map(\.schema))
            let began = ContinuousClock.now
            let isPrepared = try await inTime { () throws(ProfileStoreError) in
                try await session.read { connection in
                    do {
                        // No index is created for an adoption that would be refused.
                        if let version {
                            let current = Int(try await connection.run(SchemaTable.selectVersion).number(0, 0) ?? 0)
                            guard version == current else { throw ProfileStoreError.schemaChanged(version: current) }
                        }
                        let hasProfiles = try await !connection.run(ProfileTable.selectAny).isEmpty
                        try schema.requireKey(of: schemas.last?.schema, hasProfiles: hasProfiles)
                        try await Self.prepare(for: placed, connection)
                    } catch let error as ProfileStoreError {
                        // `prepare` may have set a deadline of an hour for its indexes. `proving` gets the usual
                        // deadline.
                        connection.deadline = session.newDeadline
                        try await session.proving(connection) { throw error }
                    }
                    return try await Self.isPrepared(for: placed, SchemaTable.indexes(connection))
                }
            }
            // Creating an index may take an hour. This time does not count as waiting.
            deadline += .now - began
            if isPrepared { break }
            // Another session is creating an index that the schema needs, or has just dropped such an index.
            guard .now < deadline else { throw .busy(holder: nil, waited: .now - start) }
            do { try await Task.sleep(for: .milliseconds(20)) } catch { throw .cancelled }
        }
        return try await inTime { () throws(ProfileStoreError) in
            try await putInForce(schema, expecting: version, stamp, since: start)
        }
    }

    /// Puts a schema in force after its columns and indexes were created.
    private func putInForce(
        _ schema: ProfileSchema, expecting expected: Int?, _ stamp: WriteStamp, since start: ContinuousClock.Instant
    ) async throws(ProfileStoreError) -> (inForce: AdoptedSchema, version: Int) {
        let version: Int = try await change(stamp, isInHistory: false) { transaction in
            let held = try await transaction.run(SchemaTable.hold)
            guard !held.flag(0, 1) else { throw LoadGoesOn() }
            let schemas = try SchemaTable.schemas(in: try await transaction.run(SchemaTable.selectAll))
            guard let inForce = schemas.last else { throw ProfileStoreError.corrupt(.noSchema) }
            try inForce.requireVersion(expected)
            guard !inForce.isSame(as: schema) else { return Written(value: inForce.version) }
            let placed = schema.placed(after: schemas.map(\.schema))
            // Another session may have adopted other rules. Then the fields may need other columns, or that session has
            // dropped an index that its rules do not need.
            let columns = try await SchemaTable.columns(transaction)
            guard placed.openFields.allSatisfy({ columns.contains(ProfileTable.quoted($0.column)) }),
                Self.isPrepared(for: placed, try await SchemaTable.indexes(transaction))
            else { throw ProfileStoreError.busy(holder: nil, waited: .now - start) }
            try await schema.requireKey(
                of: inForce.schema, hasProfiles: !transaction.run(ProfileTable.selectAny).isEmpty)
            let next = try ProfileStoreError.number(after: inForce.version, "the version of the schema")
            return Written(
                value: next, changes: [.adopted],
                last: SchemaTable.putInForce(placed, as: next, at: stamp.time))
        }
        try await dropUnwantedIndexes()
        return (try await schemaInForce(), version)
    }

    /// Creates the columns and indexes that a schema needs.
    ///
    /// - Parameters:
    ///   - schema: The schema.
    ///   - isAlone: Whether no other session can write profiles during the call. If true, indexes are created without
    ///     `CONCURRENTLY`, because `CONCURRENTLY` waits for every transaction of the database.
    ///   - connection: A connection without an open transaction.
    /// - Throws: `tooManyColumns`, `repeatedValues`, and the server's errors.
    static func prepare(
        for schema: ProfileSchema, isAlone: Bool = false, _ connection: Connection
    ) async throws {
        let columns = try await SchemaTable.columns(connection)
        // `columns` contains the dropped columns too, because the server counts them towards its limit.
        let missing = try schema.missingColumns(inTableOf: columns.count, atMost: mostColumns) {
            columns.contains(ProfileTable.quoted($0))
        }
        for column in missing { try await connection.run(ProfileTable.addColumn(column)) }
        try await withoutWaitingForStandbys(connection) {
            connection.deadline = .now + PostgresSession.longestWork
            try await makeIndexes(for: schema, isAlone: isAlone, connection)
        }
    }

    /// Runs `body`. The commits in `body` do not wait for another machine.
    ///
    /// Creating an index may take an hour. If the commit of an index waited for a standby, this process could not
    /// distinguish two cases: the server is still creating the index, or the server is waiting for a standby.
    ///
    /// The indexes still reach another machine. The commit that adopts the rules waits for a standby. In the
    /// write-ahead log, this commit comes after the indexes. So the standby then has the indexes too.
    private static func withoutWaitingForStandbys(
        _ connection: Connection, _ body: () async throws -> Void
    ) async throws {
        try await connection.run("SET synchronous_commit TO local")
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
        do {
            try await connection.run("RESET synchronous_commit")
        } catch {
            connection.discard()
        }
        try outcome.get()
    }

    private static func makeIndexes(
        for schema: ProfileSchema, isAlone: Bool, _ connection: Connection
    ) async throws {
        try await dropInterruptedIndexes(connection)
        let isEmpty = try await connection.run(ProfileTable.selectAny).isEmpty
        let isQuick = isAlone || isEmpty
        for (field, isUnique) in ProfileTable.indexes(of: schema) {
            try await makeIndex(field, isUnique: isUnique, concurrently: !isQuick, connection)
        }
    }

    /// Returns whether `indexes` contains every index that a schema needs, and whether all these indexes are valid.
    static func isPrepared(for schema: ProfileSchema, _ indexes: [SchemaTable.Index]) -> Bool {
        SchemaTable.indexNames(schema).isSubset(of: indexes.lazy.filter(\.isValid).map(\.name))
    }

    /// Creates an index. If another session creates the index at the same time, does nothing.
    private static func makeIndex(
        _ field: FieldRules, isUnique: Bool, concurrently: Bool, _ connection: Connection
    ) async throws {
        let column = field.column
        do throws(PostgresError) {
            try await connection.run(ProfileTable.createIndex(column, isUnique: isUnique, concurrently: concurrently))
        } catch {
            guard case .refused(let state, _, let constraint, _) = error else { throw error }
            if state == .duplicateTable { return }
            guard state == .uniqueViolation else { throw error }
            // If two sessions create the same index at the same time, one of them violates a unique index of
            // `pg_class`.
            guard constraint == ProfileTable.indexName(column, isUnique: isUnique) else { return }
            try await dropInterruptedIndexes(connection)
            let repeated = try await connection.run([ProfileTable.selectRepeated(column)])[0]
            // If no value is repeated any more, the caller tries again.
            guard !repeated.isEmpty else { return }
            throw ProfileStoreError.repeatedValues(
                field.name, (0..<repeated.count).compactMap { repeated.text($0, 0) })
        }
    }

    /// PostgreSQL's maximum number of columns of a table (appendix K of its documentation).
    private static let mostColumns = 1_600

    // MARK: Dropping indexes

    /// Drops the indexes that the rules in force do not need. Such an index belongs to earlier rules, or to rules whose
    /// adoption failed.
    func dropUnwantedIndexes() async throws(ProfileStoreError) {
        try await session.read { connection in
            try await Self.dropIndexes(connection) { transaction in
                let wanted = SchemaTable.indexNames(try await SchemaTable.inForce(transaction).schema)
                return try await SchemaTable.indexes(transaction).filter { !wanted.contains($0.name) }
            }
        }
    }

    /// Drops the invalid indexes. The creation of such an index failed or was interrupted, in this session or in
    /// another session.
    private static func dropInterruptedIndexes(_ connection: Connection) async throws {
        try await dropIndexes(connection) { transaction in
            try await SchemaTable.indexes(transaction).filter { !$0.isValid }
        }
    }

    /// Drops the indexes that `selectUnneeded` returns. An index that a session is building is not dropped.
    ///
    /// After the first selection, another session may complete an index and adopt rules that need the index. A lock on
    /// the row of `store` prevents an adoption. So the indexes are selected a second time under this lock.
    private static func dropIndexes(
        _ connection: Connection, _ selectUnneeded: (Transaction) async throws -> [SchemaTable.Index]
    ) async throws {
        try await connection.transaction { transaction in
            guard try await selectUnneeded(transaction).contains(where: { !$0.isBeingBuilt }) else { return }
            try await transaction.run(SchemaTable.hold)
            for index in try await selectUnneeded(transaction) where !index.isBeingBuilt {
                try await transaction.run("DROP INDEX IF EXISTS \"\(index.name)\"")
            }
        }
    }

    // MARK: Judging again

    func mark(_ marks: [JudgementMark], judgedBy version: Int) async throws(ProfileStoreError) {
        // The rows are locked in the order of ids. So two sessions that mark the same profiles cannot deadlock.
        let marks = marks.sorted { $0.id < $1.id }
        try await session.write(at: options.now()) { transaction, _ in
            try await transaction.run(
                """
                UPDATE profiles SET schema_version = $4, issues = mark.issues
                FROM unnest($1::bigint[], $2::bigint[], $3::text[]) AS mark (id, revision, issues)
                WHERE profiles.id = mark.id AND profiles.revision = mark.revision AND schema_version <= $4
                """,
                [
                    .numbers(marks.map(\.id)), .numbers(marks.map(\.revision)), .texts(marks.map(\.issues)),
                    .number(Int64(version)),
                ])
            return PostgresSession.Outcome(value: ())
        }
    }
}

extension Rows {
    /// Reads a count.
    func count(_ row: Int, _ column: Int) -> Int { Int(number(row, column) ?? 0) }
}
