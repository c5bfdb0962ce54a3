internal import ProfileCore
internal import ProfileStore
internal import SQLiteAccess
internal import SecretHashing

extension SQLiteEngine {
    func credential(
        _ kind: CredentialKind, of username: String
    ) async throws(ProfileStoreError) -> StoredCredential? {
        try session.read { connection in
            var statement = try connection.prepare(kind.selectHash, username)
            guard try statement.step() else { return nil }
            var hash: PasswordHash?
            if let text = statement.bytes(at: 1) { hash = try? PasswordHash(parsing: text) }
            return StoredCredential(profileID: statement.integer(at: 0), hash: hash)
        }
    }

    func change(_ passcode: PasscodeChange, _ stamp: WriteStamp) async throws(ProfileStoreError) -> Bool {
        try await change(stamp) { connection in
            let id = try Self.change(passcode, connection)
            return (id.map { [.credentialChanged($0)] } ?? [], id != nil)
        }
    }

    /// Changes a passcode within a transaction, and returns the profile's id; nil if nothing was changed.
    private static func change(
        _ passcode: PasscodeChange, _ connection: borrowing Connection
    ) throws -> Int64? {
        switch passcode {
        case .set(let hash, let username):
            guard let id = try ProfileTable.owner(of: username, in: .username, connection) else { return nil }
            try connection.run(
                "UPDATE profiles SET passcode_hash = ?2 WHERE id = ?1 AND passcode_hash IS NULL", id, hash.text)
            guard connection.changes == 1 else { return nil }
            // Failed login attempts do not count if they were made before the passcode was set.
            try ThrottleTable.forget(username, .passcode, connection)
            return id
        case .replace(let old, let new, let id):
            return try replaceHash(.passcode, of: id, old, by: new, connection) ? id : nil
        case .remove(let username):
            try ThrottleTable.forget(username, .passcode, connection)
            guard let id = try ProfileTable.owner(of: username, in: .username, connection) else { return nil }
            try connection.run(
                "UPDATE profiles SET passcode_hash = NULL WHERE id = ?1 AND passcode_hash IS NOT NULL", id)
            return connection.changes == 1 ? id : nil
        }
    }

    func admit(_ attempt: LoginAttempt) async throws(ProfileStoreError) -> ThrottleState.Decision {
        try await session.write { connection in
            try ThrottleTable.admit(attempt, mostUnknownNames: self.options.mostUnknownNames, connection)
        }
    }

    func settle(
        _ attempt: LoginAttempt, _ outcome: LoginAttempt.Outcome
    ) async throws(ProfileStoreError) -> LoginAttempt.Success? {
        switch outcome {
        // The attempt was counted when it was admitted.
        case .wrong: return nil
        case .notMade:
            return try await session.write { connection in
                try ThrottleTable.withdraw(attempt, connection)
                return nil
            }
        case .right(let profileID, let rehash, let proven):
            return try await session.write { connection in
                try ThrottleTable.forget(attempt.username, attempt.kind, connection)
                if let rehash {
                    _ = try Self.replaceHash(attempt.kind, of: profileID, rehash.old, by: rehash.new, connection)
                }
                guard let profile = try self.rulesInForce(connection).table.profile(.id(profileID), connection) else {
                    return nil
                }
                return try Self.start(proven, of: profile, connection)
            }
        }
    }

    func unlock(_ username: String) async throws(ProfileStoreError) {
        try await session.write { connection in
            try ThrottleTable.forget(username, nil, connection)
            try ThrottleTable.forgetTokens(of: username, connection)
        }
    }

    /// Starts a session within a transaction, unless the profile's password has changed since it was verified.
    private static func start(
        _ proven: LoginAttempt.ProvenSession?, of profile: Profile, _ connection: borrowing Connection
    ) throws(SQLiteError) -> LoginAttempt.Success {
        guard let proven, let hash = try ProfileTable.passwordHash(of: profile.id, connection),
            proven.hashes.contains(where: { $0.text == hash })
        else { return LoginAttempt.Success(profile: profile, session: nil) }
        return try TokenTable.start(proven.session, of: profile, connection)
    }

    /// Replaces a hash within a transaction if the stored hash is still `old`. Returns whether the hash was replaced.
    private static func replaceHash(
        _ kind: CredentialKind, of id: Int64, _ old: PasswordHash, by new: PasswordHash,
        _ connection: borrowing Connection
    ) throws(SQLiteError) -> Bool {
        try connection.run(kind.replaceHash, id, old.text, new.text)
        return connection.changes == 1
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
