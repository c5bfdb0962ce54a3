public import ProfileCore
public import ProfileLogin
internal import Threads

/// An authenticator that gives prepared answers in order and records how they were used.
public final class ScriptedAuthenticator: Authenticator {
    /// The outcome of one attempt.
    public enum Answer: Hashable, Sendable {
        /// The login succeeds with this profile. If the profile is nil, the login succeeds with a profile that has the
        /// username of the attempt.
        case success(LoggedInProfile? = nil)
        /// The login fails with this error.
        case failure(LoginError)

        /// The user does not exist, or the password is wrong.
        public static let invalidCredentials = Answer.failure(.invalidCredentials)
        /// The response contains no profile.
        public static let invalidResponse = Answer.failure(.invalidResponse)
        /// The HTTP status of the response means neither success nor wrong credentials.
        public static let unexpectedStatus = Answer.failure(.unexpectedStatus)
        /// No response came before the timeout, or an unexpected error occurred.
        public static let unknown = Answer.failure(.unknown)
    }

    /// The attempts and answers so far.
    public struct Report: Equatable, Sendable {
        /// The usernames that were tried, in order.
        public fileprivate(set) var attempts: [String] = []
        /// The prepared answers that were given, in order.
        public fileprivate(set) var given: [Answer] = []
        /// The prepared answers that were not used yet.
        public fileprivate(set) var unused: [Answer] = []

        /// Creates a report.
        public init(attempts: [String] = [], given: [Answer] = [], unused: [Answer] = []) {
            self.attempts = attempts
            self.given = given
            self.unused = unused
        }

        /// The number of attempts for which no prepared answer was left.
        public var unscripted: Int { attempts.count - given.count }
    }

    private let state: Locked<Report>
    private let other: (any Authenticator)?

    /// Creates an authenticator with prepared answers.
    ///
    /// - Parameters:
    ///   - answers: The answers to the first attempts.
    ///   - other: The authenticator to use when no prepared answer is left. If it is nil, each further attempt fails
    ///     with `unknown`.
    public init(_ answers: [Answer] = [], otherwise other: (any Authenticator)? = nil) {
        state = Locked(Report(unused: answers))
        self.other = other
    }

    /// Adds answers after the existing ones.
    public func enqueue(_ answers: Answer...) { enqueue(answers) }

    /// Adds answers after the existing ones.
    public func enqueue(_ answers: [Answer]) { state.withLock { $0.unused += answers } }

    /// The attempts and answers so far.
    public var report: Report { state.withLock(\.self) }

    /// Gives the next prepared answer. If no prepared answer is left, calls the other authenticator. If there is no
    /// other authenticator, throws `unknown`.
    public func authenticate(username: String, password: Secret) async throws(LoginError) -> LoggedInProfile {
        let answer: Answer? = state.withLock { report in
            report.attempts.append(username)
            guard !report.unused.isEmpty else { return nil }
            let answer = report.unused.removeFirst()
            report.given.append(answer)
            return answer
        }
        switch answer {
        case .success(let profile): return profile ?? LoggedInProfile(username: username)
        case .failure(let error): throw error
        case nil:
            guard let other else { throw .unknown }
            return try await other.authenticate(username: username, password: password)
        }
    }
}
