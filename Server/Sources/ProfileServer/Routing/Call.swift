internal import HTTPTypes
internal import ProfileCore
internal import ProfileStore

/// A request that its route may serve. Its caller is admitted and its body is parsed. The route checks everything else.
struct Call: Sendable {
    let service: ProfileService
    let route: Route
    let caller: Caller
    let origin: RequestOrigin
    let headers: HTTPFields
    let parameters: PathParameters
    let query: [(name: String, value: String)]
    /// The path as it was sent, with its query.
    let target: String
    /// The body; null if the route takes none.
    let body: JSONValue

    var repository: ProfileRepository { service.repository }
    var cookies: CookieNames? { service.cookies(of: origin) }

    /// The session of the person who calls.
    var session: LoginSession {
        get throws(Problem) {
            guard case .person(let session, _) = caller else { throw .notPermitted }
            return session
        }
    }

    /// The profile that the path names, or else that of the person who calls.
    var profile: Profile {
        get async throws {
            if let found = try await findProfile() { return found }
            // If the profile of a session was removed, the session has ended, so its token is not valid.
            throw parameters.profile == nil ? Problem.invalidToken : Problem.noSuchProfile
        }
    }

    /// Looks up ``profile``; nil if it does not exist.
    func findProfile() async throws -> Profile? {
        switch parameters.profile {
        case .name(let name)?: try await repository.profile(username: name)
        case .id(let id?)?: try await repository.profile(id: id)
        case .id(nil)?: nil
        case nil: try await repository.profile(id: session.profileID)
        }
    }

    /// The id that the path names, of a session, device or token.
    var tokenID: TokenID {
        get throws(Problem) {
            guard let id = parameters["id"].flatMap(TokenID.init) else { throw .noSuchItem }
            return id
        }
    }

    /// Runs an attempt that counts for the address of the caller; see ``AttemptLimiter``.
    func attempt<Value>(keepsCounting: Bool = false, _ body: () async throws -> Value) async throws -> Value {
        try await service.attempts.attempt(from: origin.address, keepsCounting: keepsCounting, body)
    }

    /// Whether the token of the program includes a level.
    func permits(_ level: AccessLevel) -> Bool {
        if case .program(_, let present?) = caller { present >= level } else { false }
    }

    /// What the request expects of the profile that it changes.
    var precondition: Precondition {
        get throws(Problem) {
            guard let precondition = try Precondition(headers) else { throw .noPrecondition }
            return precondition
        }
    }

    /// The revision that `If-Match` expects of a profile; nil if the request accepts any revision.
    func expectedRevision(of profile: Profile) throws(Problem) -> Int64? {
        try precondition.revision(of: profile, isKeyed: headers[.idempotencyKey] != nil)
    }

    /// The idempotency key of the request, which belongs to its caller; nil if the request has none. A repeat must have
    /// the same method, target, `If-Match` and body. Secrets in the body are not compared.
    var key: WriteKey? {
        get throws(Problem) {
            guard let text = headers[.idempotencyKey] else { return nil }
            let request = """
                \(route.method.rawValue) \(target)
                \(headers[.ifMatch] ?? "")
                \(body.withoutSecrets.text())
                """
            guard let key = WriteKey(text, of: caller.identity ?? "anonymous", request: request) else { throw .badKey }
            return key
        }
    }
}

extension JSONValue {
    /// The members of bodies that hold a secret.
    static let secretNames: Set<String> = [
        "password", "old_password", "passcode", "old_passcode", "password_hash", "token",
    ]

    /// The value; if it is an object, without its secret members.
    fileprivate var withoutSecrets: JSONValue {
        guard case .object(let members) = self else { return self }
        return .object(members.filter { !Self.secretNames.contains($0.name) })
    }
}
