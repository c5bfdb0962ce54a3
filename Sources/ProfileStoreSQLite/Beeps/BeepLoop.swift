internal import Platform
internal import Synchronization
internal import Threads

/// The thread of a beeper. The thread waits for datagrams on the sockets of all listeners, and calls the handlers one
/// after the other.
///
/// The thread uses `poll`, because the delivery of a beep through a Dispatch source takes twice as long.
final class BeepLoop: Sendable {
    private struct State {
        var listeners: [BeepName: BeepListener] = [:]
        var isEnded = false
    }

    private let state = Locked(State())
    /// This lock is held while a listener is looked up and while its handler runs. If a caller removes a listener and
    /// then acquires this lock, the listener's handler has ended and is never called again.
    private let handling = Locked(())
    /// A socket pair. The thread polls `far`. A byte that is sent to `near` wakes the thread.
    private let bell: (near: Int32, far: Int32)
    /// The identifier of the thread; 0 before the thread runs.
    private let thread = Atomic<UInt>(0)

    /// Starts the thread.
    ///
    /// - Throws: `cannotListen`.
    init() throws(BeeperError) {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw .cannotListen(code: errno) }
        bell = (near: ends[0], far: ends[1])
        do throws(ThreadError) {
            // The thread is not joined. It ends after `end()`.
            _ = try SystemThread(blockingSignals: true) { self.run() }
        } catch {
            throw .cannotListen(code: error.code)
        }
    }

    deinit {
        close(bell.near)
        close(bell.far)
    }

    /// Listens to a name, or replaces the handler of a name that is already registered.
    func add(
        _ name: BeepName, in directory: RuntimeDirectory, handler: @escaping @Sendable () -> Void
    ) throws(BeeperError) {
        let isReplaced = try state.withLock { state throws(BeeperError) in
            if let listener = state.listeners[name] {
                listener.replaceHandler(by: handler)
                return true
            }
            state.listeners[name] = try BeepListener(name, in: directory, handler: handler)
            return false
        }
        if isReplaced { waitForHandler() } else { wake() }
    }

    /// Stops listening to a name.
    func remove(_ name: BeepName) {
        guard let listener = state.withLock({ $0.listeners.removeValue(forKey: name) }) else { return }
        listener.end()
        wake()
        waitForHandler()
    }

    /// Stops listening to all names and ends the thread. Does not wait for a running handler.
    func end() {
        let listeners = state.withLock { state in
            state.isEnded = true
            defer { state.listeners = [:] }
            return state.listeners
        }
        for listener in listeners.values { listener.end() }
        wake()
    }

    private func wake() {
        // If the buffer is full, `send` fails, but the bytes that are already in the buffer wake the thread.
        var byte: UInt8 = 0
        send(bell.near, &byte, 1, Int32(MSG_NOSIGNAL))
    }

    private func waitForHandler() {
        // If a handler calls this method, the method must not wait for the end of that handler.
        guard thread.load(ordering: .relaxed) != pthread_self() else { return }
        handling.withLock { _ in }
    }

    // MARK: The thread

    private func run() {
        thread.store(pthread_self(), ordering: .relaxed)
        while true {
            let descriptors: [Int32]? = state.withLock { state in
                state.isEnded ? nil : [bell.far] + state.listeners.values.map(\.descriptor)
            }
            guard let descriptors else { return }
            var ready = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard poll(&ready, nfds_t(ready.count), -1) >= 0 else { continue }
            if ready[0].revents != 0 { silence() }
            for socket in ready.dropFirst() where socket.revents != 0 { hear(socket.fd) }
        }
    }

    private func silence() {
        var bytes: (UInt64, UInt64) = (0, 0)
        while read(bell.far, &bytes, MemoryLayout.size(ofValue: bytes)) > 0 {}
    }

    /// Receives one datagram of a listener, and calls the listener's handler. If more datagrams wait, the next `poll`
    /// reports the socket again, after the handlers of other names have been called.
    private func hear(_ descriptor: Int32) {
        handling.withLock { _ in
            let listener = state.withLock { $0.listeners.values.first { $0.descriptor == descriptor } }
            listener?.next()?()
        }
    }
}
