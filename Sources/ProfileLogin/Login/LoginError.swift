public import ProfileCore
public import ProfileStore
public import SecretHashing

/// The reason why a login failed.
public enum LoginError: Error, Hashable, Sendable {
    // A local check failed, so the authenticator was not called (L1).

    /// The username is too short or too long. A nil maximum means that the length has no upper limit.
    case invalidUsernameLength(minimum: Int, maximum: Int?)
    /// The password is too short. The error also lists the schema's other requirements.
    case invalidPasswordLength(minimum: Int, requirements: [Requirement])
    /// The password does not meet all requirements.
    case invalidPasswordCharacters(requirements: [Requirement])
    /// Login is impossible because the schema has no password.
    case noPasswords

    // Errors of the authenticator (L3).

    /// The password is wrong or the user does not exist. The error does not distinguish these two cases.
    case invalidCredentials
    /// The response contains no profile: its body is empty or cannot be decoded.
    case invalidResponse
    /// The HTTP status of the response is unexpected. It means neither success nor wrong credentials.
    case unexpectedStatus
    /// The authenticator did not answer before the timeout, or an unexpected error occurred.
    case unknown
    /// Too many attempts failed. The password was not checked. The caller may try again after this number of
    /// milliseconds.
    case throttled(milliseconds: Int64)
    /// The username is locked after a hundred consecutive failures. Only the owner of the store can unlock it.
    case locked
    /// The hash could not be computed. The attempt is not counted as a failure.
    case hashing(HashingError)
    /// The store reported an error.
    case store(ProfileStoreError)

    /// The caller's task was cancelled before the authenticator answered.
    case cancelled

    /// The title of a dialog that shows ``message``.
    public static let messageTitle = "Error"
}

extension LoginError {
    /// The text of the alert, in English and without a full stop (L5).
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
        case .noPasswords: "Login is not possible because profiles have no password here"
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

    /// The time in seconds, rounded up.
    private static func seconds(_ milliseconds: Int64) -> String {
        let seconds = max(1, milliseconds / 1_000 + (milliseconds % 1_000 > 0 ? 1 : 0))
        return "\(seconds) second\(seconds == 1 ? "" : "s")"
    }

    /// A list such as `one uppercase letter, one special character and one decimal digit`.
    private static func list(_ requirements: [Requirement]) -> String {
        requirements.map { "one \($0.noun)" }.listed("and")
    }
}

extension LoginError {
    /// The kind of this error. A caller can use the kind to decide how to continue. If the response of a remote service
    /// is invalid or has an unexpected status, the kind is `unavailable`.
    public var kind: ProfileStoreError.Kind {
        switch self {
        case .invalidUsernameLength, .invalidPasswordLength, .invalidPasswordCharacters, .noPasswords: .invalid
        case .invalidCredentials: .denied
        case .invalidResponse, .unexpectedStatus, .unknown, .cancelled: .unavailable
        case .throttled, .locked: .throttled
        case .hashing(let error): error.kind
        case .store(let error): error.kind
        }
    }
}
