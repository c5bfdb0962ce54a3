internal import ProfileCore

/// The bodies of requests and answers, by their names in the OpenAPI document.
enum Shape: String, CaseIterable, Sendable {
    case login = "Login"
    case redeem = "RedeemedReset"
    case password = "Password"
    case passwordChange = "PasswordChange"
    case passcode = "Passcode"
    case passcodeChange = "PasscodeChange"
    case draft = "Draft"
    case ownDraft = "OwnDraft"
    case patch = "Patch"
    case validation = "Validation"
    case query = "Query"
    case newToken = "NewToken"
    case undo = "Undo"
    case schema = "Schema"
    case health = "Health"
    case description = "Description"
    case startedSession = "StartedSession"
    case profile = "Profile"
    case page = "Page"
    case history = "History"
    case issues = "Issues"
    case sessions = "Sessions"
    case devices = "Devices"
    case ownData = "OwnData"
    case difference = "SchemaDifference"
    case statistics = "Statistics"
    case issuedReset = "IssuedReset"
    case tokens = "Tokens"
    case issuedToken = "IssuedToken"
    case undone = "Undone"
    case problem = "Problem"
}

extension Shape {
    /// The shape as a JSON Schema.
    var schema: JSONValue {
        switch self {
        case .login:
            .object(
                required: [("username", .text), ("password", .secret)],
                orNull: [
                    ("device", .described(.secret, "The token that an earlier login has given to this device.")),
                    ("label", .described(.text, "A description of the device.")),
                    ("cookie", .described(.flag, "Whether the tokens come as cookies, and not in the body.")),
                ])
        case .redeem: .object(required: [("token", .secret), ("password", .secret)])
        case .password: .object(required: [("password", .secret)])
        case .passwordChange:
            .object(
                required: [("old_password", .secret), ("password", .secret)], orNull: [("remember_device", .flag)])
        case .passcode: .object(required: [("passcode", .secret)])
        case .passcodeChange: .object(required: [("old_passcode", .secret), ("passcode", .secret)])
        case .draft: .described(.values, "The values by their fields' names, and `password` or `password_hash`.")
        case .ownDraft: .described(.values, "The values by their fields' names, and `password`.")
        case .patch: .described(.values, "A merge patch (RFC 7396) of the values: null clears one.")
        case .validation:
            [
                "oneOf": [
                    .object(required: [("field", .text), ("value", .text)]), .object(required: [("draft", .values)]),
                ]
            ]
        case .query:
            .object(
                orNull: [
                    ("conditions", .list(of: .free)), ("or", .flag), ("text", .text), ("status", .text),
                    ("order", [:]), ("reversed", .flag), ("limit", .number), ("after", .text),
                ])
        case .newToken:
            .object(
                required: [("name", .text), ("scope", .word("read", "support", "write", "admin"))],
                orNull: [("expires_in", .described(.number, "Seconds; without it, the token does not expire."))])
        case .undo: .object(orNull: [("override_later_changes", .flag), ("preview", .flag)])
        case .schema: .described(.free, "A Table Schema.")
        case .health: .object(required: [("status", .text)])
        case .description: .free
        case .startedSession:
            .object(
                required: [("session", .session), ("profile", .reference(.profile))],
                optional: [("token", .text), ("device", .text)])
        case .profile:
            .object(
                required: [
                    ("id", .number), ("revision", .number), ("created_at", .time), ("updated_at", .time),
                    ("schema_version", .number), ("status", .word("valid", "invalid")), ("values", .values),
                ], optional: [("issues", .list(of: .issue))])
        case .page: .object(required: [("profiles", .list(of: .reference(.profile))), ("next", .optional("string"))])
        case .history: .object(required: [("entries", .list(of: .free))])
        case .issues: .object(required: [("issues", .list(of: .issue))])
        case .sessions: .object(required: [("sessions", .list(of: .session))])
        case .devices: .object(required: [("devices", .list(of: .free))])
        case .ownData:
            .object(
                required: [
                    ("profile", .reference(.profile)), ("history", .list(of: .free)),
                    ("sessions", .list(of: .session)), ("devices", .list(of: .free)),
                ])
        case .difference, .statistics, .undone: .free
        case .issuedReset: .object(required: [("reset", .free), ("token", .text)])
        case .tokens: .object(required: [("tokens", .list(of: .free))])
        case .issuedToken: .object(required: [("access", .free), ("token", .text)])
        case .problem:
            [
                "type": "object", "required": ["type", "title", "status", "code", "detail"],
                "properties": [
                    "type": .text, "title": .text, "status": .number, "code": .text, "detail": .text,
                    "issues": .list(of: .issue),
                ],
            ]
        }
    }
}

// The parts of JSON Schemas.
extension JSONValue {
    fileprivate static let text: JSONValue = ["type": "string"]
    fileprivate static let secret: JSONValue = ["type": "string", "format": "password"]
    fileprivate static let time: JSONValue = ["type": "string", "format": "date-time"]
    fileprivate static let flag: JSONValue = ["type": "boolean"]
    fileprivate static let number: JSONValue = ["type": "integer"]
    fileprivate static let free: JSONValue = ["type": "object"]
    fileprivate static let values: JSONValue = [
        "type": "object", "additionalProperties": ["type": ["string", "number", "boolean", "null"]],
    ]
    fileprivate static let session = object(
        required: [
            ("id", .text), ("profile_id", .number), ("username", .text), ("created_at", .time),
            ("last_used_at", .time), ("idle_expires_at", .time), ("expires_at", .time),
        ], optional: [("label", .optional("string"))])
    fileprivate static let issue = object(
        required: [("field", .optional("string")), ("code", .text), ("message", .text)], optional: [("count", .number)])

    fileprivate static func optional(_ type: JSONValue) -> JSONValue { ["type": [type, "null"]] }
    fileprivate var orNull: JSONValue {
        guard case .object(let members) = self else { return self }
        return .object(members.map { $0.name == "type" ? JSONMember("type", [$0.value, "null"]) : $0 })
    }

    fileprivate static func word(_ words: JSONValue...) -> JSONValue { ["type": "string", "enum": .array(words)] }
    fileprivate static func list(of element: JSONValue) -> JSONValue { ["type": "array", "items": element] }
    static func reference(_ shape: Shape) -> JSONValue { ["$ref": .string("#/components/schemas/\(shape.rawValue)")] }

    fileprivate static func described(_ schema: JSONValue, _ description: String) -> JSONValue {
        guard case .object(let members) = schema else { return schema }
        return .object(members + [JSONMember("description", .string(description))])
    }

    /// - Parameter orNull: Members of requests that may be absent or null, which means the same.
    fileprivate static func object(
        required: [(String, JSONValue)] = [], optional: [(String, JSONValue)] = [], orNull: [(String, JSONValue)] = []
    ) -> JSONValue {
        var members: [JSONMember] = [JSONMember("type", "object")]
        if !required.isEmpty { members.append(JSONMember("required", .array(required.map { .string($0.0) }))) }
        let properties = required + optional + orNull.map { ($0.0, $0.1.orNull) }
        members.append(JSONMember("properties", .object(properties.map { JSONMember($0.0, $0.1) })))
        members.append(JSONMember("additionalProperties", false))
        return .object(members)
    }
}
