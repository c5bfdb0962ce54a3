internal import Dispatch
internal import Synchronization
internal import Threads

/// Reads the log of changes once for all listeners of a repository.
///
/// The engine rings after a commit. A timer rings in every interval too, because the engine may not hear of commits of other
/// processes. A ring says nothing about what has changed: it makes one task read the next page of the log and hand it to
/// every listener that waits. The feed keeps a page of changes at the most, which listeners share. A listener that is
/// further behind reads the store itself, so a slow listener costs no memory.
///
/// After it has resumed listeners, the task rests, for longer the more there were. Without the rest a thousand listeners
/// would be resumed after each commit, and the writer's own task would queue behind them each time.
final class ChangeFeed: Sendable {
    /// What a listener does next.
    enum Turn: Sendable {
        /// It takes these changes, which come next.
        case take(ArraySlice<ProfileChange>)
        /// It reads the store, because the feed does not hold what comes next.
        case readStore
        case fail(ProfileStoreError)
        /// Its task was cancelled, or the feed was closed.
        case end
    }

    /// The newest changes, as they were read a moment ago: a page of them at the most.
    private struct Page {
        /// The number of the change after which it begins.
        private(set) var start: Int64
        /// Without a gap, unless there is only one, which may be of the kind `missed`.
        private(set) var changes: [ProfileChange]
        private let readAt = ContinuousClock.now

        init(after start: Int64, _ changes: [ProfileChange] = []) {
            self.start = start
            self.changes = changes
        }

        var end: Int64 { changes.last?.number ?? start }

        /// Whether names and revisions in it, which were looked up when it was read, can still be told.
        var isRecent: Bool { .now - readAt < .seconds(1) }

        /// What comes after a change; nil if the page does not say.
        func changes(after number: Int64) -> ArraySlice<ProfileChange>? {
            let (index, isTooFar) = number.subtractingReportingOverflow(start)
            guard !isTooFar, index >= 0, index < changes.count else { return nil }
            guard index == 0 || changes[Int(index) - 1].number == number else { return nil }
            return changes[Int(index)...]
        }

        /// Adds what was read after it, for listeners that lag a little, and drops the oldest.
        mutating func append(_ next: [ProfileChange]) {
            changes += next
            let surplus = max(0, changes.count - ChangeFeed.pageSize)
            if surplus > 0 { start = changes[surplus - 1].number }
            changes.removeFirst(surplus)
        }
    }

    /// A task that waits.
    private struct Waiter {
        /// For the change after this one, in this repository; nil for the end alone.
        let place: (number: Int64, repository: ProfileRepository)?
        let turn: Promise<Turn>
    }

    private struct State {
        var rings = 0
        /// How often it had rung when what was read last was begun.
        var ringsRead = 0
        var page: Page?
        /// By their promises.
        var waiters: [ObjectIdentifier: Waiter] = [:]
        /// The task that reads, while there is something to read and a listener that waits for it.
        var reading: Task<Void, Never>?
        var hasListener = false
        var ticker: Ticker?
    }

    private let state = Mutex(State())
    /// Set under the lock of `state`.
    private let isOver = Atomic(false)
    private let interval: Duration

    /// The most changes in a page.
    static let pageSize = 256
    /// How long a read that the store did not answer waits before it is tried again.
    static let retryPause = Duration.milliseconds(500)
    /// How long the reading task rests for each listener that it has resumed. Resuming one takes 1 to 2 µs of a core.
    private static let restPerListener = Duration.microseconds(50)
    /// How long it rests at the least: a commit may ring twice, and the second read would find nothing.
    private static let shortestRest = Duration.milliseconds(1)

    init(interval: Duration) { self.interval = interval }

    /// How many tasks wait.
    var waiterCount: Int { state.withLock { $0.waiters.count } }

    // MARK: Listening

    var isClosed: Bool { isOver.load(ordering: .relaxed) }

    /// How often it has rung. A listener that notes the number, reads the store and finds nothing has missed nothing if the
    /// number is still the same.
    var rings: Int { state.withLock { $0.rings } }

    /// Lets the engine and the timer ring from now on.
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

    /// Waits for what comes after a change.
    ///
    /// - Parameters:
    ///   - number: The change that the listener saw last.
    ///   - rings: How often the feed had rung before the listener read the store and found nothing after `number`; nil if
    ///     it has not read the store.
    ///   - repository: The listener's, which is the feed's.
    /// - Returns: What the listener does next.
    func turn(after number: Int64, havingFoundNothingAt rings: Int?, _ repository: ProfileRepository) async -> Turn {
        await wait(for: (number, repository)) { state in
            if let page = state.page, page.isRecent, let changes = page.changes(after: number) {
                return .take(changes)
            }
            if state.page?.end == number { return nil }
            // Behind the page, or ahead of it; or the task has read on since the listener read.
            guard let rings, rings >= state.ringsRead else { return .readStore }
            if state.page == nil {
                state.page = Page(after: number)
                state.ringsRead = rings
            }
            return nil
        }
    }

    /// Waits until the feed is closed, or the task is cancelled.
    func waitForClosing() async { _ = await wait(for: nil) { _ in nil } }

    /// Ends every listener, now and later.
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

    /// Waits unless `answer` has one already.
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
        // Detached, since the task that commits must not lend its own measure of waiting to it.
        state.reading = Task.detached { await self.read() }
    }

    /// What is to be read, after which change, and how often it has rung; nil if there is nothing new, or no listener.
    private func nextRead(_ state: State) -> (repository: ProfileRepository, start: Int64, rings: Int)? {
        guard !isClosed, state.rings != state.ringsRead else { return nil }
        // The listeners that wait have read to the end of the log, some a little further than others.
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

    /// Keeps what was read after a change as the latest page, or as the end of it.
    private func keep(_ changes: [ProfileChange], after start: Int64, _ state: inout State) {
        let isContinuous = changes.first.map { $0.number &- 1 == start } ?? true
        if state.page?.end == start, isContinuous, changes.isEmpty || state.page?.isRecent == true {
            state.page?.append(changes)
        } else {
            state.page = Page(after: start, changes)
        }
    }

    /// Resumes each listener that there is something for.
    ///
    /// - Returns: How many there were.
    private func hand(out changes: [ProfileChange], after start: Int64, _ rings: Int) -> Int {
        let resumed = state.withLock { state in
            // After a full page there may be another.
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

    /// Ends the listeners that wait with an error. What was rung for is still to be read: the next listener tries it.
    private func fail(_ error: ProfileStoreError) {
        let waiters = state.withLock { state in
            let waiters = state.waiters.filter { $0.value.place != nil }
            for key in waiters.keys { state.waiters[key] = nil }
            return waiters
        }
        for waiter in waiters.values { waiter.turn.fulfill(with: .fail(error)) }
    }
}

/// Does something again and again, for as long as it is held.
private final class Ticker: Sendable {
    /// `nonisolated(unsafe)`: it never changes, and `cancel` may be called on any thread (dispatch_source_create(3)).
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
