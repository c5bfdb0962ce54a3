/// A token as an engine stores it. A ``LoginSession``, an ``AccessToken`` or a ``PasswordReset`` is created from a
/// stored token.
package struct StoredToken: Hashable, Sendable {
    /// The profile that a session or a reset belongs to.
    package struct Owner: Hashable, Sendable {
        package let profileID: Int64
        /// The username that the profile has now.
        package let username: String

        package init(profileID: Int64, username: String) {
            self.profileID = profileID
            self.username = username
        }
    }

    /// The rule by which each use of a session postpones its expiry.
    package struct Renewal: Hashable, Sendable {
        /// The time that the session may stay unused, in milliseconds.
        package let idleTime: Int64
        /// The time at which the session expires even if it is used.
        package let latestExpiry: Timestamp

        package init(idleTime: Int64, latestExpiry: Timestamp) {
            self.idleTime = idleTime
            self.latestExpiry = latestExpiry
        }

        /// Returns the expiry of a session that is used at this time.
        package func expiry(usedAt time: Timestamp) -> Timestamp {
            min(time.advanced(byMilliseconds: idleTime), latestExpiry)
        }
    }

    package let hash: TokenHash
    /// The owner; nil for an access token, and for a token that is not issued yet.
    package private(set) var owner: Owner?
    /// The label of a session, or the name of an access token.
    package let name: AccountLabel?
    /// The scopes of an access token, in order.
    package let scopes: [AccessScope]
    package let createdAt: Timestamp
    /// The time at which the token expires, unless a use postpones its expiry; nil if the token never expires.
    package private(set) var expiresAt: Timestamp?
    /// The rule that postpones the expiry; nil for a token whose expiry is fixed.
    package let renewal: Renewal?
    /// The time of the last stored use.
    package private(set) var lastUsedAt: Timestamp?

    package init(
        _ hash: TokenHash, of owner: Owner? = nil, name: AccountLabel? = nil, scopes: [AccessScope] = [],
        createdAt: Timestamp, expiresAt: Timestamp?, renewal: Renewal? = nil, lastUsedAt: Timestamp? = nil
    ) {
        self.hash = hash
        self.owner = owner
        self.name = name
        self.scopes = scopes
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.renewal = renewal
        self.lastUsedAt = lastUsedAt
    }

    package var kind: TokenKind { hash.kind }

    /// The stored form of the scopes; nil for a token of a profile.
    package var storedScopes: String? { kind == .access ? scopes.map(\.text).joined(separator: " ") : nil }

    /// The maximum number of expired tokens that issuing a token removes. The number is small because other writers may
    /// wait meanwhile. It is larger than 1 because each issued token adds a row.
    package static let mostRemovedByIssuing = 8
    /// The maximum number of expired tokens that ``AccountEngine/removeExpired(at:)`` removes.
    package static let mostRemovedAtOnce = 512

    /// The same token, issued to a profile.
    package func issued(to owner: Owner?) -> StoredToken {
        var token = self
        token.owner = owner
        return token
    }

    package func isExpired(at time: Timestamp) -> Bool { expiresAt.map { $0 <= time } ?? false }

    /// Returns whether to store a use at this time. A use is stored if the last stored use is at least a minute old, or
    /// at least a tenth of the idle time if that is shorter.
    func isUseDue(at time: Timestamp) -> Bool {
        let interval = min((renewal?.idleTime ?? .max) / 10, 60_000)
        return lastUsedAt.map { $0.advanced(byMilliseconds: interval) <= time } ?? true
    }

    /// The same token after a use at this time.
    package func used(at time: Timestamp) -> StoredToken {
        var token = self
        token.lastUsedAt = time
        token.expiresAt = renewal?.expiry(usedAt: time) ?? expiresAt
        return token
    }
}

/// The tokens of a list, and their order.
package enum TokenList: Sendable {
    /// All access tokens, including expired ones, sorted by name.
    case access
    /// The sessions of one profile, or of all profiles for nil, ordered by profile and then by id. The list contains at
    /// most `limit` sessions that have not expired at the time `at` and that follow the session `after`.
    case sessions(of: Int64?, after: LoginSession?, limit: Int, at: Timestamp)
}

extension TokenList {
    /// Returns the place after which a list of sessions begins: the id of a profile and the hash of a token.
    package static func start(of profileID: Int64?, after last: LoginSession?) -> (profileID: Int64, hash: String) {
        (profileID ?? last?.profileID ?? .min, last?.id.endOfHashes ?? "")
    }
}

extension [AccessScope] {
    /// Reads the stored form of scopes. Skips words that are not valid scopes; only another program can have stored
    /// such words.
    package init(stored text: String?) {
        self = (text ?? "").split(separator: " ").compactMap { AccessScope(String($0)) }
    }
}

/// The tokens to end.
package enum EndingTokens: Sendable {
    /// The token of this kind that has this id.
    case one(TokenKind, TokenID)
    /// All tokens of this kind that belong to the profile with this username.
    case all(TokenKind, of: String)
}

extension LoginSession {
    /// The session that a token represents; nil for a token of another kind.
    package init?(_ token: StoredToken) {
        guard token.kind == .session, let owner = token.owner, let expiry = token.expiresAt, let renewal = token.renewal
        else { return nil }
        self.init(
            id: token.hash.id, profileID: owner.profileID, username: owner.username, label: token.name,
            createdAt: token.createdAt, lastUsedAt: token.lastUsedAt ?? token.createdAt, idleExpiresAt: expiry,
            expiresAt: renewal.latestExpiry)
    }
}

extension AccessToken {
    /// The access token that a token represents; nil for a token of another kind.
    package init?(_ token: StoredToken) {
        guard token.kind == .access else { return nil }
        self.init(
            id: token.hash.id, name: token.name ?? .unreadable, scopes: token.scopes, createdAt: token.createdAt,
            expiresAt: token.expiresAt, lastUsedAt: token.lastUsedAt)
    }
}

extension PasswordReset {
    /// The reset that a token represents; nil for a token of another kind.
    package init?(_ token: StoredToken) {
        guard token.kind == .reset, let owner = token.owner, let expiry = token.expiresAt else { return nil }
        self.init(
            profileID: owner.profileID, username: owner.username, createdAt: token.createdAt, expiresAt: expiry)
    }
}
