internal import CPQ
internal import Platform
internal import Synchronization
internal import Threads

/// Opens connections: tries one server after another, each for a while of our own, since libpq would wait for the first
/// one that is frozen as long as that likes.
struct Opening: Sendable {
    let list: ServerList
    let loop: EventLoop
    /// How long a server may take to answer.
    let patience: Duration
    /// For what blocks: looking up a name, reading certificates, asking for tickets.
    private let threads = ThreadPool(threads: 8)

    init(list: ServerList, loop: EventLoop, patience: Duration) {
        self.list = list
        self.loop = loop
        self.patience = patience
    }

    /// Connects to the first server that takes part. Waits without a thread, and no longer than it is told.
    ///
    /// - Parameters:
    ///   - first: The server to begin with.
    ///   - deadline: When to give up.
    /// - Returns: The connection.
    /// - Throws: `unreachable`, with the problem of each server that was tried, `cancelled` or `noResource`.
    func connect(
        beginningWith first: Int, until deadline: ContinuousClock.Instant
    ) async throws(PostgresError) -> Connection {
        var problems: [ServerProblem] = []
        for offset in list.servers.indices {
            let index = (first + offset) % list.servers.count
            let attempt = Attempt(list.servers[index], list.settings(for: list.servers[index]))
            let limit = min(deadline, .now + patience)
            switch try await end(of: attempt, until: limit) {
            case .connected(let handle): return Connection(handle, to: index, self)
            case .failed(let problem): problems.append(problem)
            }
            if ContinuousClock.now >= deadline { break }
        }
        throw .unreachable(problems)
    }

    /// Whether a server answers a new connection in time, whatever it answers. A frozen one accepts it and stays silent.
    func isAnswered(by server: Int, until deadline: ContinuousClock.Instant) async -> Bool {
        let attempt = Attempt(list.servers[server], list.settings(for: list.servers[server]))
        do throws(PostgresError) {
            switch try await end(of: attempt, until: deadline) {
            case .connected(let handle):
                ProcessExit.guarding { PQfinish(handle) }
                return true
            case .failed(let problem): return problem.kind != .timedOut && problem.kind != .unreachable
            }
        } catch {
            // It could not be asked, which says nothing of it.
            return true
        }
    }

    /// Ends the threads; one that is stuck is left to itself.
    func end(within limit: Duration) async { await threads.end(within: limit) }

    private enum End {
        case connected(OpaquePointer)
        case failed(ServerProblem)
    }

    private func end(
        of attempt: Attempt, until deadline: ContinuousClock.Instant
    ) async throws(PostgresError) -> End {
        while true {
            var wake = try await step(attempt, until: deadline)
            if wake == .ready {
                switch attempt.need {
                case .nothing(let handle): return .connected(handle)
                case .input(let socket):
                    wake = await loop.wait(for: socket, orToWrite: false, until: deadline, mayBeCancelled: true)
                case .room(let socket):
                    wake = await loop.wait(for: socket, orToWrite: true, until: deadline, mayBeCancelled: true)
                case .impossible(let problem): return .failed(problem)
                }
            }
            switch wake {
            case .ready: continue
            case .timedOut: return .failed(attempt.problem(.timedOut))
            case .cancelled: throw .cancelled
            case .closed: throw .closed
            }
        }
    }

    /// Has a thread take the next step, without being held up longer than it is told where that thread is.
    private func step(
        _ attempt: Attempt, until deadline: ContinuousClock.Instant
    ) async throws(PostgresError) -> EventLoop.Wake {
        let id = loop.newID()
        let number = attempt.beginStep()
        do throws(ThreadRefusal) {
            try threads.start { [loop] in
                attempt.takeStep()
                loop.wake(id)
            }
        } catch {
            throw if case .noThread(let code) = error { .noResource(code: code) } else { .timedOut }
        }
        return await loop.wait(id, until: deadline) { attempt.stepsTaken == number }
    }
}

