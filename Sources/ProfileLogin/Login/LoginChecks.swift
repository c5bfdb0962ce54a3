public import ProfileCore

/// The local checks of a username and a password, before the authenticator is called (L1).
///
/// The checks cover only lengths and requirements. They judge neither the allowed characters nor patterns.
public struct LoginChecks: Hashable, Sendable {
    private let hasPasswords: Bool
    private let shortestUsername: Int
    private let longestUsername: Int?
    /// The maximum length in bytes of UTF-8. Without it, combining marks could make a short text megabytes long (S5).
    private let mostUsernameBytes: Int
    private let shortestPassword: Int
    private let requirements: [Requirement]

    /// Derives the checks from the rules for usernames and passwords.
    ///
    /// A username and a password must have at least one character, whatever the schema says. Every login fails if the
    /// schema has no password.
    ///
    /// - Parameters:
    ///   - schema: The schema with the rules.
    ///   - judgesPasswords: Pass false if some passwords were never judged by these rules, because they were set under
    ///     other rules or came as hashes. The only check is then that the password is not empty.
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

    /// Returns the first check that fails, in this order: the schema has a password, the username's length, the
    /// password's length, the password's characters.
    ///
    /// - Parameters:
    ///   - username: The username, without white space around it.
    ///   - password: The password as it was typed. If it is not valid UTF-8, each byte counts as a character.
    /// - Returns: The failure; nil if all checks pass and the authenticator is to be called.
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
    /// Whether the secret has at least `least` user-perceived characters.
    fileprivate func hasCharacters(_ least: Int) -> Bool {
        guard let text = try? UTF8Span(validating: bytes) else { return count >= least }
        var characters = text.makeCharacterIterator()
        return characters.skipForward(by: least) == least
    }
}
