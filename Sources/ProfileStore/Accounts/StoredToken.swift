/// A token in the form that an engine stores. A ``LoginSession``, an ``AccessToken``, a ``PasswordReset`` or a
/// ``KnownDevice`` is created from a stored token.
package struct StoredToken: Hashable, Sendable {
    /// The profile that a session, a reset or a device belongs to.
    package struct Owner: Hashable, Sendable {
        package let profileID: Int64
        /// The username that the profile has now.
        package let username: String

        package init(profileID: Int64, username: String) {
            self.profileID = profileID
            self.username = username
        }
    }

    /// The rule that postpones the expiry of a session after each use.
    package struct Renewal: Hashable, Sendable {
        /// If the session is not used for this time in milliseconds, it expires.
        package let idleTime: Int64
        /// The time at which the session expires even if it is used.
        package let latestExpiry: Timestamp

        package init(idleTime: Int64, latestExpiry: Timestamp) {
            self.idleTime = idleTime
            self.latestExpiry = latestExpiry
        }

        /// Returns the new expiry of a session after a use at this time.
        package func expiry(usedAt time: Timestamp) -> Timestamp {
            min(time.advanced(byMilliseconds: idleTime), latestExpiry)
        }
    }

    package let hash: TokenHash
    /// The owner. Nil if the token is an access token or is not issued yet.
    package private(set) var owner: Owner?
    /// The label of a session or a device, or the name of an access token.
    package let name: AccountLabel?
    /// The scopes of an access token, sorted.
    package let scopes: [AccessScope]
    package let createdAt: Timestamp
    /// The time at which the token expires. A use may postpone this time. Nil if the token never expires.
    package private(set) var expiresAt: Timestamp?
    /// The rule that postpones the expiry. Nil if a use of the token does not postpone its expiry.
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

    /// The stored form of the scopes. Nil if the token is not an access token.
    package var storedScopes: String? { kind == .access ? scopes.map(\.text).joined(separator: " ") : nil }

    /// The maximum number of expired tokens that are removed when a token is issued. The number is small, because other
    /// writers may have to wait during the removal. It is larger than 1, because each issued token adds a row, and the
    /// number of rows must be able to fall.
    package static let mostRemovedByIssuing = 8
    /// The maximum number of expired tokens that ``AccountEngine/removeExpired(at:)`` removes.
    package static let mostRemovedAtOnce = 512

    /// Returns a copy of this token with an owner.
    package func issued(to owner: Owner?) -> StoredToken {
        var token = self
        token.owner = owner
        return token
    }

    package func isExpired(at time: Timestamp) -> Bool { expiresAt.map { $0 <= time } ?? false }

    /// Returns whether a use at this time must be stored. A use is stored if enough time has passed since the last
    /// stored use. The required time is one minute, or a tenth of the idle time if that is shorter.
    func isUseDue(at time: Timestamp) -> Bool {
        let interval = min((renewal?.idleTime ?? .max) / 10, 60_000)
        return lastUsedAt.map { $0.advanced(byMilliseconds: interval) <= time } ?? true
    }

    /// Returns a copy of this token that contains a use at this time.
    package func used(at time: Timestamp) -> StoredToken {
        var token = self
        token.lastUsedAt = time
        token.expiresAt = renewal?.expiry(usedAt: time) ?? expiresAt
        return token
    }
}

/// Selects the tokens of a list and defines their order.
package enum TokenList: Sendable {
    /// The token that has this hash. Empty if there is no such token, or if it has expired at the time `at`.
    case one(TokenHash, at: Timestamp)
    /// All access tokens, including expired ones, sorted by name.
    case access
    /// The tokens of this kind that belong to the profile `of`, sorted by id. If `of` is nil, the list contains the
    /// tokens of all profiles, sorted by profile and then by id. The list begins after the session `after` and contains
    /// at most `limit` tokens. Tokens that have expired at the time `at` are omitted.
    case owned(TokenKind, of: Int64?, after: LoginSession?, limit: Int, at: Timestamp)
}

extension TokenList {
    /// The sessions of one profile, or of all profiles.
    package static func sessions(
        of profileID: Int64?, after last: LoginSession?, limit: Int, at time: Timestamp
    ) -> TokenList {
        .owned(.session, of: profileID, after: last, limit: limit, at: time)
    }

    /// All devices of one profile.
    package static func devices(of profileID: Int64, at time: Timestamp) -> TokenList {
        .owned(.device, of: profileID, after: nil, limit: .max, at: time)
    }

    /// Returns the start position of a list of owned tokens: the id of a profile and the hash of a token. The list
    /// contains only tokens after this position.
    package static func start(of profileID: Int64?, after last: LoginSession?) -> (profileID: Int64, hash: String) {
        (profileID ?? last?.profileID ?? .min, last?.id.endOfHashes ?? "")
    }
}

extension [AccessScope] {
    /// Reads the stored form of scopes. Skips words that are not valid scopes. This project never stores such words,
    /// but another program may have stored them.
    package init(stored text: String?) {
        self = (text ?? "").split(separator: " ").compactMap { AccessScope(String($0)) }
    }
}

/// The tokens to end.
package enum EndingTokens: Sendable {
    /// The token with this kind and this id.
    case one(TokenKind, TokenID)
    /// All tokens of this kind that belong to the profile with this username.
    case all(TokenKind, of: String)
}

extension LoginSession {
    /// Creates a session from a stored token. Returns nil if the token is not the token of a session.
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
    /// Creates an access token from a stored token. Returns nil if the stored token is of another kind.
    package init?(_ token: StoredToken) {
        guard token.kind == .access else { return nil }
        self.init(
            id: token.hash.id, name: token.name ?? .unreadable, scopes: token.scopes, createdAt: token.createdAt,
            expiresAt: token.expiresAt, lastUsedAt: token.lastUsedAt)
    }
}

extension PasswordReset {
    /// Creates a password reset from a stored token. Returns nil if the token is not the token of a reset.
    package init?(_ token: StoredToken) {
        guard token.kind == .reset, let owner = token.owner, let expiry = token.expiresAt else { return nil }
        self.init(
            profileID: owner.profileID, username: owner.username, createdAt: token.createdAt, expiresAt: expiry)
    }
}
