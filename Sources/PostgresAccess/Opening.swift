internal import CPQ
internal import Platform
internal import Synchronization
internal import Threads

/// Opens connections. It tries one server after another. Each server has its own time limit, because libpq would wait
/// forever for a frozen server.
struct Opening: Sendable {
    let list: ServerList
    let loop: EventLoop
    /// The time limit for the answer of one server.
    let patience: Duration
    /// The threads for blocking work, such as name resolution, reading certificates and Kerberos.
    private let threads = ThreadPool(threads: 8)

    init(list: ServerList, loop: EventLoop, patience: Duration) {
        self.list = list
        self.loop = loop
        self.patience = patience
    }

    /// Connects to the first usable server. The waiting task occupies no thread.
    ///
    /// - Parameters:
    ///   - first: The index of the server to try first.
    ///   - deadline: The time at which the attempt ends.
    /// - Returns: The connection.
    /// - Throws: `cancelled`, `closed`, `noResource`, `timedOut` or `unreachable`. The error `unreachable` contains the
    ///   problem of each server that was tried.
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

    /// Opens a connection, and returns whether the server answers before the deadline. If the server answers with an
    /// error, this also counts as an answer. A frozen server accepts a connection but does not answer.
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
            // The check itself has failed, so the state of the server is unknown. Then the server is assumed to be
            // alive.
            return true
        }
    }

    /// Ends the threads. A blocked thread cannot be ended and continues to run.
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

    /// Runs the next step on a thread. If that thread blocks, the task waits only until the deadline.
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

/// An attempt to connect to one server. Each of its steps may block.
///
/// `@unchecked Sendable`: only one thread or task uses the attempt at the same time. A thread uses it during a step,
/// and the task uses it between the steps. At the end of a step, the thread stores the step count with release
/// ordering. After that, the task may use the attempt. If the task gives up during a step, it does not use the attempt
/// again. Then the thread has the last reference. When the thread releases this reference, the connection is closed.
private final class Attempt: @unchecked Sendable {
    /// The event that must happen before the next step.
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

    /// Performs the next step. It may block the thread, but usually only for microseconds.
    func takeStep() {
        ProcessExit.guarding { connect() }
        stepCount.add(1, ordering: .releasing)
    }

    private func connect() {
        if handle == nil {
            let keywords = CStrings(settings.map(\.keyword))
            let values = CStrings(settings.map(\.value))
            handle = PQconnectStartParams(keywords.pointers, values.pointers, 0)
            // libpq includes the error code only in the verbose form of its message.
            PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
            status = PQstatus(handle) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING
        } else {
            status = PQconnectPoll(handle)
        }
    }

    /// Returns the event that must happen before the next step. If the connection is ready, the caller becomes its
    /// owner.
    var need: Need {
        guard let handle else { return .impossible(problem(.unreachable, "there is not enough memory")) }
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
    /// Derives the kind of a problem from the error code in libpq's message: `FATAL: 57P03: the database system is …`.
    /// The message may have several lines: one line for each address of the server, and one for the source location of
    /// the error.
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

    /// Finds the error code, which stands between colons. The code has five characters, which are digits or capital
    /// letters. At least one of them is a digit. The word before the code is the severity, such as `FATAL`. It contains
    /// no digit.
    private static func state(in line: Substring) -> SQLState? {
        let parts = line.split(separator: ":").map { $0.drop { $0 == " " } }
        let code = parts.first { part in
            part.utf8.count == 5 && part.utf8.allSatisfy { (48...57).contains($0) || (65...90).contains($0) }
                && part.utf8.contains { (48...57).contains($0) }
        }
        return code.map { SQLState(String($0)) }
    }
}

/// A list of C strings that ends with a null pointer.
private final class CStrings {
    let pointers: [UnsafePointer<CChar>?]

    init(_ texts: [String]) { pointers = texts.map { UnsafePointer(strdup($0)) } + [nil] }

    deinit { for pointer in pointers { free(UnsafeMutablePointer(mutating: pointer)) } }
}
