internal import Platform
internal import ProfileTesting
internal import Synchronization

/// The work of the proxy's thread. The thread waits for events of the sockets and for changes by ``tell(_:)``.
final class ProxyLoop: Sendable {
    struct State {
        var rule: PostgresProxy.Rule = { _ in .forward }
        var isFrozen = false
        var isEnding = false
        var connectionCount = 0
        fileprivate var connections: [ProxyConnection] = []
        /// Nil at the end.
        fileprivate var listener: LoopbackSocket?
    }

    /// The lock is held while bytes are forwarded. So a change is in effect when ``tell(_:)`` returns.
    private let state: Mutex<State>
    private let server: UInt16
    /// A byte in it wakes the thread.
    private let wake: (sender: LoopbackSocket, receiver: LoopbackSocket)

    init(_ listener: LoopbackSocket, to server: UInt16) throws(SystemError) {
        state = Mutex(State(listener: listener))
        self.server = server
        wake = try LoopbackSocket.pair()
    }

    /// Changes or reads the state, and wakes the thread.
    @discardableResult
    func tell<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
        defer { wake.sender.write([0]) }
        return state.withLock { body(&$0) }
    }

    /// Runs until it is told to end.
    func run() {
        var isEnding = false
        while !isEnding {
            var entries = state.withLock { waitedFor($0) }
            let timeout: Int32 = state.withLock { $0.connections.contains { $0.isLimited } } ? 100 : -1
            poll(&entries, nfds_t(entries.count), timeout)
            isEnding = state.withLock { state in
                _ = wake.receiver.read()
                if !state.isFrozen { forward(&state, entries) }
                if state.isEnding { (state.connections, state.listener) = ([], nil) }
                return state.isEnding
            }
        }
    }

    /// The thread's own socket, the listener, and two of each connection.
    private func waitedFor(_ state: State) -> [pollfd] {
        let own = pollfd(fd: wake.receiver.descriptor, events: Int16(POLLIN), revents: 0)
        if state.isFrozen { return [own] }
        let listening = pollfd(fd: state.listener?.descriptor ?? -1, events: Int16(POLLIN), revents: 0)
        return [own, listening] + state.connections.flatMap(\.waitedFor)
    }

    private func forward(_ state: inout State, _ entries: [pollfd]) {
        // If the proxy was frozen when the wait began, the only entry is the thread's own socket.
        guard entries.count == 2 + 2 * state.connections.count else { return }
        for index in state.connections.indices {
            let isReady = (
                client: entries[2 + 2 * index].revents != 0, server: entries[3 + 2 * index].revents != 0
            )
            state.connections[index].forward(isReady, by: state.rule)
        }
        state.connections.removeAll { $0.hasEnded }
        while let client = state.listener?.accept() {
            // If the system refuses the connection to the server, the client's connection is closed.
            guard let server = try? LoopbackSocket.connecting(to: server) else { continue }
            state.connections.append(ProxyConnection(number: state.connectionCount, client, server))
            state.connectionCount += 1
        }
    }
}
