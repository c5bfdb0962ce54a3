import PostgresAccess
import Testing
import Watchdog

@Suite(.onlyWithPostgres, .watched) struct ConnectionTests {
    /// Text of many scripts and with characters of every length in UTF-8, and text with a special meaning in
    /// PostgreSQL.
    private static let texts: [String] = [
        "", " ", "a", "'; DROP TABLE profiles; --", "\\x00", "\\N", "{a,\"b\"}", "\t\r\n\u{B}\u{7F}\u{80}", "é",
        "e\u{301}",
        "K", "日本語", "👩🏽‍🚀🇸🇬", "\u{FEFF}\u{FFFE}\u{FFFF}", "\u{10FFFF}", "\u{D7FF}\u{E000}", "مرحبا", "NULL",
    ]

    @Test func `text comes back as it went`() async throws {
        try await TestServer.withSession { connection in
            for text in Self.texts {
                let rows = try await connection.run("SELECT $1::text, octet_length($1)::bigint", [.text(text)])
                #expect(rows.text(0, 0)?.utf8.elementsEqual(text.utf8) == true)
                #expect(rows.number(0, 1) == Int64(text.utf8.count))
                #expect(!rows.isNull(0, 0))
            }
        }
    }

    @Test func `numbers, flags and NULL come back as they went`() async throws {
        try await TestServer.withSession { connection in
            for number: Int64 in [0, 1, -1, 255, 256, .max, .min] {
                #expect(try await connection.run("SELECT $1::bigint", [.number(number)]).number(0, 0) == number)
            }
            for flag in [true, false] {
                #expect(try await connection.run("SELECT $1::boolean", [.flag(flag)]).flag(0, 0) == flag)
            }
            let rows = try await connection.run(
                "SELECT 32767::smallint, (-32768)::smallint, 2147483647::integer, (-2147483648)::integer, NULL::bigint")
            #expect((0..<4).map { rows.number(0, $0) } == [32_767, -32_768, 2_147_483_647, -2_147_483_648])
            #expect(rows.number(0, 4) == nil)
            let none = try await connection.run(
                "SELECT $1::text, $2::bigint, $3::boolean, $3::boolean IS NULL", [.text(nil), .number(nil), .text(nil)])
            #expect(none.isNull(0, 0) && none.isNull(0, 1) && none.isNull(0, 2))
            #expect(none.text(0, 0) == nil)
            #expect(none.number(0, 1) == nil)
            #expect(none.flag(0, 2) == false)
            #expect(none.flag(0, 3))
            #expect(none.withBytes(0, 0) { $0.count } == nil)
        }
    }

    @Test func `arrays go as one value`() async throws {
        try await TestServer.withSession { connection in
            let numbers: [Int64] = [3, .min, .max, 0, -1]
            let rows = try await connection.run("SELECT unnest($1::bigint[])", [.numbers(numbers)])
            #expect((0..<rows.count).map { rows.number($0, 0) } == numbers)
            let texts: [String?] = Self.texts + [nil, "last"]
            let found = try await connection.run("SELECT unnest($1::text[])", [.texts(texts)])
            #expect((0..<found.count).map { found.text($0, 0) } == texts)
            for values: Values in [[.numbers([]), .texts([])]] {
                let empty = try await connection.run(
                    "SELECT cardinality($1::bigint[])::bigint, $2::text[] = '{}'", values)
                #expect(empty.number(0, 0) == 0)
                #expect(empty.flag(0, 1))
            }
        }
    }

    @Test func `large values go both ways at once`() async throws {
        try await TestServer.withSession { connection in
            let text = String(repeating: "0123456789abcde\n", count: 512 * 1_024)
            let commands = (0..<4).map { Command("SELECT $1::text || '\($0)'", [.text(text)]) }
            for _ in 0..<2 {
                let answers = try await connection.run(commands)
                #expect(answers.enumerated().allSatisfy { $1.text(0, 0) == text + "\($0)" })
            }
            // Small questions with large answers, more of them than any buffer holds.
            let questions = (0..<2_000).map { Command("SELECT repeat('x', 8192) || $1::bigint", [.number(Int64($0))]) }
            let rows = try await connection.run(questions)
            #expect(rows.indices.allSatisfy { rows[$0].text(0, 0)?.hasSuffix("x\($0)") == true })
        }
    }

