import ProfileCore
@testable import ProfileStore
import ProfileTesting
import SecretHashing

// Random verbs for sessions, access tokens and resets. There are so few tokens and times that verbs often concern the
// same ones.
extension RandomVerbs {
    mutating func sessions(at time: Timestamp) -> Verb {
        let (username, id) = (username(), id())
        switch Int.random(in: 0..<9, using: &random) {
        case 7:
            return Verb("devices of \(id)") { repository in
                "\(try await repository.engine.tokens(.devices(of: id, at: time)))"
            }
        case 8:
            let token = newDevice(at: time).token
            return issue(token, to: username, atMost: Int.random(in: 1...3, using: &random))
        case 0...2:
            let session = newSession(at: time)
            return issue(session.token, to: username, atMost: session.mostOfProfile)
        case 3:
            let limit = Int.random(in: 1...4, using: &random)
            let owner = StoredToken.Owner(profileID: id, username: "")
            let last = random.once(in: 2) ? LoginSession(newSession(at: time).token.issued(to: owner)) : nil
            let profileID = random.once(in: 2) ? id : nil
            return Verb("sessions of \(profileID ?? 0) after \(last?.json.text() ?? "none")") { repository in
                "\(try await repository.engine.tokens(.sessions(of: profileID, after: last, limit: limit, at: time)))"
            }
        case 4:
            return Verb("end the sessions of \(username)") { repository in
                let ended = try await repository.engine.end(.all(.session, of: username))
                return "\(ended?.sorted { $0.hash.text < $1.hash.text } ?? [])"
            }
        case 5: return Verb("remove expired") { "\(try await $0.engine.removeExpired(at: time))" }
        default: return anyToken(at: time)
        }
    }

    mutating func accessTokens(at time: Timestamp) -> Verb {
        guard random.once(in: 2) else { return anyToken(at: time) }
        let name = ["deploy", "Deploy", "nightly", "caf\u{E9}"].randomElement(using: &random) ?? ""
        let token = StoredToken(
            newToken(.access), name: AccountLabel(name), scopes: random.once(in: 3) ? [] : [.read, .write],
            createdAt: time, expiresAt: random.once(in: 2) ? nil : time.advanced(by: .seconds(60)))
        return issue(token, to: nil, atMost: .max)
    }

    mutating func resets(at time: Timestamp) -> Verb {
        let (token, username, new) = (token(.reset), username(), hash())
        switch Int.random(in: 0..<7, using: &random) {
        case 5...6: return changePassword(to: new, at: time)
        case 0...1:
            let expiry = time.advanced(by: .milliseconds(Int.random(in: 1...20_000, using: &random)))
            return issue(
                StoredToken(newToken(.reset), createdAt: time, expiresAt: expiry), to: username, atMost: 1)
        case 2...3:
            return Verb("redeem \(token)") { repository in
                let success = try await repository.engine.setPassword(
                    new, by: .reset(token), judgedBy: repository.schema, WriteStamp(at: time))
                return success?.profile.text ?? "no reset"
            }
        default: return anyToken(at: time)
        }
    }

    /// Sets a password in a session after failed attempts in this session.
    private mutating func changePassword(to new: PasswordHash, at time: Timestamp) -> Verb {
        let (username, stored, next) = (username(), hash(), newSession(at: time))
        let (isOther, isLate) = (random.once(in: 6), random.once(in: 6))
        return Verb("change the password in the first session of \(username)") { repository in
            let engine = repository.engine
            let sessions = try await engine.tokens(.sessions(of: nil, after: nil, limit: .max, at: time))
            guard let session = sessions.first(where: { $0.owner?.username == username }), let owner = session.owner
            else { return "no session" }
            let later = time.advanced(byMilliseconds: isLate ? 60_000 : 0)
            let attempt = LoginAttempt(
                username: LoginAttempt.name(of: .session, session.hash.id), kind: .password, isKnown: false,
                time: later)
            var answers: [String] = []
            for _ in 0..<7 { answers.append("\(try await engine.admit(attempt))") }
            let proof = PasswordProof(
                profileID: owner.profileID + (isOther ? 1 : 0), session: session.hash.id, hash: stored,
                attempt: attempt, next: next)
            let success = try await engine.setPassword(
                new, by: .proof(proof), judgedBy: repository.schema, WriteStamp(at: later))
            answers.append("\(try await engine.admit(attempt))")
            guard let success else { return "\(answers) refused" }
            let tokens = [success.session, success.device].map { String(describing: $0) }
            return "\(answers) \(success.profile.text) \(tokens)"
        }
    }

    private func issue(_ token: StoredToken, to username: String?, atMost limit: Int) -> Verb {
        Verb("issue \(token) to \(username ?? "a program")") { repository in
            let issued = try await repository.engine.issue(token, to: username, atMost: limit)
            return "\(String(describing: issued)) \(try await repository.engine.tokens(.access))"
        }
    }

    /// A verb about a token of any kind, which need not be the kind that it was issued as.
    private mutating func anyToken(at time: Timestamp) -> Verb {
        let kind = TokenKind.allCases.randomElement(using: &random) ?? .session
        let token = token(kind)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: return noteUses(at: time)
        case 1:
            return Verb("end \(token)") { "\(String(describing: try await $0.engine.end(.one(kind, token.id))))" }
        default:
            return Verb("look at \(token)") { repository in
                "\(String(describing: try await repository.engine.token(token, at: time)))"
            }
        }
    }

    mutating func newSession(at time: Timestamp) -> NewSession {
        let policy = SessionPolicy(
            idleTime: .seconds(Int.random(in: 1...10, using: &random)),
            lifetime: .seconds(Int.random(in: 1...30, using: &random)),
            mostOfProfile: Int.random(in: 1...3, using: &random))
        let device = random.once(in: 2) ? newDevice(at: time) : nil
        return NewSession(
            newToken(.session), label: AccountLabel("device"), under: policy, at: time, device: device)
    }

    private mutating func newDevice(at time: Timestamp) -> NewDevice {
        let presented = random.once(in: 2) ? token(.device) : nil
        return NewDevice(presented: presented, newToken(.device), label: AccountLabel("device"), at: time)
    }

    private mutating func noteUses(at time: Timestamp) -> Verb {
        let uses = (0..<4).map { _ in
            TokenUse(
                token(TokenKind.allCases.randomElement(using: &random) ?? .session),
                at: time.advanced(byMilliseconds: Int64.random(in: -2_000...2_000, using: &random)))
        }
        return Verb("note \(uses)") { repository in
            try await repository.engine.note(uses)
            return try await Self.sessionsAndAccessTokens(of: repository, at: time)
        }
    }

    /// Describes all sessions and access tokens.
    static func sessionsAndAccessTokens(of repository: ProfileRepository, at time: Timestamp) async throws -> String {
        let sessions = try await repository.engine.tokens(.sessions(of: nil, after: nil, limit: .max, at: time))
        return "\(sessions) \(try await repository.engine.tokens(.access))"
    }

    private mutating func newToken(_ kind: TokenKind) -> TokenHash {
        drawnTokens += 1
        return Self.token(drawnTokens, kind)
    }

    /// Returns one of the tokens that were drawn recently, or the next token.
    private mutating func token(_ kind: TokenKind) -> TokenHash {
        Self.token(Int.random(in: max(0, drawnTokens - 8)...drawnTokens + 1, using: &random), kind)
    }

    private static func token(_ number: Int, _ kind: TokenKind) -> TokenHash {
        TokenHash(stored: SHA256.hexadecimal("token \(number)".utf8.span), kind)
    }
}
