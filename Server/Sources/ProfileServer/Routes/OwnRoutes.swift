internal import HTTPTypes
internal import ProfileCore
internal import ProfileStore

// Routes of people. Their paths contain no username, so no request reaches another person's profile.
extension Route {
    static let getOwnProfile = Route(
        name: .getOwnProfile, method: .get, path: PathTemplate("/v1/me"), callers: .people,
        summary: "One's own profile.", answers: [.init(.ok, .profile, headers: [.etag], "The profile.")]
    ) { call in .profile(try await call.profile, for: call.caller) }

    static let editOwnProfile = Route(
        name: .editOwnProfile, method: .patch, path: PathTemplate("/v1/me"), callers: .people,
        summary: "Change the fields that one may change.", body: .patch(.patch),
        answers: [.init(.ok, .profile, headers: [.etag], "The changed profile.")], problems: [.conflict],
        keyUse: .answersRepeats, needsPrecondition: true
    ) { call in
        let profile = try await call.profile
        let schema = profile.schema
        let patch = call.body
        let edited = try await call.repository.edit(
            id: profile.id, expecting: try call.expectedRevision(of: profile), by: call.caller.author,
            key: try call.key
        ) { draft throws in try draft.merge(patch, ofOwnerIn: schema) }
        return .profile(edited, for: call.caller)
    }

    static let leave = Route(
        name: .leave, method: .post, path: PathTemplate("/v1/me/leave"), callers: .people,
        summary: "Remove one's own profile, with its password again.", body: .json(.password),
        answers: [.init(.noContent, headers: [.setCookie], "The profile is removed.")], problems: [.forbidden]
    ) { call in
        let body = try PasswordBody(call.body)
        let profile = try await call.profile
        _ = try await call.repository.passwords.validate(body.password, for: profile.username)
        try await call.repository.remove(profile.username, by: call.caller.author)
        return call.loggedOut(profile.id)
    }

    static let changeOwnPassword = Route(
        name: .changeOwnPassword, method: .put, path: PathTemplate("/v1/me/password"), callers: .people,
        summary: "Change the password. All sessions and devices end, and a new session starts.",
        body: .json(.passwordChange), answers: [.init(.ok, .startedSession, headers: [.setCookie], "The new session.")],
        problems: [.forbidden], keyUse: .refused
    ) { call in
        let body = try PasswordChangeBody(call.body)
        let started = try await call.repository.sessions.changePassword(
            from: body.old, to: body.new, in: call.session, remembersDevice: body.remembersDevice,
            by: call.caller.author)
        return try await call.answer(started, asCookie: call.caller.isByCookie)
    }

    static let createOwnPasscode = Route(
        name: .createOwnPasscode, method: .post, path: PathTemplate("/v1/me/passcode"), callers: .people,
        summary: "Set a first passcode.", body: .json(.passcode),
        answers: [.init(.noContent, "The passcode is set.")], problems: [.conflict], keyUse: .refused
    ) { call in try await call.createPasscode() }

    static let changeOwnPasscode = Route(
        name: .changeOwnPasscode, method: .put, path: PathTemplate("/v1/me/passcode"), callers: .people,
        summary: "Change the passcode.", body: .json(.passcodeChange),
        answers: [.init(.noContent, "The passcode is changed.")], problems: [.forbidden, .notFound], keyUse: .refused
    ) { call in
        let body = try PasscodeChangeBody(call.body)
        let profile = try await call.profile
        try await call.repository.passcodes.edit(
            from: body.old, to: body.new, for: profile.username, by: call.caller.author)
        return Answer(status: .noContent, profileID: profile.id)
    }

    static let removeOwnPasscode = Route(
        name: .removeOwnPasscode, method: .delete, path: PathTemplate("/v1/me/passcode"), callers: .people,
        summary: "Remove the passcode.", answers: [.init(.noContent, "The passcode is removed.")],
        problems: [.notFound], keyUse: .answersRepeats
    ) { call in try await call.removePasscode() }

    static let checkOwnPasscode = Route(
        name: .checkOwnPasscode, method: .post, path: PathTemplate("/v1/me/passcode/check"), callers: .people,
        summary: "Check the passcode.", body: .json(.passcode), answers: [.init(.noContent, "The passcode is right.")],
        problems: [.forbidden]
    ) { call in
        let body = try PasscodeBody(call.body)
        let profile = try await call.profile
        try await call.repository.passcodes.validate(body.passcode, for: profile.username)
        return Answer(status: .noContent, profileID: profile.id)
    }

    static let listOwnSessions = Route(
        name: .listOwnSessions, method: .get, path: PathTemplate("/v1/me/sessions"), callers: .people,
        summary: "One's own sessions.", answers: [.init(.ok, .sessions, "The sessions.")]
    ) { call in
        let session = try call.session
        let sessions = try await call.repository.sessions.list(of: session.username)
        return .json(["sessions": .array(sessions.map(\.json))], of: session.profileID)
    }

    static let endOwnSessions = Route(
        name: .endOwnSessions, method: .delete, path: PathTemplate("/v1/me/sessions"), callers: .people,
        summary: "End all of one's own sessions, this one too.",
        answers: [.init(.noContent, headers: [.setCookie], "They have ended.")]
    ) { call in
        let session = try call.session
        _ = try await call.repository.sessions.endAll(of: session.username)
        return call.loggedOut(session.profileID)
    }

