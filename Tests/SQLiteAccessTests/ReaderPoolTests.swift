import SQLiteAccess
import Testing
import Watchdog

@Suite(.watched) struct ReaderPoolTests {
    private let database: TemporaryDatabase

    init() throws { database = try TemporaryDatabase() }

    @Test func `more readers than connections wait for their turn`() async throws {
        let writer = try database.connect()
        try insert("a", into: writer)
        let opened = Counter()
        let database = database
        let pool = ReaderPool(mostIdle: 2) {
            opened.add(1)
            return try Connection(database.path, mode: .readOnly)
        }
        #expect(opened.value == 0)
        let total = try await withThrowingTaskGroup(of: Int64.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    try pool.read { connection in try count(in: connection) }
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(total == 200)
        #expect((1...2).contains(opened.value))
        pool.endReading()
        #expect(try pool.read { connection in try count(in: connection) } == 1)
    }

    @Test func `a connection comes back after an error, and one that does not open is tried again`() throws {
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
