internal import PostgresAccess
internal import ProfileCore
internal import ProfileStore
internal import SecretHashing

extension PostgresEngine {
    func credential(
        _ kind: CredentialKind, of username: String
    ) async throws(ProfileStoreError) -> StoredCredential? {
        try await session.read { connection -> StoredCredential? in
            let rows = try await connection.run(kind.selectHash, [.text(ProfileTable.key(of: username))])
            guard !rows.isEmpty else { return nil }
            let hash = rows.withBytes(0, 1) { try? PasswordHash(parsing: $0.span) } ?? nil
            return StoredCredential(profileID: rows.number(0, 0) ?? 0, hash: hash)
        }
    }

    func change(_ passcode: PasscodeChange, _ stamp: WriteStamp) async throws(ProfileStoreError) -> Bool {
        try await change(stamp) { transaction in
            var id: Int64?
            var last: [Command] = []
            switch passcode {
            case .set(let hash, let username):
                id = try await transaction.run(
                    """
                    UPDATE profiles SET passcode_hash = $2 WHERE username$key = $1 AND passcode_hash IS NULL
                    RETURNING id
                    """, [.text(ProfileTable.key(of: username)), .text(hash.text)]
                ).firstNumber
                // Failed login attempts do not count if they were made before the passcode existed.
                if id != nil { last = ThrottleTable.forget(username, .passcode) }
            case .replace(let old, let new, let profileID):
                let command = CredentialKind.passcode.replacingHash(of: profileID, old, by: new)
                if try await transaction.run([command])[0].affectedCount == 1 { id = profileID }
            case .remove(let username):
                id = try await transaction.run(
                    """
                    UPDATE profiles SET passcode_hash = NULL
                    WHERE username$key = $1 AND passcode_hash IS NOT NULL RETURNING id
                    """, [.text(ProfileTable.key(of: username))]
                ).firstNumber
                last = ThrottleTable.forget(username, .passcode)
            }
            return Written(value: id != nil, changes: id.map { [.credentialChanged($0)] } ?? [], last: last)
        }
    }

    func admit(_ attempt: LoginAttempt) async throws(ProfileStoreError) -> ThrottleState.Decision {
        try await session.write(at: attempt.time) { [options] transaction, _ in
            let (decision, last) = try await ThrottleTable.admit(
                attempt, mostUnknownNames: options.mostUnknownNames, transaction)
            return PostgresSession.Outcome(value: decision, last: last)
        }
    }

    func settle(
        _ attempt: LoginAttempt, _ outcome: LoginAttempt.Outcome
    ) async throws(ProfileStoreError) -> LoginAttempt.Success? {
        switch outcome {
        // The attempt was counted when it was admitted.
        case .wrong: return nil
        case .notMade:
            return try await session.write(at: attempt.time) { transaction, _ in
                PostgresSession.Outcome(value: nil, last: try await ThrottleTable.withdraw(attempt, transaction))
            }
        case .right(let profileID, let rehash, let proven):
            return try await session.write(at: attempt.time) { transaction, _ in
                try await transaction.run(ThrottleTable.forget(attempt.username, attempt.kind))
                if let rehash {
                    let command = attempt.kind.replacingHash(of: profileID, rehash.old, by: rehash.new)
                    try await transaction.run([command])
                }
                let table = try await rulesAtHand(transaction).table
                guard let profile = table.profile(in: try await transaction.run([table.select(.id(profileID))])[0])
                else { return PostgresSession.Outcome(value: nil) }
                var success = LoginAttempt.Success(profile: profile, session: nil)
                if let proven {
                    // This statement locks the profile's row. So the password cannot change before the session is
                    // stored (H4).
                    let hash = try await transaction.run(
                        "SELECT password_hash FROM profiles WHERE id = $1 FOR UPDATE", [.number(profileID)]
                    ).firstText
                    if proven.hashes.contains(where: { $0.text == hash }) {
                        success = try await TokenTable.start(proven.session, of: profile, transaction)
                    }
                }
                return PostgresSession.Outcome(value: success)
            }
        }
    }

    func unlock(_ username: String) async throws(ProfileStoreError) {
        try await session.write(at: options.now()) { _, _ in
            PostgresSession.Outcome(
                value: (), last: ThrottleTable.forget(username) + [ThrottleTable.forgetTokens(of: username)])
        }
    }
}

extension CredentialKind {
    fileprivate var selectHash: String {
        switch self {
        case .password: "SELECT id, password_hash FROM profiles WHERE username$key = $1"
        case .passcode: "SELECT id, passcode_hash FROM profiles WHERE username$key = $1"
        }
    }

    /// Replaces a hash if the stored hash is still `old` (compare-and-swap).
    fileprivate func replacingHash(of id: Int64, _ old: PasswordHash, by new: PasswordHash) -> Command {
        let sql =
            switch self {
            case .password: "UPDATE profiles SET password_hash = $3 WHERE id = $1 AND password_hash = $2"
            case .passcode: "UPDATE profiles SET passcode_hash = $3 WHERE id = $1 AND passcode_hash = $2"
            }
        return Command(sql, [.number(id), .text(old.text), .text(new.text)])
    }
}

extension Rows {
    /// The first column of the first row; nil if there are no rows.
    var firstText: String? { isEmpty ? nil : text(0, 0) }
    var firstNumber: Int64? { isEmpty ? nil : number(0, 0) }
}
