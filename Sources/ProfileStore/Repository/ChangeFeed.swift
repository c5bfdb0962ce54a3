internal import Dispatch
internal import Synchronization
internal import Threads

/// Reads the log of changes once for all listeners of a repository.
///
/// The engine calls `ring()` after a commit. A timer also calls `ring()` once in every interval, because the engine
/// does not always notice commits of other processes. The call is only a signal and does not contain the change. After
/// the call, one task reads the next page of the log, and passes the page to every waiting listener. The feed keeps at
/// most one page of changes, which the listeners share. If a listener's next change is older than this page, the
/// listener reads the store itself. So the feed does not keep older changes for slow listeners.
///
/// After the task has resumed listeners, it pauses. The pause is proportional to the number of these listeners. Without
/// the pause, each commit could resume a thousand listeners at once. The writer's own task would then have to wait
/// until these listeners have run.
final class ChangeFeed: Sendable {
    /// The next action of a listener.
    enum Turn: Sendable {
        /// Return these changes, which follow the listener's last change.
        case take(ArraySlice<ProfileChange>)
        /// Read the store, because the feed does not have the next changes.
        case readStore
        case fail(ProfileStoreError)
        /// End, because the listener's task was cancelled or the feed was closed.
        case end
    }

    /// The newest changes of the log, at most one page.
    private struct Page {
        /// The number of the last change before the page.
        private(set) var start: Int64
        /// The changes. Their numbers have no gaps, except before a change of the kind `missed`.
        private(set) var changes: [ProfileChange]
        private let readAt = ContinuousClock.now

        init(after start: Int64, _ changes: [ProfileChange] = []) {
            self.start = start
            self.changes = changes
        }

        var end: Int64 { changes.last?.number ?? start }

        /// Whether the page was read less than a second ago. An older page is not used, because its usernames and
        /// revisions may be outdated.
        var isRecent: Bool { .now - readAt < .seconds(1) }

        /// Returns the changes whose number is greater than `number`; nil if the page does not contain them.
        func changes(after number: Int64) -> ArraySlice<ProfileChange>? {
            let (index, isTooFar) = number.subtractingReportingOverflow(start)
            guard !isTooFar, index >= 0, index < changes.count else { return nil }
            guard index == 0 || changes[Int(index) - 1].number == number else { return nil }
            return changes[Int(index)...]
        }

        /// Appends the next changes of the log. If the page is then too long, its oldest changes are dropped. The page
        /// keeps earlier changes for listeners that are slightly behind.
        mutating func append(_ next: [ProfileChange]) {
            changes += next
            let surplus = max(0, changes.count - ChangeFeed.pageSize)
            if surplus > 0 { start = changes[surplus - 1].number }
            changes.removeFirst(surplus)
        }
    }

    /// A waiting task.
    private struct Waiter {
        /// The number of the last change that the task has seen, and the task's repository. Nil if the task only waits
        /// until the feed is closed.
        let place: (number: Int64, repository: ProfileRepository)?
        let turn: Promise<Turn>
    }

    private struct State {
        /// The number of calls of `ring()`.
        var rings = 0
        /// The value of `rings` at the start of the last read that reached the end of the log.
        var ringsRead = 0
        var page: Page?
        /// The waiting tasks. The key of each task is the identity of its promise.
        var waiters: [ObjectIdentifier: Waiter] = [:]
        /// The task that reads the log. The task exists only while a listener waits and the log may have new changes.
        var reading: Task<Void, Never>?
        var hasListener = false
        var ticker: Ticker?
    }

    private let state = Locked(State())
    /// The lock of `state` is held when this value is set.
    private let isOver = Atomic(false)
    private let interval: Duration

