internal import HTTPTypes
internal import ProfileCore
internal import ProfileLogin
internal import ProfileStore

// Routes without credentials.
extension Route {
    static let logIn = Route(
        name: .logIn, method: .post, path: PathTemplate("/v1/login"), callers: .anyone,
        summary: "Log in with a username and a password, and get the token of a session and that of the device.",
        body: .json(.login, limit: 4_096),
        answers: [.init(.ok, .startedSession, headers: [.setCookie], "The session.")],
        problems: [.unauthorized, .forbidden, .conflict], isAttempt: true
    ) { call in
        let body = try LoginBody(call.body)
        if body.wantsCookie, call.cookies == nil { throw Problem.noCookies }
        let started = try await call.attempt {
            try await call.start(body)
        }
        try await call.endPresentedSession()
        return try await call.answer(started, asCookie: body.wantsCookie)
    }

    static let redeemReset = Route(
        name: .redeemReset, method: .post, path: PathTemplate("/v1/resets"), callers: .anyone,
        summary: "Set a new password with the token of a reset. All sessions and devices of the profile end.",
        body: .json(.redeem, limit: 4_096), answers: [.init(.noContent, "The password is set.")],
        problems: [.forbidden], isAttempt: true
    ) { call in
        let body = try RedeemBody(call.body)
        let profile = try await call.attempt {
            do throws(CredentialError) {
                return try await call.repository.passwords.redeemReset(body.token, password: body.password)
            } catch {
                guard error == .wrong else { throw error as any Error }
                throw Problem(.forbidden, "invalid_reset", "The reset is unknown, has expired or was used.")
            }
        }
        return Answer(status: .noContent, profileID: profile.id)
    }

    static let register = Route(
        name: .register, method: .post, path: PathTemplate("/v1/register"),
        callers: Callers(anyone: .withOpenRegistration),
        summary: "Register oneself. Only if the service lets anybody register.", body: .json(.ownDraft),
        answers: [.init(.created, .profile, headers: [.etag], "The profile.")], problems: [.conflict, .forbidden],
        keyUse: .answersRepeats, isAttempt: true
    ) { call in
        let repository = call.repository
        let draft = try ProfileDraft(call.body, ofOwnerIn: repository.schema)
        let key = try call.key
        let profile = try await call.attempt(keepsCounting: true) {
            try await repository.register(draft, by: Author("registration"), key: key)
        }
        var answer = Answer.json(profile.ownerJSON, .created, of: profile.id)
        answer.headers[.eTag] = EntityTag(profile).text
        return answer
    }

    static let getHealth = Route(
        name: .getHealth, method: .get, path: PathTemplate("/healthz"), callers: .anyone,
        summary: "Whether the process answers.", answers: [.init(.ok, .health, "It does.")]
    ) { _ in .json(["status": "ok"]) }

    static let getReadiness = Route(
        name: .getReadiness, method: .get, path: PathTemplate("/readyz"), callers: .anyone,
        summary: "Whether the store answers too.", answers: [.init(.ok, .health, "It does.")],
        problems: [.serviceUnavailable]
    ) { call in
        try await call.repository.withWaitLimit(.seconds(2)) { try await call.repository.ping() }
        return .json(["status": "ok"])
    }

    static let getDescription = Route(
        name: .getDescription, method: .get, path: PathTemplate("/openapi.json"), callers: .anyone,
        summary: "This description.", answers: [.init(.ok, .description, "The description in OpenAPI 3.1.")]
    ) { call in
        var answer = Answer(body: Array(call.service.openAPI.utf8))
        answer.headers[.contentType] = "application/json"
        return answer
    }
}

extension Call {
    /// Checks the password, and starts a session.
    fileprivate func start(_ body: LoginBody) async throws -> StartedSession {
        let typed = try await service.login.check(username: body.username, password: body.password)
        let username = repository.validator.storedForm(of: typed, in: repository.schema.primaryKey.name) ?? typed
        let device = cookies?.device(in: headers).map(Secret.init) ?? body.device
        do throws(CredentialError) {
            return try await repository.sessions.start(
                body.password, for: username, on: device, label: body.label)
        } catch {
            guard error == .wrong else { throw error as any Error }
            throw Problem.wrongCredentials
        }
    }

    /// Ends the session whose token was sent with the login, because the new session replaces it.
    fileprivate func endPresentedSession() async throws {
        let presented: Secret? =
            if let field = headers[.authorization] {
                Callers.bearerToken(field)
            } else {
                cookies?.session(in: headers).map(Secret.init)
            }
        if let presented { try await repository.sessions.end(for: presented) }
    }

    /// Answers with a session, its profile, and the tokens, or with cookies in place of the tokens.
    func answer(_ started: StartedSession, asCookie: Bool) async throws -> Answer {
        let session = started.session.value
        guard let profile = try await repository.profile(id: session.profileID) else { throw Problem.wrongCredentials }
        var members = [JSONMember("session", session.json), JSONMember("profile", profile.ownerJSON)]
        var headers: HTTPFields = [:]
        if asCookie, let cookies {
            for field in cookies.setting(started, at: .now()) { headers.append(field) }
        } else {
            members.append(JSONMember("token", .string(started.session.text)))
            if let device = started.device { members.append(JSONMember("device", .string(device.text))) }
        }
        return .json(.object(members), headers: headers, of: profile.id)
    }
}
