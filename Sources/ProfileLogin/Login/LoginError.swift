public import ProfileCore
public import ProfileStore
public import SecretHashing

/// Why somebody is not logged in.
public enum LoginError: Error, Hashable, Sendable {
    // What was typed cannot be right; nobody was asked (L1).

    /// The username is shorter or longer than usernames are; there may be no greatest length.
    case invalidUsernameLength(minimum: Int, maximum: Int?)
    /// The password is shorter than passwords are; the requirements are those that the rules have besides.
    case invalidPasswordLength(minimum: Int, requirements: [Requirement])
    /// The password lacks something that every password has.
    case invalidPasswordCharacters(requirements: [Requirement])
    /// The schema has no password, so nobody can log in.
    case noPasswords

    // What the authenticator answered (L3).

    /// Wrong password or no such user: nothing tells which.
    case invalidCredentials
    /// The response holds no profile: its body is empty or cannot be decoded.
    case invalidResponse
    /// The status of the response is neither a success nor a refusal of the credentials.
    case unexpectedStatus
    /// No answer in time, or something that nobody thought of.
    case unknown
    /// Too many failures: no password was looked at; try again after this many milliseconds.
    case throttled(milliseconds: Int64)
    /// A hundred failures in a row: only the owner helps.
    case locked
    /// No hash was computed; the attempt does not count.
    case hashing(HashingError)
    /// The store refused.
    case store(ProfileStoreError)

    /// The caller's task was cancelled before there was an answer.
    case cancelled

    /// The title of a dialog that shows ``message``.
    public static let messageTitle = "Error"
}

extension LoginError {
    /// What the alert says, in English and without a full stop (L5).
    public var message: String {
        switch self {
        case .invalidUsernameLength(let minimum, let maximum?):
            "Your username should have at least \(minimum) and at most \(Self.characters(maximum))"
        case .invalidUsernameLength(let minimum, nil):
            "Your username should have at least \(Self.characters(minimum))"
        case .invalidPasswordLength(let minimum, let requirements) where requirements.isEmpty:
            "Your password should have at least \(Self.characters(minimum))"
        case .invalidPasswordLength(let minimum, let requirements):
            "Your password should have at least \(Self.characters(minimum)) with at least \(Self.list(requirements))"
        case .invalidPasswordCharacters(let requirements):
            "Your password should have at least \(Self.list(requirements))"
        case .noPasswords: "Profiles have no password here, so nobody can log in"
        case .invalidCredentials: "The user credentials are invalid"
        case .invalidResponse: "Failed to fetch your data, please try again later"
        case .unexpectedStatus: "Wrong status code received, please try again later"
        case .unknown, .hashing, .store: "Something went wrong, please try again later"
        case .throttled(let milliseconds):
            "Too many failed attempts, please try again in \(Self.seconds(milliseconds))"
        case .locked: "Too many failed attempts, please ask the owner to unlock you"
        case .cancelled: "The login was cancelled"
        }
    }

    private static func characters(_ count: Int) -> String { "\(count) character\(count == 1 ? "" : "s")" }

    /// Rounded up.
    private static func seconds(_ milliseconds: Int64) -> String {
        let seconds = max(1, milliseconds / 1_000 + (milliseconds % 1_000 > 0 ? 1 : 0))
        return "\(seconds) second\(seconds == 1 ? "" : "s")"
    }

    /// `one uppercase letter, one special character and one decimal digit`.
    private static func list(_ requirements: [Requirement]) -> String {
        requirements.map { "one \($0.noun)" }.listed("and")
    }
}
