public import ProfileCore
internal import SQLiteAccess

/// Why a secret was not accepted, set or changed.
public enum CredentialError: Error, Hashable, Sendable {
    /// Wrong secret or no such user: nothing tells which (P10).
    case wrong
    /// Too many failures: no secret was looked at; try again after this many milliseconds.
    case throttled(milliseconds: Int64)
    /// A hundred failures in a row: only the owner helps, with ``ProfileRepository/unlock(_:)``, by removing the passcode
    /// or by setting another password.
    case locked
    /// There is a passcode already; edit it.
    case passcodeExists
    /// There is no passcode to remove.
    case noPasscode
    /// The new passcode is the present one.
    case notDifferent
    /// The new passcode breaks the policy.
    case violation(PasscodeViolation)
    /// No hash was computed; the attempt does not count.
    case hashing(HashingError)
    /// The store refused.
    case store(ProfileStoreError)
}

// Passcodes: create, validate, edit, remove (P1–P3). Owners set them; whoever knows one validates or edits it.
extension ProfileRepository {
    /// Sets the passcode of a profile that has none.
    ///
    /// - Throws: `violation`, `passcodeExists`, `store(.notFound)`, …
    public func createPasscode(
        _ new: Secret, for username: String, policy: PasscodePolicy = .standard
    ) async throws(CredentialError) {
        if let violation = policy.violation(of: new) { throw .violation(violation) }
        guard try storedCredential(username, .passcode) != nil else {
            throw .store(.notFound(username: username))
        }
        let hash = try await hash(new)
        let isSet = try await write { connection throws(ProfileStoreError) in
            let isSet = try ProfileStoreError.wrap { () throws(SQLiteError) in
                var statement = try connection.prepare(
                    "UPDATE profiles SET passcode_hash = ?2 WHERE username = ?1 AND passcode_hash IS NULL")
                try statement.bind(username, at: 1)
                try statement.bind(hash.text, at: 2)
                try statement.run()
                return connection.changes == 1
            }
            // Whoever guessed before had nothing to guess.
            if isSet { try ThrottleTable.forget(username, .passcode, connection) }
            return isSet
        }
        guard isSet else { throw .passcodeExists }
    }

    /// Says whether a passcode is right, and gives its profile.
    ///
    /// - Throws: `wrong`, `throttled`, `locked`, …
    @discardableResult
    public func validatePasscode(_ passcode: Secret, for username: String) async throws(CredentialError) -> Profile {
        try await attempt(passcode, .passcode, username).profile
    }

    /// Replaces a passcode by another one, in one transaction, when the present one is right.
    ///
    /// The attempt at the present one counts as any other.
    /// - Throws: `violation`, `notDifferent`, `wrong`, `throttled`, `locked`, …
    public func editPasscode(
        from present: Secret, to new: Secret, for username: String, policy: PasscodePolicy = .standard
    ) async throws(CredentialError) {
        if let violation = policy.violation(of: new) { throw .violation(violation) }
        guard NFC.form(of: present) != NFC.form(of: new) else { throw .notDifferent }
        let proven = try await attempt(present, .passcode, username)
        let hash = try await hash(new)
        let isReplaced = try await write { connection throws(ProfileStoreError) in
            try Self.replaceHash(.passcode, of: proven.profile.id, proven.hash, by: hash, connection)
        }
        // Somebody else has changed it since it was proven.
        guard isReplaced else { throw .wrong }
    }

    /// Removes a passcode and what is remembered of failed attempts at it: the owner's way out.
    ///
    /// - Throws: `noPasscode`, `store(.notFound)`, …
    public func removePasscode(of username: String) async throws(CredentialError) {
        guard let stored = try storedCredential(username, .passcode) else {
            throw .store(.notFound(username: username))
        }
        guard stored.hash != nil else { throw .noPasscode }
        try await write { connection throws(ProfileStoreError) in
            try ProfileStoreError.wrap { () throws(SQLiteError) in
                var statement = try connection.prepare("UPDATE profiles SET passcode_hash = NULL WHERE username = ?1")
                try statement.bind(username, at: 1)
                try statement.run()
            }
            try ThrottleTable.forget(username, .passcode, connection)
        }
    }
}

// Passwords, and what both kinds share.
extension ProfileRepository {
    /// Says whether a password is right, and gives its profile.
    ///
    /// - Throws: `wrong`, `throttled`, `locked`, …
    public func validatePassword(_ password: Secret, for username: String) async throws(CredentialError) -> Profile {
        try await attempt(password, .password, username).profile
    }

    /// Forgets failed attempts at both secrets: the owner's way out.
    ///
    /// - Throws: `store(.notFound)`, …
    public func unlock(_ username: String) async throws(CredentialError) {
        guard try storedCredential(username, .password) != nil else { throw .store(.notFound(username: username)) }
        try await write { connection throws(ProfileStoreError) in try ThrottleTable.forget(username, nil, connection) }
    }

    /// A secret that was right: the profile, and the hash that it was checked against.
    private struct Proof {
        let profile: Profile
        let hash: PasswordHash
    }

