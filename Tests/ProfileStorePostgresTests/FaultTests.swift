import Linearizability
import Platform
import PostgresAccess
import ProfileCore
import ProfileStore
import ProfileTesting
import StoreFixtures
import Synchronization
import Testing
import Watchdog

/// Faults of the leader in turn, while three processes, four repositories of our own and the command's import write.
@Suite(.onlyWithCluster, .alone, .watched(for: .seconds(300 + 150 * Cluster.faults))) struct FaultTests {
    private static let clock = ContinuousClock()
    private static let limit = Duration.seconds(10)

    @Test func `E4, E5, E6: faults of the leader lose nothing acknowledged, and nothing is done twice`() async throws {
        let store = try PostgresStore(on: Cluster.uri)
        var repositories: [ProfileRepository] = []
        for _ in 0..<4 {
            repositories.append(
                try await store.open {
                    $0.waitLimit = Self.limit
                    $0.mostChanges = 10_000_000
                })
        }
        for name in ["counter0", "counter1", "login"] { try await repositories[0].register(name) }
        let log = FaultLog(start: Self.clock.now)
        let load = Load(log: log, repositories: repositories, uri: try store.uri())
        let processes = try (0..<3).map {
            try ExerciserProcess("register", load.uri, "p\($0)", "2", program: "PostgresExerciser")
        }
        for process in processes { try #require(process.nextLine() == "ready") }
        let watcher = Task { await load.watch() }
        try await withThrowingTaskGroup { group in
            for number in 0..<4 { group.addTask { try await load.register(number) } }
            for number in 0..<2 { group.addTask { try await load.edit(number) } }
            for number in 0..<8 { group.addTask { try await load.mix(number) } }
            group.addTask { try await load.logIn() }
            group.addTask { try await load.registerMany() }
            group.addTask { try await load.importByCommand() }
            do {
                for number in 0..<Cluster.faults {
                    let fault = Cluster.Fault.allCases[number % Cluster.Fault.allCases.count]
                    try await Self.cause(fault, log)
                }
                try await waitUntil { log.changes.count >= (Length.isLong ? 100_000 : 10_000) }
            } catch {
                log.end()
                throw error
            }
            log.end()
            try await group.waitForAll()
        }
        for process in processes { try log.add(await process.finish()) }
        try await check(log, store)
        // All changes are numbered, and the watcher has them. The watcher numbers the changes that it reads, so the
        // test waits for it first.
        let newest = try await repositories[0].statistics().changeNumber
        try await waitUntil { log.changes.last?.number == newest }
        // The other processes keep the log as short as it is by default, so the rows cannot be counted.
        #expect(try await store.number("SELECT count(*) FROM changes WHERE number IS NULL") == 0)
        #expect(try await store.number("SELECT max(number) FROM changes") == newest)
        watcher.cancel()
        await watcher.value
        try Self.check(log.changes, newest)
        let verdict = History(log.operations).verdict()
        if case .refused(let contradiction) = verdict { Issue.record("\(contradiction)") }
        print(log.summary, "\(newest) changes; \(verdict)")
        for repository in repositories { await repository.close() }
    }

    /// Breaks the leader, waits until a write succeeds again, and mends the leader.
    private static func cause(_ fault: Cluster.Fault, _ log: FaultLog) async throws {
        let leader = try await Cluster.leader()
        let before = log.acknowledged.count
        try await waitUntil { log.acknowledged.count > before + 20 }
        try await fault.happens(to: leader)
        let start = clock.now
        // The write is begun and acknowledged after the fault.
        try await waitUntil { log.hasWritten(since: start) }
        let pause = start.duration(to: clock.now)
        print("\(fault) of node \(leader): writes are back after \(pause)")
        #expect(pause < .seconds(30))
        try await fault.isMended(on: leader)
        try await Cluster.waitUntilWhole()
    }

    /// Expects that no change is missed or comes twice, and that the changes of each profile come in order.
    private static func check(_ changes: [ProfileChange], _ newest: Int64) throws {
        #expect(changes.map(\.number) == Array(1...newest))
        var there: Set<Int64> = []
        for change in changes {
            for id in try #require(change.profileIDs) {
                let isInOrder =
                    switch change.kind {
                    case .registered, .imported: there.insert(id).inserted
                    case .removed: there.remove(id) != nil
                    default: there.contains(id)
                    }
                if !isInOrder { Issue.record("\(change) of profile \(id) is out of order") }
            }
        }
    }

    private func check(_ log: FaultLog, _ store: PostgresStore) async throws {
        let rows = try await store.run("SELECT username, revision FROM profiles")
        var revisions: [String: Int64] = [:]
        for row in 0..<rows.count { revisions[rows.text(row, 0) ?? ""] = rows.number(row, 1) }
        #expect(log.acknowledged.filter { revisions[$0] == nil }.isEmpty, "acknowledged and lost")
        #expect(log.notDone.filter { revisions[$0] != nil }.isEmpty, "told as not done, and there")
        for number in 0..<2 {
            let edits = log.edits(of: number)
            let count = try #require(revisions["counter\(number)"]) - 1
            #expect(count >= edits.done && count <= edits.done + edits.unknown, "\(count) edits, \(edits)")
        }
        #expect(
            try await store.number(
                "SELECT count(*) FROM (SELECT 1 FROM changes WHERE kind = 'registered' GROUP BY first_profile_id HAVING count(*) > 1) AS twice"
            )
                == 0)
        #expect(log.longest < Self.limit * 3 + .seconds(2), "a call took \(log.longest)")
    }
}

