internal import Threads

/// A pool of connections to one database. It opens connections when they are needed, up to a limit. Each connection is
/// lent to one task at a time.
package final class ConnectionPool: Sendable {
    private struct State {
        var idle: [Connection] = []
        /// The number of connections that are idle, lent, or being opened.
        var count = 0
        /// The waiting tasks, in order of arrival. While a task waits, no connection is idle.
        var waiting: [EventLoop.WaitID] = []
        /// The turns that were given to waiting tasks. A turn stays here until its task takes it.
        var given: [EventLoop.WaitID: Turn] = [:]
        /// The index of the server to try first. This is the server that was reached last. If the pool has lost that
        /// server, this is the next server in the list.
        var lastServer = 0
        /// Whether a server was ever reached.
        var wasReached = false
        var isClosed = false
    }

    /// The result that a waiting task receives when it is resumed.
    private enum Turn {
        case connection(Connection)
        /// Permission to open another connection.
        case place
    }

    package let list: ServerList
    private let limit: Int
    let loop: EventLoop
    private let opening: Opening
    private let state = Locked(State())

    /// Creates a pool without opening a connection.
    ///
    /// - Parameters:
    ///   - list: The servers.
    ///   - limit: The maximum number of connections, at least one.
    ///   - patience: The maximum time to wait for the answer of a server when a connection is opened.
    /// - Throws: `noResource`.
    package init(_ list: ServerList, limit: Int, patience: Duration = .seconds(2)) throws(PostgresError) {
        _ = ProcessExit.isPrepared
        self.list = list
        self.limit = max(1, limit)
        loop = try EventLoop()
        opening = Opening(list: list, loop: loop, patience: patience)
    }

    deinit { loop.close() }

    /// The number of tasks that wait for a connection.
    package var waiting: Int { state.withLock { $0.waiting.count } }

    /// Lends a connection to `body`. Every wait of this connection ends at the deadline.
    ///
    /// When `body` returns, the pool closes the connection if answers are missing or a transaction is open.
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

    /// The number of idle connections.
    package var idle: Int { state.withLock { $0.idle.count } }

    /// Closes the idle connections now. Lent connections are closed when they are returned. The pool lends no more
    /// connections.
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
        // Closes the connections here, because they must not be closed while the state is locked.
        _ = consume idle
    }

    /// Closes the pool and ends every wait on its connections. Then waits until all of its connections are closed and
    /// its threads have ended. Each of these two waits takes at most about `limit`.
    package func end(within limit: Duration = .seconds(1)) async {
        close()
        let deadline = ContinuousClock.now + limit
        loop.close()
        // The sleep runs in a separate task. So it also works if the task that closes the pool is cancelled.
        await Task {
            while state.withLock({ $0.count }) > 0, .now < deadline { try? await Task.sleep(for: .milliseconds(1)) }
        }.value
        await opening.end(within: limit)
        loop.join()
    }

    /// Asks the server that was reached last, and returns whether it answers before the deadline.
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

    /// Waits until a connection is returned, or until the task may open a new connection.
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
        // The connections in `ended` are closed here, because they must not be closed while the state is locked.
        defer { ended = [] }
        return try state.withLock { state throws(PostgresError) -> Turn? in
            guard !state.isClosed else { throw .closed }
            while let connection = state.idle.popLast() {
                // The check whether the session has ended costs a system call. If the connection was lent a short time
                // ago, this check is skipped. Most calls have the same time limit. So the difference between the
                // deadlines of two calls is the time between the calls, and the clock need not be read.
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

    /// Resumes the task that has waited longest, and gives it the turn. If no task waits, an open connection becomes
    /// idle.
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
        // This server was lost or is no longer the leader. Other idle connections may lead to the same server.
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

    /// Tries all servers, and repeats this while one of the servers may become the leader.
    private func connect(until deadline: ContinuousClock.Instant) async throws(PostgresError) -> Connection {
        var problems: [ServerProblem] = []
        while true {
            let (first, wasReached, isClosed) = state.withLock { ($0.lastServer, $0.wasReached, $0.isClosed) }
            if isClosed { throw .closed }
            do throws(PostgresError) {
                return try await opening.connect(beginningWith: first, until: deadline)
            } catch {
                guard case .unreachable(let found) = error else { throw error }
                // If the deadline ended this attempt early, the problems of the previous attempt are more useful.
                if problems.isEmpty || .now < deadline { problems = found }
            }
            // A server may be starting, or a failover may be in progress, so the pool tries again. But if no server was
            // ever reached, the address may be wrong. Then the pool tries again only if a server reports that it is not
            // ready.
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

    /// If a connection was lent within this time, it is assumed to be alive.
    private static let fresh = Duration.milliseconds(100)

    /// The pause before all servers are tried again.
    private static let pause = Duration.milliseconds(200)
}
