import ProfileCore
@testable import ProfileStore
import ProfileTesting
import SecretHashing

// Sessions, access tokens and resets, about few enough tokens and times that they meet.
extension RandomVerbs {
    mutating func sessions(at time: Timestamp) -> Verb {
        let (token, username, id) = (token(), username(), id())
        switch Int.random(in: 0..<9, using: &random) {
        case 0...2:
            let session = newSession(at: time)
            return Verb("start \(session) of \(username)") { repository in
                try await repository.engine.startSession(session, of: username)?.text ?? "no profile"
            }
        case 3: return noteUses(at: time)
        case 4:
            let limit = Int.random(in: 1...4, using: &random)
            let last = random.once(in: 2) ? newSession(at: time).session(of: id, "") : nil
            let profileID = random.once(in: 2) ? last?.profileID ?? id : nil
            return Verb("sessions of \(profileID ?? 0) after \(last?.text ?? "none")") { repository in
                "\(try await repository.engine.sessions(of: profileID, after: last, limit: limit, at: time).map(\.text))"
            }
        case 5:
            return Verb("end \(token)") { repository in
                try await repository.engine.endSession(token.id, at: time)?.text ?? "no session"
            }
        case 6:
            return Verb("end the sessions of \(username)") { repository in
                "\(try await repository.engine.endSessions(of: username, at: time) ?? -1)"
            }
        case 7: return Verb("remove expired") { "\(try await $0.engine.removeExpired(at: time))" }
        default:
            return Verb("session of \(token)") { repository in
                try await repository.engine.liveSession(token, at: time)?.text ?? "no session"
            }
        }
    }

    mutating func accessTokens(at time: Timestamp) -> Verb {
        switch Int.random(in: 0..<5, using: &random) {
        case 0...1:
            let hash = newToken()
            let name = ["deploy", "Deploy", "nightly", "caf\u{E9}"].randomElement(using: &random) ?? ""
            guard let label = AccountLabel(name) else { return Verb("nothing") { _ in "" } }
            let token = AccessToken(
                id: hash.id, name: label, scopes: random.once(in: 3) ? [] : [.read, .write], createdAt: time,
                expiresAt: random.once(in: 2) ? nil : time.advanced(by: .seconds(60)), lastUsedAt: nil)
            return Verb("create \(token)") { repository in
                "\(try await repository.engine.create(token, hash)) \(try await repository.engine.accessTokens())"
            }
        case 2: return noteUses(at: time)
        case 3:
            let hash = token()
            return Verb("revoke \(hash.id)") { "\(String(describing: try await $0.engine.revoke(hash.id)))" }
        default:
            let hash = token()
            return Verb("access token \(hash.id)") { "\(String(describing: try await $0.engine.accessToken(hash)))" }
        }
    }

    mutating func resets(at time: Timestamp) -> Verb {
        let (token, username, new) = (token(), username(), hash())
        switch Int.random(in: 0..<5, using: &random) {
        case 0...1:
            let token = newToken()
            let expiry = time.advanced(by: .milliseconds(Int.random(in: 1...20_000, using: &random)))
            return Verb("reset \(username)") { repository in
                let reset = try await repository.engine.issueReset(token, of: username, at: time, until: expiry)
                return "\(String(describing: reset))"
            }
        case 2...3:
            return Verb("redeem \(token)") { repository in
                let reset = try await repository.engine.liveReset(token, at: time)
                let profile = try await repository.engine.redeemReset(
                    token, new, judgedBy: repository.schema, at: time)
                return "\(String(describing: reset)) \(profile?.text ?? "no reset")"
            }
        default:
            return Verb("reset of \(token)") { "\(String(describing: try await $0.engine.liveReset(token, at: time)))" }
        }
    }

    mutating func newSession(at time: Timestamp) -> NewSession {
        let policy = SessionPolicy(
            idleTime: .seconds(Int.random(in: 1...10, using: &random)),
            lifetime: .seconds(Int.random(in: 1...30, using: &random)),
            mostOfProfile: Int.random(in: 1...3, using: &random))
        return NewSession(newToken(), label: AccountLabel("device"), under: policy, at: time)
    }

    private mutating func noteUses(at time: Timestamp) -> Verb {
        let uses = (0..<4).map { _ in
            TokenUse(
                random.once(in: 2) ? .session : .access, token(),
                at: time.advanced(byMilliseconds: Int64.random(in: -2_000...2_000, using: &random)))
        }
        return Verb("note \(uses.map(\.time))") { repository in
            try await repository.engine.note(uses)
            let sessions = try await repository.engine.sessions(of: nil, after: nil, limit: .max, at: time)
            return "\(sessions.map(\.text)) \(try await repository.engine.accessTokens())"
        }
    }

    private mutating func newToken() -> TokenHash {
        drawnTokens += 1
        return Self.token(drawnTokens)
    }

    /// One of those that were drawn lately, or the next.
    private mutating func token() -> TokenHash {
        Self.token(Int.random(in: max(0, drawnTokens - 8)...drawnTokens + 1, using: &random))
    }

    private static func token(_ number: Int) -> TokenHash {
        TokenHash(stored: SHA256.hexadecimal("token \(number)".utf8.span))
    }
}

extension Session {
    var text: String { "\(id) \(profileID) \(username) \(json.text()) \(idleTime)" }
}
