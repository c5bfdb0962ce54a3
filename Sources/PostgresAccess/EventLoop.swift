internal import CLinux
internal import Platform
internal import Synchronization
internal import Threads

/// Waits for sockets and deadlines on one thread. So a task that waits for a server occupies no thread.
///
/// A waiting task is resumed at the first of these events: its socket is ready, `wake(_:)` is called, its deadline
/// passes, or the task is cancelled.
final class EventLoop: Sendable {
    /// The event that ended a wait.
    enum Wake: Sendable {
        case ready
        case timedOut
        case cancelled
        /// The loop was closed.
        case closed
    }

    /// The identifier of a wait, which `wake(_:)` takes.
    typealias WaitID = UInt64

    /// The continuation is resumed exactly once: by the caller that removes the wait from `waiting`. It is not a
    /// checked continuation, because a checked continuation would need an allocation for each query.
    private struct Waiting {
        let continuation: UnsafeContinuation<Wake, Never>
        let deadline: ContinuousClock.Instant
    }

    private struct State {
        var waiting: [WaitID: Waiting] = [:]
        /// The next time at which the thread checks the deadlines.
        var sleepsUntil = ContinuousClock.now
        var isClosed = false
    }

    /// The file descriptors of `epoll_create1` and `eventfd`. A write to the second descriptor wakes the thread. Any
    /// thread may use both descriptors.
    private let poll: Int32
    private let bell: Int32
    private let state = Locked(State())
    /// Nil after `join()`.
    private let thread = Locked<SystemThread?>(nil)
    private let lastID = Atomic<WaitID>(EventLoop.bellID)

    private static let bellID: WaitID = 0
    /// The maximum time that the thread sleeps while a task waits. A new wait wakes the thread only if the deadline of
    /// the wait is before the end of the sleep.
    private static let interval = Duration.seconds(1)
    /// The time that the thread sleeps while no task waits.
    private static let forEver = Duration.seconds(1_000_000_000)

