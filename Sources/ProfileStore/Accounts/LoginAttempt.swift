package import ProfileCore
package import SecretHashing

/// An attempt to use a secret. The attempt is counted before the secret is checked (P9).
package struct LoginAttempt: Sendable {
    /// The username as it was typed. There may be no profile with this username.
    package let username: String
    package let kind: CredentialKind
    /// Whether a profile has this username.
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
        /// The secret is correct. The failed attempts are forgotten. If `rehash` is not nil, its new hash replaces the
        /// stored hash, unless an edit has changed the stored hash meanwhile (P7).
        case right(profileID: Int64, rehash: Rehash?, session: ProvenSession? = nil)
        /// The secret is wrong. The attempt stays counted.
        case wrong
        /// The secret was not checked. The attempt does not count.
        case notMade
    }

    /// The result of a correct attempt.
    package struct Success: Sendable {
        package let profile: Profile
        /// The started session; nil if none was requested, or if the password was changed meanwhile.
        package let session: StoredToken?

        package init(profile: Profile, session: StoredToken?) {
            self.profile = profile
            self.session = session
        }
    }

    /// A session to start after a correct password. It starts only if the profile's stored hash is still one of
    /// `hashes`. So no session starts if the password was changed after it was checked.
    package struct ProvenSession: Sendable {
        package let session: NewSession
        package let hashes: [PasswordHash]

        package init(_ session: NewSession, hashes: [PasswordHash]) {
            self.session = session
            self.hashes = hashes
        }
    }

    /// A hash and its replacement.
    package struct Rehash: Sendable {
        package let old: PasswordHash
        package let new: PasswordHash

        package init(old: PasswordHash, new: PasswordHash) {
            self.old = old
            self.new = new
        }
    }

    /// Counts the attempt, or refuses it. Engines store the returned state in both cases, because a refusal can also
    /// change the state after the clock was set back.
    package func admitted(
        after state: ThrottleState?
    ) -> (decision: ThrottleState.Decision, state: ThrottleState) {
        var state = state ?? ThrottleState()
        let decision = state.admit(at: time.millisecondsSince1970)
        return (decision, state)
    }

    /// Returns the state without an attempt that was admitted, but whose secret was not checked. Returns nil if no
    /// failures are left, so the state need not be stored.
    package static func withdrawn(from state: ThrottleState?) -> ThrottleState? {
        var state = state ?? ThrottleState()
        state.withdraw()
        return state.failures == 0 ? nil : state
    }

    /// The name under which attempts are stored. As in comparisons of usernames, upper-case ASCII letters become
    /// lower-case. A name is cut after 1,024 bytes, because longer names could fill the store.
    package var foldedName: String { Self.foldedName(username) }

    package static func foldedName(_ username: String) -> String {
        let bytes = username.utf8.prefix(1_024).map(\.asciiFolded)
        return bytes.isEmpty ? " " : String(decoding: bytes, as: UTF8.self)
    }
}

/// The hash of a profile's secret.
package struct StoredCredential: Equatable, Sendable {
    package let profileID: Int64
    /// The hash; nil if the profile has no such secret, or if the hash cannot be read because another program has
    /// written it. No secret matches a nil hash.
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
    /// Whether these rules have judged every password of the store.
    package let haveJudgedPasswords: Bool

    package init(_ adopted: AdoptedSchema, haveJudgedPasswords: Bool) {
        self.adopted = adopted
        self.haveJudgedPasswords = haveJudgedPasswords
    }
}
