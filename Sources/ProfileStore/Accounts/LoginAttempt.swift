package import ProfileCore
package import SecretHashing

/// An attempt at a secret, which is counted before the secret is checked (P9).
package struct LoginAttempt: Sendable {
    /// The username as it was typed. There may be no such profile.
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
        /// The secret is correct. Failures are forgotten. If there is a better hash, it replaces the stored hash,
        /// unless an edit has changed that hash meanwhile (P7).
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

    /// A session that a correct password starts if the profile's hash is still one of these. A changed password ends
    /// every session that the previous one started, including a session that would start too late.
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

    /// Counts the attempt, or refuses it. The new state is stored in both cases, because it also corrects a clock that was
    /// set back.
    package func admitted(
        after state: ThrottleState?
    ) -> (decision: ThrottleState.Decision, state: ThrottleState) {
        var state = state ?? ThrottleState()
        let decision = state.admit(at: time.millisecondsSince1970)
        return (decision, state)
    }

    /// Returns the state without an attempt that was admitted but not made; nil if the name has no failures left and is
    /// forgotten.
    package static func withdrawn(from state: ThrottleState?) -> ThrottleState? {
        var state = state ?? ThrottleState()
        state.withdraw()
        return state.failures == 0 ? nil : state
    }

    /// The name under which attempts are stored, in the form in which usernames are compared. A name that is longer
    /// than any username is cut, because it could fill the store.
    package var foldedName: String { Self.foldedName(username) }

    package static func foldedName(_ username: String) -> String {
        let bytes = username.utf8.prefix(1_024).map(\.asciiFolded)
        return bytes.isEmpty ? " " : String(decoding: bytes, as: UTF8.self)
    }
}

/// The hash of a profile's secret.
package struct StoredCredential: Equatable, Sendable {
    package let profileID: Int64
    /// The hash; nil if there is none, or if it cannot be read because another program has written it. It then matches
    /// nothing.
    package let hash: PasswordHash?

    package init(profileID: Int64, hash: PasswordHash?) {
        self.profileID = profileID
        self.hash = hash
    }
}

/// The rules for checks of a login.
package struct LoginRules: Sendable {
    /// The rules in force.
    package let adopted: AdoptedSchema
    /// Whether they have judged every password of the store.
    package let haveJudgedPasswords: Bool

    package init(_ adopted: AdoptedSchema, haveJudgedPasswords: Bool) {
        self.adopted = adopted
        self.haveJudgedPasswords = haveJudgedPasswords
    }
}
