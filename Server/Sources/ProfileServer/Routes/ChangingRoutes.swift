internal import HTTPTypes
internal import ProfileCore
internal import ProfileStore

// Routes of programs that change profiles.
extension Route {
    static let editProfile = Route(
        name: .editProfile, method: .patch, path: PathTemplate("/v1/profiles/{key}"), callers: .programs(.support),
        summary: "Change fields of a profile. A password or its hash needs the scope write.", body: .patch(.patch),
        answers: [.init(.ok, .profile, headers: [.etag], "The changed profile.")], problems: [.conflict],
        keyUse: .answersRepeats, needsPrecondition: true
    ) { call in
        let patch = call.body
        if patch.setsPassword, !call.permits(.write) { throw Problem.notPermitted }
        let revision = try await call.expectedRevision
        let (author, key) = (call.caller.author, try call.key)
        let merge: @Sendable (inout ProfileDraft) throws -> Void = { try $0.merge(patch) }
        let edited =
            switch call.parameters.profile {
            case .name(let name)?:
                try await call.repository.edit(name, expecting: revision, by: author, key: key, merge)
            case .id(let id?)?:
                try await call.repository.edit(id: id, expecting: revision, by: author, key: key, merge)
            case .id(nil)?, nil: throw Problem.noSuchProfile
            }
        return .profile(edited, for: call.caller)
    }

    static let unlockProfile = Route(
        name: .unlockProfile, method: .post, path: PathTemplate("/v1/profiles/{key}/unlock"),
        callers: .programs(.support), summary: "Forget the failed attempts at a profile's password and passcode.",
        answers: [.init(.noContent, "They are forgotten.")]
    ) { call in
        let profile = try await call.profile
        try await call.repository.unlock(profile.username)
        return Answer(status: .noContent, profileID: profile.id)
    }

    static let issueReset = Route(
        name: .issueReset, method: .post, path: PathTemplate("/v1/profiles/{key}/reset"),
        callers: .programs(.support), summary: "Issue a token with which the person sets a new password.",
        answers: [.init(.created, .issuedReset, "The reset with its token, which is shown once.")],
        problems: [.conflict]
    ) { call in
        let profile = try await call.profile
        let issued = try await call.repository.passwords.issueReset(of: profile.username)
        return .json(
            ["reset": issued.value.json, "token": .string(issued.text)], .created, of: profile.id)
    }

    static let listSessions = Route(
        name: .listSessions, method: .get, path: PathTemplate("/v1/profiles/{key}/sessions"),
        callers: .programs(.support), summary: "The sessions of a profile.",
        answers: [.init(.ok, .sessions, "The sessions.")]
    ) { call in
        let profile = try await call.profile
        let sessions = try await call.repository.sessions.list(of: profile.username)
        return .json(["sessions": .array(sessions.map(\.json))], of: profile.id)
    }

    static let endSessions = Route(
        name: .endSessions, method: .delete, path: PathTemplate("/v1/profiles/{key}/sessions"),
        callers: .programs(.support), summary: "End all sessions of a profile.",
        answers: [.init(.noContent, "They have ended.")]
    ) { call in
        let profile = try await call.profile
        _ = try await call.repository.sessions.endAll(of: profile.username)
        return Answer(status: .noContent, profileID: profile.id)
    }

    static let createProfile = Route(
        name: .createProfile, method: .post, path: PathTemplate("/v1/profiles"), callers: .programs(.write),
        summary: "Store a new profile, with a password or its hash.", body: .json(.draft),
        answers: [.init(.created, .profile, headers: [.etag, .location], "The profile.")],
        problems: [.conflict], keyUse: .answersRepeats
    ) { call in
        let draft = try ProfileDraft(call.body)
        let profile = try await call.repository.register(draft, by: call.caller.author, key: try call.key)
        return .profile(
            profile, for: call.caller, .created,
            headers: [.location: "/v1/profiles/\(PercentEncoding.encode(profile.username))"])
    }