    /// Starts the thread.
    ///
    /// - Throws: `noResource`.
    init() throws(PostgresError) {
        poll = epoll_create1(Int32(EPOLL_CLOEXEC))
        bell = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard poll >= 0, bell >= 0 else { throw .noResource(code: errno) }
        var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(u64: Self.bellID))
        epoll_ctl(poll, EPOLL_CTL_ADD, bell, &event)
        do throws(ThreadError) {
            let thread = try SystemThread(blockingSignals: true) { self.run() }
            self.thread.withLock { $0 = thread }
        } catch {
            throw .noResource(code: error.code)
        }
    }

    deinit {
        Platform.close(poll)
        Platform.close(bell)
    }

    /// The number of waits that have not ended.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Ends the thread and all current waits. Later waits end at once. The thread keeps a reference to the loop until
    /// the thread ends.
    func close() {
        state.withLock { $0.isClosed = true }
        ring()
    }

    /// Waits until the thread has ended. The loop must be closed, so this takes only microseconds.
    func join() { thread.withLock { $0.take() }?.join() }

    // MARK: Sockets

    /// Waits until the socket is readable. If `orToWrite` is true, the wait also ends when the socket is writable.
    ///
    /// Only one task at a time may wait for a socket. The socket must not be closed while a task waits. If a socket is
    /// closed, the system removes it from the epoll set.
    func wait(
        for socket: Int32, orToWrite: Bool, until deadline: ContinuousClock.Instant, mayBeCancelled: Bool
    ) async -> Wake {
        await wait(newID(), until: deadline, mayBeCancelled: mayBeCancelled) { id in
            let events = EPOLLIN.rawValue | EPOLLONESHOT.rawValue | (orToWrite ? EPOLLOUT.rawValue : 0)
            // If the socket cannot be watched, the next read or write reports the error.
            if !self.watch(socket, events, id) { self.end(id, .ready) }
        }
    }

    private func watch(_ socket: Int32, _ events: UInt32, _ id: WaitID) -> Bool {
        var event = epoll_event(events: events, data: epoll_data_t(u64: id))
        // Only the first wait for a socket adds it to the epoll set. All later waits modify its entry, so
        // `EPOLL_CTL_MOD` is tried first.
        return epoll_ctl(poll, EPOLL_CTL_MOD, socket, &event) == 0
            || epoll_ctl(poll, EPOLL_CTL_ADD, socket, &event) == 0
    }

    // MARK: Being woken

    func newID() -> WaitID { lastID.wrappingAdd(1, ordering: .relaxed).newValue }

    /// Waits until `wake(_:)` is called. If `isThere` returns true, the wait ends at once. Code that calls `wake(_:)`
    /// must first change the state that `isThere` checks. After this change, `isThere` must return true.
    func wait(
        _ id: WaitID, until deadline: ContinuousClock.Instant, unless isThere: @Sendable () -> Bool
    ) async -> Wake {
        await wait(id, until: deadline, mayBeCancelled: true) { id in
            // If `wake(_:)` was called before the wait was registered, it had no effect. So the condition is checked
            // here.
            if isThere() { end(id, .ready) }
        }
    }

    /// Waits until the deadline.
    func pause(until deadline: ContinuousClock.Instant) async -> Wake {
        await wait(newID(), until: deadline, mayBeCancelled: true) { _ in }
    }

    /// Ends a wait. If the wait has ended or has not begun, this has no effect.
    func wake(_ id: WaitID) { end(id, .ready) }

    // MARK: Waiting

    private func wait(
        _ id: WaitID, until deadline: ContinuousClock.Instant, mayBeCancelled: Bool, _ begun: @Sendable (WaitID) -> Void
    ) async -> Wake {
        guard mayBeCancelled else { return await waitInPlace(id, until: deadline, begun) }
        return await withTaskCancellationHandler {
            await waitInPlace(id, until: deadline) { id in
                begun(id)
                // If the task was cancelled before the wait was registered, the cancellation had no effect. So it is
                // checked here.
                if Task.isCancelled { end(id, .cancelled) }
            }
        } onCancel: {
            end(id, .cancelled)
        }
    }

    private func waitInPlace(
        _ id: WaitID, until deadline: ContinuousClock.Instant, _ begun: (WaitID) -> Void
    ) async -> Wake {
        await withUnsafeContinuation { continuation in
            let mustRing = state.withLock { state in
                guard !state.isClosed else { return nil as Bool? }
                state.waiting[id] = Waiting(continuation: continuation, deadline: deadline)
                guard deadline < state.sleepsUntil else { return false }
                state.sleepsUntil = deadline
                return true
            }
            guard let mustRing else {
                continuation.resume(returning: .closed)
                return
            }
            begun(id)
            if mustRing { ring() }
        }
    }

    private func end(_ id: WaitID, _ wake: Wake) {
        state.withLock { $0.waiting.removeValue(forKey: id) }?.continuation.resume(returning: wake)
    }

    // MARK: The thread

    private func ring() {
        var one: UInt64 = 1
        _ = write(bell, &one, MemoryLayout.size(ofValue: one))
    }

    private func run() {
        var events = [epoll_event](repeating: epoll_event(), count: 64)
        while let milliseconds = endOverdue() {
            let count = epoll_wait(poll, &events, Int32(events.count), milliseconds)
            for event in events.prefix(max(0, Int(count))) {
                if event.data.u64 == Self.bellID { silence() } else { end(event.data.u64, .ready) }
            }
        }
    }

    private func silence() {
        var count: UInt64 = 0
        _ = read(bell, &count, MemoryLayout.size(ofValue: count))
    }

    /// Ends the waits whose deadline has passed. Returns the number of milliseconds that the thread may sleep. -1 means
    /// no limit. Returns nil if the loop is closed.
    private func endOverdue() -> Int32? {
        let now = ContinuousClock.now
        let (over, sleep, wake) = state.withLock { state -> ([Waiting], Duration?, Wake) in
            guard now >= state.sleepsUntil || state.isClosed else { return ([], state.sleepsUntil - now, .timedOut) }
            let overdue = state.waiting.filter { state.isClosed || $0.value.deadline <= now }
            for id in overdue.keys { state.waiting[id] = nil }
            // If there is no wait, the next wait will wake the thread.
            let longest = now + (state.waiting.isEmpty ? Self.forEver : Self.interval)
            state.sleepsUntil = state.waiting.values.reduce(longest) { min($0, $1.deadline) }
            return state.isClosed
                ? (Array(overdue.values), nil, .closed) : (Array(overdue.values), state.sleepsUntil - now, .timedOut)
        }
        for waiting in over { waiting.continuation.resume(returning: wake) }
        guard let sleep else { return nil }
        let (seconds, attoseconds) = sleep.components
        return seconds > 1_000 ? -1 : Int32(seconds * 1_000 + attoseconds / 1_000_000_000_000_000) + 1
    }
}
