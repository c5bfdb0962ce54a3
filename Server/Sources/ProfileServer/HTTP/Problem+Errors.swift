internal import HTTPBounds
internal import HTTPTypes
internal import Hummingbird
internal import ProfileCore
internal import ProfileLogin
internal import ProfileStore
internal import SecretHashing

// The problems of the errors that the libraries throw.
extension Problem {
    /// Maps an error that serving a route has thrown. The messages of issues come from `schema`, the rules in force.
    init(_ error: any Error, _ schema: ProfileSchema) {
        switch error {
        case let problem as Problem: self = problem
        case let error as ProfileStoreError: self.init(error, schema)
        case let error as CredentialError: self.init(error, schema)
        case let error as LoginError: self.init(error, schema)
        case let error as ValidationFailure: self.init(issues: error.issues, schema)
        case let error as JSONError: self.init(error)
        case let error as JSONMemberError: self.init(error)
        case let error as QueryParameterError:
            self.init(
                .badRequest, "bad_parameter", error.description, members: [JSONMember("parameter", .string(error.name))]
            )
        case let error as SchemaFailure:
            self.init(
                .unprocessableContent, "bad_schema", "The schema has errors.",
                members: [JSONMember("errors", .array(error.errors.map { .string($0.description) }))])
        case let error as HashingError: self.init(CredentialError.hashing(error), schema)
        case is BodyTimedOut: self = .bodyTimedOut
        case is UnreadableBody: self = .unreadableBody
        case let error as any HTTPResponseError where error.status == .contentTooLarge: self = .bodyTooLarge
        case is CancellationError: self.init(kind: .unavailable, code: "cancelled")
        default: self = .unexpected
        }
    }

    init(issues: [ValidationIssue], _ schema: ProfileSchema) {
        self.init(
            .unprocessableContent, "invalid", "The profile is not valid.",
            members: [JSONMember("issues", .array(issues.map { ReportedIssue($0, in: schema).json }))])
    }

    private init(_ error: JSONError) {
        self.init(
            .badRequest, "bad_json", "The body is not JSON: \(error.text).",
            members: [
                JSONMember("line", .number(String(error.line))), JSONMember("column", .number(String(error.column))),
            ])
    }

    private init(_ error: JSONMemberError) {
        self.init(
            .unprocessableContent, "bad_member", "The body has a wrong member: \(error.description).",
            members: [JSONMember("pointer", .string(error.pointer))])
    }

    private init(_ error: ProfileStoreError, _ schema: ProfileSchema) {
        self.init(kind: error.kind, code: error.code.rawValue)
        if let issues = error.issues {
            members.append(JSONMember("issues", .array(issues.map { ReportedIssue($0, in: schema).json })))
        }
        if let revision = error.currentRevision {
            members.append(JSONMember("current_revision", .number(String(revision))))
        }
        if !error.fields.isEmpty { members.append(JSONMember("fields", .array(error.fields.map(\.json)))) }
    }

    private init(_ error: CredentialError, _ schema: ProfileSchema) {
        switch error {
        case .wrong: self.init(.forbidden, "wrong_secret", "The password or passcode is wrong.")
        case .throttled(let milliseconds): self = .tooManyAttempts(seconds: max(1, (milliseconds + 999) / 1_000))
        case .locked:
            self.init(
                .tooManyRequests, "locked", "There were too many failed attempts. An administrator must end the lock.")
        case .passcodeExists: self.init(.conflict, "passcode_exists", error.sentence)
        case .noPasscode: self.init(.notFound, "no_passcode", error.sentence)
        case .notDifferent: self.init(.unprocessableContent, "not_different", error.sentence)
        case .violation: self.init(.unprocessableContent, "bad_passcode", error.sentence)
        case .hashing(let error): self.init(kind: error.kind, code: "hashing")
        case .store(let error): self.init(error, schema)
        }
    }

    private init(_ error: LoginError, _ schema: ProfileSchema) {
        switch error {
        case .invalidUsernameLength: self.init(.unprocessableContent, "invalid_username_length", error.message)
        case .invalidPasswordLength: self.init(.unprocessableContent, "invalid_password_length", error.message)
        case .invalidPasswordCharacters: self.init(.unprocessableContent, "invalid_password_characters", error.message)
        case .noPasswords: self.init(.conflict, "no_passwords", "The rules of this store have no password.")
        case .invalidCredentials: self = .wrongCredentials
        case .throttled(let milliseconds): self.init(CredentialError.throttled(milliseconds: milliseconds), schema)
        case .locked: self.init(CredentialError.locked, schema)
        case .hashing(let error): self.init(CredentialError.hashing(error), schema)
        case .store(let error): self.init(error, schema)
        case .cancelled: self.init(kind: .unavailable, code: "cancelled")
        case .invalidResponse, .unexpectedStatus, .unknown: self = .unexpected
        }
    }

    /// A login with a name and a password that do not belong together, whether or not the name exists.
    static let wrongCredentials = Problem(
        .unauthorized, "invalid_credentials", LoginError.invalidCredentials.message,
        headers: [.wwwAuthenticate: #"Bearer realm="profiles""#])

    /// Makes the problem of a kind of errors. The kind decides the status, except that an invalid query gets 400. The
    /// code says what happened.
    init(kind: ProfileStoreError.Kind, code: String) {
        let soon: HTTPFields = [.retryAfter: "1"]
        switch kind {
        case .invalid where code == ProfileStoreError.Code.invalidQuery.rawValue:
            self.init(.badRequest, code, "The query is not valid for the rules of this store.")
        case .invalid: self.init(.unprocessableContent, code, "The profile is not valid.")
        case .notFound: self.init(.notFound, code, "There is no such profile.")
        case .conflict: self.init(.conflict, code, "Another profile has the same value, or the item exists already.")
        case .stale: self.init(.preconditionFailed, code, "What the request is based on has changed. Read it again.")
        case .denied:
            self.init(.serviceUnavailable, code, "The store cannot be changed now.", headers: [.retryAfter: "60"])
        case .throttled: self.init(.tooManyRequests, code, "There were too many failed attempts.")
        case .keyReused:
            self.init(.unprocessableContent, code, "The \"Idempotency-Key\" belongs to another request.")
        case .busy: self.init(.serviceUnavailable, code, "The service is busy. Try again.", headers: soon)
        case .unavailable:
            self.init(.serviceUnavailable, code, "The store cannot be reached now.", headers: soon)
        case .outcomeUnknown:
            self.init(
                .gatewayTimeout, code, "It is unknown whether the change was written. Read before you repeat it.")
        case .full: self.init(.noSpace, code, "There is no space left.")
        case .broken: self.init(.internalServerError, code, "The store needs an administrator.")
        }
    }
}

extension JSONMemberError {
    /// The path as a JSON pointer (RFC 6901).
    fileprivate var pointer: String {
        path.map { "/" + $0.replacing("~", with: "~0").replacing("/", with: "~1") }.joined()
    }
}

extension CredentialError {
    /// The text that every program shows for an error about a passcode.
    fileprivate var sentence: String { message.map { "\($0)." } ?? "" }
}
