internal import HTTPTypes
internal import ProfileCore
internal import ProfileStore

// Routes of programs that administrate.
extension Route {
    static let adoptSchema = Route(
        name: .adoptSchema, method: .put, path: PathTemplate("/v1/schema"), callers: .programs(.admin),
        summary: "Put other rules in force. If-Match names the version that they replace.", body: .json(.schema),
        answers: [.init(.ok, .schema, headers: [.etag], "The rules in force.")], problems: [.conflict],
        keyUse: .answersRepeats, needsPrecondition: true
    ) { call in
        let expected: Int?
        switch call.headers[.ifMatch] {
        case nil: throw Problem.noPrecondition
        case "*"?: expected = nil
        case let tag?:
            guard let version = try await call.repository.rules.versions().first(where: { $0.entityTag == tag }) else {
                throw Problem.stale
            }
            expected = version.number
        }
        let schema = try ProfileSchema(parsing: call.body.text())
        try await call.repository.rules.adopt(schema, expecting: expected, by: call.caller.author, key: try call.key)
        return .schema(call.repository.rules.inForce)
    }

    static let listTokens = Route(
        name: .listTokens, method: .get, path: PathTemplate("/v1/tokens"), callers: .programs(.admin),
        summary: "The access tokens, without their texts.", answers: [.init(.ok, .tokens, "The tokens.")]
    ) { call in .json(["tokens": .array(try await call.repository.tokens.list().map(\.json))]) }

    static let createToken = Route(
        name: .createToken, method: .post, path: PathTemplate("/v1/tokens"), callers: .programs(.admin),
        summary: "Create an access token.", body: .json(.newToken),
        answers: [.init(.created, .issuedToken, "The token, whose text is shown once.")], problems: [.conflict]
    ) { call in
        let body = try NewTokenBody(call.body)
        let issued = try await call.repository.tokens.create(body.name, scopes: body.scopes, validFor: body.validity)
        return .json(["access": issued.value.json, "token": .string(issued.text)], .created)
    }

    static let revokeToken = Route(
        name: .revokeToken, method: .delete, path: PathTemplate("/v1/tokens/{id}"), callers: .programs(.admin),
        summary: "Revoke an access token.", answers: [.init(.noContent, "It is revoked.")]
    ) { call in
        guard try await call.repository.tokens.revoke(call.tokenID) != nil else { throw Problem.noSuchItem }
        return .noContent
    }
}
