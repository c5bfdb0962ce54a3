import SQLiteAccess
import Testing
import Watchdog

@Suite(.watched) struct TransactionTests {
    private enum Refusal: Error, Equatable, SQLiteErrorConvertible {
        case unwanted
        case sqlite(ResultCode)

        init(_ error: SQLiteError) { self = .sqlite(error.code) }
    }

    private let database: TemporaryDatabase

    init() throws { database = try TemporaryDatabase() }

    private func add(_ name: String, to connection: borrowing Connection) throws(Refusal) {
        do throws(SQLiteError) { try insert(name, into: connection) } catch { throw Refusal(error) }
    }

    @Test func `a transaction returns what its body returns and is kept`() throws {
        let connection = try database.connect()
        let changes = try connection.writeTransaction { () throws(SQLiteError) in
            #expect(connection.isAutocommit == false)
            try insert("a", into: connection)
            return connection.changes
        }
        #expect(changes == 1)
        #expect(connection.isAutocommit == true)
        #expect(connection.walFrames > 0)
        #expect(try count(in: Connection(database.path, mode: .readOnly)) == 1)
    }

    @Test func `a body that throws its own error leaves nothing behind`() throws {
        let connection = try database.connect()
        #expect(throws: Refusal.unwanted) {
            try connection.writeTransaction { () throws(Refusal) in
                try add("a", to: connection)
                throw Refusal.unwanted
            }
        }
        #expect(connection.isAutocommit == true)
        #expect(try count(in: connection) == 0)
    }

    @Test func `a commit that fails leaves nothing behind and is thrown as the body's error`() throws {
        let connection = try database.connect()
        try connection.execute("CREATE TABLE child (id INTEGER REFERENCES t (id) DEFERRABLE INITIALLY DEFERRED)")
        #expect(throws: Refusal.sqlite(.constraintForeignKey)) {
            try connection.writeTransaction { () throws(Refusal) in
                try add("a", to: connection)
                do throws(SQLiteError) { try connection.execute("INSERT INTO child VALUES (99)") } catch {
                    throw Refusal(error)
                }
            }
        }
        #expect(connection.isAutocommit == true)
        #expect(try count(in: connection) == 0)
    }

    @Test func `a transaction within a transaction is refused and the outer one goes on`() throws {
        let connection = try database.connect()
        try connection.writeTransaction { () throws(SQLiteError) in
            try insert("a", into: connection)
            let error = error { () throws(SQLiteError) in
                try connection.writeTransaction { () throws(SQLiteError) in }
            }
            #expect(error?.code == .error)
            #expect(connection.isAutocommit == false)
        }
        #expect(try count(in: connection) == 1)
    }

    @Test func `a savepoint undoes its own part alone`() throws {
        let connection = try database.connect()
        try connection.writeTransaction { () throws(Refusal) in
            try add("a", to: connection)
            try connection.savepoint { () throws(Refusal) in
                try add("b", to: connection)
                #expect(throws: Refusal.unwanted) {
                    try connection.savepoint { () throws(Refusal) in
                        try add("c", to: connection)
                        throw Refusal.unwanted
                    }
                }
                #expect(throws: Refusal.sqlite(.constraintUnique)) {
                    try connection.savepoint { () throws(Refusal) in
                        try add("d", to: connection)
                        try add("a", to: connection)
                    }
                }
            }
        }
        var names: [String] = []
        var statement = try connection.prepare("SELECT name FROM t ORDER BY name")
        while try statement.step() { names += [statement.string(at: 0) ?? ""] }
        #expect(names == ["a", "b"])
    }

    @Test func `a read transaction sees one snapshot`() throws {
        let writer = try database.connect()
        let reader = try Connection(database.path, mode: .readOnly)
        try reader.readTransaction { () throws(SQLiteError) in
            #expect(try count(in: reader) == 0)
            try insert("a", into: writer)
            #expect(try count(in: reader) == 0)
        }
        #expect(try count(in: reader) == 1)
    }

    @Test func `R4: of two who insert the same name one is told that it is taken`() throws {
        let first = try database.connect()
        let second = try database.connect()
        try insert("a", into: first)
        #expect(error { () throws(SQLiteError) in try insert("a", into: second) }?.code == .constraintUnique)
    }

    @Test func `a reader in the way keeps a checkpoint incomplete and loses nothing`() throws {
        let writer = try database.connect()
        let reader = try Connection(database.path, mode: .readOnly)
        try reader.readTransaction { () throws(SQLiteError) in
            _ = try count(in: reader)
            try insert("a", into: writer)
            let checkpoint = try writer.checkpoint(.truncate)
            #expect(!checkpoint.isComplete)
            #expect(checkpoint.walFrames > checkpoint.checkpointedFrames)
        }
        #expect(try writer.checkpoint(.passive).isComplete)
        #expect(try writer.checkpoint(.truncate).isComplete)
        #expect(size(of: database.file + "-wal") == 0)
        #expect(try count(in: reader) == 1)
    }
}