/// An attempt to connect to one server, in steps of which each may block.
///
/// `@unchecked Sendable`: a thread has it from the beginning of a step until the count of those that were taken tells the
/// task that the step is over. A task that does not wait for that looks at it no more, and the thread's is then the last
/// reference, which closes what was begun.
private final class Attempt: @unchecked Sendable {
    /// What must come before the next step.
    enum Need {
        case nothing(OpaquePointer)
        case input(Int32)
        case room(Int32)
        case impossible(ServerProblem)
    }

    private let server: ServerList.Server
    private let settings: [(keyword: String, value: String)]
    private var handle: OpaquePointer?
    private var status = PGRES_POLLING_WRITING
    private var stepsBegun = 0
    private let stepCount = Atomic(0)

    init(_ server: ServerList.Server, _ settings: [(keyword: String, value: String)]) {
        self.server = server
        self.settings = settings
    }

    deinit { if let handle { ProcessExit.guarding { PQfinish(handle) } } }

    func beginStep() -> Int {
        stepsBegun += 1
        return stepsBegun
    }

    var stepsTaken: Int { stepCount.load(ordering: .acquiring) }

    /// Blocks the thread, mostly for a moment.
    func takeStep() {
        ProcessExit.guarding { connect() }
        stepCount.add(1, ordering: .releasing)
    }

    private func connect() {
        if handle == nil {
            let keywords = CStrings(settings.map(\.keyword))
            let values = CStrings(settings.map(\.value))
            handle = PQconnectStartParams(keywords.pointers, values.pointers, 0)
            // The code of a refusal stands in its words, and nowhere else.
            PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
            status = PQstatus(handle) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING
        } else {
            status = PQconnectPoll(handle)
        }
    }

    /// What is needed after a step. A connection that needs nothing more is handed over.
    var need: Need {
        guard let handle else { return .impossible(problem(.unreachable, "there is no memory for it")) }
        switch status {
        case PGRES_POLLING_OK:
            self.handle = nil
            return .nothing(handle)
        case PGRES_POLLING_READING: return .input(PQsocket(handle))
        case PGRES_POLLING_WRITING: return .room(PQsocket(handle))
        default:
            let words = PQerrorMessage(handle).map { String(cString: $0) } ?? ""
            return .impossible(ServerProblem(server: server.description, words: words))
        }
    }

    func problem(_ kind: ServerProblem.Kind, _ message: String = "") -> ServerProblem {
        ServerProblem(server: server.description, kind: kind, message: message)
    }
}

extension ServerProblem {
    /// Tells what kind of problem it is by the code that is in libpq's words: `FATAL:  57P03: the database system is …`.
    /// They may have several lines, one for each address of a server, and where the server's own code has found it.
    fileprivate init(server: String, words: String) {
        let lines = words.split(whereSeparator: \.isNewline)
        let line = lines.first { Self.state(in: $0) != nil } ?? lines.first ?? ""
        let kind: Kind =
            switch Self.state(in: line) {
            case .cannotConnectNow?, .tooManyConnections?: .notReady
            case let state? where state.isShutdown: .notReady
            case let state? where state.isRefusal: .refused
            case _?: .failed
            case nil: words.contains("session is") || words.contains("hot standby") ? .notReady : .unreachable
            }
        self.init(server: server, kind: kind, message: String(line))
    }

    /// Five digits and capitals between colons, of which the severity beside them (`FATAL`) has no digit.
    private static func state(in line: Substring) -> SQLState? {
        let parts = line.split(separator: ":").map { $0.drop { $0 == " " } }
        let code = parts.first { part in
            part.utf8.count == 5 && part.utf8.allSatisfy { (48...57).contains($0) || (65...90).contains($0) }
                && part.utf8.contains { (48...57).contains($0) }
        }
        return code.map { SQLState(String($0)) }
    }
}

/// Texts as C takes a list of them: each ends with a zero, and the list with a null pointer.
private final class CStrings {
    let pointers: [UnsafePointer<CChar>?]

    init(_ texts: [String]) { pointers = texts.map { UnsafePointer(strdup($0)) } + [nil] }

    deinit { for pointer in pointers { free(UnsafeMutablePointer(mutating: pointer)) } }
}
