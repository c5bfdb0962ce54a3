public import ProfileCore
public import ProfileLogin
internal import Synchronization

/// Answers attempts to log in as a test has said beforehand, one after another, and knows what became of each answer.
public final class ScriptedAuthenticator: Authenticator {
    /// What one attempt comes to.
    public enum Answer: Hashable, Sendable {
        /// Somebody is logged in: this profile, or one of the username that was tried.
        case success(LoggedInProfile? = nil)
        /// Nobody is logged in, for this reason.
        case failure(LoginError)

        /// No such user, or another password.
        public static let invalidCredentials = Answer.failure(.invalidCredentials)
        /// An answer that holds no profile.
        public static let invalidResponse = Answer.failure(.invalidResponse)
        /// An answer that is neither yes nor no.
        public static let unexpectedStatus = Answer.failure(.unexpectedStatus)
        /// No answer at all.
        public static let unknown = Answer.failure(.unknown)
    }

    /// What happened so far.
    public struct Report: Equatable, Sendable {
        /// The usernames that were tried, in order.
        public fileprivate(set) var attempts: [String] = []
        /// The answers that were given, in order, of those that were said beforehand.
        public fileprivate(set) var given: [Answer] = []
        /// The answers that nobody has asked for yet.
        public fileprivate(set) var unused: [Answer] = []

        /// A report.
        public init(attempts: [String] = [], given: [Answer] = [], unused: [Answer] = []) {
            self.attempts = attempts
            self.given = given
            self.unused = unused
        }

        /// How many attempts came when no answer was left.
        public var unscripted: Int { attempts.count - given.count }
    }

    private let state: Mutex<Report>
    private let other: (any Authenticator)?

    /// An authenticator with answers.
    ///
    /// - Parameters:
    ///   - answers: for the first attempts.
    ///   - other: who answers when none is left; nil for an `unknown` each time.
    public init(_ answers: [Answer] = [], otherwise other: (any Authenticator)? = nil) {
        state = Mutex(Report(unused: answers))
        self.other = other
    }

    /// Adds answers after those that are there.
    public func enqueue(_ answers: Answer...) { enqueue(answers) }

    /// Adds answers after those that are there.
    public func enqueue(_ answers: [Answer]) { state.withLock { $0.unused += answers } }

    /// What happened so far.
    public var report: Report { state.withLock(\.self) }

    /// Gives the next answer.
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