    @Test func `text that PostgreSQL cannot keep is refused, and never cut`() async throws {
        try await TestServer.withSession { connection in
            for text in ["\u{0}", "a\u{0}", "a\u{0}b"] {
                let state = try await refusal { try await connection.run("SELECT $1::text", [.text(text)]) }
                #expect(state == .invalidEncoding)
                let inArray = try await refusal { try await connection.run("SELECT $1::text[]", [.texts([text])]) }
                #expect(inArray == .invalidEncoding)
            }
            for bytes: [UInt8] in [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x82]] {
                var values = Values()
                values.append(utf8: bytes.span)
                let state = try await refusal { try await connection.run("SELECT $1::text", values) }
                #expect(state == .invalidEncoding)
            }
            #expect(try await connection.run("SELECT 1::bigint").number(0, 0) == 1)
        }
    }

    @Test func `a statement is prepared once per connection, also when a batch contains it twice`() async throws {
        try await TestServer.withSession { connection in
            let sql = ["SELECT $1::bigint + 1", "SELECT $1::bigint + 2"]
            for round: Int64 in 0..<3 {
                let rows = try await connection.run([
                    Command(sql[0], [.number(round)]), Command(sql[1], [.number(round)]),
                    Command(sql[0], [.number(100)]),
                ])
                #expect(rows.map { $0.number(0, 0) } == [round + 1, round + 2, 101])
            }
            let counts = try await connection.run(
                "SELECT count(*) FROM pg_prepared_statements WHERE statement = ANY ($1::text[])", [.texts(sql)])
            #expect(counts.number(0, 0) == 2)
        }
    }

    @Test func `the statements that were used last stay prepared, and the others are deallocated`() async throws {
        try await TestServer.withSession { connection in
            let often = "SELECT 'often'"
            let selectPrepared = "SELECT statement, prepare_time::text FROM pg_prepared_statements"
            func prepared() async throws -> [String: String] {
                // Preparing this one deallocates another one, but only after this one was run.
                try await connection.run(selectPrepared)
                let rows = try await connection.run(selectPrepared)
                let pairs = (0..<rows.count).compactMap { row -> (String, String)? in
                    rows.text(row, 0).flatMap { sql in rows.text(row, 1).map { (sql, $0) } }
                }
                #expect(pairs.count == Set(pairs.map(\.0)).count)
                return Dictionary(pairs) { first, _ in first }
            }
            try await connection.run(often)
            let since = try #require(try await prepared()[often])
            for number: Int64 in 0..<1_000 {
                let rows = try await connection.run("SELECT \(number)::bigint")
                #expect(rows.number(0, 0) == number)
                try await connection.run(often)
            }
            var statements = try await prepared()
            #expect(statements.count == 256)
            #expect(statements[often] == since)
            #expect(statements["SELECT 999::bigint"] != nil && statements["SELECT 1::bigint"] == nil)
            #expect(try await connection.run("SELECT 1::bigint").number(0, 0) == 1)
            // A batch with more statements than stay prepared.
            let many = (0..<600).map { Command("SELECT \($0)::bigint + 1") }
            for _ in 0..<2 {
                let rows = try await connection.run(many)
                #expect(rows.map { $0.number(0, 0) } == (1...600).map { Int64($0) })
            }
            // In a failed transaction the server deallocates no statements. The connection deallocates them later.
            for number in 0..<300 {
                await #expect(throws: PostgresError.self) {
                    try await connection.transaction { transaction in
                        try await transaction.run("SELECT 'new \(number)'")
                        try await transaction.run("SELECT \(number) / 0")
                    }
                }
            }
            try await connection.run(often)
            statements = try await prepared()
            #expect(statements.count <= 256)
        }
    }

    @Test func `a command that fails undoes its batch, and the connection can still be used`() async throws {
        try await TestServer.withSession { connection in
            try await connection.run("CREATE TABLE t (k bigint CONSTRAINT one_each UNIQUE)")
            let insert = "INSERT INTO t VALUES ($1::bigint)"
            let failing: [(Command, SQLState)] = [
                (Command("SELECT 1 / ($1::bigint)", [.number(0)]), .divisionByZero),
                (Command("SELEC"), .syntaxError), (Command("SELECT * FROM nowhere"), .undefinedTable),
                (Command("INSERT INTO t VALUES (7), (7)"), .uniqueViolation),
            ]
            for (command, expected) in failing {
                for _ in 0..<2 {
                    let state = try await refusal {
                        try await connection.run([
                            Command(insert, [.number(1)]), command, Command(insert, [.number(2)]),
                            Command("SELECT 'new in \(expected)'"),
                        ])
                    }
                    #expect(state == expected)
                }
                #expect(try await connection.run("SELECT 'new in \(expected)'").text(0, 0) == "new in \(expected)")
                #expect(try await connection.run("SELECT k FROM t").isEmpty)
            }
            #expect(try await connection.run(insert, [.number(1)]).affectedCount == 1)
            #expect(try await connection.run(insert, [.number(2)]).tag == "INSERT 0 1")
        }
    }

    @Test func `an error says which constraint, and holds no value`() async throws {
        try await TestServer.withSession { connection in
            try await connection.run("CREATE TABLE t (k text CONSTRAINT one_each UNIQUE)")
            try await connection.run("INSERT INTO t VALUES ($1)", [.text("geheim")])
            do {
                try await connection.run("INSERT INTO t VALUES ($1)", [.text("geheim")])
                Issue.record("it was taken")
            } catch let error as PostgresError {
                guard case .refused(.uniqueViolation, _, "one_each", "INSERT INTO t VALUES ($1)") = error else {
                    throw error
                }
                #expect(!"\(error)".contains("geheim"))
            }
        }
    }

    @Test func `a statement whose table has changed is prepared again`() async throws {
        try await TestServer.withSession { connection in
            try await connection.run("CREATE TABLE t AS SELECT 1::bigint AS k")
            #expect(try await connection.run("SELECT * FROM t").number(0, 0) == 1)
            try await connection.run("ALTER TABLE t ALTER k TYPE text USING 'one'")
            #expect(try await refusal { try await connection.run("SELECT * FROM t") } == .featureNotSupported)
            #expect(try await connection.run("SELECT * FROM t").text(0, 0) == "one")
        }
    }

    @Test func `a batch without commands has no answers, and an empty command has an empty tag`() async throws {
        try await TestServer.withSession { (connection) async throws in
            #expect(try await connection.run([]).isEmpty)
            #expect(try await connection.run("").tag == "")
            #expect(connection.parameter("server_encoding") == "UTF8")
            #expect(connection.parameter("nothing") == nil)
        }
    }
}

