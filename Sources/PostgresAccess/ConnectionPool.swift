internal import Synchronization
internal import Threads

/// Connections to one database, lent to the tasks of a process: at most so many at once, opened when they are needed.
package final class ConnectionPool: Sendable {
    private struct State {
        var idle: [Connection] = []
        /// Those that are idle, lent, or being opened.
        var count = 0
        /// Who waits, in turn; while somebody does, nothing is idle.
        var waiting: [EventLoop.WaitID] = []
        /// What was given to those whose turn has come, until they take it.
        var given: [EventLoop.WaitID: Turn] = [:]
        /// The server that was reached last.
        var lastServer = 0
        /// Whether any server was ever reached.
        var wasReached = false
        var isClosed = false
    }

    /// What somebody whose turn has come goes on with.
    private enum Turn {
        case connection(Connection)
        /// Room for one more, to be opened.
        case place
    }

    package let list: ServerList
    private let limit: Int
    let loop: EventLoop
    private let opening: Opening
    private let state = Mutex(State())

    /// Makes a pool without opening anything yet.
    ///
    /// - Parameters:
    ///   - list: The servers.
    ///   - limit: The most connections, at least one.
    ///   - patience: How long a server may take to answer when a connection is opened.
    /// - Throws: `noResource`.
    package init(_ list: ServerList, limit: Int, patience: Duration = .seconds(2)) throws(PostgresError) {
        _ = ProcessExit.isPrepared
        self.list = list
        self.limit = max(1, limit)
        loop = try EventLoop()
        opening = Opening(list: list, loop: loop, patience: patience)
    }

    deinit { loop.close() }

    /// How many tasks wait for their turn.
    package var waiting: Int { state.withLock { $0.waiting.count } }

    /// Lends a connection to `body`; every wait within it ends at the deadline.
    ///
    /// A connection of which answers are missing, or in whose transaction `body` has ended, is closed.
    @discardableResult
    package func withConnection<Value>(
        until deadline: ContinuousClock.Instant, _ body: (Connection) async throws -> Value
    ) async throws -> Value {
        let connection = try await take(until: deadline)
        connection.deadline = deadline
        connection.mayBeCancelled = true
        defer { giveBack(connection) }
        return try await body(connection)
    }

    /// How many connections are idle.
    package var idle: Int { state.withLock { $0.idle.count } }

    /// Closes what is idle, and what is lent as soon as it comes back. Nothing is lent any more.
    package func close() {
        let (idle, waiting) = state.withLock { state in
            state.isClosed = true
            state.count -= state.idle.count
            defer {
                state.idle = []
                state.waiting = []
            }
            return (state.idle, state.waiting)
        }
        for id in waiting { loop.wake(id) }
        // They are closed here, and not while the state is locked.
        _ = consume idle
    }

    /// Closes the pool, ends every wait of those who have a connection, and returns once nothing of it is left: neither a
    /// connection nor a thread, unless that takes longer than `limit`.
    package func end(within limit: Duration = .seconds(1)) async {
        close()
        let deadline = ContinuousClock.now + limit
        loop.close()
        // A task of its own is not cancelled with the one that closes, so it sleeps.
        await Task {
            while state.withLock({ $0.count }) > 0, .now < deadline { try? await Task.sleep(for: .milliseconds(1)) }
        }.value
        await opening.end(within: limit)
        loop.join()
    }

    /// Whether the server that was reached last answers in time.
    package func isAnswered(until deadline: ContinuousClock.Instant) async -> Bool {
        await opening.isAnswered(by: state.withLock { $0.lastServer }, until: deadline)
    }

    // MARK: Lending

    private func take(until deadline: ContinuousClock.Instant) async throws(PostgresError) -> Connection {
        if Task.isCancelled { throw .cancelled }
        switch try await turn(until: deadline) {
        case .connection(let connection): return connection
        case .place: return try await open(until: deadline)
        }
    }

    /// Waits for a connection that somebody gives back, or for room to open one.
    private func turn(until deadline: ContinuousClock.Instant) async throws(PostgresError) -> Turn {
        let id = loop.newID()
        if let turn = try turnAtOnce(orWaitingAs: id, until: deadline) { return turn }
        let wait = WaitingTime.begin()
        defer { wait?.end() }
        let wake = await loop.wait(id, until: deadline) {
            state.withLock { $0.given[id] != nil || $0.isClosed }
        }
        let (given, isClosed) = state.withLock { state in
            let given = state.given.removeValue(forKey: id)
            if given == nil { state.waiting.removeAll { $0 == id } }
            return (given, state.isClosed)
        }
        if wake != .cancelled, !isClosed, let given { return given }
        if let given { give(given) }
        throw isClosed ? .closed : wake == .cancelled ? .cancelled : .timedOut
    }

    private func turnAtOnce(
        orWaitingAs id: EventLoop.WaitID, until deadline: ContinuousClock.Instant
    ) throws(PostgresError) -> Turn? {
        var ended: [Connection] = []
        // They are closed here, and not while the state is locked.
        defer { ended = [] }
        return try state.withLock { state throws(PostgresError) -> Turn? in
            guard !state.isClosed else { throw .closed }
            while let connection = state.idle.popLast() {
                // Whether its session has ended costs a question to the system, which one that was lent just now is spared:
                // by their deadlines, so that nobody has to look at the clock.
                let wasJustLent = connection.deadline <= deadline && deadline < connection.deadline + Self.fresh
                guard !wasJustLent, connection.hasUnreadInput else { return .connection(connection) }
                state.count -= 1
                ended.append(connection)
            }
            if state.count < limit {
                state.count += 1
                return .place
            }
            state.waiting.append(id)
            return nil
        }
    }

    /// Gives a turn to whoever has waited longest, or keeps it.
    private func give(_ turn: Turn) {
        let next = state.withLock { state -> EventLoop.WaitID? in
            if !state.waiting.isEmpty {
                let next = state.waiting.removeFirst()
                state.given[next] = turn
                return next
            }
            if case .connection(let connection) = turn, !state.isClosed {
                state.idle.append(connection)
            } else {
                state.count -= 1
            }
            return nil
        }
        if let next { loop.wake(next) }
    }

    private func giveBack(_ connection: Connection) {
        // Others that are idle may be connected to what has just gone, or is the leader no more.
        if connection.hasLostItsServer { closeIdle(of: connection.server) }
        let isUsable = !connection.isBroken && !connection.isInTransaction && !connection.hasLostItsServer
        give(isUsable ? .connection(connection) : .place)
    }

    private func closeIdle(of server: Int) {
        let closed = state.withLock { state in
            if state.lastServer == server { state.lastServer = (server + 1) % list.servers.count }
            let closed = state.idle.filter { $0.server == server }
            state.idle.removeAll { $0.server == server }
            state.count -= closed.count
            return closed
        }
        _ = consume closed
    }

    // MARK: Opening

    private func open(until deadline: ContinuousClock.Instant) async throws(PostgresError) -> Connection {
        do throws(PostgresError) {
            let connection = try await connect(until: deadline)
            let isClosed = state.withLock { state in
                state.lastServer = connection.server
                state.wasReached = true
                return state.isClosed
            }
            if isClosed { throw .closed }
            return connection
        } catch {
            give(.place)
            throw error
        }
    }

    /// Tries all servers, again and again while one of them may become the one to ask.
    private func connect(until deadline: ContinuousClock.Instant) async throws(PostgresError) -> Connection {
        var problems: [ServerProblem] = []
        while true {
            let (first, wasReached, isClosed) = state.withLock { ($0.lastServer, $0.wasReached, $0.isClosed) }
            if isClosed { throw .closed }
            do throws(PostgresError) {
                return try await opening.connect(beginningWith: first, until: deadline)
            } catch {
                guard case .unreachable(let found) = error else { throw error }
                // Of an attempt that the deadline cut short the one before has more to say.
                if problems.isEmpty || .now < deadline { problems = found }
            }
            // A failover goes on. Servers that were never reached are not waited for: the address may be wrong.
            let mayChange = problems.contains { $0.kind == .notReady } || wasReached
            let isRefused = problems.allSatisfy { $0.kind == .refused }
            let next = ContinuousClock.now + Self.pause
            guard mayChange, !isRefused, next < deadline else { throw .unreachable(problems) }
            switch await loop.pause(until: next) {
            case .cancelled: throw .cancelled
            case .closed: throw .closed
            case .ready, .timedOut: break
            }
        }
    }

    /// How long a connection that comes back is taken for one whose session goes on.
    private static let fresh = Duration.milliseconds(100)

    /// How long to wait before all servers are tried again.
    private static let pause = Duration.milliseconds(200)
}
