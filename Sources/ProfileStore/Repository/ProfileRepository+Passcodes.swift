public import ProfileCore
public import SecretHashing

extension ProfileRepository {
    /// Creates, validates, edits and removes passcodes (P1–P3).
    public var passcodes: Passcodes { Passcodes(repository: self) }

    /// The passcodes of profiles. The owner of a store sets and removes passcodes. A person who knows a passcode can
    /// validate or edit it.
    public struct Passcodes: Sendable {
        let repository: ProfileRepository
    }
}

extension ProfileRepository.Passcodes {
    /// Sets the passcode of a profile that has none.
    ///
    /// The log of changes records `author` with the change.
    /// - Throws: `violation`, `passcodeExists`, `store(.notFound)`, …
    public func create(
        _ new: Secret, for username: String, policy: PasscodePolicy = .standard, by author: Author? = nil
    ) async throws(CredentialError) {
        if let violation = policy.violation(of: new) { throw .violation(violation) }
        let stamp = repository.stamp(author)
        let isSet = try await repository.call { () throws(CredentialError) in
            try await requireNone(of: username)
            let hash = try await repository.hash(new)
            return try await change(.set(hash, of: username), .setPasscode, stamp)
        }
        guard isSet else { throw .passcodeExists }
    }

    /// Checks that the profile exists and has no passcode. Call it before you ask a person for a new passcode.
    ///
    /// - Throws: `passcodeExists`, `store(.notFound)`, …
    public func requireNone(of username: String) async throws(CredentialError) {
        let stored = try await repository.storedCredential(username, .passcode) { $0 == nil || $0?.hash != nil }
        guard let stored else { throw .store(.notFound(username: username)) }
        guard stored.hash == nil else { throw .passcodeExists }
    }

    /// Checks a passcode, and returns its profile.
    ///
    /// - Throws: `wrong`, `throttled`, `locked`, …
    @discardableResult
    public func validate(_ passcode: Secret, for username: String) async throws(CredentialError) -> Profile {
        try await repository.attempt(passcode, .passcode, username).profile
    }

    /// Checks the present passcode, and then replaces it by a new one, unless it was changed after the check.
    ///
    /// The check of the present passcode is an attempt, and counts for throttling like any other attempt. The log of
    /// changes records `author` with the change.
    /// - Throws: `violation`, `notDifferent`, `wrong`, `throttled`, `locked`, …
    public func edit(
        from present: Secret, to new: Secret, for username: String, policy: PasscodePolicy = .standard,
        by author: Author? = nil
    ) async throws(CredentialError) {
        if let violation = policy.violation(of: new) { throw .violation(violation) }
        guard NFC.form(of: present) != NFC.form(of: new) else { throw .notDifferent }
        let stamp = repository.stamp(author)
        let isReplaced = try await repository.call { () throws(CredentialError) in
            let proven = try await repository.attempt(present, .passcode, username)
            let hash = try await repository.hash(new)
            return try await change(
                .replace(proven.hash, by: hash, of: proven.profile.id), .replacePasscode, stamp)
        }
        // The passcode is not replaced if it was changed or removed after the check.
        guard isReplaced else { throw .wrong }
    }

    /// Removes a passcode and its failed attempts. The owner of the store can use this method to help a person whose
    /// passcode is locked.
    ///
    /// The log of changes records `author` with the change. A repeat with the same `key` returns the first answer.
    /// - Throws: `noPasscode`, `store(.notFound)`, …
    public func remove(
        of username: String, by author: Author? = nil, key: WriteKey? = nil
    ) async throws(CredentialError) {
        let stamp = repository.stamp(author, KeyedRequest(key, "remove_passcode", [LoginAttempt.foldedName(username)]))
        let isRemoved = try await repository.call { () throws(CredentialError) in
            let first: Bool? = try await repository.store { () throws(ProfileStoreError) in
                try await repository.firstAnswer(stamp)
            }
            if let first { return first }
            let stored = try await repository.storedCredential(username, .passcode) { $0?.hash == nil }
            guard let stored else { throw .store(.notFound(username: username)) }
            guard stored.hash != nil else { return false }
            return try await change(.remove(of: username), .removePasscode, stamp)
        }
        guard isRemoved else { throw .noPasscode }
    }

    private func change(
        _ change: PasscodeChange, _ operation: StoreObserver.Operation.Name, _ stamp: WriteStamp
    ) async throws(CredentialError) -> Bool {
        try await repository.store { () throws(ProfileStoreError) in
            try await repository.ask(operation, rows: \.rowCount, await repository.engine.change(change, stamp))
        }
    }
}
