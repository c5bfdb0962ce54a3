import RawSQLite
import SQLiteAccess
import Testing
import Watchdog

/// What a statement may do, and for how long.
@Suite(.watched) struct StatementGuardTests {
    private let database: TemporaryDatabase

    init() throws { database = try TemporaryDatabase() }

    // MARK: Time

    /// Runs a statement that would take at least 2⁵⁰ steps.
    private func runForAges(_ connection: borrowing Connection) throws(SQLiteError) {
        for number in 0..<32 { try insert("\(number)", into: connection) }
        let tables = (0..<10).map { "t AS t\($0)" }.joined(separator: ", ")
        try connection.run("SELECT count(*) FROM \(tables)")
    }

    @Test func `a statement whose caller no longer waits ends with an interrupt`() throws {
        let connection = try database.connect()
        let questions = Counter()
        connection.endStatements { questions.add(1) == 100 }
        #expect(error { try runForAges(connection) }?.code == .interrupt)
        #expect(questions.value == 100)
        // The connection is as good as before.
        #expect(try count(in: connection) == 32)
    }

    @Test func `a statement past its time limit ends, and the next statement does not have this limit`() throws {
        let connection = try database.connect()
        let error = error {
            try connection.within(.milliseconds(50)) { try runForAges(connection) }
        }
        #expect(error?.code == .interrupt)
        let questions = Counter()
        connection.endStatements { questions.add(1) == 100 }
        let tables = "t AS a, t AS b, t AS c"
        try connection.run("SELECT count(*) FROM \(tables)")
        #expect(questions.value > 10)
    }