/// Tests for which a fake server without data is enough.
@Suite(.watched) struct RoundTripTests {
    @Test func `commands and their preparation take one round trip`() async throws {
        let server = try FakeServer()
        let pool = try ConnectionPool(ServerList(server.uri), limit: 1)
        try await pool.withConnection { connection in
            let rows = try await connection.run([Command("a"), Command("b", [.number(1)]), Command("a")])
            #expect(rows.map(\.tag) == ["a", "b", "a"])
            #expect(server.batchCount == 1)
            #expect(server.prepared == ["a", "b"])
            try await connection.run("b")
            #expect(server.batchCount == 2)
            #expect(server.prepared == ["a", "b"])
        }
        pool.close()
    }

    @Test func `a transaction begins with its first commands, and commits with its last`() async throws {
        let server = try FakeServer()
        let pool = try ConnectionPool(ServerList(server.uri), limit: 1)
        try await pool.withConnection { connection in
            let tags = try await connection.transaction("BEGIN", [Command("preface")]) { transaction in
                try await transaction.run([Command("a"), Command("b")]).map(\.tag)
                    + transaction.commit([Command("c")]).map(\.tag)
            }
            #expect(tags == ["a", "b", "c"])
            #expect(server.batchCount == 2)
            #expect(server.prepared == ["BEGIN", "preface", "a", "b", "c", "COMMIT"])
            try await connection.transaction { try await $0.commit([Command("d")]) }
            #expect(server.batchCount == 3)
        }
        pool.close()
    }
}
