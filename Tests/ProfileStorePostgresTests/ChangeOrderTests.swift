import PostgresAccess
import ProfileCore
import ProfileStore
import ProfileTesting
import StoreFixtures
import Testing
import Threads
import Watchdog

/// R7: the order and the length of the log of changes, which readers and writers number.
@Suite(.onlyWithPostgres, .watched(for: .seconds(300))) struct ChangeOrderTests {
    private let store: PostgresStore

    init() throws { store = try PostgresStore() }

    /// Simulates a step of the server's clock. The log only compares times, so the method shifts the times of the
    /// changes that have no number yet.
    private func stepClock(by seconds: Int) async throws {
        try await store.run(
            "UPDATE changes SET written_at = written_at - (\(seconds)) * 1000000::bigint WHERE number IS NULL")
    }

    private func log(_ repository: ProfileRepository) async throws -> [ProfileChange] {
        let newest = try await repository.changes.latestNumber
        var log: [ProfileChange] = []
        var changes = await repository.changes.stream(after: 0).makeAsyncIterator()
        while (log.last?.number ?? 0) != newest, let change = try await changes.next() { log.append(change) }
        return log
    }

    private func author(_ phase: Int, _ writer: Int, _ step: Int) throws -> Author {
        try #require(Author("\(phase) \(writer) \(step)"))
    }

    @Test func `R7: after the server's clock has stepped back, an edit comes after the registration`() async throws {
        let repository = try await store.open()
        try await repository.register("abel")
        try await stepClock(by: -3_600)
        _ = try await repository.edit("abel") { $0["address"] = "1" }
        try await stepClock(by: -3_600)
        _ = try await repository.edit("abel") { $0["address"] = "2" }
        try await repository.remove("abel")
        try await stepClock(by: 7_000)
        try await repository.register("abel")
        try await stepClock(by: -1)
        try await repository.rules.adopt(try People.standard(and: People.email))
        let log = try await log(repository)
        #expect(log.map(\.kind) == [.registered, .edited, .edited, .removed, .registered, .adopted])
        #expect(log.map(\.number) == Array(1...6))
        await repository.close()
    }

    @Test(arguments: [Int64.min, -1, .max], [false, true])
    func `R7: a number of the newest change that counting cannot reach is damage`(
        _ number: Int64, isNumbered: Bool
    ) async throws {
        let repository = try await store.open()
        try await repository.register("abel")
        if isNumbered { #expect(try await repository.changes.latestNumber == 1) }
        try await store.run("ALTER TABLE counters DROP CONSTRAINT counters_value_check")
        try await store.run("ALTER TABLE changes DROP CONSTRAINT changes_number_check")
        try await store.run("UPDATE counters SET value = \(number) WHERE name = 'change_number'")
        let error = await #expect(throws: ProfileStoreError.self) { try await repository.changes.latestNumber }
        guard case .corrupt(let what) = try #require(error).reason else {
            Issue.record("\(String(describing: error))")
            return await repository.close()
        }
        #expect(what == .uncounted("change_number"))
        // Writers number changes too, but their writes succeed without it.
        for name in ["zoe", "emil"] { try await repository.register(name) }
        await repository.close()
    }

    @Test func `R7: the log is in the order of commits whatever the server's clock does`() async throws {
        let writers = 4
        var random = SeededGenerator(printingSeedOf: "steps of the server's clock")
        let repository = try await store.open()
        var phases = 0
        for _ in 0..<(Length.isLong ? 200 : 20) {
            phases += 1
            let phase = phases
            try await withThrowingTaskGroup { group in
                for writer in 0..<writers {
                    group.addTask {
                        // Registers one profile alone, or two in a range of ids.
                        let name = "w\(writer)"
                        let drafts = [name, name + "x"].prefix(1 + (phase + writer) % 2).map { People.draft($0) }
                        let people = try drafts.map { try repository.judged($0) }
                        _ = try await repository.register(many: people, by: try author(phase, writer, 0))
                        for step in 1...2 {
                            _ = try await repository.edit(name, by: try author(phase, writer, step)) {
                                $0["address"] = "\(step)"
                            }
                        }
                        for (step, draft) in drafts.enumerated() {
                            try await repository.remove(
                                draft["username"]?.text ?? "", by: try author(phase, writer, 3 + step))
                        }
                    }
                }
                try await group.waitForAll()
            }
            // Now and then a reader numbers the changes.
            if Int.random(in: 0..<4, using: &random) == 0 { _ = try await repository.changes.latestNumber }
            try await stepClock(by: Int.random(in: -7_200...7_200, using: &random))
        }
        let authors = try await log(repository).map { change in
            try #require(change.author).split(separator: " ").compactMap { Int($0) }
        }
        #expect(authors.count > phases * writers * 4)
        // Each phase had ended before the next one began.
        #expect(authors.map { $0[0] } == authors.map { $0[0] }.sorted())
        for writer in 0..<writers {
            let steps = authors.filter { $0[1] == writer }.map { $0[0] * 10 + $0[2] }
            #expect(steps == steps.sorted())
        }
        await repository.close()
    }

    // MARK: Its length

    /// Adds changes to the log that no reader has seen yet.
    private func addUnread(_ count: Int) async throws {
        try await store.run(
            """
            INSERT INTO changes (write, part, written_at, kind, first_profile_id, last_profile_id, changed_at)
            SELECT 'unread ' || n, 0, n, 'registered', n, n, 0 FROM generate_series(1, \(count)) AS n
            """)
    }

    private func length() async throws -> Int64 { try await store.number("SELECT count(*) FROM changes") }

    @Test func `R7: a reader numbers a log that was not read for long in steps, and each step is kept`() async throws {
        let repository = try await store.open()
        try await addUnread(100_000)
        var failures = 0
        var number: Int64?
        while number == nil, failures < 100 {
            do {
                number = try await CallDeadline.within(.milliseconds(500)) { try await repository.changes.latestNumber }
            } catch {
                failures += 1
            }
        }
        print("100,000 changes were numbered after \(failures) calls that had no time")
        #expect(number == 100_000)
        #expect(try await length() == 10_000)
        await repository.close()
    }

    @Test func `R7: housekeeping numbers and shortens a log without readers`() async throws {
        let repository = try await store.open { $0.mostChanges = 100 }
        try await addUnread(5_000)
        try await repository.removeExpired()
        #expect(try await length() == 100)
        #expect(try await store.number("SELECT min(number) FROM changes") == 4_901)
        await repository.close()
    }

    @Test func `R7: one write of many changes leaves no longer log than many writes`() async throws {
        let repository = try await store.open { $0.mostChanges = 200 }
        let people = try (0..<1_500).map { try repository.judged(People.draft("p\($0)")) }
        _ = try await repository.register(many: people)
        #expect(try await repository.remove(matching: ProfileQuery()).removed == 1_500)
        #expect(try await length() <= 400)
        #expect(try await repository.changes.latestNumber >= 1_501)
        await repository.close()
    }
}
