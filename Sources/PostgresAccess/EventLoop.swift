internal import CLinux
internal import Platform
internal import Synchronization
internal import Threads

/// Waits for sockets and deadlines on one thread, so no task occupies a thread while it waits for a server.
///
/// A waiting task is resumed by the first of these events: its socket is ready, `wake(_:)` is called, its deadline
/// passes, or it is cancelled.
final class EventLoop: Sendable {
    /// The event that ended a wait.
    enum Wake: Sendable {
        case ready
        case timedOut
        case cancelled
        /// The loop was closed.
        case closed
    }

    /// Identifies a wait for `wake(_:)`.
    typealias WaitID = UInt64

    /// The caller that removes the wait from `waiting` resumes the continuation. So the continuation is resumed exactly
    /// once. A checked continuation would cost each query an allocation.
    private struct Waiting {
        let continuation: UnsafeContinuation<Wake, Never>
        let deadline: ContinuousClock.Instant
    }

    private struct State {
        var waiting: [WaitID: Waiting] = [:]
        /// The time at which the thread checks the deadlines next.
        var sleepsUntil = ContinuousClock.now
        var isClosed = false
    }

    /// The descriptors of `epoll_create1` and of an `eventfd` that wakes the thread. Any thread may use both
    /// descriptors.
    private let poll: Int32
    private let bell: Int32
    private let state = Locked(State())
    /// Nil after `join()`.
    private let thread = Locked<SystemThread?>(nil)
    private let lastID = Atomic<WaitID>(EventLoop.bellID)

    private static let bellID: WaitID = 0
    /// The longest sleep while a wait exists. A new wait wakes the thread only if its deadline is before the end of the
    /// sleep.
    private static let interval = Duration.seconds(1)
    /// The length of a sleep without waits.
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

    /// Ends the thread and every wait, including later ones. The thread retains the loop until it ends.
    func close() {
        state.withLock { $0.isClosed = true }
        ring()
    }

    /// Waits until the thread of a closed loop has ended, which takes microseconds.
    func join() { thread.withLock { $0.take() }?.join() }

    // MARK: Sockets

    /// Waits until the socket is readable or, if `orToWrite` is set, writable.
    ///
    /// Only one task at a time may wait for a socket, and none may wait when the socket is closed. Closing removes it
    /// from the epoll set.
    func wait(
        for socket: Int32, orToWrite: Bool, until deadline: ContinuousClock.Instant, mayBeCancelled: Bool
    ) async -> Wake {
        await wait(newID(), until: deadline, mayBeCancelled: mayBeCancelled) { id in
            let events = EPOLLIN.rawValue | EPOLLONESHOT.rawValue | (orToWrite ? EPOLLOUT.rawValue : 0)
            // If the socket cannot be watched, the next read or write reports why.
            if !self.watch(socket, events, id) { self.end(id, .ready) }
        }
    }

    private func watch(_ socket: Int32, _ events: UInt32, _ id: WaitID) -> Bool {
        var event = epoll_event(events: events, data: epoll_data_t(u64: id))
        // Only the first wait for a socket has to add it to the epoll set. All later waits modify its entry, so
        // `EPOLL_CTL_MOD` is tried first.
        return epoll_ctl(poll, EPOLL_CTL_MOD, socket, &event) == 0
            || epoll_ctl(poll, EPOLL_CTL_ADD, socket, &event) == 0
    }

    // MARK: Being woken

    func newID() -> WaitID { lastID.wrappingAdd(1, ordering: .relaxed).newValue }

    /// Waits for `wake(_:)`, unless `isThere` returns true. The caller of `wake(_:)` makes that condition true first.
    func wait(
        _ id: WaitID, until deadline: ContinuousClock.Instant, unless isThere: @Sendable () -> Bool
    ) async -> Wake {
        await wait(id, until: deadline, mayBeCancelled: true) { id in
            // A wake-up before the wait was registered had no effect, so the condition is checked here.
            if isThere() { end(id, .ready) }
        }
    }

    /// Waits until the deadline.
    func pause(until deadline: ContinuousClock.Instant) async -> Wake {
        await wait(newID(), until: deadline, mayBeCancelled: true) { _ in }
    }

    /// Ends a wait. It has no effect on a wait that has ended or has not begun.
    func wake(_ id: WaitID) { end(id, .ready) }

    // MARK: Waiting

    private func wait(
        _ id: WaitID, until deadline: ContinuousClock.Instant, mayBeCancelled: Bool, _ begun: @Sendable (WaitID) -> Void
    ) async -> Wake {
        guard mayBeCancelled else { return await waitInPlace(id, until: deadline, begun) }
        return await withTaskCancellationHandler {
            await waitInPlace(id, until: deadline) { id in
                begun(id)
                // A cancellation before the wait was registered had no effect, so it is checked here.
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

    /// Ends the waits whose deadline has passed. Returns the number of milliseconds that the thread may sleep, -1 for
    /// no limit, or nil if the loop is closed.
    private func endOverdue() -> Int32? {
        let now = ContinuousClock.now
        let (over, sleep, wake) = state.withLock { state -> ([Waiting], Duration?, Wake) in
            guard now >= state.sleepsUntil || state.isClosed else { return ([], state.sleepsUntil - now, .timedOut) }
            let overdue = state.waiting.filter { state.isClosed || $0.value.deadline <= now }
            for id in overdue.keys { state.waiting[id] = nil }
            // Without waits, the next wait wakes the thread.
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
