public import ProfileCore

// The way back in for somebody who does not know the password any more, by leave of an administrator.
extension ProfileRepository {
    /// Gives leave to set a profile's password without the present one. One that was given before ends.
    ///
    /// The present password stays valid, and sessions go on, until the reset is redeemed. It ends with the profile, with
    /// any other change of its password, and when its time is over.
    /// - Parameters:
    ///   - username: Whose password, whatever the case of its ASCII letters.
    ///   - validity: How long it may be redeemed, a millisecond at the least.
    /// - Returns: What is known of it, and the token that is to be given to the person. It is not shown again.
    /// - Throws: `notFound`, `invalid` where the rules know no password, `busy`, …
    public func issueReset(
        of username: String, validFor validity: Duration = .seconds(86_400)
    ) async throws(ProfileStoreError) -> IssuedToken<PasswordReset> {
        try await call { () throws(ProfileStoreError) in
            try await refreshSchema()
            _ = try passwordField(of: validator)
            let new = try newToken(.reset)
            let now = options.now()
            let token = StoredToken(
                new.hash, createdAt: now, expiresAt: now.advanced(by: max(validity, .milliseconds(1))))
            // One reset at a time.
            let issued = try await ask(
                .issueReset, rows: \.rowCount, await engine.issue(token, to: username, atMost: 1))
            guard let reset = issued.flatMap(PasswordReset.init) else { throw .notFound(username: username) }
            return IssuedToken(reset, new.text)
        }
    }

    /// What a reset's token is for, to be shown to who is about to use it; nil for any other text, and once the reset was
    /// redeemed or has ended.
    public func reset(for token: Secret) async throws(ProfileStoreError) -> PasswordReset? {
        guard let hash = TokenHash(of: token, .reset) else { return nil }
        return try await ask(.lookUpReset, rows: \.rowCount, await engine.token(hash, at: options.now()))
            .flatMap(PasswordReset.init)
    }

    /// Sets the password that a reset was given for, once: in one transaction the password is the new one, failed attempts
    /// at it are forgotten, and the profile's sessions end.
    ///
    /// Attempts are not counted: nobody finds 256 random bits by trying, and a wrong token costs no hash.
    /// - Parameters:
    ///   - token: As it was shown to whom it was given.
    ///   - password: As it was typed; the rules in force judge it.
    /// - Returns: The profile, with its revision one higher.
    /// - Throws: `wrong` for a token that is none, was used or has ended; `store(.invalid)` with what is wrong with the
    ///   password, after which the token is as good as before; …
    public func redeemReset(_ token: Secret, password: Secret) async throws(CredentialError) -> Profile {
        try await call { () throws(CredentialError) in try await redeemInCall(token, password) }
    }

    private func redeemInCall(_ token: Secret, _ password: Secret) async throws(CredentialError) -> Profile {
        let known = try await store { () throws(ProfileStoreError) in
            if let known = try await reset(for: token) { return known as PasswordReset? }
            return try await confirmed(nil) { () throws(ProfileStoreError) in try await reset(for: token) }
        }
        guard known != nil, let hash = TokenHash(of: token, .reset) else { throw .wrong }
        let adopted = try await store { () throws(ProfileStoreError) in
            let adopted = try await refreshSchema()
            let field = try passwordField(of: adopted.validator)
            let issues = adopted.validator.issues(of: password.bytes, index: field, on: today, hasPassword: false)
            guard issues.isEmpty else { throw .invalid(ValidationFailure(issues)) }
            return adopted
        }
        let passwordHash = try await self.hash(password)
        defer { tokenLooks.forget() }
        let profile = try await store { () throws(ProfileStoreError) in
            try await learningOfRules { () throws(ProfileStoreError) in
                try await ask(
                    .redeemReset, rows: \.rowCount,
                    await engine.redeemReset(hash, passwordHash, judgedBy: adopted.schema, at: options.now()))
            }
        }
        // Somebody else was faster.
        guard let profile else { throw .wrong }
        return profile
    }

    private func passwordField(of validator: ProfileValidator) throws(ProfileStoreError) -> Int {
        guard let field = validator.schema.index(of: .password) else {
            throw .invalid(ValidationFailure([ValidationIssue(nil, .unknownField(FieldName.password.text))]))
        }
        return field
    }
}