    /// The maximum number of changes in a page.
    static let pageSize = 256
    /// The delay before a failed read is repeated.
    static let retryPause = Duration.milliseconds(500)
    /// The pause of the reading task for each listener that it has resumed. Resuming a listener takes 1 to 2 µs of
    /// processor time.
    private static let restPerListener = Duration.microseconds(50)
    /// The minimum pause. One commit may call `ring()` twice. Without the pause, the second call would cause a read
    /// that finds nothing.
    private static let shortestRest = Duration.milliseconds(1)

    init(interval: Duration) { self.interval = interval }

    /// The number of waiting tasks.
    var waiterCount: Int { state.withLock { $0.waiters.count } }

    // MARK: Listening

    var isClosed: Bool { isOver.load(ordering: .relaxed) }

    /// The number of calls of `ring()`. A listener notes this number before it reads the store. If the listener then
    /// finds no change, and the number is still the same, the listener has missed no change.
    var rings: Int { state.withLock { $0.rings } }

    /// Starts the timer, and makes the engine call `ring()` after each commit. Only the first call has an effect.
    func begin(_ engine: any StoreEngine) {
        let isFirst = state.withLock { state in
            defer { state.hasListener = true }
            return !state.hasListener && !isClosed
        }
        guard isFirst else { return }
        engine.listen(CommitListener { [weak self] in self?.ring() })
        let ticker = Ticker(every: interval) { [weak self] in self?.ring() }
        state.withLock { if !isClosed { $0.ticker = ticker } }
    }

    /// Waits for the changes that follow the change `number`.
    ///
    /// - Parameters:
    ///   - number: The last change that the listener has seen.
    ///   - rings: The value of `rings` before the listener read the store. Nil if the listener has not read the store,
    ///     or has found changes after `number`.
    ///   - repository: The repository of the listener and of the feed.
    /// - Returns: The next action of the listener.
    func turn(after number: Int64, havingFoundNothingAt rings: Int?, _ repository: ProfileRepository) async -> Turn {
        await wait(for: (number, repository)) { state in
            if let page = state.page, page.isRecent, let changes = page.changes(after: number) {
                return .take(changes)
            }
            if state.page?.end == number { return nil }
            // The page does not have the listener's next changes. The listener reads the store, unless its
            // last read of the store is at least as recent as the last read of the log.
            guard let rings, rings >= state.ringsRead else { return .readStore }
            if state.page == nil {
                state.page = Page(after: number)
                state.ringsRead = rings
            }
            return nil
        }
    }

    /// Waits until the feed is closed or the task is cancelled.
    func waitForClosing() async { _ = await wait(for: nil) { _ in nil } }

    /// Ends all present and future listeners.
    func close() {
        let waiters = state.withLock { state in
            isOver.store(true, ordering: .relaxed)
            state.ticker = nil
            state.reading?.cancel()
            defer { state.waiters = [:] }
            return state.waiters
        }
        for waiter in waiters.values { waiter.turn.fulfill(with: .end) }
    }

    /// Calls `answer`, and waits only if `answer` returns no action.
    private func wait(
        for place: (number: Int64, repository: ProfileRepository)?, unless answer: @Sendable (inout State) -> Turn?
    ) async -> Turn {
        let turn = Promise<Turn>()
        let key = ObjectIdentifier(turn)
        let known: Turn? = state.withLock { state in
            if isClosed || Task.isCancelled { return .end }
            if let turn = answer(&state) { return turn }
            state.waiters[key] = Waiter(place: place, turn: turn)
            startReading(&state)
            return nil
        }
        if let known { return known }
        return await turn.value {
            state.withLock { $0.waiters.removeValue(forKey: key) }?.turn.fulfill(with: .end)
        }
    }

    // MARK: Reading

    private func ring() {
        state.withLock { state in
            state.rings += 1
            startReading(&state)
        }
    }

    private func startReading(_ state: inout State) {
        guard state.reading == nil, nextRead(state) != nil else { return }
        // The task is detached, because it must not inherit the deadline of the task that commits.
        state.reading = Task.detached { await self.read() }
    }

