import SQLiteAccess
import Testing
import Watchdog

@Suite(.watched) struct StatementTests {
    private let database: TemporaryDatabase

    init() throws { database = try TemporaryDatabase() }

    @Test func `text comes back byte for byte, NULs and emptiness included`() throws {
        let connection = try Connection(database.path, mode: .create)
        var statement = try connection.prepare("SELECT ?1, ?2, ?3, ?4, length(CAST(?1 AS BLOB)), typeof(?2), ?5")
        let text = "a\u{0}b — ü\u{0}"
        try statement.bind(text, at: 1)
        try statement.bind("", at: 2)
        let bytes: [UInt8] = [0x78, 0, 0x79]
        try statement.bind(text: bytes.span, at: 3)
        try statement.bind(String?.none, at: 4)
        try bytes.withUnsafeBufferPointer { uncopied throws(SQLiteError) in
            try statement.bindUncopied(text: uncopied, at: 5)
            #expect(try statement.step())
            #expect(statement.string(at: 6) == "x\u{0}y")
            statement.reset()
            try statement.bindNull(at: 5)
        }
        #expect(try statement.step())
        #expect(statement.columnCount == 7)
        #expect(statement.string(at: 0) == text)
        #expect(statement.string(at: 1) == "")
        #expect(statement.string(at: 2) == "x\u{0}y")
        #expect(statement.string(at: 3) == nil)
        #expect(statement.isNull(at: 3) == true)
        #expect(statement.integer(at: 4) == Int64(text.utf8.count))
        #expect(statement.string(at: 5) == "text")
        if let span = statement.bytes(at: 0) {
            let isSame = span.withUnsafeBufferPointer { $0.elementsEqual(text.utf8) }
            #expect(isSame)
        } else {
            Issue.record("no bytes")
        }
        let isAbsent = statement.bytes(at: 3) == nil
        #expect(isAbsent)
        #expect(try statement.step() == false)
    }

    @Test func `empty text without a base address is bound as text and not as NULL`() throws {
        let connection = try Connection(database.path, mode: .create)
        var statement = try connection.prepare("SELECT typeof(?1), typeof(?2), typeof(?3)")
        try statement.bind(text: Span<UInt8>(), at: 1)
        try statement.bindUncopied(text: UnsafeBufferPointer(start: nil, count: 0), at: 2)
        #expect(try statement.step())
        #expect(statement.string(at: 0) == "text")
        #expect(statement.string(at: 1) == "text")
        #expect(statement.string(at: 2) == "null")
    }

    @Test func `numbers come back exactly`() throws {
        let connection = try Connection(database.path, mode: .create)
        var statement = try connection.prepare("SELECT ?1, ?2, ?3")
        let numbers = [
            (Int64.min, 0.1), (Int64.max, -Double.greatestFiniteMagnitude), (0, Double.leastNonzeroMagnitude),
        ]
        for (integer, real) in numbers {
            try statement.bind(integer, at: 1)
            try statement.bind(real: real, at: 2)
            try statement.bindNull(at: 3)
            #expect(try statement.step())
            #expect(statement.integer(at: 0) == integer)
            #expect(statement.real(at: 1) == real)
            #expect(statement.isNull(at: 2) == true)
            statement.reset()
        }
    }

    @Test func `a statement that returns to the cache keeps neither values nor an open cursor`() throws {
        let connection = try database.connect()
        try insert("a", into: connection)
        do {
            var statement = try connection.prepare("SELECT name, ?1 FROM t")
            try statement.bind("secret", at: 1)
            #expect(try statement.step())
        }
        // A cursor that is still open would keep the table from being dropped.
        var statement = try connection.prepare("SELECT name, ?1 FROM t")
        #expect(try statement.step())
        #expect(statement.isNull(at: 1) == true)
        statement.reset()
        try connection.execute("DROP TABLE t")
    }

    @Test func `two statements with the same SQL do not disturb each other`() throws {
        let connection = try database.connect()
        for name in ["a", "b", "c"] { try insert(name, into: connection) }
        let sql = "SELECT name FROM t ORDER BY name"
        var outer = try connection.prepare(sql)
        var pairs: [String] = []
        while try outer.step() {
            var inner = try connection.prepare(sql)
            while try inner.step() { pairs.append((outer.string(at: 0) ?? "") + (inner.string(at: 0) ?? "")) }
        }
        #expect(pairs == ["aa", "ab", "ac", "ba", "bb", "bc", "ca", "cb", "cc"])
    }

    @Test func `more statements than the cache holds can be used`() throws {
        let connection = try Connection(database.path, mode: .create)
        var kept = try connection.prepare("SELECT 0")
        for number in 1...300 {
            var statement = try connection.prepare("SELECT \(number)")
            #expect(try statement.step())
            #expect(statement.integer(at: 0) == Int64(number))
        }
        #expect(try kept.step())
        #expect(kept.integer(at: 0) == 0)
    }

    @Test func `SQL that is not exactly one statement is refused`() throws {
        let connection = try database.connect()
        for sql in ["", " -- only words", "SELECT 1; DROP TABLE t", "SELECT 1\u{0}"] {
            let error = error { _ = try connection.prepare(sql).columnCount }
            #expect(error?.code == .misuse, "\(sql)")
        }
        #expect(error { _ = try connection.prepare("SELECT 1;\n").columnCount } == nil)
        #expect(try count(in: connection) == 0)
    }

    @Test func `a value for a parameter that does not exist is refused`() throws {
        let connection = try Connection(database.path, mode: .create)
        var statement = try connection.prepare("SELECT ?1")
        for index in [0, 2, -1, Int.max] {
            #expect(throws: SQLiteError.self) { try statement.bind(1, at: index) }
        }
    }
}