    @Test func `a statement past its deadline continues until another caller waits, and then throws its error`()
        throws
    {
        let connection = try database.connect()
        let questions = Counter()
        #expect(throws: Expired.self) {
            try connection.until(.now, whenAwaited: { questions.add(1) == 100 }, orThrow: Expired()) {
                try runForAges(connection)
            }
        }
        #expect(questions.value == 100)
        // Another reason to end is not taken for the deadline.
        connection.endStatements { questions.add(1) == 200 }
        let error = error {
            do {
                try connection.until(.now + .seconds(3_600), whenAwaited: { true }, orThrow: Expired()) {
                    try connection.run("SELECT count(*) FROM t AS a, t AS b, t AS c, t AS d, t AS e, t AS f")
                }
            } catch let error as SQLiteError {
                throw error
            } catch {
                Issue.record(error)
            }
        }
        #expect(error?.code == .interrupt)
    }

    private struct Expired: Error {}

    @Test func `short statements do not check whether they should end, however many there are`() throws {
        let connection = try database.connect()
        connection.endStatements { true }
        for number in 0..<2_000 { try insert("\(number)", into: connection) }
        for _ in 0..<2_000 { try connection.run("SELECT id FROM t LIMIT 1") }
    }

    @Test func `a read ends when its task is cancelled`() async throws {
        let writer = try database.connect()
        for number in 0..<32 { try insert("\(number)", into: writer) }
        let database = database
        let pool = ReaderPool(mostIdle: 1) { try Connection(database.path, mode: .readOnly) }
        let task = Task {
            error {
                try pool.read { connection in
                    let tables = (0..<10).map { "t AS t\($0)" }.joined(separator: ", ")
                    try connection.run("SELECT count(*) FROM \(tables)")
                }
            }
        }
        task.cancel()
        #expect(await task.value?.code == .interrupt)
        #expect(try pool.read { connection in try count(in: connection) } == 32)
    }

    @Test func `ending all reads interrupts a running read, and later reads succeed`() throws {
        let writer = try database.connect()
        for number in 0..<32 { try insert("\(number)", into: writer) }
        let database = database
        let pool = ReaderPool(mostIdle: 1) { try Connection(database.path, mode: .readOnly) }
        let tables = (0..<10).map { "t AS t\($0)" }.joined(separator: ", ")
        let ended = error {
            try pool.read { connection in
                var statement = try connection.prepare("SELECT * FROM \(tables)")
                while try statement.step() { pool.endReading() }
            }
        }
        #expect(ended?.code == .interrupt)
        try pool.read { connection in
            try connection.run("SELECT count(*) FROM t AS a, t AS b, t AS c")
        }
    }

    // MARK: SQL of the file's own

    @Test(arguments: [
        "CREATE VIEW v AS SELECT 1", "CREATE TRIGGER r AFTER INSERT ON t BEGIN SELECT 1; END",
        "CREATE TEMP VIEW v AS SELECT 1", "CREATE TEMP TABLE v (a)", "CREATE VIRTUAL TABLE v USING fts5(a)",
        "ATTACH ':memory:' AS other", "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT i FROM n",
    ])
    func `no statement makes a view, a trigger or a virtual table, attaches or recurses`(sql: String) throws {
        let connection = try database.connect()
        #expect(error { try connection.execute(sql) }?.code == .authorization)
        #expect(error { try connection.run(sql) }?.code == .authorization)
    }

    @Test func `a view in the place of a table is not read, and a trigger does not run`() throws {
        let connection = try database.connect()
        try insert("a", into: connection)
        let stranger = try RawDatabase(database.file)
        try stranger.execute("CREATE TRIGGER r AFTER INSERT ON t BEGIN SELECT 1; END")
        #expect(error { try insert("b", into: connection) }?.code == .authorization)
        #expect(try count(in: connection) == 1)
        try stranger.execute("DROP TRIGGER r; ALTER TABLE t RENAME TO u; CREATE VIEW t AS SELECT * FROM u")
        #expect(error { _ = try count(in: connection) }?.code == .authorization)
    }

    @Test func `a change of the schema is noticed, by this connection or by another`() throws {
        let connection = try database.connect()
        #expect(try connection.schemaIsAccepted(), "nobody has asked for a certain one")
        try connection.acceptSchema()
        #expect(try count(in: connection) == 0)
        #expect(try connection.schemaIsAccepted())
        #expect(try connection.hasOnlyMetAcceptedSchema())
        try RawDatabase(database.file).execute("CREATE INDEX i ON t (name)")
        #expect(try !connection.schemaIsAccepted())
        #expect(try connection.hasOnlyMetAcceptedSchema(), "no statement has looked")
        #expect(try count(in: connection) == 0)
        #expect(try !connection.hasOnlyMetAcceptedSchema())
        try connection.acceptSchema()
        #expect(try connection.hasOnlyMetAcceptedSchema())
        try connection.execute("DROP INDEX i")
        #expect(try !connection.schemaIsAccepted())
    }

    @Test func `a reader that has met another schema is closed, and another one opened`() throws {
        _ = try database.connect().walFrames
        let opened = Counter()
        let database = database
        let pool = ReaderPool(mostIdle: 1) {
            opened.add(1)
            let connection = try Connection(database.path, mode: .readOnly)
            try connection.acceptSchema()
            return connection
        }
        for _ in 0..<3 { #expect(try pool.read { connection in try count(in: connection) } == 0) }
        #expect(opened.value == 1)
        try RawDatabase(database.file).execute("CREATE INDEX i ON t (name)")
        for _ in 0..<3 { #expect(try pool.read { connection in try count(in: connection) } == 0) }
        #expect(opened.value == 2)
    }

    @Test func `a writer whose schema has changed is opened again before it writes`() async throws {
        _ = try database.connect().walFrames
        let opened = Counter()
        let database = database
        let writer = DatabaseWriter(database.path, command: "test") { _ in
            opened.add(1)
            let connection = try database.connect()
            try connection.acceptSchema()
            return connection
        }
        func write(_ name: String) async throws {
            try await writer.write(waitingAtMost: .seconds(10)) { connection in
                try insert(name, into: connection)
            }
        }
        for name in ["a", "b"] { try await write(name) }
        #expect(opened.value == 1)
        try RawDatabase(database.file).execute("CREATE INDEX i ON t (name)")
        for name in ["c", "d"] { try await write(name) }
        #expect(opened.value == 2)
        await writer.close()
    }
}
