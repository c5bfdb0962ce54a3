public import ProfileCore

/// Asks a service over HTTP, through whichever client a program has.
///
/// ```swift
/// let authenticator = RemoteAuthenticator(schema: schema) { username, password in
///     let response = try await client.post("/login", body: …)
///     return LoginAnswer(status: response.status, body: response.body)
/// }
/// ```
public struct RemoteAuthenticator: Authenticator {
    /// Sends a login and brings back the answer; throws when there is none.
    public typealias Transport = @Sendable (_ username: String, _ password: Secret) async throws -> LoginAnswer

    private let schema: ProfileSchema
    private let send: Transport

    /// Asks whom the transport leads to.
    ///
    /// - Parameters:
    ///   - schema: Says which members of an answer are fields.
    ///   - send: The transport.
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

/// What a remote service answered to a login.
public struct LoginAnswer: Hashable, Sendable {
    /// The status of HTTP (RFC 9110, section 15).
    public let status: Int
    /// UTF-8, without any transfer or content coding.
    public let body: [UInt8]

    /// Holds an answer.
    public init(status: Int, body: [UInt8]) {
        self.status = status
        self.body = body
    }

    /// What the answer means (L4): 401 and 403 are `invalidCredentials`, any other status but 200 to 299 is
    /// `unexpectedStatus`, and a body that is empty or cannot be decoded is `invalidResponse`.
    ///
    /// The body is a profile as `lookup --format json` prints one: an object whose members are called like the schema's
    /// fields, numbers and booleans by their type, null where absent. The primary key must be there. Members that are no open
    /// field are passed over.
    ///
    /// - Parameter schema: Says which members are fields.
    /// - Returns: Who has logged in.
    /// - Throws: One of these three.
    public func profile(by schema: ProfileSchema = .standard) throws(LoginError) -> LoggedInProfile {
        switch status {
        case 200...299: break
        case 401, 403: throw .invalidCredentials
        default: throw .unexpectedStatus
        }
        guard case .object(let members)? = try? JSONValue(parsing: body.span) else { throw .invalidResponse }
        var values: [FieldName: String] = [:]
        for field in schema.openFields {
            switch members.first(where: { $0.name == field.name.text })?.value {
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
