import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import ProfileCore
import ProfileStore
import ProfileStoreSQLite
import Testing

@testable import ProfileServer

/// A service with a store of its own, and callers of each kind.
struct TestService: Sendable {
    let repository: ProfileRepository
    let service: ProfileService
    let log: Log
    /// The file of the store.
    let file: String

    static let host = "127.0.0.1:8080"
    static let password = "Sunflower7"
    /// The hash of the password "aK8oio", under the standard policy.
    static let hash =
        "$argon2id$v=19$m=19456,t=2,p=1$ypUYnQZSQQOq9pivEtjG8w$V7S9SK6Z6JO5ZOTfRF8XhGONnRyFDistsnjOI6zUgXc"

    /// The rules of the tests: an owner reads `grade`, and does not see `note`.
    static let schema = """
        {"name": "people", "primaryKey": "username", "fields": [
            {"name": "username", "constraints": {"required": true, "minLength": 2, "maxLength": 40}},
            {"name": "password", "profiles": {"secret": true}, "constraints": {"minLength": 3}},
            {"name": "email", "constraints": {"unique": true}},
            {"name": "city"},
            {"name": "age", "type": "integer", "constraints": {"minimum": 0}},
            {"name": "grade", "profiles": {"owner": "read"}},
            {"name": "note", "profiles": {"owner": "hidden"}}
        ]}
        """

    /// Runs a test with a service, and closes its store afterwards.
    static func with(
        waitLimit: Duration? = nil, options change: (inout ServiceOptions) -> Void = { _ in },
        _ body: (TestService) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "profiles-server-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var options = ProfileRepository.Options()
        options.createsMissing = true
        options.initialSchema = try ProfileSchema(parsing: schema)
        if let waitLimit { options.waitLimit = waitLimit }
        let file = folder.appendingPathComponent("store.db").path
        let repository = try await ProfileRepository.open(at: file, options: options)
        var serviceOptions = ServiceOptions(hosts: [host])
        let log = Log()
        serviceOptions.logger = Logger(label: "test") { _ in log }
        change(&serviceOptions)
        let outcome: Result<Void, any Error>
        do {
            let service = ProfileService(repository, serviceOptions)
            try await body(TestService(repository: repository, service: service, log: log, file: file))
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        await repository.close()
        try outcome.get()
    }

    /// Stores a profile whose password is "aK8oio".
    @discardableResult
    func register(_ username: String, _ values: [String: String] = [:]) async throws -> Profile {
        var draft = ProfileDraft(values)
        draft[FieldName.username] = username
        draft.passwordHash = Self.hash
        return try await repository.register(draft)
    }

    /// The token of a new session.
    func session(_ username: String) async throws -> String {
        try await repository.sessions.start(vouchingFor: username).text
    }

    /// A new access token.
    func token(_ scope: AccessScope) async throws -> String {
        let name = try #require(AccountLabel("program \(UUID().uuidString.prefix(8))"))
        return try await repository.tokens.create(name, scopes: [scope]).text
    }

    /// Sends a request without a socket.
    func send(
        _ method: HTTPRequest.Method, _ path: String, _ body: String? = nil, token: String? = nil,
        headers: HTTPFields = [:], host: String? = Self.host, audience: Audience = .everyone,
        from peer: SocketAddress? = nil
    ) async throws -> TestAnswer {
        var headers = headers
        if let token { headers[.authorization] = "Bearer \(token)" }
        if body != nil, headers[.contentType] == nil {
            headers[.contentType] = method == .patch ? "application/merge-patch+json" : "application/json"
        }
        let head = HTTPRequest(method: method, scheme: "http", authority: host, path: path, headerFields: headers)
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer(string: body ?? "")))
        let response = await service.respond(to: request, from: peer, audience: audience)
        let writer = BodyCollector()
        try await response.body.write(writer)
        return TestAnswer(status: response.status, headers: response.headers, text: writer.text)
    }
}

struct TestAnswer: Sendable {
    let status: HTTPResponse.Status
    let headers: HTTPFields
    let text: String

    var json: JSONValue { get throws { try JSONValue(parsing: text) } }
    /// The code of a problem.
    var code: String? {
        guard case .string(let code)? = (try? json)?["code"] else { return nil }
        return code
    }

    /// A member of the body that is a text.
    func text(_ name: String) throws -> String {
        guard case .string(let text)? = try json[name] else {
            Issue.record("no \(name) in \(text)")
            return ""
        }
        return text
    }
}

/// Collects what a response writes.
final class BodyCollector: ResponseBodyWriter, @unchecked Sendable {
    // There is no lock, because one task writes and then reads.
    private var bytes: [UInt8] = []
    var text: String { String(decoding: bytes, as: UTF8.self) }

    func write(_ buffer: ByteBuffer) async throws { bytes += buffer.readableBytesView }
    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

/// Keeps the lines of a log.
final class Log: LogHandler, @unchecked Sendable {
    // The lock guards the lines.
    private let lock = NSLock()
    private var stored: [String] = []
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?
    var logLevel: Logger.Level = .trace

    var lines: [String] { lock.withLock { stored } }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let pairs = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        lock.withLock { stored.append("\(event.level) \(event.message) \(pairs.joined(separator: " "))") }
    }
}
