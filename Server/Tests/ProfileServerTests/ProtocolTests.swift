import HTTPTypes
import NIOCore
import ProfileCore
import ProfileStore
import Testing

@testable import ProfileServer

/// What holds for the requests and answers of all routes.
@Suite(.timeLimit(.minutes(1))) struct ProtocolTests {
    @Test func `Every answer tells browsers to keep and frame nothing`() async throws {
        try await TestService.with { test in
            for path in ["/healthz", "/v1/me", "/nowhere", "/v1/login"] {
                let headers = try await test.send(.get, path).headers
                #expect(headers[.cacheControl] == "no-store" && headers[.xContentTypeOptions] == "nosniff")
                #expect(headers[.contentSecurityPolicy] == "default-src 'none'; frame-ancestors 'none'")
                #expect(headers[.referrerPolicy] == "same-origin" && headers[.strictTransportSecurity] == nil)
                #expect(headers[.accessControlAllowOrigin] == nil)
            }
        }
        try await TestService.with(options: { $0.transport = .encrypted }) { test in
            let answer = try await test.send(.get, "/healthz")
            #expect(answer.headers[.strictTransportSecurity] != nil)
        }
    }

    @Test func `Another Host gets 421, so that no page reaches the service under a name of its own`() async throws {
        try await TestService.with { test in
            for host in ["evil.example", "127.0.0.1", "127.0.0.1:8081", "evil.example:8080"] {
                let answer = try await test.send(.get, "/healthz", host: host)
                #expect(answer.status == .misdirectedRequest)
            }
            let answer = try await test.send(.get, "/healthz", host: nil)
            #expect(answer.status == .badRequest)
        }
    }

    @Test func `Errors of the request are told apart`() async throws {
        try await TestService.with { test in
            try await test.register("ann")
            let token = try await test.token(.admin)
            let method = try await test.send(.put, "/v1/login", "{}")
            #expect(method.status == .methodNotAllowed && method.headers[.allow] == "POST")
            let both = try await test.send(.post, "/v1/profiles/ann", "{}", token: token)
            #expect(both.headers[.allow] == "GET, HEAD, PATCH, DELETE")
            for path in ["//v1/me", "/v1//me", "/v1/me/", "/v1", "/V1/me", "/v1/profiles/ann/"] {
                #expect(try await test.send(.get, path, token: token).code == "no_such_route", "\(path)")
            }
            for path in ["/v1/profiles/%zz", "/v1/profiles/%f", "/v1/profiles/%ff", "/v1/profiles?where=%"] {
                #expect(try await test.send(.get, path, token: token).code == "bad_path", "\(path)")
            }
            let json = try await test.send(.post, "/v1/search", "{\n  \"limit\": 1,}", token: token)
            #expect(json.status == .badRequest && json.code == "bad_json")
            #expect(try json.json["line"] == .number("2") && json.json["column"] == .number("14"), "\(json.text)")
            let twice = try await test.send(.post, "/v1/search", #"{"limit": 1, "limit": 2}"#, token: token)
            #expect(twice.code == "bad_json")
            let member = try await test.send(
                .post, "/v1/search", #"{"conditions": [{"field": 3, "comparison": "is_absent"}]}"#, token: token)
            #expect(member.status == .unprocessableContent)
            #expect(try member.text("pointer") == "/conditions/0/field", "\(member.text)")
            let type = try await test.send(
                .post, "/v1/search", "{}", token: token, headers: [.contentType: "text/plain"])
            #expect(type.status == .unsupportedMediaType)
            #expect(try await test.send(.post, "/v1/search", "", token: token).code == "no_body")
            let large = String(repeating: " ", count: 70_000)
            #expect(try await test.send(.post, "/v1/search", large, token: token).status == .contentTooLarge)
            let login = #"{"username": "ann", "password": "\#(String(repeating: "x", count: 5_000))"}"#
            #expect(try await test.send(.post, "/v1/login", login).status == .contentTooLarge)
            let head = try await test.send(.head, "/v1/profiles/ann", token: token)
            #expect(head.status == .ok && head.text.isEmpty && head.headers[.contentLength] != "0")
        }
    }

    @Test func `Origins that are allowed read answers with tokens, never with cookies`() async throws {
        try await TestService.with(options: { $0.allowedOrigins = ["https://app.example"] }) { test in
            let app: HTTPFields = [.origin: "https://app.example"]
            let answer = try await test.send(.get, "/healthz", headers: app)
            #expect(answer.headers[.accessControlAllowOrigin] == "https://app.example")
            #expect(answer.headers[.accessControlAllowCredentials] == nil)
            #expect(answer.headers[.vary] == "Origin")
            var preflight = app
            preflight[.accessControlRequestMethod] = "PATCH"
            let allowed = try await test.send(.options, "/v1/me", headers: preflight)
            #expect(allowed.status == .noContent && allowed.headers[.accessControlAllowMethods] == "GET, HEAD, PATCH")
            preflight[.origin] = "https://evil.example"
            let refused = try await test.send(.options, "/v1/me", headers: preflight)
            #expect(refused.status == .methodNotAllowed && refused.headers[.accessControlAllowOrigin] == nil)
        }
    }

    @Test func `The log has templates and ids, and no name, secret or URL`() async throws {
        try await TestService.with { test in
            try await test.register("canary1", ["email": "canary2@x.example"])
            let token = try await test.token(.admin)
            let session = try await test.session("canary1")
            _ = try await test.send(.get, "/v1/profiles/canary1?canary3=1", token: token)
            _ = try await test.send(.get, "/v1/profiles?where=email=canary4", token: token)
            _ = try await test.send(.post, "/v1/login", #"{"username": "canary1", "password": "canary5"}"#)
            _ = try await test.send(.get, "/canary6")
            _ = try await test.send(.init("CANARY7")!, "/v1/me")
            _ = try await test.send(.patch, "/v1/me", #"{"city": "canary8"}"#, token: session, headers: [.ifMatch: "*"])
            let lines = test.log.lines
            #expect(lines.count >= 6)
            #expect(!lines.joined().lowercased().contains("canary"))
            #expect(!lines.joined().contains(token) && !lines.joined().contains(session))
            #expect(lines.contains { $0.contains("route=/v1/profiles/{key}") && $0.contains("caller=token") })
            #expect(lines.contains { $0.contains("caller=profile 1") && $0.contains("profile=1") })
            _ = try await test.send(.post, "/v1/profiles/canary1/unlock", token: token)
            #expect(test.log.lines.contains { $0.hasPrefix("notice audit") && $0.contains("audit=unlock") })
        }
    }

    @Test func `Percent-encoding is decoded once, and a plus sign is a space in queries alone`() {
        #expect(PercentEncoding.decode("a%2Fb+c") == "a/b+c")
        #expect(PercentEncoding.decode("a%252F") == "a%2F")
        #expect(PercentEncoding.decode("a+%C3%B6", isForm: true) == "a ö")
        #expect(PercentEncoding.encode("a/ö") == "a%2F%C3%B6")
    }
}
