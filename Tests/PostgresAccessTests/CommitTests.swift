import PostgresAccess
import Testing
import Watchdog

/// The outcome of a `COMMIT` whose answer does not arrive, or arrives together with a warning.
@Suite(.onlyWithPostgres, .watched) struct CommitTests {
    /// Makes a table whose transactions wait in COMMIT for a lock, which others may hold.
    private func withSlowCommits(_ body: (_ pool: ConnectionPool, _ lock: Int64) async throws -> Void) async throws {
        let lock = Int64.random(in: 1 ... .max)
        try await TestServer.withSchema { pool in
            try await pool.withConnection { connection in
                try await connection.run("CREATE TABLE t (k bigint)")
                try await connection.run(
                    """
                    CREATE FUNCTION wait_for_lock() RETURNS trigger LANGUAGE plpgsql AS
                    $$ BEGIN PERFORM pg_advisory_xact_lock_shared(\(lock)); RETURN NULL; END $$
                    """)
                try await connection.run(
                    """
                    CREATE CONSTRAINT TRIGGER wait AFTER INSERT ON t DEFERRABLE INITIALLY DEFERRED
                    FOR EACH ROW EXECUTE FUNCTION wait_for_lock()
                    """)
            }
            try await body(pool, lock)
        }
    }

    private func count(_ pool: ConnectionPool) async throws -> Int64? {
        try await pool.withConnection { try await $0.run("SELECT count(*) FROM t").number(0, 0) }
    }

    /// Begins a transaction that inserts a row in its own task, and waits until it is in COMMIT.
    private func commitThatWaits(
        _ pool: ConnectionPool, until deadline: ContinuousClock.Instant = .late
    ) async throws -> (task: Task<Void, any Error>, process: Int64) {
        let process = Noted<Int64>()
        let task = Task {
            try await pool.withConnection(until: deadline) { connection in
                process.value = try await connection.process
                try await connection.transaction { transaction in
                    try await transaction.run("INSERT INTO t VALUES (1)")
                    try await transaction.commit()
                }
            }
        }
        try await waitUntil { process.value != nil }
        let number = try #require(process.value)
        try await TestServer.waitUntil(number, waitsFor: "advisory")
        return (task, number)
    }

    @Test func `E3: cancelling the task does not end a COMMIT`() async throws {
        try await withSlowCommits { pool, lock in
            try await pool.withConnection { holder in
                try await holder.run("SELECT pg_advisory_lock($1::bigint)", [.number(lock)])
                let (task, process) = try await commitThatWaits(pool)
                task.cancel()
                try await TestServer.waitUntil(process, waitsFor: "advisory")
                try await holder.run("SELECT pg_advisory_unlock_all()")
                try await task.value
            }
            #expect(try await count(pool) == 1)
        }
    }

    @Test func `E3: a session that is ended in COMMIT leaves its outcome unknown`() async throws {
        try await withSlowCommits { pool, lock in
            try await pool.withConnection { holder in
                try await holder.run("SELECT pg_advisory_lock($1::bigint)", [.number(lock)])
                let (task, process) = try await commitThatWaits(pool)
                try await TestServer.run("SELECT pg_terminate_backend(\(process))")
                guard case .outcomeUnknown? = await task.problem else {
                    Issue.record("\(await task.result)")
                    return
                }
                try await holder.run("SELECT pg_advisory_unlock_all()")
            }
        }
    }

    @Test func `E3: a COMMIT past its deadline leaves its outcome unknown`() async throws {
        try await withSlowCommits { pool, lock in
            try await pool.withConnection { holder in
                try await holder.run("SELECT pg_advisory_lock($1::bigint)", [.number(lock)])
                let (task, process) = try await commitThatWaits(pool, until: .now + .seconds(10))
                let error = await task.problem
                let isUnknown = if case .outcomeUnknown? = error { true } else { false }
                try #require(isUnknown, "\(error as Any)")
                try await holder.run("SELECT pg_advisory_unlock_all()")
                try await TestServer.waitUntilGone(process)
            }
            // The server ends a session within a second of its client (`client_connection_check_interval`). So the row is
            // stored only if the lock was free before: the outcome is unknown indeed.
            let stored = try await count(pool)
            #expect(stored == 0 || stored == 1)
        }
    }

    @Test func `a COMMIT that was cancelled on the server is refused, so its outcome is known`() async throws {
        try await withSlowCommits { pool, lock in
            try await pool.withConnection { holder in
                try await holder.run("SELECT pg_advisory_lock($1::bigint)", [.number(lock)])
                let (task, process) = try await commitThatWaits(pool)
                try await TestServer.run("SELECT pg_cancel_backend(\(process))")
                guard case .refused(.queryCancelled, _, _, _)? = await task.problem else {
                    Issue.record("\(await task.result)")
                    return
                }
                try await holder.run("SELECT pg_advisory_unlock_all()")
            }
            #expect(try await count(pool) == 0)
        }
    }

    @Test func `a COMMIT that is never sent has a known outcome`() async throws {
        try await withSlowCommits { (pool, _) async throws in
            let late = await problem {
                try await pool.withConnection(until: .now + .seconds(1)) { connection in
                    try await connection.transaction { transaction in
                        try await transaction.run("INSERT INTO t VALUES (1)")
                        try await Task.sleep(for: .seconds(1))
                        try await transaction.commit()
                    }
                }
            }
            #expect(late == .timedOut)
            let task = Task {
                try await pool.withConnection { connection in
                    try await connection.transaction { transaction in
                        try await transaction.run("INSERT INTO t VALUES (1)")
                        withUnsafeCurrentTask { $0?.cancel() }
                        try await transaction.commit()
                    }
                }
            }
            #expect(await task.problem == .cancelled)
            #expect(try await count(pool) == 0)
        }
    }

