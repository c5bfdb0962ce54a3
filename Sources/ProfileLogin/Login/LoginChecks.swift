public import ProfileCore

/// The local checks of a username and a password, before the authenticator is called (L1).
///
/// The checks cover only lengths and required kinds of characters. They ignore the rules about allowed characters and
/// patterns.
public struct LoginChecks: Hashable, Sendable {
    private let hasPasswords: Bool
    private let shortestUsername: Int
    private let longestUsername: Int?
    /// The maximum length in bytes of UTF-8. A text of a few characters can have megabytes of combining marks. So the
    /// number of bytes is limited too (S5).
    private let mostUsernameBytes: Int
    private let shortestPassword: Int
    private let requirements: [Requirement]

    /// Derives the checks from the rules for usernames and passwords.
    ///
    /// A username and a password must have at least one character, even if the schema allows empty values. If the
    /// schema has no password, every login fails.
    ///
    /// - Parameters:
    ///   - schema: The schema with the rules.
    ///   - judgesPasswords: Whether all stored passwords were validated by these rules. Pass false if some passwords
    ///     were set under other rules or were imported as hashes. If false, the only check of a password is that it is
    ///     not empty.
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

    /// Returns the first check that fails. The checks have this order: the schema has a password, the length of the
    /// username, the length of the password, the characters of the password.
    ///
    /// - Parameters:
    ///   - username: The username, without white space around it.
    ///   - password: The password as it was typed. If the password is not valid UTF-8, each byte is counted as one
    ///     character.
    /// - Returns: The failure, or nil if all checks pass. If nil, the caller should call the authenticator.
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
