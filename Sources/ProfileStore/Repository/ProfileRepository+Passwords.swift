public import ProfileCore

extension ProfileRepository {
    /// Validates passwords, and resets forgotten ones.
    public var passwords: Passwords { Passwords(repository: self) }

    /// The passwords of profiles, and the resets of passwords. With a reset, an administrator allows a person to set a
    /// new password.
    public struct Passwords: Sendable {
        let repository: ProfileRepository
    }
}

extension ProfileRepository.Passwords {
    /// Checks a password, and returns its profile.
    ///
    /// - Throws: `wrong`, `throttled`, `locked`, …
    public func validate(_ password: Secret, for username: String) async throws(CredentialError) -> Profile {
        try await repository.attempt(password, .password, username).profile
    }

    /// Issues a reset, which allows its holder to set a new password. The new reset ends the previous reset of the
    /// profile.
    ///
    /// The present password and the sessions stay valid until the reset is redeemed. The reset ends when it expires,
    /// when the password is changed in another way, or when the profile is removed.
    /// - Parameters:
    ///   - username: The username of the profile, ignoring the case of ASCII letters.
    ///   - validity: The time for which the reset is valid, at least a millisecond.
    /// - Returns: The reset and its token. The token is for the person, and is not shown again.
    /// - Throws: `notFound`, `invalid` if the schema has no password, `busy`, …
    public func issueReset(
        of username: String, validFor validity: Duration = .seconds(86_400)
    ) async throws(ProfileStoreError) -> IssuedToken<PasswordReset> {
        try await repository.call { () throws(ProfileStoreError) in
            try await repository.refreshSchema()
            _ = try passwordField(of: repository.validator)
            let new = try repository.newToken(.reset)
            let now = repository.options.now()
            let token = StoredToken(
                new.hash, createdAt: now, expiresAt: now.advanced(by: max(validity, .milliseconds(1))))
            // A profile has at most one reset.
            let issued = try await repository.ask(
                .issueReset, rows: \.rowCount, await repository.engine.issue(token, to: username, atMost: 1))
            guard let reset = issued.flatMap(PasswordReset.init) else { throw .notFound(username: username) }
            return IssuedToken(reset, new.text)
        }
    }

    /// Returns the reset that belongs to a token. A service can use it to show the username before the reset is
    /// redeemed. Returns nil if there is no such reset, or if it was redeemed or has ended.
    public func findReset(_ token: Secret) async throws(ProfileStoreError) -> PasswordReset? {
        guard let hash = TokenHash(of: token, .reset) else { return nil }
        return try await repository.ask(
            .lookUpReset, rows: \.rowCount, await repository.engine.token(hash, at: repository.options.now())
        )
        .flatMap(PasswordReset.init)
    }

    /// Sets the password of the profile for which a reset was issued. One transaction makes all changes: it sets the
    /// password, forgets the failed attempts at the password, and ends the reset and the profile's sessions.
    ///
    /// Attempts with a wrong token are not counted. A token has 256 random bits and cannot be guessed. For a wrong
    /// token, no password hash is computed.
    /// - Parameters:
    ///   - token: The token as it was given to the user.
    ///   - password: The new password as it was typed. The rules in force validate the password.
    /// - Returns: The profile, with its revision raised by one.
    /// - Throws: `wrong` if there is no such token, or if it was used or has ended; `store(.invalid)` with the issues
    ///   of the password (the token then remains valid); …
    public func redeemReset(_ token: Secret, password: Secret) async throws(CredentialError) -> Profile {
        try await repository.call { () throws(CredentialError) in try await redeemInCall(token, password) }
    }

    private func redeemInCall(_ token: Secret, _ password: Secret) async throws(CredentialError) -> Profile {
        let known = try await repository.store { () throws(ProfileStoreError) in
            if let known = try await findReset(token) { return known as PasswordReset? }
            return try await repository.confirmed(nil) { () throws(ProfileStoreError) in try await findReset(token) }
        }
        guard known != nil, let hash = TokenHash(of: token, .reset) else { throw .wrong }
        let rules = try await rulesJudging(password)
        let passwordHash = try await repository.hash(password)
        let success = try await set(
            passwordHash, by: .reset(hash), judgedBy: rules, .redeemReset, repository.stamp(nil))
        // Another caller has redeemed the reset first.
        guard let success else { throw .wrong }
        return success.profile
    }

    /// Returns the rules in force, if they accept a new password.
    ///
    /// - Throws: `store(.invalid)` with the issues of the password; …
    func rulesJudging(_ password: Secret) async throws(CredentialError) -> AdoptedSchema {
        try await repository.store { () throws(ProfileStoreError) in
            let adopted = try await repository.refreshSchema()
            let field = try passwordField(of: adopted.validator)
            let issues = adopted.validator.issues(
                of: password.bytes, index: field, on: repository.today, hasPassword: false)
            guard issues.isEmpty else { throw .invalid(ValidationFailure(issues)) }
            return adopted
        }
    }

    /// Sets a password, which ends the tokens of its profile.
    func set(
        _ hash: PasswordHash, by grant: PasswordGrant, judgedBy rules: AdoptedSchema,
        _ operation: StoreObserver.Operation.Name, _ stamp: WriteStamp
    ) async throws(CredentialError) -> LoginAttempt.Success? {
        defer { repository.tokenLooks.forget() }
        return try await repository.store { () throws(ProfileStoreError) in
            try await repository.learningOfRules { () throws(ProfileStoreError) in
                try await repository.ask(
                    operation, rows: \.rowCount,
                    await repository.engine.setPassword(hash, by: grant, judgedBy: rules.schema, stamp))
            }
        }
    }

    private func passwordField(of validator: ProfileValidator) throws(ProfileStoreError) -> Int {
        guard let field = validator.schema.passwordIndex else {
            throw .invalid(ValidationFailure([ValidationIssue(nil, .unknownField(FieldName.password.text))]))
        }
        return field
    }
}