    @Test(.alone) func `E3: a COMMIT whose wait for a standby was cancelled has an unknown outcome`() async throws {
        try await TestServer.withSchema { pool in
            try await pool.withConnection { connection in
                try await connection.run("CREATE TABLE t (k bigint)")
                // The setting applies to the whole server, so nothing else may commit meanwhile.
                try await connection.run("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
                try await connection.run("SELECT pg_reload_conf()")
                try await waitUntil {
                    try await TestServer.run("SHOW synchronous_standby_names").text(0, 0) == "nobody"
                }
            }
            let process = Noted<Int64>()
            let task = Task {
                try await pool.withConnection { connection in
                    process.value = try await connection.process
                    try await connection.transaction { try await $0.commit([Command("INSERT INTO t VALUES (1)")]) }
                }
            }
            try await waitUntil { process.value != nil }
            let number = try #require(process.value)
            try await TestServer.waitUntil(number, waitsFor: "SyncRep")
            task.cancel()
            try await TestServer.waitUntil(number, waitsFor: "SyncRep")
            try await TestServer.run("SELECT pg_cancel_backend(\(number))")
            let error = await task.problem
            try await TestServer.run("ALTER SYSTEM RESET synchronous_standby_names")
            try await TestServer.run("SELECT pg_reload_conf()")
            try await waitUntil { try await TestServer.run("SHOW synchronous_standby_names").text(0, 0) == "" }
            guard case .outcomeUnknown(let words)? = error else {
                Issue.record("\(error as Any)")
                return
            }
            #expect(words.contains("synchronous replication"))
            // The row is stored, but on this server alone. If the server were lost now, the row would be gone.
            #expect(try await count(pool) == 1)
            #expect(try await pool.withConnection { try await $0.process } != number, "its session is not used again")
        }
    }
}

/// More tests of a lost `COMMIT`, with a fake server that behaves as a real server cannot be made to.
@Suite(.watched) struct LostCommitTests {
    private func outcome(of reaction: FakeServer.Reaction, to statement: String) async throws -> PostgresError? {
        let isSilent = if case .silence = reaction { true } else { false }
        let server = try FakeServer { $0 == statement ? reaction : .tag($0) }
        let pool = try ConnectionPool(ServerList(server.uri), limit: 1)
        defer { pool.close() }
        return await problem {
            try await pool.withConnection(until: isSilent ? .now + .seconds(1) : .late) { connection in
                try await connection.transaction { transaction in
                    try await transaction.run("INSERT")
                    try await transaction.commit([Command("UPDATE")])
                }
            }
        }
    }

    @Test func `a connection that is lost before COMMIT was sent leaves no outcome unknown`() async throws {
        guard case .lost? = try await outcome(of: .hangUp, to: "INSERT") else {
            Issue.record()
            return
        }
        #expect(try await outcome(of: .silence, to: "INSERT") == .timedOut)
    }

    @Test(arguments: ["UPDATE", "COMMIT"])
    func `once COMMIT was sent, its outcome is unknown until the answer arrives`(statement: String) async throws {
        for reaction: FakeServer.Reaction in [.hangUp, .silence, .warning("careful", tag: statement)] {
            guard case .outcomeUnknown? = try await outcome(of: reaction, to: statement) else {
                Issue.record("\(reaction)")
                continue
            }
        }
        for code in ["40001", "23505"] {
            guard case .refused(SQLState(code), _, _, _)? = try await outcome(of: .refusal(code), to: statement) else {
                Issue.record("\(code)")
                continue
            }
        }
    }

    @Test func `a query behind a COMMIT needs no second round trip, and if it fails the outcome is unknown`()
        async throws
    {
        try await withFakeServer {
            $0 == "QUESTION" ? .tag("SELECT 0") : .tag($0)
        } expecting: { pool, server in
            let rows = try await pool.withConnection { connection in
                try await connection.transaction { transaction in
                    try await transaction.run("INSERT")
                    let batches = server.batchCount
                    let rows = try await transaction.commit([Command("UPDATE")], thenAsking: [Command("QUESTION")])
                    #expect(server.batchCount == batches + 1)
                    return rows
                }
            }
            #expect(rows.map(\.tag) == ["UPDATE", "SELECT 0"])
        }
        for reaction: FakeServer.Reaction in [.refusal("57014"), .hangUp] {
            try await withFakeServer {
                $0 == "QUESTION" ? reaction : .tag($0)
            } expecting: { pool, _ in
                let error = await problem {
                    try await pool.withConnection { connection in
                        try await connection.transaction { transaction in
                            try await transaction.commit([Command("UPDATE")], thenAsking: [Command("QUESTION")])
                        }
                    }
                }
                guard case .outcomeUnknown? = error else {
                    Issue.record("\(reaction): \(String(describing: error))")
                    return
                }
            }
        }
    }

    private func withFakeServer(
        _ react: @escaping @Sendable (String) -> FakeServer.Reaction,
        expecting body: (ConnectionPool, FakeServer) async throws -> Void
    ) async throws {
        let server = try FakeServer(.welcome, react)
        let pool = try ConnectionPool(ServerList(server.uri), limit: 1)
        defer { pool.close() }
        try await body(pool, server)
    }

    @Test func `a COMMIT that the server answers with another tag is refused`() async throws {
        guard case .refused(.failedTransaction, _, _, _)? = try await outcome(of: .tag("ROLLBACK"), to: "COMMIT") else {
            Issue.record()
            return
        }
        #expect(try await outcome(of: .tag("COMMIT"), to: "COMMIT") == nil)
    }
}
