package import ProfileCore
package import SecretHashing

/// An attempt to use a secret. The attempt is counted before the secret is checked (P9).
package struct LoginAttempt: Sendable {
    /// The name under which the attempt is counted: the username as it was typed, or ``name(of:_:)``. It is possible
    /// that no profile has this username.
    package let username: String
    package let kind: CredentialKind
    /// Whether a profile has this username. False for an attempt that is counted for a token.
    package let isKnown: Bool
    /// The time of the attempt.
    package let time: Timestamp

    package init(username: String, kind: CredentialKind, isKnown: Bool, time: Timestamp) {
        self.username = username
        self.kind = kind
        self.isKnown = isKnown
        self.time = time
    }

    /// The outcome of an attempt.
    package enum Outcome: Sendable {
        /// The secret is correct. The earlier failed attempts no longer count. If `rehash` is not nil, the store
        /// replaces the old hash with the new hash. But if an edit changed the stored hash during the attempt, the
        /// store keeps the changed hash (P7).
        case right(profileID: Int64, rehash: Rehash?, session: ProvenSession? = nil)
        /// The secret is wrong. The attempt stays counted.
        case wrong
        /// The secret was not checked. The attempt is not counted as a failure.
        case notMade
    }

    /// The result of a correct attempt, or of a change of a password.
    package struct Success: Sendable {
        package let profile: Profile
        /// The new session. Nil if the caller did not request a session, or if the password changed during the attempt.
        package let session: StoredToken?
        /// The remembered device. Nil if the caller did not ask for it, or if no session has started.
        package let device: StoredToken?

        package init(profile: Profile, session: StoredToken?, device: StoredToken? = nil) {
            self.profile = profile
            self.session = session
            self.device = device
        }
    }

    /// A session to start after a correct password. The session starts only if the stored hash of the profile is still
    /// in `hashes`. If the password changed after the check, the session does not start.
    package struct ProvenSession: Sendable {
        package let session: NewSession
        package let hashes: [PasswordHash]

        package init(_ session: NewSession, hashes: [PasswordHash]) {
            self.session = session
            self.hashes = hashes
        }
    }

    /// An old hash and the new hash that replaces it.
    package struct Rehash: Sendable {
        package let old: PasswordHash
        package let new: PasswordHash

        package init(old: PasswordHash, new: PasswordHash) {
            self.old = old
            self.new = new
        }
    }

    /// Counts the attempt, or refuses it. An engine must store the returned state even if the attempt is refused,
    /// because a refusal changes the state if the clock was set back.
    package func admitted(
        after state: ThrottleState?
    ) -> (decision: ThrottleState.Decision, state: ThrottleState) {
        var state = state ?? ThrottleState()
        let decision = state.admit(at: time.millisecondsSince1970)
        return (decision, state)
    }

    /// Removes an admitted attempt from the state, because the secret was not checked. Returns the new state. If no
    /// failures are left, returns nil, and the engine deletes the stored state.
    package static func withdrawn(from state: ThrottleState?) -> ThrottleState? {
        var state = state ?? ThrottleState()
        state.withdraw()
        return state.failures == 0 ? nil : state
    }

    /// The name under which attempts are stored. Upper-case ASCII letters become lower-case, because the case of ASCII
    /// letters is ignored in usernames. The name has at most 1,024 bytes, because longer names could fill the store.
    package var foldedName: String { Self.foldedName(username) }

    /// The name under which attempts are counted for a token instead of a username. When the token ends, its count
    /// stays in the store. The engine deletes the oldest counts if there are too many counts for tokens and for
    /// usernames without a profile.
    package static func name(of kind: TokenKind, _ id: TokenID) -> String { "\(kind.rawValue):\(id)" }

    package static func foldedName(_ username: String) -> String {
        let bytes = username.utf8.prefix(1_024).map(\.asciiFolded)
        return bytes.isEmpty ? " " : String(decoding: bytes, as: UTF8.self)
    }
}

/// The hash of a profile's secret.
package struct StoredCredential: Equatable, Sendable {
    package let profileID: Int64
    /// The hash. Nil if the profile has no such secret, or if another program has written a hash that this project
    /// cannot read. If the hash is nil, every attempt fails.
    package let hash: PasswordHash?

    package init(profileID: Int64, hash: PasswordHash?) {
        self.profileID = profileID
        self.hash = hash
    }
}

/// The rules that a login uses.
package struct LoginRules: Sendable {
    /// The rules in force.
    package let adopted: AdoptedSchema
    /// Whether every password in the store was validated by these rules.
    package let haveJudgedPasswords: Bool

    package init(_ adopted: AdoptedSchema, haveJudgedPasswords: Bool) {
        self.adopted = adopted
        self.haveJudgedPasswords = haveJudgedPasswords
    }
}