    static let endOwnSession = Route(
        name: .endOwnSession, method: .delete, path: PathTemplate("/v1/me/sessions/{id}"), callers: .people,
        summary: "End one of one's own sessions.", answers: [.init(.noContent, "It has ended.")]
    ) { call in
        let session = try call.session
        let id = try call.tokenID
        let own = try await call.repository.sessions.list(of: session.username)
        guard own.contains(where: { $0.id == id }) else { throw Problem.noSuchItem }
        try await call.repository.sessions.end(id)
        return id == session.id ? call.loggedOut(session.profileID) : .noContent
    }

    static let listOwnDevices = Route(
        name: .listOwnDevices, method: .get, path: PathTemplate("/v1/me/devices"), callers: .people,
        summary: "The devices on which one has logged in.", answers: [.init(.ok, .devices, "The devices.")]
    ) { call in
        let session = try call.session
        let devices = try await call.repository.devices.list(of: session.username)
        return .json(["devices": .array(devices.map(\.json))], of: session.profileID)
    }

    static let endOwnDevices = Route(
        name: .endOwnDevices, method: .delete, path: PathTemplate("/v1/me/devices"), callers: .people,
        summary: "Forget all of one's devices.", answers: [.init(.noContent, "They are forgotten.")]
    ) { call in
        _ = try await call.repository.devices.endAll(of: call.session.username)
        return .noContent
    }

    static let endOwnDevice = Route(
        name: .endOwnDevice, method: .delete, path: PathTemplate("/v1/me/devices/{id}"), callers: .people,
        summary: "Forget one of one's devices.", answers: [.init(.noContent, "It is forgotten.")]
    ) { call in
        let id = try call.tokenID
        let own = try await call.repository.devices.list(of: call.session.username)
        guard own.contains(where: { $0.id == id }) else { throw Problem.noSuchItem }
        try await call.repository.devices.end(id)
        return .noContent
    }

    static let exportOwnData = Route(
        name: .exportOwnData, method: .get, path: PathTemplate("/v1/me/export"), callers: .people,
        summary: "All that is kept about oneself: the profile, its history, sessions and devices.",
        answers: [.init(.ok, .ownData, "The data.")]
    ) { call in
        let profile = try await call.profile
        let repository = call.repository
        let history = try await repository.history(ofID: profile.id)
        let sessions = try await repository.sessions.list(of: profile.username)
        let devices = try await repository.devices.list(of: profile.username)
        return .json(
            [
                "profile": profile.ownerJSON,
                "history": .array(history.map { $0.ownerJSON(in: profile.schema) }),
                "sessions": .array(sessions.map(\.json)), "devices": .array(devices.map(\.json)),
            ], of: profile.id)
    }

    static let logOut = Route(
        name: .logOut, method: .post, path: PathTemplate("/v1/logout"), callers: .people, summary: "End this session.",
        answers: [.init(.noContent, headers: [.setCookie], "It has ended.")]
    ) { call in
        let session = try call.session
        try await call.repository.sessions.end(session.id)
        return call.loggedOut(session.profileID)
    }

    static let validate = Route(
        name: .validate, method: .post, path: PathTemplate("/v1/validate"), callers: .people,
        summary: "Judge a draft, or the value of one field, by the rules in force. Nothing is stored.",
        body: .json(.validation), answers: [.init(.ok, .issues, "The issues; none if it is valid.")]
    ) { call in
        let repository = call.repository
        let schema = repository.schema
        let issues: [ValidationIssue]
        switch try ValidationBody(call.body) {
        case .value(let value, let field):
            guard schema.forOwner[field] != nil else {
                throw JSONMemberError(.unknownWord(known: schema.forOwner.fields.map(\.name.text)), at: "field")
            }
            issues = repository.validator.issues(of: value, in: field, on: repository.today)
        case .draft(let json):
            var draft = try await call.profile.draft
            let password = try ProfileDraft(json).password
            try draft.merge(json.without(FieldName.password.text), ofOwnerIn: schema)
            draft.password = password
            do throws(ValidationFailure) {
                _ = try repository.validator.validate(draft, on: repository.today, hasPassword: true)
                issues = []
            } catch {
                issues = error.issues
            }
        }
        return .json(["issues": .array(issues.map { ReportedIssue($0, in: schema).json })])
    }
}

extension JSONValue {
    fileprivate func without(_ name: String) -> JSONValue {
        guard case .object(let members) = self else { return self }
        return .object(members.filter { $0.name != name })
    }
}

extension Caller {
    fileprivate var isByCookie: Bool {
        if case .person(_, isByCookie: true) = self { true } else { false }
    }
}

// The parts that the passcode routes of people share with those of programs.
extension Call {
    /// Sets the first passcode.
    func createPasscode() async throws -> Answer {
        let body = try PasscodeBody(body)
        let profile = try await profile
        try await repository.passcodes.create(body.passcode, for: profile.username, by: caller.author)
        return Answer(status: .noContent, profileID: profile.id)
    }

    /// Removes the passcode.
    func removePasscode() async throws -> Answer {
        let profile = try await profile
        try await repository.passcodes.remove(of: profile.username, by: caller.author, key: try key)
        return Answer(status: .noContent, profileID: profile.id)
    }
}

extension Call {
    /// The answer to a request that has ended the session of the person.
    fileprivate func loggedOut(_ profileID: Int64) -> Answer {
        var answer = Answer(status: .noContent, profileID: profileID)
        if caller.isByCookie, let cookies { answer.headers.append(cookies.endingSession) }
        return answer
    }
}
