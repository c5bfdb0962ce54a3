import SQLiteAccess
import Synchronization
import Testing
import Watchdog

@Suite(.watched) struct TextFunctionTests {
    private let database: TemporaryDatabase

    init() throws {
        database = try TemporaryDatabase()
        try database.connect().execute("INSERT INTO t (name) VALUES ('Anna'), ('bert'), ('a' || char(0) || 'b'), ('é')")
    }

    private func column(
        _ sql: String, binding text: String? = nil, _ connection: borrowing Connection
    ) throws -> [String] {
        var statement = try connection.prepare(sql)
        if let text { try statement.bind(text, at: 1) }
        var rows: [String] = []
        while try statement.step() { rows.append(statement.string(at: 0) ?? "NULL") }
        return rows
    }

    @Test func `a function prepares its subject once per statement, and is called for each value`() throws {
        let connection = try database.connect()
        let subjects = Mutex<[Int]>([])
        try connection.define(
            TextFunction("longer") { subject in
                let count = subject.count
                subjects.withLock { $0.append(count) }
                return { $0.count > count ? 1 : 0 }
            })
        #expect(
            try column("SELECT id FROM t WHERE longer(?, name) ORDER BY id", binding: "xx", connection) == [
                "1", "2", "3",
            ])
        #expect(subjects.withLock { $0 } == [2])
        #expect(
            try column("SELECT id FROM t WHERE longer(?, name) ORDER BY id", binding: "xxx", connection) == ["1", "2"])
        #expect(subjects.withLock { $0 } == [2, 3])
        #expect(
            try column(
                "SELECT longer('x', 'a', NULL, 'bb'), longer('x', NULL), longer('x', ''), longer('')", connection) == [
                    "1"
                ])
        #expect(try column("SELECT longer('x', NULL, NULL) + longer('x', '') + longer('x')", connection) == ["0"])
        #expect(try column("SELECT longer(NULL, 'a'), longer(3, 'ab')", connection) == ["1"])
    }

    @Test func `a function returns its greatest result, and skips other values after the possible maximum`() throws {
        let connection = try database.connect()
        let texts = Mutex<[Int]>([])
        try connection.define(
            TextFunction("length", greatest: 3) { _ in
                { text in
                    let count = text.count
                    texts.withLock { $0.append(count) }
                    return min(count, 3)
                }
            })
        #expect(try column("SELECT length('', 'a', NULL, 'bb', '')", connection) == ["2"])
        #expect(try column("SELECT length('', 'a', 'cccc', 'bb') + length('')", connection) == ["3"])
        #expect(texts.withLock { $0 } == [1, 2, 0, 1, 4])
    }

    @Test func `the schema in the file cannot call a function`() throws {
        let connection = try database.connect()
        try connection.define(TextFunction("always") { _ in { _ in 1 } })
        #expect(throws: SQLiteError.self) {
            try connection.execute("CREATE TABLE other (x TEXT CHECK (always('', x)))")
            try connection.execute("INSERT INTO other VALUES ('a')")
        }
        #expect(throws: SQLiteError.self) {
            try connection.execute("CREATE INDEX i ON t (name) WHERE always('', name)")
        }
        // Another connection does not know it.
        let other = try database.connect()
        #expect(throws: SQLiteError.self) { try other.run("SELECT always('', '')") }
    }

    @Test func `a collation applies to each order and comparison that names it`() throws {
        let connection = try database.connect()
        try connection.define(
            TextCollation("by_length") { left, right in
                left.count != right.count ? left.count - right.count : 0
            })
        #expect(
            try column("SELECT id FROM t ORDER BY name COLLATE by_length, id DESC", connection) == ["4", "3", "2", "1"])
        #expect(
            try column("SELECT id FROM t WHERE name COLLATE by_length > ? ORDER BY id", binding: "zzz", connection) == [
                "1", "2",
            ])
        #expect(try column("SELECT '' COLLATE by_length < 'a', '' COLLATE by_length = ''", connection) == ["1"])
        #expect(
            try column(
                "SELECT id FROM t WHERE (name COLLATE by_length, id) > (?, 1) ORDER BY id", binding: "zzzz", connection)
                == ["2"])
    }
}