/// The results that the tasks of a test got.
private final class FaultLog: Sendable {
    private struct State {
        var isOver = false
        var acknowledged: [String] = []
        var notDone: [String] = []
        var edits = [(done: Int64, unknown: Int64)](repeating: (0, 0), count: 2)
        var unknownCount = 0
        var lastBegun: ContinuousClock.Instant
        var longest = Duration.zero
        var logins = 0
        var imports = 0
        var repeatedImports = 0
        var operations: [Linearizability.Operation] = []
        var changes: [ProfileChange] = []
    }

    private let state: Mutex<State>
    private let start: ContinuousClock.Instant

    init(start: ContinuousClock.Instant) {
        self.start = start
        state = Mutex(State(lastBegun: start))
    }

    var isOver: Bool { state.withLock { $0.isOver } }
    var acknowledged: [String] { state.withLock { $0.acknowledged } }
    var notDone: [String] { state.withLock { $0.notDone } }
    var longest: Duration { state.withLock { $0.longest } }
    var operations: [Linearizability.Operation] { state.withLock { $0.operations } }
    /// What the watcher has seen.
    var changes: [ProfileChange] { state.withLock { $0.changes } }

    func edits(of number: Int) -> (done: Int64, unknown: Int64) { state.withLock { $0.edits[number] } }

    /// Whether a write that was begun after this moment was acknowledged.
    func hasWritten(since moment: ContinuousClock.Instant) -> Bool { state.withLock { $0.lastBegun > moment } }

    func end() { state.withLock { $0.isOver = true } }

    func saw(_ change: ProfileChange) { state.withLock { $0.changes.append(change) } }

    func loggedIn() { state.withLock { $0.logins += 1 } }

    /// Nanoseconds since the beginning.
    var now: Int { Int(start.duration(to: .now) / .nanoseconds(1)) }

    func add(_ operation: Linearizability.Operation) { state.withLock { $0.operations.append(operation) } }

    enum Told { case done, unknown, notDone }

