package import ProfileCore

/// An attempt at a secret that is counted before it is made (P9).
package struct LoginAttempt: Sendable {
    /// As it was typed; there need not be such a profile.
    package let username: String
    package let kind: CredentialKind
    /// Whether there is a profile by that name.
    package let isKnown: Bool
    /// When it is made.
    package let time: Timestamp

    package init(username: String, kind: CredentialKind, isKnown: Bool, time: Timestamp) {
        self.username = username
        self.kind = kind
        self.isKnown = isKnown
        self.time = time
    }

    /// What came of an attempt.
    package enum Outcome: Sendable {
        /// The secret was right: failures are forgotten, and the hash is replaced if there is a better one and it is
        /// still the same, since an edit that came between wins (P7).
        case right(profileID: Int64, rehash: Rehash?, session: ProvenSession? = nil)
        /// It was wrong: the attempt stays counted.
        case wrong
        /// It was never looked at, and is not counted.
        case notMade
    }

    /// What a right attempt has come to.
    package struct Success: Sendable {
        package let profile: Profile
        /// Nil where none was wanted, or the password is another one by now.
        package let session: StoredToken?

        package init(profile: Profile, session: StoredToken?) {
            self.profile = profile
            self.session = session
        }
    }

    /// A session that a right password starts, if the profile's hash is still one of these: who changes a password ends
    /// every session that the former one has started, also one that comes too late.
    package struct ProvenSession: Sendable {
        package let session: NewSession
        package let hashes: [PasswordHash]

        package init(_ session: NewSession, hashes: [PasswordHash]) {
            self.session = session
            self.hashes = hashes
        }
    }

    /// A hash and the one that takes its place.
    package struct Rehash: Sendable {
        package let old: PasswordHash
        package let new: PasswordHash

        package init(old: PasswordHash, new: PasswordHash) {
            self.old = old
            self.new = new
        }
    }

    /// The name under which attempts are remembered: as usernames are compared. One that nobody can have is cut, so that it
    /// cannot fill the store.
    package var foldedName: String { Self.foldedName(username) }

    package static func foldedName(_ username: String) -> String {
        let bytes = username.utf8.prefix(1_024).map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }
        return bytes.isEmpty ? " " : String(decoding: bytes, as: UTF8.self)
    }
}

/// The hash of a profile's secret.
package struct StoredCredential: Equatable, Sendable {
    package let profileID: Int64
    /// Nil where there is none, and for one that cannot be read, as only another program can have written: it matches
    /// nothing.
    package let hash: PasswordHash?

    package init(profileID: Int64, hash: PasswordHash?) {
        self.profileID = profileID
        self.hash = hash
    }
}

/// What a login is checked by.
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
