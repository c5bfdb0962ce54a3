internal import CLinux
internal import Platform
internal import Synchronization
internal import Threads

/// Waits for sockets and deadlines on one thread, so that no task keeps a thread while a server thinks.
///
/// A task that waits is resumed by what comes first: its socket is ready, somebody wakes it, its deadline passes, or it
/// was cancelled.
final class EventLoop: Sendable {
    /// What ended a wait.
    enum Wake: Sendable {
        case ready
        case timedOut
        case cancelled
        /// The loop was closed.
        case closed
    }

    /// The name of one wait, by which it can be woken.
    typealias WaitID = UInt64

    /// The continuation is resumed by whoever takes the wait out of the list, and nobody else: once. It is not a checked
    /// one, which would cost each query an allocation.
    private struct Waiting {
        let continuation: UnsafeContinuation<Wake, Never>
        let deadline: ContinuousClock.Instant
    }

    private struct State {
        var waiting: [WaitID: Waiting] = [:]
        /// When the thread looks at deadlines next.
        var sleepsUntil = ContinuousClock.now
        var isClosed = false
    }

    /// Of `epoll_create1`, and of an `eventfd` that wakes the thread: any thread may use both.
    private let poll: Int32
    private let bell: Int32
    private let state = Mutex(State())
    /// Nil once it was joined.
    private let thread = Mutex<SystemThread?>(nil)
    private let lastID = Atomic<WaitID>(EventLoop.bellID)

    private static let bellID: WaitID = 0
    /// The thread sleeps no longer while there is work: a new deadline beyond it need not wake it then.
    private static let interval = Duration.seconds(1)
    /// How long the thread sleeps when nobody waits.
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

    /// How many waits have not ended.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Ends the thread, which keeps the loop until then, and every wait, now and from now on.
    func close() {
        state.withLock { $0.isClosed = true }
        ring()
    }

    /// Waits until the thread of a closed loop has ended, which takes it microseconds.
    func join() { thread.withLock { $0.take() }?.join() }

    // MARK: Sockets

    /// Waits until there is something to read, or, where that is asked for, room to write.
    ///
    /// One task at a time waits for a socket. Closing it makes the system forget it; nobody may wait for it then.
    func wait(
        for socket: Int32, orToWrite: Bool, until deadline: ContinuousClock.Instant, mayBeCancelled: Bool
    ) async -> Wake {
        await wait(newID(), until: deadline, mayBeCancelled: mayBeCancelled) { id in
            let events = EPOLLIN.rawValue | EPOLLONESHOT.rawValue | (orToWrite ? EPOLLOUT.rawValue : 0)
            // Where it cannot be watched, looking at it at once tells what is wrong.
            if !self.watch(socket, events, id) { self.end(id, .ready) }
        }
    }

    private func watch(_ socket: Int32, _ events: UInt32, _ id: WaitID) -> Bool {
        var event = epoll_event(events: events, data: epoll_data_t(u64: id))
        // It is known from its first wait on.
        return epoll_ctl(poll, EPOLL_CTL_MOD, socket, &event) == 0
            || epoll_ctl(poll, EPOLL_CTL_ADD, socket, &event) == 0
    }

    // MARK: Being woken

    func newID() -> WaitID { lastID.wrappingAdd(1, ordering: .relaxed).newValue }

    /// Waits to be woken, unless what is waited for is there: who wakes makes that so before.
    func wait(
        _ id: WaitID, until deadline: ContinuousClock.Instant, unless isThere: @Sendable () -> Bool
    ) async -> Wake {
        await wait(id, until: deadline, mayBeCancelled: true) { id in
            // Who woke the wait before it began has found nothing to end.
            if isThere() { end(id, .ready) }
        }
    }

    /// Lets time pass.
    func pause(until deadline: ContinuousClock.Instant) async -> Wake {
        await wait(newID(), until: deadline, mayBeCancelled: true) { _ in }
    }

    /// Wakes a wait; one that is over, or has not begun, is left alone.
    func wake(_ id: WaitID) { end(id, .ready) }

    // MARK: Waiting

    private func wait(
        _ id: WaitID, until deadline: ContinuousClock.Instant, mayBeCancelled: Bool, _ begun: @Sendable (WaitID) -> Void
    ) async -> Wake {
        guard mayBeCancelled else { return await waitInPlace(id, until: deadline, begun) }
        return await withTaskCancellationHandler {
            await waitInPlace(id, until: deadline) { id in
                begun(id)
                // What cancelled the task before the wait began has found nothing to end.
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

    /// Ends the waits whose time is up, and says for how many milliseconds the thread may sleep: -1 for as long as it
    /// likes. Nil when the loop is closed.
    private func endOverdue() -> Int32? {
        let now = ContinuousClock.now
        let (over, sleep, wake) = state.withLock { state -> ([Waiting], Duration?, Wake) in
            guard now >= state.sleepsUntil || state.isClosed else { return ([], state.sleepsUntil - now, .timedOut) }
            let overdue = state.waiting.filter { state.isClosed || $0.value.deadline <= now }
            for id in overdue.keys { state.waiting[id] = nil }
            // When nobody waits, whoever comes next rings.
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
