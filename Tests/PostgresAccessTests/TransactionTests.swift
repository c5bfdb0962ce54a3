import PostgresAccess
import Testing
import Watchdog

@Suite(.onlyWithPostgres, .watched) struct TransactionTests {
    private struct Broken: Error {}

    private func count(_ pool: ConnectionPool) async throws -> Int64? {
        try await pool.withConnection { try await $0.run("SELECT count(*) FROM t").number(0, 0) }
    }

    @Test func `a transaction commits with its last commands, or by itself at its end`() async throws {
        try await TestServer.withSchema { pool in
            try await pool.withConnection { connection in
                try await connection.run("CREATE TABLE t (k bigint)")
                let answer = try await connection.transaction { transaction in
                    try await transaction.run("INSERT INTO t VALUES (1)")
                    return try await transaction.commit([Command("SELECT count(*) FROM t")])
                }
                #expect(answer.map { $0.number(0, 0) } == [1])
                #expect(try await count(pool) == 1)
                try await connection.transaction { _ = try await $0.run("INSERT INTO t VALUES (2)") }
                #expect(try await count(pool) == 2)
                try await connection.transaction { _ in }
            }
        }
    }

    @Test func `a transaction is undone when its body throws, and the connection can still be used`() async throws {
        try await TestServer.withSchema(limit: 1) { pool in
            let process = try await pool.withConnection { connection in
                try await connection.run("CREATE TABLE t (k bigint)")
                await #expect(throws: Broken.self) {
                    try await connection.transaction { transaction in
                        try await transaction.run("INSERT INTO t VALUES (1)")
                        throw Broken()
                    }
                }
                let state = try await refusal {
                    try await connection.transaction { transaction in
                        try await transaction.run("INSERT INTO t VALUES (1)")
                        try await transaction.run("SELECT 1 / 0")
                    }
                }
                #expect(state == .divisionByZero)
                return try await connection.process
            }
            #expect(try await count(pool) == 0)
            #expect(try await pool.withConnection { try await $0.process } == process)
        }
    }

    @Test func `an error that the body throws after the commit undoes nothing`() async throws {
        try await TestServer.withSchema { pool in
            try await pool.withConnection { connection in
                try await connection.run("CREATE TABLE t (k bigint)")
                await #expect(throws: Broken.self) {
                    try await connection.transaction { transaction in
                        try await transaction.commit([Command("INSERT INTO t VALUES (1)")])
                        throw Broken()
                    }
                }
            }
            #expect(try await count(pool) == 1)
        }
    }

    @Test func `committing a transaction that had failed is an error`() async throws {
        try await TestServer.withSchema { pool in
            try await pool.withConnection { connection in
                try await connection.run("CREATE TABLE t (k bigint)")
                let state = try await refusal {
                    try await connection.transaction { transaction in
                        try await transaction.run("INSERT INTO t VALUES (1)")
                        _ = try? await transaction.run("SELECT 1 / 0")
                        // The server answers this COMMIT with the tag ROLLBACK, and not with an error.
                        try await transaction.commit()
                    }
                }
                #expect(state == .failedTransaction)
                let withMore = try await refusal {
                    try await connection.transaction { transaction in
                        _ = try? await transaction.run("SELECT 1 / 0")
                        try await transaction.commit([Command("INSERT INTO t VALUES (2)")])
                    }
                }
                #expect(withMore == .failedTransaction)
                let last = try await refusal {
                    try await connection.transaction { _ = try await $0.commit([Command("SELECT 1 / 0")]) }
                }
                #expect(last == .divisionByZero)
                #expect(try await count(pool) == 0)
            }
        }
    }

    @Test func `a deferred constraint refuses the COMMIT, so its outcome is known`() async throws {
        try await TestServer.withSchema { pool in
            try await pool.withConnection { connection in
                try await connection.run("CREATE TABLE t (k bigint UNIQUE DEFERRABLE INITIALLY DEFERRED)")
                let state = try await refusal {
                    try await connection.transaction {
                        _ = try await $0.commit([Command("INSERT INTO t VALUES (1), (1)")])
                    }
                }
                #expect(state == .uniqueViolation)
                #expect(try await count(pool) == 0)
            }
        }
    }

    @Test func `a transaction begins with the given statement and commands`() async throws {
        try await TestServer.withSession { connection in
            let level = try await connection.transaction(
                "BEGIN ISOLATION LEVEL REPEATABLE READ", [Command("SET LOCAL work_mem = '7MB'")]
            ) { transaction in
                try await transaction.run([
                    Command("SELECT current_setting('transaction_isolation')"),
                    Command("SELECT current_setting('work_mem')"),
                ]).map { $0.text(0, 0) }
            }
            #expect(level == ["repeatable read", "7MB"])
        }
    }

    @Test func `a connection that is given back inside a transaction is not lent again`() async throws {
        try await TestServer.withSchema(limit: 1) { pool in
            let first = try await pool.withConnection { connection in
                try await connection.run("BEGIN")
                return try await connection.process
            }
            try await pool.withConnection { (connection) async throws in
                #expect(try await connection.process != first)
                #expect(try await connection.transaction { try await $0.run("SELECT 1::bigint") }.number(0, 0) == 1)
            }
        }
    }

    @Test func `a transaction that was refused because of a conflict may be repeated`() async throws {
        try await TestServer.withSchema { pool in
            try await pool.withConnection { connection in
                try await connection.run("CREATE TABLE t AS SELECT 1::bigint AS k")
                do {
                    try await connection.transaction("BEGIN ISOLATION LEVEL REPEATABLE READ") { transaction in
                        try await transaction.run("SELECT k FROM t")
                        _ = try await pool.withConnection { try await $0.run("UPDATE t SET k = 2") }
                        try await transaction.run("UPDATE t SET k = 3")
                    }
                    Issue.record("it went well")
                } catch let error as PostgresError {
                    guard case .refused(.serializationFailure, _, _, _) = error else { throw error }
                    #expect(error.mayBeRepeated)
                }
            }
        }
    }

    @Test(arguments: [
        ("tuple concurrently updated", true), ("tuple concurrently deleted", true), ("cache lookup failed", false),
    ])
    func `an internal error of the server may be repeated only if it is about a concurrent change`(
        message: String, mayBeRepeated: Bool
    ) async throws {
        try await TestServer.withSchema { pool in
            try await pool.withConnection { connection in
                let error = await #expect(throws: PostgresError.self) {
                    try await connection.run("DO 'BEGIN RAISE ''\(message)'' USING ERRCODE = ''XX000''; END'")
                }
                #expect(error?.state == .internalError && error?.mayBeRepeated == mayBeRepeated)
            }
        }
    }
}
