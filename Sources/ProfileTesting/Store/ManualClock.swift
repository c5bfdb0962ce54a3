public import ProfileStore
internal import Threads

/// A clock that moves only when a test advances it.
///
/// A `LoginService` can measure its timeout with this clock. A repository can use the ``timestamp`` of the clock:
/// `options.now = { clock.timestamp }`.
public final class ManualClock: Clock, Sendable {
    /// A point in time, measured from the start of the clock.
    public struct Instant: InstantProtocol {
        let offset: Duration

        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        public func duration(to other: Instant) -> Duration { other.offset - offset }
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        let deadline: Instant
        let end: Promise<Result<Void, CancellationError>>
    }

    private struct State {
        var now = Instant(offset: .zero)
        /// The sleeping tasks. The key identifies the promise that the task waits for.
        var sleepers: [ObjectIdentifier: Sleeper] = [:]
        var watchers: [(count: Int, isReached: Promise<Void>)] = []
    }

    private let start: Timestamp
    private let origin = ContinuousClock.now
    private let state = Locked(State())

    /// Creates a clock that starts at a given date and time. The default is 2026-01-01 00:00:00.250 UTC.
    public init(at start: Timestamp = Timestamp(millisecondsSince1970: 1_767_225_600_250)) { self.start = start }

    /// The sum of all advances so far.
    public var now: Instant { state.withLock(\.now) }

    /// The current date and time of this clock, in whole milliseconds.
    public var timestamp: Timestamp {
        let (seconds, attoseconds) = now.offset.components
        let milliseconds = seconds.multipliedReportingOverflow(by: 1_000)
        let sum = start.millisecondsSince1970.addingReportingOverflow(
            milliseconds.partialValue &+ attoseconds / 1_000_000_000_000_000)
        return Timestamp(millisecondsSince1970: milliseconds.overflow || sum.overflow ? .max : sum.partialValue)
    }

    /// A monotonic time that advances with this clock.
    package var uptime: ContinuousClock.Instant { origin.advanced(by: min(now.offset, .seconds(1_000_000_000))) }

    /// One nanosecond.
    public let minimumResolution = Duration.nanoseconds(1)

    /// Advances the clock, and wakes the tasks whose deadline has passed.
    public func advance(by duration: Duration) {
        let now = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            return state.now
        }
        wake(with: .success(())) { $1.deadline <= now }
    }

    /// Sleeps until the clock reaches a deadline. Throws `CancellationError` if the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        let end = Promise<Result<Void, CancellationError>>()
        let key = ObjectIdentifier(end)
        let sleeps = state.withLock { state in
            guard deadline > state.now else { return false }
            state.sleepers[key] = Sleeper(deadline: deadline, end: end)
            return true
        }
        guard sleeps else { return }
        notifyWatchers()
        try await end.value { wake(with: .failure(CancellationError())) { candidate, _ in candidate == key } }.get()
    }

    /// The number of tasks that sleep on this clock.
    package var sleeperCount: Int { state.withLock(\.sleepers.count) }

    /// Waits until exactly `count` tasks sleep on this clock.
    public func wait(forSleepers count: Int) async {
        let isReached = Promise<Void>()
        state.withLock { state in
            if state.sleepers.count == count {
                isReached.fulfill()
            } else {
                state.watchers.append((count, isReached))
            }
        }
        await isReached.value
    }

    private func wake(
        with end: Result<Void, CancellationError>, _ isMeant: (ObjectIdentifier, Sleeper) -> Bool
    ) {
        let woken = state.withLock { state in
            let woken = state.sleepers.filter { isMeant($0.key, $0.value) }
            for key in woken.keys { state.sleepers[key] = nil }
            return woken.values.map(\.end)
        }
        for sleeper in woken { sleeper.fulfill(with: end) }
        notifyWatchers()
    }

    private func notifyWatchers() {
        let watchers = state.withLock { state in
            let count = state.sleepers.count
            defer { state.watchers.removeAll { $0.count == count } }
            return state.watchers.filter { $0.count == count }.map(\.isReached)
        }
        for watcher in watchers { watcher.fulfill() }
    }
}
