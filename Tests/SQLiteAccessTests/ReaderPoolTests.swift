import SQLiteAccess
import Testing
import Watchdog

@Suite(.watched) struct ReaderPoolTests {
    private let database: TemporaryDatabase

    init() throws { database = try TemporaryDatabase() }

    @Test func `if all connections are in use, another is opened, and the number of idle ones is limited`() throws {
        let writer = try database.connect()
        try insert("a", into: writer)
        let opened = Counter()
        let database = database
        let pool = ReaderPool(mostIdle: 2) {
            opened.add(1)
            return try Connection(database.path, mode: .readOnly)
        }
        #expect(opened.value == 0)
        // The reads are nested. If the innermost read waited for a connection, the test would hang.
        func readAtOnce(_ readers: Int) throws -> Int64 {
            guard readers > 0 else { return 0 }
            return try pool.read { connection in try count(in: connection) + readAtOnce(readers - 1) }
        }
        #expect(try readAtOnce(5) == 5)
        #expect(opened.value == 5)
        #expect(try readAtOnce(2) == 2)
        #expect(opened.value == 5)
        #expect(try readAtOnce(3) == 3)
        #expect(opened.value == 6)
        pool.endReading()
        #expect(try readAtOnce(1) == 1)
        #expect(opened.value == 7)
    }

    @Test func `many tasks read at once`() async throws {
        let writer = try database.connect()
        try insert("a", into: writer)
        let database = database
        let pool = ReaderPool(mostIdle: 2) { try Connection(database.path, mode: .readOnly) }
        let total = try await withThrowingTaskGroup(of: Int64.self) { group in
            for _ in 0..<200 { group.addTask { try pool.read { connection in try count(in: connection) } } }
            return try await group.reduce(0, +)
        }
        #expect(total == 200)
    }

    @Test func `a connection can be used after an error, and opening is retried after a failure`() throws {
        let database = database
        let pool = ReaderPool(mostIdle: 1) { try Connection(database.path, mode: .readOnly) }
        let missing = error {
            try pool.read { connection in _ = try count(in: connection) }
        }
        #expect(missing?.code == .cantOpen)
        _ = try database.connect().walFrames
        let wrong = error {
            try pool.read { connection in try connection.execute("SELECT nothing") }
        }
        #expect(wrong?.code == .error)
        #expect(try pool.read { connection in try count(in: connection) } == 0)
    }
}