    static let removeProfile = Route(
        name: .removeProfile, method: .delete, path: PathTemplate("/v1/profiles/{key}"), callers: .programs(.write),
        summary: "Remove a profile. Its history keeps the values for a time.",
        answers: [.init(.noContent, "It is removed.")], keyUse: .answersRepeats, needsPrecondition: true
    ) { call in
        let revision = try await call.expectedRevision
        let (author, key) = (call.caller.author, try call.key)
        let removed =
            switch call.parameters.profile {
            case .name(let name)?:
                try await call.repository.remove(name, expecting: revision, by: author, key: key)
            case .id(let id?)?:
                try await call.repository.remove(id: id, expecting: revision, by: author, key: key)
            case .id(nil)?, nil: throw Problem.noSuchProfile
            }
        return Answer(status: .noContent, profileID: removed.id)
    }

    static let setPassword = Route(
        name: .setPassword, method: .put, path: PathTemplate("/v1/profiles/{key}/password"), callers: .programs(.write),
        summary: "Set the password of a profile. All its sessions and devices end.", body: .json(.password),
        answers: [.init(.noContent, "It is set.")], keyUse: .refused
    ) { call in
        let body = try PasswordBody(call.body)
        let profile = try await call.profile
        _ = try await call.repository.edit(profile.username, by: call.caller.author) { $0.password = body.password }
        return Answer(status: .noContent, profileID: profile.id)
    }

    static let setPasscode = Route(
        name: .setPasscode, method: .post, path: PathTemplate("/v1/profiles/{key}/passcode"),
        callers: .programs(.write), summary: "Set the first passcode of a profile.", body: .json(.passcode),
        answers: [.init(.noContent, "It is set.")], problems: [.conflict], keyUse: .refused
    ) { call in try await call.createPasscode() }

    static let removePasscode = Route(
        name: .removePasscode, method: .delete, path: PathTemplate("/v1/profiles/{key}/passcode"),
        callers: .programs(.write), summary: "Remove the passcode of a profile.",
        answers: [.init(.noContent, "It is removed.")], keyUse: .answersRepeats
    ) { call in try await call.removePasscode() }

    static let undoChange = Route(
        name: .undoChange, method: .post, path: PathTemplate("/v1/changes/{number}/undo"), callers: .programs(.write),
        summary: "Revert a change that the history names, or show what that would do.", body: .json(.undo),
        answers: [.init(.ok, .undone, "What was reverted, and what was left.")]
    ) { call in
        let body = try UndoBody(call.body)
        guard let number = call.parameters["number"].flatMap(Int64.init) else { throw Problem.noSuchItem }
        let change = try await call.repository.historyChange(number)
        do throws(StoppedWrite<UndoReport>) {
            let report = try await call.repository.undo(
                change, overridingLaterChanges: body.overridesLaterChanges, isPreview: body.isPreview,
                by: call.caller.author)
            return .json(report.json)
        } catch {
            throw error.error
        }
    }
}

extension JSONValue {
    /// Whether a patch sets or clears the password.
    var setsPassword: Bool {
        self[FieldName.password.text] != nil || self[ProfileDraft.hashName] != nil
    }
}

extension Call {
    /// The revision that the request expects of the profile in the path; nil if the request accepts any revision.
    ///
    /// A request with an idempotency key may repeat a request that has renamed or removed the profile. Only the store
    /// knows this, so the profile need not exist here.
    fileprivate var expectedRevision: Int64? {
        get async throws {
            if let profile = try await findProfile() { return try expectedRevision(of: profile) }
            guard headers[.idempotencyKey] != nil else { throw Problem.noSuchProfile }
            return try precondition.firstRevision
        }
    }
}

extension Precondition {
    fileprivate var firstRevision: Int64? {
        if case .tags(let tags) = self { tags.first?.revision } else { nil }
    }
}
