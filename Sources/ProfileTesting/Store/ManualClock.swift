public import ProfileStore
internal import Synchronization

/// A clock that stands still until a test moves it, for whatever waits or writes the time down.
///
/// It is a `Clock`, so a `LoginService` can measure its time-out by it; and it has a ``timestamp``, which
/// a repository can go by: `options.now = { clock.timestamp }`.
public final class ManualClock: Clock, Sendable {
    /// A point in time: how long after the clock was made.
    public struct Instant: InstantProtocol {
        let offset: Duration

        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        public func duration(to other: Instant) -> Duration { other.offset - offset }
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant(offset: .zero)
        var sleepers: [Int: Sleeper] = [:]
        var sleeps = 0
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let start: Timestamp
    private let origin = ContinuousClock.now
    private let state = Mutex(State())

    /// A clock that begins at a time of day; by default at 2026-01-01 00:00:00.250 UTC.
    public init(at start: Timestamp = Timestamp(millisecondsSince1970: 1_767_225_600_250)) { self.start = start }

    /// How far it was moved.
    public var now: Instant { state.withLock(\.now) }

    /// The time of day, in whole milliseconds.
    public var timestamp: Timestamp {
        let (seconds, attoseconds) = now.offset.components
        let milliseconds = seconds.multipliedReportingOverflow(by: 1_000)
        let sum = start.millisecondsSince1970.addingReportingOverflow(
            milliseconds.partialValue &+ attoseconds / 1_000_000_000_000_000)
        return Timestamp(millisecondsSince1970: milliseconds.overflow || sum.overflow ? .max : sum.partialValue)
    }

    /// What a clock shows that nobody sets, which moves with this one.
    package var uptime: ContinuousClock.Instant { origin.advanced(by: min(now.offset, .seconds(1_000_000_000))) }

    /// One nanosecond.
    public let minimumResolution = Duration.nanoseconds(1)

    /// Moves it on, and wakes whoever slept until a time that has come.
    public func advance(by duration: Duration) {
        let now = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            return state.now
        }
        wake(with: .success(())) { $1.deadline <= now }
    }

    /// Sleeps until it was moved to a time, or the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let number = state.withLock { state in
            state.sleeps += 1
            return state.sleeps
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let end: Result<Void, any Error>? = state.withLock { state in
                    // Whoever is cancelled from here on is found by `onCancel`.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if deadline <= state.now { return .success(()) }
                    state.sleepers[number] = Sleeper(deadline: deadline, continuation: continuation)
                    return nil
                }
                if let end { continuation.resume(with: end) }
                notifyWatchers()
            }
        } onCancel: {
            wake(with: .failure(CancellationError())) { key, _ in key == number }
        }
    }

    /// How many tasks sleep by it.
    package var sleeperCount: Int { state.withLock(\.sleepers.count) }

    /// Returns when so many tasks sleep by it.
    public func wait(forSleepers count: Int) async {
        await withCheckedContinuation { continuation in
            let isSo = state.withLock { state in
                if state.sleepers.count == count { return true }
                state.watchers.append((count, continuation))
                return false
            }
            if isSo { continuation.resume() }
        }
    }

    private func wake(with end: Result<Void, any Error>, _ isMeant: (Int, Sleeper) -> Bool) {
        let woken = state.withLock { state in
            let woken = state.sleepers.filter { isMeant($0.key, $0.value) }
            for number in woken.keys { state.sleepers[number] = nil }
            return woken.values.map(\.continuation)
        }
        for sleeper in woken { sleeper.resume(with: end) }
        notifyWatchers()
    }

    private func notifyWatchers() {
        let watchers = state.withLock { state in
            let count = state.sleepers.count
            defer { state.watchers.removeAll { $0.count == count } }
            return state.watchers.filter { $0.count == count }.map(\.continuation)
        }
        for watcher in watchers { watcher.resume() }
    }
}
