import ProfileCore
import ProfileStore
import ProfileStoreSQLite
import ProfileTesting
import SQLiteAccess
import StoreFixtures
import Testing
import Watchdog

/// What becomes of a change while another process holds the write lock.
@Suite(.watched) struct WaitingTests {
    private let store: TemporaryStore
    private let repository: ProfileRepository

    init() async throws {
        store = try TemporaryStore()
        repository = try await store.open(registering: ["abel"])
    }

    private func hold() throws -> ExerciserProcess {
        let child = try ExerciserProcess("hold", store.path, "nightly job")
        #expect(child.waitForSign())
        return child
    }

    @Test func `a change that waits too long is told who holds the lock, and has written nothing`() async throws {
        let child = try hold()
        let impatient = try await ProfileRepository.open(
            at: store.path, options: store.options { $0.waitLimit = .milliseconds(200) })
        let start = ContinuousClock.now
        let error = await #expect(throws: ProfileStoreError.self) { try await impatient.register("bert") }
        let elapsed = ContinuousClock.now - start
        guard case .busy(let holder, let waited)? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(holder?.processID == child.processID && holder?.command == "nightly job")
        // The limit covers the whole call. The time before the wait for the lock is taken from the wait.
        #expect(elapsed >= .milliseconds(200))
        #expect(waited >= .milliseconds(100) && waited <= elapsed, "\(waited) of \(elapsed)")
        // Look-ups do not wait for the lock.
        #expect(try await impatient.profile(username: "abel") != nil)
        let credential = await #expect(throws: CredentialError.self) {
            try await impatient.passwords.validate(People.secret, for: "abel")
        }
        guard case .store(let problem)? = credential, case .busy = problem.reason else {
            Issue.record("\(String(describing: credential))")
            return
        }
        _ = await child.finish()
        #expect(try await repository.profile(username: "bert") == nil)
        try await impatient.register("carl")
        #expect(try await repository.usernames() == ["abel", "carl"])
        await impatient.close()
    }

    @Test func `a change whose task is cancelled while it waits writes nothing`() async throws {
        let child = try hold()
        let repository = repository
        let changes: [@Sendable () async throws -> Void] = [
            { try await repository.register("bert") },
            { _ = try await repository.edit("abel") { $0["address"] = "2" } },
            { try await repository.remove("abel") },
            { try await repository.rules.adopt(try People.standard(and: People.email)) },
        ]
        for change in changes {
            let task = Task { try await change() }
            try await WaitingWriters.wait(for: store.path + "-lock")
            task.cancel()
            await #expect(throws: ProfileStoreError.cancelled) { try await task.value }
        }
        _ = await child.finish()
        try await repository.register("carl")
        #expect(try await repository.usernames() == ["abel", "carl"])
        #expect(try await repository.profile(username: "abel")?.revision == 1)
        #expect(repository.rules.inForce.number == 1)
    }

    @Test func `closing does not wait for another process to note when a session was used`() async throws {
        let issued = try await repository.sessions.start(vouchingFor: "abel")
        let child = try hold()
        store.clock.advance(by: .seconds(600))
        #expect(try await repository.sessions.find(issued.token) != nil)
        try await WaitingWriters.wait(for: store.path + "-lock")
        let start = ContinuousClock.now
        await repository.close()
        // Other changes wait for 30 seconds.
        #expect(ContinuousClock.now - start < .seconds(15))
        _ = await child.finish()
    }

    @Test func `changes that wait are made in the order in which they came`() async throws {
        let child = try hold()
        let repository = repository
        async let first = repository.register("bert")
        try await WaitingWriters.wait(for: store.path + "-lock")
        async let second = repository.edit("abel") { $0["address"] = "2" }
        _ = await child.finish()
        #expect(try await first.id == 2)
        #expect(try await second.revision == 2)
    }

    @Test func `a stopped process that waits for the lock does not block a lock that is free`() async throws {
        let holder = try hold()
        let stopped = try ExerciserProcess("hold", store.path, "stopped")
        try await WaitingWriters.wait(for: store.path + "-lock")
        stopped.stop()
        _ = await holder.finish()
        let patient = try await ProfileRepository.open(
            at: store.path, options: store.options { $0.waitLimit = .seconds(20) })
        for name in ["bert", "carl", "dora"] { try await patient.register(name) }
        // The stopped process goes on, and gets the lock.
        stopped.resume()
        #expect(stopped.waitForSign())
        #expect(await stopped.finish().lines == ["eld"])
        try await patient.register("emma")
        #expect(try await repository.usernames() == ["abel", "bert", "carl", "dora", "emma"])
        await patient.close()
    }

    @Test func `a wait for SQLite's own lock ends at the wait limit, and the error says how long it was`() async throws
    {
        let other = try store.connect()
        try other.execute("BEGIN IMMEDIATE")
        let impatient = try await ProfileRepository.open(
            at: store.path, options: store.options { $0.waitLimit = .milliseconds(200) })
        let start = ContinuousClock.now
        let error = await #expect(throws: ProfileStoreError.self) { try await impatient.register("bert") }
        let elapsed = ContinuousClock.now - start
        guard case .busy(holder: nil, let waited)? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        // SQLite waits in steps of up to 100 ms. Without the limit it would wait for ten seconds.
        #expect(waited >= .milliseconds(100) && waited <= elapsed && elapsed < .seconds(8), "\(waited) of \(elapsed)")
        try other.execute("ROLLBACK")
        try await impatient.register("carl")
        await impatient.close()
    }

    @Test func `a call may give up earlier than its repository, also at SQLite's own lock`() async throws {
        let child = try hold()
        for isInside in [false, true] {
            let start = ContinuousClock.now
            let error = await #expect(throws: ProfileStoreError.self) {
                // The limit of the repository is 30 s, and the earlier end of two limits counts.
                try await repository.withWaitLimit(isInside ? .milliseconds(200) : .seconds(20)) {
                    try await repository.withWaitLimit(isInside ? .seconds(20) : .milliseconds(200)) {
                        try await repository.edit("abel") { $0["address"] = "elsewhere" }
                    }
                }
            }
            let elapsed = ContinuousClock.now - start
            guard case .busy(let holder, _)? = error?.reason else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(holder?.processID == child.processID)
            #expect(elapsed >= .milliseconds(150) && elapsed < .seconds(8), "\(elapsed)")
        }
        _ = await child.finish()
        let other = try store.connect()
        try other.execute("BEGIN IMMEDIATE")
        let start = ContinuousClock.now
        let error = await #expect(throws: ProfileStoreError.self) {
            try await repository.withWaitLimit(.milliseconds(200)) { try await repository.register("bert") }
        }
        #expect(error?.code == .busy && .now - start < .seconds(8))
        try other.execute("ROLLBACK")
        // The next call has the limit of its repository again.
        _ = try await repository.withWaitLimit(.milliseconds(200)) { try await repository.register("carl") }
        #expect(try await repository.usernames() == ["abel", "carl"])
    }

    @Test func `a wait for a store that another program has locked exclusively also ends at the wait limit`()
        async throws
    {
        let store = try TemporaryStore()
        await (try store.open()).close()
        let other = try store.connect()
        try other.execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; COMMIT")
        let start = ContinuousClock.now
        let error = await #expect(throws: ProfileStoreError.self) {
            try await ProfileRepository.open(
                at: store.path, options: store.options { $0.waitLimit = .milliseconds(200) })
        }
        let elapsed = ContinuousClock.now - start
        guard case .busy(holder: nil, let waited)? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(waited >= .milliseconds(100) && waited <= elapsed && elapsed < .seconds(8), "\(waited) of \(elapsed)")
        // The other program has had the store until here.
        try other.execute("SELECT 1")
    }
}