    /// Returns the repository, the number of the change after which the next read starts, and the number of calls of
    /// `ring()`. Returns nil if `ring()` was not called since the last read, or if no listener waits.
    private func nextRead(_ state: State) -> (repository: ProfileRepository, start: Int64, rings: Int)? {
        guard !isClosed, state.rings != state.ringsRead else { return nil }
        // The waiting listeners may have seen different numbers. The read starts after the smallest of their numbers,
        // so it serves all of them.
        let first = state.waiters.values.lazy.compactMap(\.place).min { $0.number < $1.number }
        return first.map { ($0.repository, $0.number, state.rings) }
    }

    private func read() async {
        while true {
            let next = state.withLock { state in
                let next = nextRead(state)
                if next == nil { state.reading = nil }
                return next
            }
            guard let (repository, start, rings) = next else { return }
            do throws(ProfileStoreError) {
                let changes = try await repository.changes.page(after: start, limit: Self.pageSize)
                let count = hand(out: changes, after: start, rings)
                if count > 0 { try? await Task.sleep(for: max(Self.shortestRest, Self.restPerListener * count)) }
            } catch {
                if error.isTransient {
                    try? await Task.sleep(for: Self.retryPause)
                } else {
                    fail(error)
                }
            }
        }
    }

    /// Appends the changes to the page if the page is recent and the changes directly follow it. Otherwise, the changes
    /// become the new page.
    private func keep(_ changes: [ProfileChange], after start: Int64, _ state: inout State) {
        let isContinuous = changes.first.map { $0.number &- 1 == start } ?? true
        if state.page?.end == start, isContinuous, changes.isEmpty || state.page?.isRecent == true {
            state.page?.append(changes)
        } else {
            state.page = Page(after: start, changes)
        }
    }

    /// Resumes each listener that can continue. A listener takes its new changes from the page, or reads the store if
    /// the page lacks its changes.
    ///
    /// - Returns: The number of resumed listeners.
    private func hand(out changes: [ProfileChange], after start: Int64, _ rings: Int) -> Int {
        let resumed = state.withLock { state in
            // If the page is full, the log may have further changes.
            if changes.count < Self.pageSize { state.ringsRead = rings }
            keep(changes, after: start, &state)
            var resumed: [(waiter: Waiter, turn: Turn)] = []
            for (key, waiter) in state.waiters {
                guard let number = waiter.place?.number else { continue }
                let changes = state.page?.changes(after: number)
                if changes == nil, number == state.page?.end { continue }
                state.waiters[key] = nil
                resumed.append((waiter, changes.map { .take($0) } ?? .readStore))
            }
            return resumed
        }
        for (waiter, turn) in resumed { waiter.turn.fulfill(with: turn) }
        return resumed.count
    }

    /// Ends the waiting listeners with an error. If another listener waits later, the log is read again.
    private func fail(_ error: ProfileStoreError) {
        let waiters = state.withLock { state in
            let waiters = state.waiters.filter { $0.value.place != nil }
            for key in waiters.keys { state.waiters[key] = nil }
            return waiters
        }
        for waiter in waiters.values { waiter.turn.fulfill(with: .fail(error)) }
    }
}

/// Calls a function once in every interval, until the ticker is deallocated.
private final class Ticker: Sendable {
    /// `nonisolated(unsafe)`: the timer never changes, and `cancel` may be called on any thread
    /// (dispatch_source_create(3)).
    private nonisolated(unsafe) let timer: any DispatchSourceTimer

    init(every interval: Duration, _ tick: @escaping @Sendable () -> Void) {
        let milliseconds = DispatchTimeInterval.milliseconds(
            Int(max(1, min(interval / .milliseconds(1), 86_400_000))))
        timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "ChangeFeed"))
        timer.setEventHandler(handler: tick)
        timer.schedule(deadline: .now() + milliseconds, repeating: milliseconds)
        timer.activate()
    }

    deinit { timer.cancel() }
}