    /// Makes a call, and classifies its result.
    ///
    /// - Throws: An error that a fault does not explain.
    func call(_ body: () async throws -> Void) async throws -> Told {
        let begun = ContinuousClock.now
        let told: Told
        do {
            try await body()
            told = .done
        } catch let error as ProfileStoreError {
            told = try Self.told(by: error)
        } catch CredentialError.store(let error) {
            told = try Self.told(by: error)
        }
        state.withLock { state in
            state.longest = max(state.longest, begun.duration(to: .now))
            if told == .done { state.lastBegun = max(state.lastBegun, begun) }
            if told == .unknown { state.unknownCount += 1 }
        }
        return told
    }

    private static func told(by error: ProfileStoreError) throws -> Told {
        switch error.code {
        // A write that is stored on one machine only is lost with this machine.
        case .outcomeUnknown, .storedOnOneMachine: return .unknown
        case .busy, .unavailable, .notDurable: return .notDone
        default: throw error
        }
    }

    func registered(_ names: [String], _ told: Told) {
        state.withLock { state in
            switch told {
            case .done: state.acknowledged += names
            case .notDone: state.notDone += names
            case .unknown: break
            }
        }
    }

    /// Adds the results of another process.
    func add(_ outcome: ExerciserProcess.Outcome) throws {
        try #require(outcome.code == 0, "\(outcome.lines.last ?? "")")
        for line in outcome.lines {
            let words = line.split(separator: " ").map(String.init)
            switch words[0] {
            case "done": registered([words[1]], .done)
            case "unknown": registered([words[1]], .unknown)
            case "refused": registered([words[1]], .notDone)
            case "longest":
                let longest = Duration.milliseconds(try #require(Int(words[1])))
                state.withLock { $0.longest = max($0.longest, longest) }
            default: Issue.record("\(line)")
            }
        }
    }

    func imported(_ names: [String]) {
        registered(names, .done)
        state.withLock { $0.imports += 1 }
    }

    func repeatsImport() { state.withLock { $0.repeatedImports += 1 } }

    func edited(_ number: Int, _ told: Told) {
        state.withLock { state in
            switch told {
            case .done: state.edits[number].done += 1
            case .unknown: state.edits[number].unknown += 1
            case .notDone: break
            }
        }
    }

    var summary: String {
        state.withLock { state in
            """
            \(state.acknowledged.count) registrations and \(state.edits.map(\.done).reduce(0, +)) edits acknowledged, \
            \(state.logins) logins, \(state.imports) imports by the command, of which \(state.repeatedImports) were repeated, \
            \(state.operations.count) operations in the history, \(state.unknownCount) outcomes \
            unknown, \(state.notDone.count) not done; the longest call took \(state.longest);
            """
        }
    }
}

/// What the tasks do until the log is over.
private struct Load: Sendable {
    let log: FaultLog
    let repositories: [ProfileRepository]
    let uri: String

    func register(_ number: Int) async throws {
        let repository = repositories[number % repositories.count]
        var count = 0
        while !log.isOver {
            let name = "t\(number)n\(count)"
            log.registered([name], try await log.call { try await repository.register(name) })
            count += 1
        }
    }

    func registerMany() async throws {
        var count = 0
        while !log.isOver {
            let names = (0..<10).map { "many\(count)x\($0)" }
            let valid = try names.map { try repositories[3].judged(People.draft($0)) }
            let told = try await log.call {
                do throws(StoppedWrite<RegistrationReport>) {
                    #expect(try await repositories[3].register(many: valid).registered == names.count)
                } catch {
                    throw error.error
                }
            }
            log.registered(names, told)
            count += 1
        }
    }

