internal import Dispatch
internal import Synchronization

/// Rings for those who wait for a store's changes: whenever its engine says that there are some, and once an interval all
/// the same, since other processes may not be heard.
///
/// It says nothing of what has changed: whoever hears it looks into the store.
final class ChangeBell: Sendable {
    private struct State {
        /// How often it has rung.
        var rings = 0
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var latestTicket = 0
        var hasListeners = false
        var isClosed = false
        var ticker: Ticker?
    }

    private let state = Mutex(State())
    private let interval: Duration

    init(interval: Duration) { self.interval = interval }

    // MARK: Listening

    /// How often it has rung so far. Whoever takes the number, then looks into the store, then waits for the next ring
    /// misses nothing.
    var rings: Int { state.withLock { $0.rings } }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Has it ring from now on. `hear` is given what to call after each commit.
    func listen(_ hear: (_ ring: @escaping @Sendable () -> Void) -> Void) {
        let isFirst = state.withLock { state in
            defer { state.hasListeners = true }
            return !state.hasListeners && !state.isClosed
        }
        guard isFirst else { return }
        hear { [weak self] in self?.ring() }
        let ticker = Ticker(every: interval) { [weak self] in self?.ring() }
        state.withLock { if !$0.isClosed { $0.ticker = ticker } }
    }

    /// Waits until it has rung more often than this, until it is closed, or until the task is cancelled.
    func wait(after rings: Int) async {
        let ticket = state.withLock { state in
            state.latestTicket += 1
            return state.latestTicket
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                let isOver = state.withLock { state in
                    // A cancellation that came before found nobody waiting.
                    if state.rings != rings || state.isClosed || Task.isCancelled { return true }
                    state.waiting[ticket] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: ticket) }?.resume()
        }
    }

    /// Waits until it is closed, or until the task is cancelled.
    func waitForClosing() async { while !isClosed, !Task.isCancelled { await wait(after: rings) } }

    /// Lets everyone go who waits, or will.
    func close() {
        let waiting = state.withLock { state in
            state.isClosed = true
            state.ticker = nil
            return state.waiting.takeAll()
        }
        for continuation in waiting { continuation.resume() }
    }

    private func ring() {
        let waiting = state.withLock { state in
            state.rings &+= 1
            return state.waiting.takeAll()
        }
        for continuation in waiting { continuation.resume() }
    }
}

extension [Int: CheckedContinuation<Void, Never>] {
    fileprivate mutating func takeAll() -> [CheckedContinuation<Void, Never>] {
        defer { removeAll(keepingCapacity: true) }
        return Array(values)
    }
}

/// Does something again and again, for as long as somebody holds it.
private final class Ticker: Sendable {
    /// `nonisolated(unsafe)`: it never changes, and `cancel` may be called on any thread (dispatch_source_create(3)).
    private nonisolated(unsafe) let timer: any DispatchSourceTimer

    init(every interval: Duration, _ tick: @escaping @Sendable () -> Void) {
        let milliseconds = DispatchTimeInterval.milliseconds(
            Int(max(1, min(interval / .milliseconds(1), 86_400_000))))
        timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "ChangeBell"))
        timer.setEventHandler(handler: tick)
        timer.schedule(deadline: .now() + milliseconds, repeating: milliseconds)
        timer.activate()
    }

    deinit { timer.cancel() }
}
