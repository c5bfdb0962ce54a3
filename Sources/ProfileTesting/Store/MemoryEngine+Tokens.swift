internal import ProfileCore
internal import ProfileStore

// Sessions, access tokens and resets.
extension MemoryEngine {
    func issue(
        _ token: StoredToken, to username: String?, atMost limit: Int
    ) async throws(ProfileStoreError) -> StoredToken? {
        try await write { state in
            guard let username else { return state.tokens.issue(token, to: nil, atMost: limit) }
            guard let profile = state.profile(.username(username)) else { return nil }
            let owner = StoredToken.Owner(profileID: profile.id, username: profile.username)
            return state.tokens.issue(token, to: owner, atMost: limit)
        }
    }

    func tokens(_ list: TokenList) async throws(ProfileStoreError) -> [StoredToken] {
        let state = try current
        return state.tokens.tokens(list).map(state.named)
    }

    func note(_ uses: [TokenUse]) async throws(ProfileStoreError) {
        try await write { state in for use in uses { state.tokens.note(use) } }
    }

    func end(_ tokens: EndingTokens) async throws(ProfileStoreError) -> [StoredToken]? {
        try await write { state in
            switch tokens {
            case .one(let kind, let id):
                return state.tokens.end { $0.kind == kind && $0.hash.id == id }.map(state.named)
            case .all(let kind, let username):
                guard let id = state.owner(of: username, in: .username) else { return nil }
                return state.tokens.end { $0.kind == kind && $0.owner?.profileID == id }.map(state.named)
            }
        }
    }

    func setPassword(
        _ hash: PasswordHash, by grant: PasswordGrant, judgedBy schema: ProfileSchema, _ stamp: WriteStamp
    ) async throws(ProfileStoreError) -> LoginAttempt.Success? {
        try await write { [options] state throws(ProfileStoreError) -> LoginAttempt.Success? in
            try state.rules.require(schema)
            guard let owner = state.owner(of: grant, at: stamp.time) else { return nil }
            let id = owner.profileID
            state.setPassword(hash.text, of: id, at: stamp.time)
            for name in grant.countedNames(of: owner) { state.throttles.forget(name, [.password]) }
            guard let profile = state.profiles[id]?.profile(under: state.rules.schema) else { return nil }
            let changes = LoggedChange.edited(id, revision: profile.revision, .newPassword, setsPassword: true)
            state.record(changes, stamp, keeping: options.mostChanges)
            guard let proof = grant.proof else { return LoginAttempt.Success(profile: profile, session: nil) }
            return state.tokens.start(proof.next, of: profile)
        }
    }

    func removeExpired(at time: Timestamp) async throws(ProfileStoreError) -> Int {
        try await write { state in
            state.tokens.removeExpired(at: time, atMost: StoredToken.mostRemovedAtOnce)
                + state.history.removeExpired(at: time, atMost: StoredToken.mostRemovedAtOnce)
        }
    }
}

extension MemoryState {
    /// Returns the profile whose password may be set; nil if the grant is no longer valid.
    fileprivate func owner(of grant: PasswordGrant, at time: Timestamp) -> StoredToken.Owner? {
        switch grant {
        case .reset(let token): return tokens.token(token, at: time).map(named)?.owner
        case .proof(let proof):
            let session = tokens.token(.session, proof.session).map(named)
            guard proof.isValid(session), profiles[proof.profileID]?.password?.hash == proof.hash.text else {
                return nil
            }
            return session?.owner
        }
    }

    /// Returns the token with its owner's current username.
    fileprivate func named(_ token: StoredToken) -> StoredToken {
        token.issued(
            to: token.owner.map {
                StoredToken.Owner(profileID: $0.profileID, username: profiles[$0.profileID]?.username ?? "")
            })
    }
}
