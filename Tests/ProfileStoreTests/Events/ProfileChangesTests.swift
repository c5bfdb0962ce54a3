import Dispatch
import ProfileCore
import ProfileStore
import ProfileStoreSQLite
import ProfileTesting
import ProfileTransfer
import StoreFixtures
import Testing
import Watchdog

/// R7 and T2: the changes that the listeners of a store receive.
@Suite(.watched) struct ProfileChangesTests {
    private let store: TemporaryStore
    private let sockets: String

    init() throws {
        store = try TemporaryStore()
        sockets = store.directory + "/sockets"
    }

    /// Opens the store. The default interval of an hour is longer than any test, so a listener that receives a change
    /// has heard a beep.
    private func open(
        look interval: Duration = .seconds(3_600), sockets: String? = nil,
        _ change: (inout ProfileRepository.Options) -> Void = { _ in }
    ) async throws -> ProfileRepository {
        try await store.open(
            store.options {
                $0.watchInterval = interval
                $0.runtimeDirectory = sockets ?? self.sockets
                change(&$0)
            })
    }

    @Test func `R7: a listener gets changes as they are committed, from the call on`() async throws {
        let repository = try await open()
        try await repository.register("abel")
        // The stream begins at this call, not at the first `next()`.
        var changes = await repository.changes.stream().makeAsyncIterator()
        try await repository.register("bert")
        let first = try await changes.next()
        #expect(first?.number == 2 && first?.username == "bert")
        async let second = changes.next()
        try await repository.remove("abel")
        #expect(try await second?.kind == .removed)
        await repository.close()
    }

    @Test(.onlyOnSQLite("needs a second process"))
    func `T2: a beep announces the commits of another process here, and the commits of this process there`()
        async throws
    {
        let repository = try await open()
        let child = try ExerciserProcess("watch", store.path, sockets, "0")
        #expect(child.nextLine() == "ready")
        let changes = Task { () -> [ProfileChange] in
            var seen: [ProfileChange] = []
            for try await change in await repository.changes.stream(after: 0) {
                seen.append(change)
                if seen.count == 1 { try await repository.register("second") }
                if seen.count == 2 { break }
            }
            return seen
        }
        try await waitForListeners(2)
        let other = try await open()
        try await other.register("first")
        #expect(try await changes.value.map(\.username) == ["first", "second"])
        #expect(child.nextLine() == "1 registered")
        #expect(child.nextLine() == "2 registered")
        #expect(await child.finish().code == 0)
        await other.close()
        await repository.close()
    }

    @Test(.onlyOnSQLite("uses the sockets between processes"))
    func `T2: if a beep is lost, the change arrives after an interval`() async throws {
        let repository = try await open(look: .milliseconds(10))
        var changes = await repository.changes.stream().makeAsyncIterator()
        // The other repository beeps in another folder, so its beep is not heard here.
        let other = try await open(sockets: store.directory + "/other")
        try await other.register("abel")
        #expect(try await changes.next()?.username == "abel")
        #expect(SmallFile.names(in: sockets).count == 1)
        await other.close()
        await repository.close()
    }

    @Test(.onlyOnSQLite("uses the sockets between processes"))
    func `T2: without a private folder for sockets, a change arrives after an interval`() async throws {
        try SmallFile.write([], to: sockets)
        let repository = try await open(look: .milliseconds(10))
        var changes = await repository.changes.stream().makeAsyncIterator()
        let other = try await open()
        try await other.register("abel")
        #expect(try await changes.next()?.username == "abel")
        await other.close()
        await repository.close()
    }

    @Test(.onlyOnSQLite("uses the sockets between processes"))
    func `R7: a commit beeps at most once, also the commit of an import`() async throws {
        let repository = try await open()
        try await repository.register("abel")
        let beeper = try Beeper(store: store.path, prefix: "profiles", directory: sockets)
        try beeper.register("changes") {}
        let name = try #require(SmallFile.names(in: sockets).first)
        beeper.unregister("changes")
        let socket = try RawSocket(at: "\(sockets)/\(name)")
        let beep = ["profiles.changes"]
        try await repository.register("bert")
        #expect(socket.received() == beep)
        _ = try await repository.edit("bert") { $0["address"] = "2" }
        #expect(socket.received() == beep)
        _ = try await repository.edit("bert") { $0["address"] = "2" }
        #expect(socket.received() == [], "nothing was changed")
        await #expect(throws: ProfileStoreError.duplicate([.username])) { try await repository.register("bert") }
        #expect(socket.received() == [])
        let rows = "username,phone,address\nabel,78761241,3 New St\ncarl,78761241,4 St\n"
        let report = try await repository.importing(rows) { $0.duplicates = .update }
        #expect(report.updated == 1)
        #expect(socket.received() == beep)
        _ = try await repository.importing(rows) {
            $0.duplicates = .update
            $0.isDryRun = true
        }
        #expect(socket.received() == [])
        try await repository.passcodes.create(Secret("parislondon"), for: "abel")
        #expect(socket.received() == beep)
        try await repository.rules.adopt(try People.standard(and: People.email))
        #expect(socket.received() == beep)
        try await repository.remove("bert")
        #expect(socket.received() == beep)
        await repository.close()
    }

