internal import Platform
package import ProfileTesting
internal import Synchronization
internal import Threads

/// A proxy between a PostgreSQL server and its clients. It parses the messages of the clients, and cuts or stalls
/// connections by the rule of a test.
///
/// The proxy listens on loopback. A client that asks for TLS gets the answer that the server has no TLS. The client
/// then continues without TLS, or disconnects.
package final class PostgresProxy: Sendable {
    /// Returns the action for a message of a client. The proxy calls the rule on its own thread, and the rule must not
    /// call the proxy.
    package typealias Rule = @Sendable (FrontendMessage) -> Action

    /// The action for a message.
    package enum Action: Hashable, Sendable {
        case forward
        /// Closes both sides of the connection. The server first gets all bytes that were forwarded before.
        case cut(Moment)
        /// Stops forwarding on the connection in both directions. The connection stays open.
        case stall(Moment)

        package enum Moment: Hashable, Sendable, CaseIterable {
            /// The server does not get the message.
            case beforeForwarding
            /// The server gets the message, but the client gets no answer. It is possible that the server has not
            /// executed the message yet.
            case afterForwarding
            /// The server has answered, but the client does not get the answer.
            case afterAnswer
        }
    }

    /// The port on which the proxy listens.
    package let port: UInt16
    private let loop: ProxyLoop
    private let thread: SystemThread

    /// Starts to listen. The proxy forwards all messages until another rule is set with ``follow(_:)``.
    ///
    /// - Parameter server: The port of the server, on loopback.
    /// - Throws: The error of a system call.
    package init(to server: UInt16) throws(SystemError) {
        let listener = try LoopbackSocket.listening()
        let loop = try ProxyLoop(listener, to: server)
        do throws(ThreadError) {
            thread = try SystemThread(blockingSignals: true) { loop.run() }
        } catch {
            throw SystemError("thread", code: error.code)
        }
        port = try listener.port()
        self.loop = loop
    }

    deinit { close() }

    /// Closes every connection and stops listening. When the method returns, the proxy's thread has ended.
    package func close() {
        loop.tell { $0.isEnding = true }
        thread.join()
    }

    /// How many connections there have been.
    package var connectionCount: Int { loop.tell { $0.connectionCount } }

    /// Sets the rule for all later messages, also on existing connections.
    package func follow(_ rule: @escaping Rule) { loop.tell { $0.rule = rule } }

    /// Performs the action for the next `COMMIT` on any connection. All other messages are forwarded.
    package func atNextCommit(_ action: Action) {
        let isDone = Atomic(false)
        follow { message in
            message.isCommit && !isDone.exchange(true, ordering: .relaxed) ? action : .forward
        }
    }

    /// Stops all forwarding, like a server that hangs. Clients can still connect, but get no answer. When the method
    /// returns, nothing is forwarded any more.
    package func freeze() { loop.tell { $0.isFrozen = true } }

    /// Goes on after ``freeze()``.
    package func thaw() { loop.tell { $0.isFrozen = false } }
}
