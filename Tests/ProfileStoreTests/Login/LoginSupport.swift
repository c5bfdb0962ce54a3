import ProfileCore
import ProfileStore
import Synchronization

/// Something that happens once, and that others wait for; a test whose time is up waits no longer.
final class Signal: Sendable {
    private let (stream, continuation) = AsyncStream.makeStream(of: Never.self)

    func give() { continuation.finish() }

    func wait() async { for await _ in stream {} }
}

/// Answers what a test says and when it says so, whether its task is cancelled or not.
final class HeldAuthenticator: Authenticator {
    typealias Answer = Result<LoggedInProfile, LoginError>

    private enum State {
        case unanswered
        case awaited(CheckedContinuation<Answer, Never>)
        case answered(Answer)
    }

    private let attempts = Mutex<[Attempt]>([])
    private let state = Mutex(State.unanswered)
    let wasAsked = Signal()
    let wasCancelled = Signal()
    let hasEnded = Signal()

    struct Attempt: Equatable {
        let username: String
        let password: Secret
    }

    /// What it was asked so far.
    var asked: [Attempt] { attempts.withLock(\.self) }

    /// Answers the attempt that is under way, or the one to come; only the first answer counts.
    func answer(_ answer: Answer) {
        let waiting: CheckedContinuation<Answer, Never>? = state.withLock { state in
            switch state {
            case .answered: return nil
            case .unanswered:
                state = .answered(answer)
                return nil
            case .awaited(let continuation):
                state = .answered(answer)
                return continuation
            }
        }
        waiting?.resume(returning: answer)
    }

    func authenticate(username: String, password: Secret) async throws(LoginError) -> LoggedInProfile {
        attempts.withLock { $0.append(Attempt(username: username, password: password)) }
        wasAsked.give()
        defer { hasEnded.give() }
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let known: Answer? = state.withLock { state in
                    if case .answered(let answer) = state { return answer }
                    state = .awaited(continuation)
                    return nil
                }
                if let known { continuation.resume(returning: known) }
            }
        } onCancel: {
            wasCancelled.give()
        }
        return try answer.get()
    }
}

/// A clock that stands still until a test moves it, and knows who sleeps by it.
final class TimerClock: Clock, Sendable {
    struct Instant: InstantProtocol {
        let offset: Duration

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant(offset: .zero)
        var sleepers: [Int: Sleeper] = [:]
        var sleeps = 0
        var watchers: [(count: Int, signal: Signal)] = []
    }

    private let state = Mutex(State())

    var now: Instant { state.withLock(\.now) }
    let minimumResolution = Duration.nanoseconds(1)

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
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

    func advance(by duration: Duration) {
        let now = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            return state.now
        }
        wake(with: .success(())) { $1.deadline <= now }
    }

    /// Returns when so many sleep.
    func wait(forSleepers count: Int) async {
        let signal = Signal()
        state.withLock { $0.watchers.append((count, signal)) }
        notifyWatchers()
        await signal.wait()
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
        let reached = state.withLock { state in
            let count = state.sleepers.count
            defer { state.watchers.removeAll { $0.count == count } }
            return state.watchers.filter { $0.count == count }
        }
        for watcher in reached { watcher.signal.give() }
    }
}

extension LoginService {
    /// What an attempt comes to.
    func outcome(_ username: String?, _ password: String?) async -> Result<LoggedInProfile, LoginError> {
        do throws(LoginError) {
            return .success(try await logIn(username: username, password: password.map { Secret($0) }))
        } catch {
            return .failure(error)
        }
    }

    /// Why an attempt fails, if it does.
    func failure(_ username: String?, _ password: String?) async -> LoginError? {
        if case .failure(let error) = await outcome(username, password) { error } else { nil }
    }
}