    /// Imports one file after another. Repeats each import until the command says that all of the file is stored.
    func importByCommand() async throws {
        let command = try BuiltProgram.path("profiles")
        let folder = try TemporaryFolder("import")
        let (file, output) = (folder.path + "/people.csv", folder.path + "/output")
        let arguments = [command, "import", file, "--on-duplicate", "skip", "--wait", "10", "--database", uri]
        var count = 0
        while !log.isOver {
            let names = (0..<500).map { "i\(count)x\($0)" }
            let rows = names.map { "\($0),\"\(People.policyHash)\",78761241,x\n" }
            try SmallFile.write(("username,password_hash,phone,address\n" + rows.joined()), to: file)
            while true {
                let process = try ChildProcess(
                    arguments,
                    streams: [
                        1: .file(output, flags: O_WRONLY | O_CREAT | O_TRUNC),
                        2: .file(output, flags: O_WRONLY | O_CREAT | O_TRUNC),
                    ])
                let code = await process.end()
                if code == 0 { break }
                // The store was busy, the outcome is unknown, or no standby has followed the new leader yet.
                let text = SmallFile.text(of: output) ?? ""
                let isQuorumMissing =
                    code == 78 && text.contains("could be lost if one machine fails")
                    || code == 74 && text.contains("on one machine only")
                guard code == 69 || code == 75 || isQuorumMissing else {
                    throw FailedImport(code: code, output: text)
                }
                log.repeatsImport()
            }
            log.imported(names)
            count += 1
        }
    }

    private struct FailedImport: Error {
        let code: Int32
        let output: String
    }

    /// Each profile is edited by one task alone, with a key each time.
    func edit(_ number: Int) async throws {
        var count = 0
        while !log.isOver {
            count += 1
            let address = "\(count)"
            let told = try await log.call {
                _ = try await repositories[number].edit("counter\(number)", key: WriteKey("\(number)-\(count)")) {
                    $0["address"] = address
                }
            }
            log.edited(number, told)
        }
    }

    func logIn() async throws {
        while !log.isOver {
            let told = try await log.call {
                _ = try await repositories[2].sessions.start(People.secret, for: "login")
            }
            if told == .done { log.loggedIn() }
        }
    }

    /// Registers, edits, removes and looks up a few profiles that other tasks use too.
    func mix(_ process: Int) async throws {
        let repository = repositories[process % repositories.count]
        var count = 0
        while !log.isOver {
            count += 1
            let username = "mix\(Int.random(in: 0..<12))"
            let value = "p\(process)n\(count)"
            let call: Linearizability.Operation.Call =
                switch Int.random(in: 0..<8) {
                case 0, 1: .register(value)
                case 2, 3: .edit(value, expecting: nil)
                case 4: .remove
                default: .lookUp
                }
            let outcome = Mutex<Linearizability.Operation.Outcome>(.unknown)
            let invocation = log.now
            let told = try await log.call {
                let result = try await Self.make(call, username, repository)
                outcome.withLock { $0 = result }
            }
            let completion = log.now
            // A call that certainly did nothing is left out.
            if told == .notDone || told == .unknown && call == .lookUp { continue }
            log.add(
                Linearizability.Operation(
                    process: process, username: username, call, outcome.withLock { $0 }, invocation: invocation,
                    completion: completion))
        }
    }

    private static func make(
        _ call: Linearizability.Operation.Call, _ username: String, _ repository: ProfileRepository
    ) async throws -> Linearizability.Operation.Outcome {
        do throws(ProfileStoreError) {
            switch call {
            case .register(let value):
                return .done(revision: Int(try await repository.register(username, ["address": value]).revision))
            case .edit(let value, _):
                return .done(revision: Int(try await repository.edit(username) { $0["address"] = value }.revision))
            case .remove:
                try await repository.remove(username)
                return .done(revision: nil)
            case .lookUp:
                return .found(
                    try await repository.profile(username: username).map {
                        Entry(revision: Int($0.revision), value: $0["address"] ?? "")
                    })
            }
        } catch {
            switch error.code {
            case .duplicate: return .refused(.taken)
            case .notFound: return .refused(.absent)
            default: throw error
            }
        }
    }

    /// Watches until its task is cancelled, and goes on where it was after an error.
    func watch() async {
        while !Task.isCancelled {
            do {
                for try await change in await repositories[0].changes.stream(after: log.changes.last?.number ?? 0) {
                    log.saw(change)
                }
            } catch {
                continue
            }
        }
    }
}
