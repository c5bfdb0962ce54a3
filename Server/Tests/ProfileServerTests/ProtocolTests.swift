import HTTPBounds
import HTTPTypes
import NIOCore
import ProfileCore
import ProfileStore
import Testing

@testable import ProfileServer

/// What holds for the requests and answers of all routes.
@Suite(.timeLimit(.minutes(5))) struct ProtocolTests {
    @Test func `Every answer forbids browsers to cache or frame it`() async throws {
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

    @Test func `A request with another Host gets 421, which prevents DNS rebinding`() async throws {
        try await TestService.with { test in
            for host in ["evil.example", "127.0.0.1", "127.0.0.1:8081", "evil.example:8080"] {
                let answer = try await test.send(.get, "/healthz", host: host)
                #expect(answer.status == .misdirectedRequest)
            }
            let answer = try await test.send(.get, "/healthz", host: nil)
            #expect(answer.status == .badRequest)
        }
    }

    @Test func `Each kind of wrong request gets its own error`() async throws {
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

    @Test func `Allowed origins get CORS headers without credentials, and other origins get none`() async throws {
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
            for (patch, count) in [(#"{"city": "Bath"}"#, 0), (#"{"password_hash": "\#(TestService.hash)"}"#, 1)] {
                let answer = try await test.send(
                    .patch, "/v1/profiles/canary1", patch, token: token, headers: [.ifMatch: "*"])
                #expect(answer.status == .ok)
                #expect(test.log.lines.count { $0.contains("audit=password_set") } == count)
            }
        }
    }

    @Test(arguments: [Refusal.unreadable, .timedOut, .targetTooLong, .expectationFailed, .headTooLarge])
    func `The answer to a request that the guard refuses has a title and a date`(refusal: Refusal) async throws {
        try await TestService.with { test in
            let (response, body) = test.service.answer(to: refusal)
            #expect(response.status.code == refusal.status && !response.status.reasonPhrase.isEmpty)
            #expect(String(buffer: body).contains(#""title":"\#(response.status.reasonPhrase)","#))
            #expect(response.headerFields[.date]?.hasSuffix(" GMT") == true)
        }
    }

    @Test func `Dates have the form of RFC 9110`() {
        #expect(Timestamp(millisecondsSince1970: 784_111_777_000).httpDate == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(Timestamp(millisecondsSince1970: 0).httpDate == "Thu, 01 Jan 1970 00:00:00 GMT")
        #expect(Timestamp(millisecondsSince1970: -1_000).httpDate == "Wed, 31 Dec 1969 23:59:59 GMT")
    }

    @Test func `Percent-encoding is decoded once, and a plus sign is a space in queries alone`() {
        #expect(PercentEncoding.decode("a%2Fb+c") == "a/b+c")
        #expect(PercentEncoding.decode("a%252F") == "a%2F")
        #expect(PercentEncoding.decode("a+%C3%B6", isForm: true) == "a ö")
        #expect(PercentEncoding.encode("a/ö") == "a%2F%C3%B6")
    }
}

/// What a service knows of a client behind a proxy.
@Suite(.timeLimit(.minutes(5))) struct ProxyTests {
    private let proxies = ["10.0.0.0/8", "fd00::/8"].compactMap { AddressRange($0) }

    private func address(_ peer: String, _ forwarded: String...) throws -> String? {
        var headers: HTTPFields = [:]
        headers[values: .xForwardedFor] = forwarded
        let peer = try SocketAddress(ipAddress: peer, port: 1)
        return RequestOrigin(peer, headers, .behindProxy(proxies)).address?.description
    }

    @Test func `X-Forwarded-For is read only from trusted proxies, and from right to left`() throws {
        #expect(try address("192.0.2.1", "198.51.100.7") == "192.0.2.1")
        #expect(try address("10.0.0.1", "198.51.100.7") == "198.51.100.7")
        #expect(try address("10.0.0.1", "203.0.113.9, 198.51.100.7, 10.0.0.2") == "198.51.100.7")
        #expect(try address("10.0.0.1", "203.0.113.9", "198.51.100.7") == "198.51.100.7")
        #expect(try address("10.0.0.1", "198.51.100.7, unknown") == "10.0.0.1")
        #expect(try address("10.0.0.1") == "10.0.0.1")
        #expect(try address("fd00::1", "2001:db8::7") == "2001:db8::7")
    }

    @Test func `Cookies need a request that reached the proxy encrypted`() async throws {
        let proxies = proxies
        try await TestService.with(options: { $0.transport = .behindProxy(proxies) }) { test in
            try await test.register("ann")
            let body = #"{"username": "ann", "password": "aK8oio", "cookie": true}"#
            let proxy = try SocketAddress(ipAddress: "10.0.0.1", port: 1)
            let stranger = try SocketAddress(ipAddress: "192.0.2.1", port: 1)
            let https: HTTPFields = [.xForwardedProto: "https"]
            let plain = try await test.send(.post, "/v1/login", body, from: proxy)
            #expect(plain.code == "not_encrypted")
            let forged = try await test.send(.post, "/v1/login", body, headers: https, from: stranger)
            #expect(forged.code == "not_encrypted")
            let answer = try await test.send(.post, "/v1/login", body, headers: https, from: proxy)
            #expect(answer.status == .ok)
            let cookies = answer.headers[values: .setCookie]
            #expect(
                cookies.count == 2
                    && cookies.allSatisfy { $0.hasPrefix("__Host-profiles-") && $0.contains("; Secure;") })
            let session = try #require(cookies.first).prefix { $0 != ";" }
            let own = try await test.send(.get, "/v1/me", headers: [.cookie: String(session)], from: proxy)
            #expect(own.code == "no_token")
            let good: HTTPFields = [.cookie: String(session), .xForwardedProto: "https"]
            let seen = try await test.send(.get, "/v1/me", headers: good, from: proxy)
            #expect(seen.status == .ok)
        }
    }
}
