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
