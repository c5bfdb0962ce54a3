import SQLiteAccess
import Testing
import Watchdog

@Suite(.watched) struct TransactionTests {
    private enum Refusal: Error, Equatable {
        case unwanted
    }

    private let database: TemporaryDatabase

    init() throws { database = try TemporaryDatabase() }

    @Test func `a transaction returns what its body returns and is kept`() throws {
        let connection = try database.connect()
        let changes = try connection.writeTransaction {
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
            try connection.writeTransaction {
                try insert("a", into: connection)
                throw Refusal.unwanted
            }
        }
        #expect(connection.isAutocommit == true)
        #expect(try count(in: connection) == 0)
    }

    @Test func `a commit that fails leaves nothing behind and is thrown as SQLite's error`() throws {
        let connection = try database.connect()
        try connection.execute("CREATE TABLE child (id INTEGER REFERENCES t (id) DEFERRABLE INITIALLY DEFERRED)")
        let error = error {
            try connection.writeTransaction {
                try insert("a", into: connection)
                try connection.execute("INSERT INTO child VALUES (99)")
            }
        }
        #expect(error?.code == .constraintForeignKey)
        #expect(connection.isAutocommit == true)
        #expect(try count(in: connection) == 0)
    }

    @Test func `a transaction within a transaction is refused and the outer one goes on`() throws {
        let connection = try database.connect()
        try connection.writeTransaction {
            try insert("a", into: connection)
            let error = error {
                try connection.writeTransaction {}
            }
            #expect(error?.code == .error)
            #expect(connection.isAutocommit == false)
        }
        #expect(try count(in: connection) == 1)
    }

    @Test func `a savepoint undoes its own part alone`() throws {
        let connection = try database.connect()
        try connection.writeTransaction {
            try insert("a", into: connection)
            try connection.savepoint {
                try insert("b", into: connection)
                #expect(throws: Refusal.unwanted) {
                    try connection.savepoint {
                        try insert("c", into: connection)
                        throw Refusal.unwanted
                    }
                }
                let taken = #expect(throws: SQLiteError.self) {
                    try connection.savepoint {
                        try insert("d", into: connection)
                        try insert("a", into: connection)
                    }
                }
                #expect(taken?.code == .constraintUnique)
            }
        }
        var names: [String] = []
        var statement = try connection.prepare("SELECT name FROM t ORDER BY name")
        while try statement.step() { names += [statement.string(at: 0) ?? ""] }
        #expect(names == ["a", "b"])
    }

    @Test func `a savepoint that cannot be undone alone rolls back the transaction`() throws {
        let connection = try database.connect()
        let error = error {
            try connection.writeTransaction {
                try insert("a", into: connection)
                #expect(throws: Refusal.unwanted) {
                    try connection.savepoint {
                        try insert("b", into: connection)
                        try connection.run("RELEASE inner")
                        throw Refusal.unwanted
                    }
                }
                #expect(connection.isAutocommit == true)
            }
        }
        #expect(error?.code == .error)
        #expect(try count(in: connection) == 0)
    }

    @Test func `a read transaction sees one snapshot`() throws {
        let writer = try database.connect()
        let reader = try Connection(database.path, mode: .readOnly)
        try reader.readTransaction {
            #expect(try count(in: reader) == 0)
            try insert("a", into: writer)
            #expect(try count(in: reader) == 0)
        }
        #expect(try count(in: reader) == 1)
    }

    @Test func `R4: the second of two inserts of the same name gets a uniqueness error`() throws {
        let first = try database.connect()
        let second = try database.connect()
        try insert("a", into: first)
        #expect(error { try insert("a", into: second) }?.code == .constraintUnique)
    }

    @Test func `a reader of an old snapshot keeps a checkpoint incomplete, and no data is lost`() throws {
        let writer = try database.connect()
        let reader = try Connection(database.path, mode: .readOnly)
        try reader.readTransaction {
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
