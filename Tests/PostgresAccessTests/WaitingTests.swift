import PostgresAccess
import Synchronization
import Testing
import Watchdog

/// How a wait for a server ends if the server does not answer.
@Suite(.onlyWithPostgres, .watched) struct WaitingTests {
    /// Begins a query in its own task that the server never answers.
    private func endlessQuery(_ pool: ConnectionPool) async throws -> (task: Task<Rows, any Error>, process: Int64) {
        let process = Noted<Int64>()
        let task = Task {
            try await pool.withConnection { connection in
                process.value = try await connection.process
                return try await connection.run("SELECT pg_sleep(600)")
            }
        }
        try await waitUntil { process.value != nil }
        let number = try #require(process.value)
        try await TestServer.waitUntil(number, waitsFor: "PgSleep")
        return (task, number)
    }

    @Test func `E6: a deadline ends a query, and the pool opens another connection`() async throws {
        try await TestServer.withSchema(limit: 1) { (pool) async throws in
            let process = Noted<Int64>()
            let start = ContinuousClock.now
            let error = await problem {
                try await pool.withConnection(until: .now + .seconds(1)) { connection in
                    process.value = try await connection.process
                    try await connection.run("SELECT pg_sleep(600)")
                }
            }
            #expect(error == .timedOut)
            #expect(.now - start >= .seconds(1))
            #expect(.now - start < .seconds(60))
            #expect(try await pool.withConnection { try await $0.process } != process.value)
        }
    }

    @Test func `a call whose deadline is over asks the server nothing`() async throws {
        try await TestServer.withSchema(limit: 1) { (pool) async throws in
            try await pool.withConnection { try await $0.run("CREATE TABLE t (k bigint)") }
            let error = await problem {
                try await pool.withConnection(until: .now) { try await $0.run("INSERT INTO t VALUES (1)") }
            }
            #expect(error == .timedOut)
            #expect(try await pool.withConnection { try await $0.run("SELECT k FROM t") }.isEmpty)
        }
    }

    @Test func `cancelling the task ends a query at once, and costs one connection`() async throws {
        try await TestServer.withSchema(limit: 2) { pool in
            let (task, process) = try await endlessQuery(pool)
            let other = try await pool.withConnection { try await $0.process }
            task.cancel()
            #expect(await task.problem == .cancelled)
            #expect(try await pool.withConnection { try await $0.process } == other)
            #expect(other != process)
        }
    }

    @Test func `a cancelled query ends in the server too`() async throws {
        try await TestServer.withSchema(limit: 1) { pool in
            let (task, process) = try await endlessQuery(pool)
            task.cancel()
            #expect(await task.problem == .cancelled)
            try await TestServer.waitUntilGone(process)
        }
    }

    @Test func `a broken connection answers nothing any more`() async throws {
        try await TestServer.withSchema(limit: 1) { (pool) async throws in
            let first = Noted<PostgresError>()
            let second = Noted<PostgresError>()
            try await pool.withConnection { connection in
                let process = try await connection.process
                async let ended = TestServer.run("SELECT pg_terminate_backend(\(process))")
                first.value = await problem { try await connection.run("SELECT pg_sleep(600)") }
                _ = try await ended
                second.value = await problem { try await connection.run("SELECT 1") }
            }
            for error in [first.value, second.value] {
                guard case .lost? = error else {
                    Issue.record("\(error as Any)")
                    continue
                }
                #expect(error?.mayBeRepeated == true)
            }
        }
    }

    @Test func `when the server ends a session in a query, the idle connections are closed too`() async throws {
        try await TestServer.withSchema(limit: 3) { pool in
            let idle = try await pool.withConnection { connection in
                let first = try await connection.process
                return (first, try await pool.withConnection { try await $0.process })
            }
            #expect(pool.idle == 2)
            let (task, process) = try await endlessQuery(pool)
            #expect(process == idle.0 || process == idle.1)
            #expect(pool.idle == 1)
            try await TestServer.run("SELECT pg_terminate_backend(\(process))")
            guard case .lost(let words)? = await task.problem else {
                Issue.record()
                return
            }
            #expect(!words.isEmpty)
            #expect(pool.idle == 0)
        }
    }

    @Test func `a session that is ended while it is idle is not lent`() async throws {
        try await TestServer.withSchema(limit: 1) { (pool) async throws in
            let process = try await pool.withConnection { try await $0.process }
            try await TestServer.run("SELECT pg_terminate_backend(\(process))")
            try await TestServer.waitUntilGone(process)
            // With a later deadline, the call counts as one that comes long after the last one. Then the pool checks
            // the connection.
            let later = try await pool.withConnection(until: .now + .seconds(90)) { try await $0.process }
            #expect(later != process)
        }
    }

    @Test func `the connection to a server that takes no writes any more is not used again`() async throws {
        try await TestServer.withSchema(limit: 1) { (pool) async throws in
            let process = Noted<Int64>()
            let error = await problem {
                try await pool.withConnection { connection in
                    process.value = try await connection.process
                    try await connection.run("SET default_transaction_read_only = on")
                    try await connection.run("CREATE TABLE t (k bigint)")
                }
            }
            guard case .refused(.readOnlyTransaction, _, _, _)? = error else {
                Issue.record("\(error as Any)")
                return
            }
            #expect(error?.mayBeRepeated == true)
            try await pool.withConnection { connection in
                #expect(try await connection.process != process.value)
                try await connection.run("CREATE TABLE t (k bigint)")
            }
        }
    }

    @Test func `E6: no cooperative thread waits`() async throws {
        let lock = Int64.random(in: 1 ... .max)
        try await TestServer.withSchema(limit: 50) { pool in
            try await TestServer.withSession { holder in
                try await holder.run("SELECT pg_advisory_lock($1::bigint)", [.number(lock)])
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<200 {
                        group.addTask {
                            _ = try await pool.withConnection {
                                try await $0.run("SELECT pg_advisory_xact_lock_shared($1::bigint)", [.number(lock)])
                            }
                        }
                    }
                    try await waitUntil {
                        try await holder.run(
                            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = $1::bigint",
                            [.number(lock & 0xFFFF_FFFF)]
                        ).number(0, 0) == 50 && pool.waiting == 150
                    }
                    // Far more tasks wait than there are threads, and other tasks still run.
                    #expect(await Task.detached { 1 }.value == 1)
                    try await holder.run("SELECT pg_advisory_unlock_all()")
                    try await group.waitForAll()
                }
            }
            #expect(pool.waiting == 0)
        }
    }
}