    /// Counts an attempt, then hashes, then takes the count back if the secret was right (P9, P10).
    private func attempt(
        _ secret: Secret, _ kind: CredentialKind, _ username: String
    ) async throws(CredentialError) -> Proof {
        let stored = try storedCredential(username, kind)
        let now = options.now()
        let decision = try await write { connection throws(ProfileStoreError) in
            try ProfileStoreError.wrap { () throws(SQLiteError) in
                try ThrottleTable.admit(
                    username, kind, at: now, isKnown: stored != nil,
                    mostUnknownNames: self.options.mostUnknownNames, connection)
            }
        }
        switch decision {
        case .wait(let milliseconds): throw .throttled(milliseconds: milliseconds)
        case .locked: throw .locked
        case .admitted: break
        }
        let verification: PasscodeHasher.Verification
        do throws(HashingError) {
            verification = try await hasher.verify(secret, against: stored?.hash)
        } catch {
            // Nobody learned anything about the secret, so the attempt does not count.
            _ = await settle { connection throws(ProfileStoreError) in
                try ThrottleTable.withdraw(username, kind, at: now, isKnown: stored != nil, connection)
            }
            throw .hashing(error)
        }
        guard case .right(let needsRehash) = verification, let stored, let hash = stored.hash else { throw .wrong }
        // Where there is no room for it now, the next success finds some.
        let better = needsRehash ? try? await self.hash(secret) : nil
        let profile = try await settle { connection throws(ProfileStoreError) -> Profile? in
            try ThrottleTable.forget(username, kind, connection)
            if let better {
                // Compare and swap: an edit that came between wins (P7).
                _ = try Self.replaceHash(kind, of: stored.profileID, hash, by: better, connection)
            }
            return try self.profile(id: stored.profileID, connection)
        }.get()
        guard let profile else { throw .wrong }
        return Proof(profile: profile, hash: better ?? hash)
    }

    private struct StoredCredential {
        let profileID: Int64
        let hash: PasswordHash?
    }

    /// Nil where there is no such profile.
    private func storedCredential(
        _ username: String, _ kind: CredentialKind
    ) throws(CredentialError) -> StoredCredential? {
        do throws(ProfileStoreError) {
            return try read { connection throws(ProfileStoreError) in
                try ProfileStoreError.wrap { () throws(SQLiteError) -> StoredCredential? in
                    var statement = try connection.prepare(kind.selectHash)
                    try statement.bind(username, at: 1)
                    guard try statement.step() else { return nil }
                    // A hash that does not parse, which only another program can have written, matches nothing.
                    var hash: PasswordHash?
                    if let text = statement.bytes(at: 1) { hash = try? PasswordHash(parsing: text) }
                    return StoredCredential(profileID: statement.integer(at: 0), hash: hash)
                }
            }
        } catch {
            throw .store(error)
        }
    }

    private func hash(_ secret: Secret) async throws(CredentialError) -> PasswordHash {
        do throws(HashingError) { return try await hasher.hash(secret) } catch { throw .hashing(error) }
    }

    /// One transaction that watchers need not hear of: credentials are no part of what a profile shows.
    private func write<Value: Sendable>(
        _ body: @escaping @Sendable (borrowing Connection) throws(ProfileStoreError) -> Value
    ) async throws(CredentialError) -> Value {
        do throws(ProfileStoreError) {
            return try await writer.write(waitingAtMost: options.waitLimit) { connection throws(ProfileStoreError) in
                try connection.writeTransaction { () throws(ProfileStoreError) in try body(connection) }
            }
        } catch {
            throw .store(error)
        }
    }

    /// Writes what came of an attempt that was counted, also when the caller's task was cancelled meanwhile.
    private func settle<Value: Sendable>(
        _ body: @escaping @Sendable (borrowing Connection) throws(ProfileStoreError) -> Value
    ) async -> Result<Value, CredentialError> {
        // A task of its own is not cancelled with the one that waits for it.
        await Task {
            do throws(CredentialError) { return .success(try await self.write(body)) } catch { return .failure(error) }
        }.value
    }

    private static func replaceHash(
        _ kind: CredentialKind, of id: Int64, _ old: PasswordHash, by new: PasswordHash,
        _ connection: borrowing Connection
    ) throws(ProfileStoreError) -> Bool {
        try ProfileStoreError.wrap { () throws(SQLiteError) in
            var statement = try connection.prepare(kind.replaceHash)
            try statement.bind(id, at: 1)
            try statement.bind(old.text, at: 2)
            try statement.bind(new.text, at: 3)
            try statement.run()
            return connection.changes == 1
        }
    }
}

extension CredentialKind {
    fileprivate var selectHash: String {
        switch self {
        case .password: "SELECT id, password_hash FROM profiles WHERE username = ?1"
        case .passcode: "SELECT id, passcode_hash FROM profiles WHERE username = ?1"
        }
    }

    fileprivate var replaceHash: String {
        switch self {
        case .password: "UPDATE profiles SET password_hash = ?3 WHERE id = ?1 AND password_hash = ?2"
        case .passcode: "UPDATE profiles SET passcode_hash = ?3 WHERE id = ?1 AND passcode_hash = ?2"
        }
    }
}
