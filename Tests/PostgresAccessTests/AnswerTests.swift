import PostgresAccess
import ProfileTesting
import Testing
import Watchdog

/// Each question gets its own answer, whatever happens to the questions before it.
@Suite(.onlyWithPostgres, .watched) struct AnswerTests {
    @Test func `after any failures, cancellations and lost connections each question gets its own answer`() async throws
    {
        let seed = SeededGenerator(printingSeedOf: "answers").seed
        try await TestServer.withSchema(limit: 4) { pool in
            try await pool.withConnection { try await $0.run("CREATE TABLE t (k bigint)") }
            let tally = Counter()
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<16 {
                    group.addTask {
                        var random = SeededGenerator(seed: seed &+ UInt64(number))
                        for _ in 0..<rounds(60) {
                            let seed = random.next()
                            let cancelsAfter = random.once(in: 3) ? Int.random(in: 0..<20, using: &random) : nil
                            let question = Task {
                                var random = SeededGenerator(seed: seed)
                                let patience = random.once(in: 8) ? Int.random(in: 0..<20, using: &random) : 600_000
                                try await pool.withConnection(until: .now + .milliseconds(patience)) { connection in
                                    for _ in 0..<4 { tally.add(try await Self.ask(connection, &random)) }
                                }
                            }
                            if let cancelsAfter {
                                for _ in 0..<cancelsAfter { await Task.yield() }
                                question.cancel()
                            }
                            _ = await question.problem
                        }
                    }
                }
            }
            #expect(tally.count > 0)
        }
    }

    /// Runs a few commands in one batch. The server may refuse one of them. Returns the number of answers.
    private static func ask(_ connection: Connection, _ random: inout SeededGenerator) async throws -> Int {
        if random.once(in: 40) { try await connection.run("SELECT pg_terminate_backend(pg_backend_pid())") }
        if random.once(in: 20) {
            let rows = Array("\(random.next() % 1_000)\n".utf8)
            var pieces = [rows, rows]
            let isBad = random.once(in: 2)
            if isBad { pieces.append(Array("x\n".utf8)) }
            let state = try await refusal {
                let count = try await connection.copyIn("COPY t FROM STDIN") { pieces.popLast() }
                #expect(count == 2)
            }
            #expect(state == (isBad ? "22P02" : nil))
        }
        let numbers = (0..<Int.random(in: 0..<6, using: &random)).map { _ in Int64(truncatingIfNeeded: random.next()) }
        let failing = random.once(in: 4) ? Int.random(in: 0...numbers.count, using: &random) : nil
        var commands = numbers.map { number in
            // Some of the answers are long, so they arrive in many pieces.
            Command(
                "SELECT $1::bigint, repeat('x', ($1 & 65535)::integer), '\(number & 31)'",
                [.number(number)])
        }
        if let failing { commands.insert(Command("SELECT 1 / 0"), at: failing) }
        do {
            let rows =
                try await random.once(in: 3)
                ? connection.transaction { try await $0.commit(commands) } : connection.run(commands)
            #expect(failing == nil)
            #expect(rows.map { $0.number(0, 0) } == numbers)
            #expect(rows.map { $0.text(0, 2) } == numbers.map { "\($0 & 31)" })
            return rows.count
        } catch PostgresError.refused(.divisionByZero, _, _, _) {
            #expect(failing != nil)
            return 0
        }
    }
}
