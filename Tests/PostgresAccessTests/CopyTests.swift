import PostgresAccess
import Testing
import Watchdog

@Suite(.onlyWithPostgres, .watched) struct CopyTests {
    private struct Broken: Error {}

    private static let copy = "COPY t FROM STDIN"

    /// Rows of a number and a text, in the text format of COPY.
    private func rows(_ range: Range<Int>) -> [UInt8] {
        Array(range.map { "\($0)\trow \($0)\n" }.joined().utf8)
    }

    private func pieces(_ rows: [UInt8], of size: Int) -> () -> [UInt8]? {
        var rest = rows[...]
        return {
            guard !rest.isEmpty else { return nil }
            defer { rest = rest.dropFirst(size) }
            return Array(rest.prefix(size))
        }
    }

    private func withTable(_ body: (Connection) async throws -> Void) async throws {
        try await TestServer.withSession { connection in
            try await connection.run("CREATE TABLE t (k bigint PRIMARY KEY, words text NOT NULL)")
            try await body(connection)
        }
    }

    private func count(_ connection: Connection) async throws -> Int64? {
        try await connection.run("SELECT count(*) FROM t").number(0, 0)
    }

    @Test func `hundreds of thousands of rows are copied, whatever the size of the pieces`() async throws {
        try await withTable { (connection) async throws in
            #expect(try await connection.copyIn(Self.copy, pieces(rows(0..<100_000), of: 65_537)) == 100_000)
            #expect(try await connection.copyIn(Self.copy, pieces(rows(100_000..<100_100), of: 1)) == 100)
            #expect(try await connection.copyIn(Self.copy, { nil }) == 0)
            #expect(try await connection.copyIn(Self.copy, pieces(rows(200_000..<700_000), of: .max)) == 500_000)
            let sums = try await connection.run(
                "SELECT count(*), sum(k)::bigint, count(*) FILTER (WHERE words = 'row ' || k) FROM t")
            #expect(sums.number(0, 0) == 600_100)
            #expect(sums.number(0, 1) == Int64((0..<100_100).reduce(0, +) + (200_000..<700_000).reduce(0, +)))
            #expect(sums.number(0, 2) == 600_100)
        }
    }

    @Test func `a source that throws leaves nothing, and the connection goes on`() async throws {
        try await withTable { (connection) async throws in
            for failing in [0, 1, 50] {
                var number = 0
                await #expect(throws: Broken.self) {
                    try await connection.copyIn(Self.copy) {
                        defer { number += 1 }
                        if number == failing { throw Broken() }
                        return rows(number * 2_000..<(number + 1) * 2_000)
                    }
                }
                #expect(try await count(connection) == 0)
            }
            #expect(try await connection.copyIn(Self.copy, pieces(rows(0..<10), of: 10)) == 10)
        }
    }

    @Test func `data that the server refuses leave no row, wherever in the input they are`() async throws {
        try await withTable { (connection) async throws in
            for place in [0, 1_000, 99_999] {
                var bytes = rows(0..<place) + Array("x\ty\n".utf8) + rows(place..<100_000)
                let state = try await refusal {
                    _ = try await connection.copyIn(Self.copy, pieces(bytes, of: 10_000))
                }
                #expect(state == "22P02")
                bytes.removeAll()
                #expect(try await count(connection) == 0)
            }
            let twice = try await refusal {
                _ = try await connection.copyIn(Self.copy, pieces(rows(0..<10) + rows(0..<10), of: 100))
            }
            #expect(twice == .uniqueViolation)
            let zero = try await refusal {
                _ = try await connection.copyIn(Self.copy, pieces(Array("1\ta\u{0}b\n".utf8), of: 99))
            }
            #expect(zero == .invalidEncoding)
            #expect(try await connection.copyIn(Self.copy, pieces(rows(0..<10), of: 10)) == 10)
        }
    }

    @Test func `a COPY that cannot begin is refused`() async throws {
        try await withTable { (connection) async throws in
            let state = try await refusal { _ = try await connection.copyIn("COPY nowhere FROM STDIN", { nil }) }
            #expect(state == .undefinedTable)
            #expect(try await count(connection) == 0)
        }
    }

    @Test func `a COPY is part of the transaction around it`() async throws {
        try await withTable { (connection) async throws in
            await #expect(throws: Broken.self) {
                try await connection.transaction { transaction in
                    try await transaction.run("INSERT INTO t VALUES (-1, 'before')")
                    #expect(try await connection.copyIn(Self.copy, pieces(rows(0..<10), of: 10)) == 10)
                    #expect(try await transaction.run("SELECT count(*) FROM t").number(0, 0) == 11)
                    throw Broken()
                }
            }
            #expect(try await count(connection) == 0)
        }
    }

    @Test func `cancelling ends a COPY, even if the server reads as fast as we write`() async throws {
        try await TestServer.withSchema(limit: 2) { pool in
            try await pool.withConnection { try await $0.run("CREATE TABLE t (k bigint, words text)") }
            let task = Task {
                try await pool.withConnection { connection in
                    var number = 0
                    return try await connection.copyIn(Self.copy) {
                        number += 1
                        if number == 100 { withUnsafeCurrentTask { $0?.cancel() } }
                        return [UInt8]("1\tendless\n".utf8)
                    }
                }
            }
            #expect(await task.problem == .cancelled)
            #expect(try await pool.withConnection { try await self.count($0) } == 0)
        }
    }

    @Test func `a deadline ends a COPY`() async throws {
        try await TestServer.withSchema(limit: 2) { pool in
            try await pool.withConnection { try await $0.run("CREATE TABLE t (k bigint, words text)") }
            let error = await problem {
                try await pool.withConnection(until: .now + .seconds(1)) { connection in
                    try await connection.copyIn(Self.copy) { [UInt8]("1\tendless\n".utf8) }
                }
            }
            #expect(error == .timedOut)
            // Another connection keeps the table locked, so here the COPY waits for the server.
            try await pool.withConnection { holder in
                try await holder.run([Command("BEGIN"), Command("LOCK TABLE t")])
                let error = await problem {
                    try await pool.withConnection(until: .now + .seconds(1)) { connection in
                        try await connection.copyIn(Self.copy) { [UInt8]("1\tendless\n".utf8) }
                    }
                }
                #expect(error == .timedOut)
                try await holder.run("ROLLBACK")
            }
        }
    }
}
