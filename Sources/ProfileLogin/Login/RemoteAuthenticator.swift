public import ProfileCore

/// Checks credentials with a remote HTTP service. The caller can use any HTTP client.
///
/// ```swift
/// let authenticator = RemoteAuthenticator(schema: schema) { username, password in
///     let response = try await client.post("/login", body: …)
///     return LoginAnswer(status: response.status, body: response.body)
/// }
/// ```
public struct RemoteAuthenticator: Authenticator {
    /// Sends a login request and returns the answer. Throws an error if there is no answer.
    public typealias Transport = @Sendable (_ username: String, _ password: Secret) async throws -> LoginAnswer

    private let schema: ProfileSchema
    private let send: Transport

    /// Creates an authenticator that sends logins through `send`.
    ///
    /// - Parameters:
    ///   - schema: The schema of the profile in an answer. Its fields define the members that are read.
    ///   - send: The function that sends a login.
    public init(schema: ProfileSchema = .standard, send: @escaping Transport) {
        self.schema = schema
        self.send = send
    }

    public func authenticate(username: String, password: Secret) async throws(LoginError) -> LoggedInProfile {
        let answer: LoginAnswer
        do {
            answer = try await send(username, password)
        } catch {
            throw error is CancellationError ? .cancelled : .unknown
        }
        return try answer.profile(by: schema)
    }
}

/// The answer of a remote service to a login.
public struct LoginAnswer: Hashable, Sendable {
    /// The HTTP status (RFC 9110, section 15).
    public let status: Int
    /// The decoded body in UTF-8. The HTTP client must remove transfer and content codings.
    public let body: [UInt8]

    /// Creates an answer.
    public init(status: Int, body: [UInt8]) {
        self.status = status
        self.body = body
    }

    /// Converts the answer to a profile or an error (L4). The statuses 401 and 403 throw `invalidCredentials`. Any
    /// other status outside 200 to 299 throws `unexpectedStatus`. If the body is empty or cannot be decoded, throws
    /// `invalidResponse`.
    ///
    /// The body must be a profile in the format of `lookup --format json`, or a JSON object whose members are the fields
    /// themselves. The value of a number or boolean field is a JSON number or boolean. An absent value is null. The
    /// primary key is required. A member is ignored if the schema has no field of this name, or if the field is secret.
    ///
    /// - Parameter schema: The schema of the profile. Its fields define the members that are read.
    /// - Returns: The profile of the user.
    /// - Throws: `invalidCredentials`, `unexpectedStatus` or `invalidResponse`.
    public func profile(by schema: ProfileSchema = .standard) throws(LoginError) -> LoggedInProfile {
        switch status {
        case 200...299: break
        case 401, 403: throw .invalidCredentials
        default: throw .unexpectedStatus
        }
        guard let answer = try? JSONValue(parsing: body.span), case .object = answer else { throw .invalidResponse }
        var members = answer
        if let inner = answer["values"], case .object = inner { members = inner }
        var values: [FieldName: String] = [:]
        for field in schema.openFields {
            switch members[field.name.text] {
            case nil, .null, .string(""): continue
            case .string(let text), .number(let text): values[field.name] = text
            case .bool(let flag): values[field.name] = String(flag)
            case .array, .object: throw .invalidResponse
            }
        }
        guard let username = values[schema.primaryKey.name] else { throw .invalidResponse }
        return LoggedInProfile(username: username, values: values, of: schema)
    }
}
