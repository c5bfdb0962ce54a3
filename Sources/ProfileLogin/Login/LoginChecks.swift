public import ProfileCore

/// What can be said of a username and a password before anybody is asked (L1).
///
/// Lengths and requirements alone: which characters are allowed is not judged here, nor is a pattern.
public struct LoginChecks: Hashable, Sendable {
    private let hasPasswords: Bool
    private let shortestUsername: Int
    private let longestUsername: Int?
    /// In bytes of UTF-8, so that combining marks cannot smuggle megabytes in (S5).
    private let mostUsernameBytes: Int
    private let shortestPassword: Int
    private let requirements: [Requirement]

    /// Derives the checks from the rules for usernames and passwords.
    ///
    /// A username has one character at least, and so has a password, whatever the rules say. No login passes where the
    /// schema has no password.
    ///
    /// - Parameters:
    ///   - schema: The rules.
    ///   - judgesPasswords: False where there are passwords that the rules never judged, since they are older or came
    ///     as hashes: then a password must not be empty, and that is all.
    public init(_ schema: ProfileSchema, judgesPasswords: Bool = true) {
        let username = schema.primaryKey
        hasPasswords = schema.hasPassword
        shortestUsername = max(1, username.mask?.digitCount ?? username.minimumLength ?? 1)
        longestUsername = username.longestLength
        mostUsernameBytes = username.longestByteCount
        let password = judgesPasswords ? schema[.password] : nil
        shortestPassword = max(1, password?.minimumLength ?? 1)
        requirements = password?.requirements ?? []
    }

    /// The first thing that is wrong, if anything is: the username's length, the password's length, its characters.
    ///
    /// - Parameters:
    ///   - username: Without white space around it.
    ///   - password: As it was typed; characters of bytes that are not UTF-8 are these bytes.
    /// - Returns: Nil where the authenticator is to be asked.
    public func failure(username: String, password: Secret) -> LoginError? {
        guard hasPasswords else { return .noPasswords }
        guard username.utf8.count <= mostUsernameBytes,
            shortestUsername...max(shortestUsername, longestUsername ?? .max) ~= username.count
        else { return .invalidUsernameLength(minimum: shortestUsername, maximum: longestUsername) }
        guard password.hasCharacters(shortestPassword) else {
            return .invalidPasswordLength(minimum: shortestPassword, requirements: requirements)
        }
        guard requirements.allSatisfy({ $0.isMet(by: password.bytes) }) else {
            return .invalidPasswordCharacters(requirements: requirements)
        }
        return nil
    }
}

extension Secret {
    /// Whether it has so many user-perceived characters, or more.
    fileprivate func hasCharacters(_ least: Int) -> Bool {
        guard let text = try? UTF8Span(validating: bytes) else { return count >= least }
        var characters = text.makeCharacterIterator()
        return characters.skipForward(by: least) == least
    }
}
