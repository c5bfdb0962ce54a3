import ProfileCore
import ProfileStore
import Synchronization

/// Something that is settled once, and that others can wait for.
final class Promise<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var waiting: [CheckedContinuation<Value, Never>] = []
    }

    private let state = Mutex(State())

    func settle(_ value: Value) {
        let waiting = state.withLock { state in
            if state.value == nil { state.value = value }
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume(returning: value) }
    }

    var value: Value {
        get async {
            await withCheckedContinuation { continuation in
                let known: Value? = state.withLock { state in
                    if state.value == nil { state.waiting.append(continuation) }
                    return state.value
                }
                if let known { continuation.resume(returning: known) }
            }
        }
    }
}

extension Promise<Void> {
    func settle() { settle(()) }
}

/// Answers what a test says and when it says so, whether its task is cancelled or not.
final class HeldAuthenticator: Authenticator {
    typealias Answer = Result<LoggedInProfile, LoginError>

    private let attempts = Mutex<[Attempt]>([])
    private let answer = Promise<Answer>()
    let wasAsked = Promise<Void>()
    let wasCancelled = Promise<Void>()
    let hasEnded = Promise<Void>()

    struct Attempt: Equatable {
        let username: String
        let password: Secret
    }

    /// What it was asked so far.
    var asked: [Attempt] { attempts.withLock(\.self) }

    func answer(_ answer: Answer) { self.answer.settle(answer) }

    func authenticate(username: String, password: Secret) async throws(LoginError) -> LoggedInProfile {
        attempts.withLock { $0.append(Attempt(username: username, password: password)) }
        wasAsked.settle()
        defer { hasEnded.settle() }
        let answer = await withTaskCancellationHandler {
            await self.answer.value
        } onCancel: {
            wasCancelled.settle()
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
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
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
