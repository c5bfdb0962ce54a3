import Foundation
import HTTPTypes
import NIOCore
import ProfileCore
import ProfileStore
import Testing

@testable import ProfileServer

@Suite(.timeLimit(.minutes(5))) struct LoginTests {
    @Test func `L1, L3: a login gives the token of a session, and the token gives the own profile`() async throws {
        try await TestService.with { test in
            try await test.register("ann", ["city": "Bath", "note": "difficult", "grade": "gold"])
            let answer = try await test.send(.post, "/v1/login", #"{"username": "ANN", "password": "aK8oio"}"#)
            #expect(answer.status == .ok)
            let token = try answer.text("token")
            #expect(token.hasPrefix("ps_"))
            #expect(try answer.text("device").hasPrefix("pd_"))
            let own = try await test.send(.get, "/v1/me", token: token)
            #expect(own.status == .ok)
            #expect(own.headers[.eTag] == "\"1-1\"")
            let values = try #require(try own.json["values"])
            #expect(values["city"] == "Bath" && values["grade"] == "gold" && values["note"] == nil)
            #expect(try answer.json["profile"] == own.json)
        }
    }

    @Test func `L1: a login whose name or password is too short is refused before any attempt`() async throws {
        try await TestService.with { test in
            let name = try await test.send(.post, "/v1/login", #"{"username": "a", "password": "aK8oio"}"#)
            #expect(name.status == .unprocessableContent && name.code == "invalid_username_length")
            let password = try await test.send(.post, "/v1/login", #"{"username": "ann", "password": ""}"#)
            #expect(password.status == .unprocessableContent && password.code == "invalid_password_length")
        }
    }

    @Test func `H6, P10: an unknown user and a wrong password have the same answer`() async throws {
        try await TestService.with { test in
            try await test.register("ann")
            let wrong = try await test.send(.post, "/v1/login", #"{"username": "ann", "password": "wrong1"}"#)
            let unknown = try await test.send(.post, "/v1/login", #"{"username": "bob", "password": "wrong1"}"#)
            #expect(wrong.status == .unauthorized && wrong.code == "invalid_credentials")
            #expect(wrong.text == unknown.text)
            #expect(wrong.headers == unknown.headers)
            #expect(wrong.headers[.wwwAuthenticate]?.hasPrefix("Bearer") == true)
        }
    }

    @Test func `A login with a cookie returns no token, and only pages of the service can use the cookie`() async throws
    {
        try await TestService.with { test in
            try await test.register("ann")
            let answer = try await test.send(
                .post, "/v1/login", #"{"username": "ann", "password": "aK8oio", "cookie": true}"#)
            #expect(try answer.json["token"] == nil && answer.json["device"] == nil)
            let cookies = answer.headers[values: .setCookie]
            #expect(cookies.count == 2)
            #expect(
                cookies.allSatisfy { $0.contains("HttpOnly") && $0.contains("SameSite=Lax") && $0.contains("Path=/") })
            let session = try #require(cookies.first { $0.hasPrefix("profiles-session=") }).prefix { $0 != ";" }
            let cookie: HTTPFields = [.cookie: "a=b; \(session)"]
            #expect(try await test.send(.get, "/v1/me", headers: cookie).status == .ok)

            var out = cookie
            #expect(try await test.send(.post, "/v1/logout", headers: out).code == "other_site")
            out[.origin] = "http://evil.example"
            #expect(try await test.send(.post, "/v1/logout", headers: out).code == "other_site")
            out[.origin] = "http://127.0.0.1:8080"
            out[.secFetchSite] = "cross-site"
            #expect(try await test.send(.post, "/v1/logout", headers: out).code == "other_site")
            var bad = cookie
            bad[.authorization] = "Bearer ps_wrong"
            #expect(try await test.send(.get, "/v1/me", headers: bad).status == .unauthorized)

            out[.secFetchSite] = nil
            let done = try await test.send(.post, "/v1/logout", headers: out)
            #expect(done.status == .noContent)
            #expect(done.headers[.setCookie]?.contains("Max-Age=0") == true)
            #expect(try await test.send(.get, "/v1/me", headers: cookie).status == .unauthorized)
        }
    }

    @Test func `A login ends the session whose token comes with it`() async throws {
        try await TestService.with { test in
            try await test.register("ann")
            let old = try await test.session("ann")
            let body = #"{"username": "ann", "password": "aK8oio"}"#
            let token = try await test.send(.post, "/v1/login", body, token: old).text("token")
            #expect(try await test.send(.get, "/v1/me", token: old).status == .unauthorized)
            #expect(try await test.send(.get, "/v1/me", token: token).status == .ok)
        }
    }

    @Test func `A new password ends the sessions and devices, and starts a session`() async throws {
        try await TestService.with { test in
            try await test.register("ann")
            let old = try await test.session("ann")
            let wrong = try await test.send(
                .put, "/v1/me/password", #"{"old_password": "wrong", "password": "Sunflower7"}"#, token: old)
            #expect(wrong.status == .forbidden && wrong.code == "wrong_secret")
            let answer = try await test.send(
                .put, "/v1/me/password", #"{"old_password": "aK8oio", "password": "Sunflower7"}"#, token: old)
            #expect(answer.status == .ok)
            #expect(try await test.send(.get, "/v1/me", token: old).status == .unauthorized)
            #expect(try await test.send(.get, "/v1/me", token: answer.text("token")).status == .ok)
        }
    }

    @Test func `P9: failed resets count as failed attempts of the address, and further resets and logins get 429`()
        async throws
    {
        try await TestService.with(options: { $0.attemptsOfAddress = 3 }) { test in
            let peer = try SocketAddress(ipAddress: "192.0.2.7", port: 4000)
            let other = try SocketAddress(ipAddress: "192.0.2.8", port: 4000)
            let body = #"{"token": "pr_unknown", "password": "Sunflower7"}"#
            for _ in 1...3 {
                let answer = try await test.send(.post, "/v1/resets", body, from: peer)
                #expect(answer.status == .forbidden && answer.code == "invalid_reset")
            }
            let refused = try await test.send(.post, "/v1/resets", body, from: peer)
            #expect(refused.status == .tooManyRequests)
            #expect(refused.headers[.retryAfter].flatMap(Int.init).map { 1...61 ~= $0 } == true)
            let login = #"{"username": "ann", "password": "aK8oio"}"#
            #expect(try await test.send(.post, "/v1/login", login, from: peer).status == .tooManyRequests)
            #expect(try await test.send(.post, "/v1/login", login, from: other).status == .unauthorized)
        }
    }

    @Test func `P9: a login that the store did not answer is no failed attempt of its address`() async throws {
        try await TestService.with(waitLimit: .zero, options: { $0.attemptsOfAddress = 3 }) { test in
            try await test.register("ann")
            let peer = try SocketAddress(ipAddress: "192.0.2.7", port: 4000)
            let login = #"{"username": "ann", "password": "aK8oio"}"#
            // Another program writes for a long time: it holds the lock of writers.
            let lock = open(test.file + "-lock", O_RDWR | O_CLOEXEC)
            defer { close(lock) }
            #expect(flock(lock, LOCK_EX) == 0)
            for _ in 1...4 {
                let answer = try await test.send(.post, "/v1/login", login, from: peer)
                #expect(answer.status == .serviceUnavailable, "\(answer.text)")
            }
            #expect(flock(lock, LOCK_UN) == 0)
            #expect(try await test.send(.post, "/v1/login", login, from: peer).status == .ok)
        }
    }
}
