import ProfileCore
import ProfileLogin
import ProfileStore
import Synchronization

/// An event that happens once and that tasks wait for. A task that is cancelled waits no longer.
final class Signal: Sendable {
    private let (stream, continuation) = AsyncStream.makeStream(of: Never.self)

    func give() { continuation.finish() }

    func wait() async { for await _ in stream {} }
}

/// An authenticator that gives the answer of a test, at the moment that the test chooses. Cancelling its task does not
/// end its wait for the answer.
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

    /// The attempts so far.
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

extension LoginService {
    /// The outcome of an attempt.
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
