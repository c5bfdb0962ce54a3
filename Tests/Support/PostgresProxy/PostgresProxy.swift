internal import Platform
package import ProfileTesting
internal import Synchronization
internal import Threads

/// Stands between a PostgreSQL server and its clients, reads what they say, and cuts or stalls their connections when a
/// test says so.
///
/// It listens on loopback. Clients that ask for TLS are told that there is none, so that they go on without or leave.
package final class PostgresProxy: Sendable {
    /// Says what becomes of each message of a client. It is called on the proxy's thread and must not call the proxy.
    package typealias Rule = @Sendable (FrontendMessage) -> Action

    /// What becomes of a message.
    package enum Action: Hashable, Sendable {
        case forward
        /// Both sides of its connection are closed. Before that the server gets all that was forwarded.
        case cut(Moment)
        /// Nothing is forwarded any more on its connection, either way, though it stays open.
        case stall(Moment)

        package enum Moment: Hashable, Sendable, CaseIterable {
            /// The server does not get the message.
            case beforeForwarding
            /// The server gets the message, and no answer to it comes back; it may not have been carried out yet.
            case afterForwarding
            /// The server has answered, and the client does not hear it.
            case afterAnswer
        }
    }

    /// Where clients find it.
    package let port: UInt16
    private let loop: ProxyLoop
    private let thread: SystemThread

    /// Starts to listen, and forwards all until it is told otherwise.
    ///
    /// - Parameter server: The port of the server, on loopback.
    /// - Throws: What the system refuses.
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

    /// Closes every connection and listens no more. Once it has returned nothing is left of it.
    package func close() {
        loop.tell { $0.isEnding = true }
        thread.join()
    }

    /// How many connections there have been.
    package var connectionCount: Int { loop.tell { $0.connectionCount } }

    /// Has this rule followed from now on, by the connections that there are too.
    package func follow(_ rule: @escaping Rule) { loop.tell { $0.rule = rule } }

    /// Does this to the next `COMMIT`, on whichever connection, and forwards all else.
    package func atNextCommit(_ action: Action) {
        let isDone = Atomic(false)
        follow { message in
            message.isCommit && !isDone.exchange(true, ordering: .relaxed) ? action : .forward
        }
    }

    /// Forwards nothing more and answers nobody, as a server that hangs: connections can still be made. Nothing is
    /// forwarded any more once it has returned.
    package func freeze() { loop.tell { $0.isFrozen = true } }

    /// Goes on after ``freeze()``.
    package func thaw() { loop.tell { $0.isFrozen = false } }
}
