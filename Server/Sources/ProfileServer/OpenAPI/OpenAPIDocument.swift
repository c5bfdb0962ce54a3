internal import HTTPTypes
internal import ProfileCore
internal import ProfileStore

/// The description of a service's routes in OpenAPI 3.1.
struct OpenAPIDocument {
    let json: JSONValue

    init(_ routes: [Route]) {
        var paths: [(String, [JSONMember])] = []
        for route in routes {
            for path in route.path.described {
                let operation = JSONMember(route.method.rawValue.lowercased(), route.operation(at: path))
                if let index = paths.firstIndex(where: { $0.0 == path.text }) {
                    paths[index].1.append(operation)
                } else {
                    paths.append((path.text, [operation]))
                }
            }
        }
        json = [
            "openapi": "3.1.0",
            "info": [
                "title": "profiles", "version": "1",
                "description": "A store of profiles that accepts only valid records.",
            ],
            "paths": .object(paths.map { JSONMember($0.0, .object($0.1)) }),
            "components": [
                "responses": .object(Self.problemResponses(routes)),
                "schemas": .object(Shape.allCases.map { JSONMember($0.rawValue, $0.schema) }),
                "securitySchemes": [
                    "session": ["type": "http", "scheme": "bearer", "description": "The token of a person's session."],
                    "cookie": ["type": "apiKey", "in": "cookie", "name": .string(CookieNames(isSecure: true).session)],
                    "token": ["type": "http", "scheme": "bearer", "description": "The access token of a program."],
                ],
            ],
        ]
    }

    /// The problems that the routes refer to, by their statuses.
    private static func problemResponses(_ routes: [Route]) -> [JSONMember] {
        let statuses = Set(routes.flatMap(\.problemStatuses)).sorted { $0.code < $1.code }
        let content: JSONValue = ["application/problem+json": ["schema": .reference(.problem)]]
        return statuses.map { status in
            JSONMember(String(status.code), ["description": .string(status.reasonPhrase), "content": content])
        }
    }
}

extension PathTemplate {
    /// The paths under which the route is described. If the path contains the key of a profile, there is a second path
    /// with the id.
    fileprivate var described: [PathTemplate] {
        guard parts.contains(.profile) else { return [self] }
        return [self, PathTemplate(text.replacing("{key}", with: "by-id/{id}"))]
    }

    fileprivate var parameterNames: [String] {
        parts.compactMap { part in
            switch part {
            case .literal: nil
            case .parameter(let name): name
            case .profile: "key"
            }
        }
    }
}

extension Route {
    /// Every status of a problem that the route may answer. On every route, the `ConnectionGuard` may also answer 408
    /// for a head that is too slow, and 417 for an unknown expectation.
    var problemStatuses: [HTTPResponse.Status] {
        var statuses: Set<HTTPResponse.Status> = Set(problems).union([
            .badRequest, .methodNotAllowed, .misdirectedRequest, .requestHeaderFieldsTooLarge, .uriTooLong,
            .internalServerError, .serviceUnavailable,
        ])
        if callers.people || callers.programs != nil { statuses.formUnion([.unauthorized, .forbidden]) }
        if callers.anyone == .withOpenRegistration { statuses.insert(.notFound) }
        if path.parts.contains(where: { if case .literal = $0 { false } else { true } }) { statuses.insert(.notFound) }
        if body != .none {
            statuses.formUnion([.requestTimeout, .contentTooLarge, .unsupportedMediaType, .unprocessableContent])
        }
        if needsPrecondition { statuses.formUnion([.preconditionFailed, .preconditionRequired]) }
        if keyUse != .ignored { statuses.insert(.unprocessableContent) }
        if method != .get { statuses.formUnion([.gatewayTimeout, .noSpace]) }
        if isAttempt || body.holdsSecret { statuses.insert(.tooManyRequests) }
        if name == .getMetrics { statuses.insert(.notFound) }
        return statuses.sorted { $0.code < $1.code }
    }

    fileprivate func operation(at path: PathTemplate) -> JSONValue {
        let suffix = path == self.path ? "" : "ByID"
        var members: [JSONMember] = [
            JSONMember("operationId", .string(name.rawValue + suffix)), JSONMember("summary", .string(summary)),
        ]
        let parameters = parameters(at: path)
        if !parameters.isEmpty { members.append(JSONMember("parameters", .array(parameters))) }
        if let shape = body.shape {
            let type = if case .patch = body { "application/merge-patch+json" } else { "application/json" }
            members.append(
                JSONMember(
                    "requestBody",
                    ["required": true, "content": .object([JSONMember(type, ["schema": .reference(shape)])])]))
        }
        members.append(JSONMember("responses", responses))
        members.append(JSONMember("security", security))
        return .object(members)
    }

    private func parameters(at path: PathTemplate) -> [JSONValue] {
        var parameters: [JSONValue] = path.parameterNames.map { name in
            ["name": .string(name), "in": "path", "required": true, "schema": ["type": "string"]]
        }
        parameters += query.map { parameter in
            let value: JSONValue = ["type": parameter.isNumber ? "integer" : "string"]
            return [
                "name": .string(parameter.name), "in": "query", "description": .string(parameter.summary),
                "schema": parameter.isRepeatable ? ["type": "array", "items": value] : value,
            ]
        }
        if needsPrecondition {
            parameters.append([
                "name": "If-Match", "in": "header", "required": true,
                "description": "The ETag that was read, or * for any.", "schema": ["type": "string"],
            ])
        }
        if keyUse == .answersRepeats {
            parameters.append([
                "name": "Idempotency-Key", "in": "header",
                "description": "A repeat with the same key gets the first answer, for 24 hours.",
                "schema": ["type": "string", "minLength": 1, "maxLength": 255],
            ])
        }
        return parameters
    }

    private var responses: JSONValue {
        var members = answers.map { answer in JSONMember(String(answer.status.code), answer.json) }
        members += problemStatuses.map { status in
            JSONMember(String(status.code), ["$ref": .string("#/components/responses/\(status.code)")])
        }
        return .object(members)
    }

    private var security: JSONValue {
        var kinds: [JSONValue] = []
        if callers.anyone != .never { kinds.append([:]) }
        if callers.people { kinds += [["session": []], ["cookie": []]] }
        if let level = callers.programs { kinds.append(["token": [.string(level.scope.text)]]) }
        return .array(kinds)
    }
}

extension Route.Body {
    fileprivate var holdsSecret: Bool {
        switch shape {
        case .login, .redeem, .password, .passwordChange, .passcode, .passcodeChange, .ownDraft, .draft: true
        default: false
        }
    }
}

extension Route.Success {
    fileprivate var json: JSONValue {
        var members: [JSONMember] = [JSONMember("description", .string(summary))]
        if !headers.isEmpty {
            members.append(
                JSONMember(
                    "headers", .object(headers.map { JSONMember($0.rawValue, ["schema": ["type": "string"]]) })))
        }
        if let shape {
            members.append(JSONMember("content", ["application/json": ["schema": .reference(shape)]]))
        } else if let mediaType {
            members.append(JSONMember("content", .object([JSONMember(mediaType, ["schema": ["type": "string"]])])))
        }
        return .object(members)
    }
}