    @Test(.onlyOnSQLite("needs a second process"))
    func `R7: no change is missed while four processes write`() async throws {
        let repository = try await open()
        try await repository.register("shared", ["address": "0", "password_hash": People.weakHash])
        let children = try ["a", "b", "c", "d"].map {
            try ExerciserProcess("register-and-edit", store.path, $0, Length.seconds(1, long: 10))
        }
        let changes = Task { () -> [Int64] in
            var numbers: [Int64] = []
            for try await change in await repository.changes.stream(after: 0) {
                numbers.append(change.number)
                if change.kind == .removed { break }
            }
            return numbers
        }
        var count = 0
        for child in children { count += await child.finish().lines.first.flatMap { Int($0) } ?? 0 }
        #expect(count > 0)
        try await repository.remove("shared")
        // The first registration, a registration and an edit for each counted round, and the removal.
        let numbers = try await changes.value
        #expect(numbers == Array(1...Int64(count * 2 + 2)))
        await repository.close()
    }

    @Test func `R7: a slow listener gets missed, and continues from the newest change`() async throws {
        let repository = try await open { $0.mostChanges = 20 }
        try await repository.register("abel")
        var changes = await repository.changes.stream(after: 0).makeAsyncIterator()
        #expect(try await changes.next()?.number == 1)
        for number in 2...60 { _ = try await repository.edit("abel") { $0["address"] = "\(number)" } }
        let missed = try await changes.next()
        #expect(missed?.kind == .missed && missed?.number == 60)
        try await repository.remove("abel")
        let next = try await changes.next()
        #expect(next?.kind == .removed && next?.number == 61)
        await repository.close()
    }

    @Test func `R7, E5: a listener more than a page behind, but within the log, gets every change`() async throws {
        let repository = try await open()
        try await repository.register("abel")
        var changes = await repository.changes.stream(after: 0).makeAsyncIterator()
        #expect(try await changes.next()?.number == 1)
        for number in 2...300 { _ = try await repository.edit("abel") { $0["address"] = "\(number)" } }
        var numbers: [Int64] = []
        while numbers.last != 300, let change = try await changes.next() { numbers.append(change.number) }
        #expect(numbers == Array(2...300))
        await repository.close()
    }

    @Test func `the rules that another process adopts are in force when a listener gets the change`() async throws {
        let repository = try await open()
        var changes = await repository.changes.stream().makeAsyncIterator()
        let other = try await open()
        try await other.rules.adopt(try People.standard(and: People.email))
        #expect(repository.rules.inForce.number == 1)
        #expect(try await changes.next()?.kind == .adopted)
        #expect(repository.rules.inForce.number == 2)
        await other.close()
        await repository.close()
    }

    // MARK: The end

    @Test func `changes end when the task is cancelled, also while it waits`() async throws {
        let repository = try await open()
        try await repository.register("abel")
        let watching = await watching(repository)
        watching.cancel()
        #expect(try await watching.value == 1)
        // A listener that is cancelled from the start gets no change.
        let cancelled = Task { () -> Int in
            await waitUntilCancelled()
            var count = 0
            for try await _ in await repository.changes.stream(after: 0) { count += 1 }
            return count
        }
        cancelled.cancel()
        #expect(try await cancelled.value == 0)
        await repository.close()
    }

    @Test(.onlyOnSQLite("uses the sockets between processes"))
    func `the changes end when the repository is closed, and its socket is removed`() async throws {
        let repository = try await open()
        try await repository.register("abel")
        let watching = await watching(repository)
        #expect(SmallFile.names(in: sockets).count == 1)
        await repository.close()
        #expect(try await watching.value == 1)
        #expect(SmallFile.names(in: sockets) == [])
        var later = await repository.changes.stream(after: 0).makeAsyncIterator()
        #expect(try await later.next() == nil)
        #expect(try await later.next() == nil)
    }

    @Test(.onlyOnSQLite("uses the sockets between processes"))
    func `a repository that is released without being closed removes its socket`() async throws {
        do {
            let repository = try await open()
            try await repository.register("abel")
            var changes = await repository.changes.stream(after: 0).makeAsyncIterator()
            #expect(try await changes.next()?.number == 1)
            #expect(SmallFile.names(in: sockets).count == 1)
        }
        // The thread that heard of the change may let go of the repository a moment later.
        try await waitUntil { SmallFile.names(in: sockets) == [] }
    }

    @Test(.onlyOnSQLite("writes to the tables directly"))
    func `the changes of a damaged store end with an error`() async throws {
        let repository = try await open()
        try store.execute("DROP TABLE changes")
        try store.execute("UPDATE store SET change_number = 5")
        var changes = await repository.changes.stream(after: 0).makeAsyncIterator()
        do {
            _ = try await changes.next()
            Issue.record("no error")
        } catch {
            guard case .database = error.reason else {
                Issue.record("\(error)")
                return
            }
        }
        #expect(try await changes.next() == nil)
        await repository.close()
    }

    /// Counts all changes in a task, and returns the task after its first change.
    private func watching(_ repository: ProfileRepository) async -> Task<Int, any Error> {
        let (started, continuation) = AsyncStream.makeStream(of: Void.self)
        let watching = Task { () throws -> Int in
            var count = 0
            for try await _ in await repository.changes.stream(after: 0) {
                count += 1
                continuation.finish()
            }
            return count
        }
        for await _ in started {}
        return watching
    }

    private func waitForListeners(_ count: Int) async throws {
        try await waitUntil { SmallFile.names(in: sockets).count >= count }
    }
}
