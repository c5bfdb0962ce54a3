import HTTPTypes
import ProfileCore
import ProfileStore
import Testing

@testable import ProfileServer

@Suite(.timeLimit(.minutes(5))) struct OwnRouteTests {
    @Test func `A person edits only the fields of the own profile that the schema allows`() async throws {
        try await TestService.with { test in
            try await test.register("ann", ["grade": "gold", "note": "x"])
            let token = try await test.session("ann")
            let any: HTTPFields = [.ifMatch: "*"]
            let edit = try await test.send(
                .patch, "/v1/me", #"{"city": "Bath", "grade": "gold"}"#, token: token, headers: any)
            #expect(edit.status == .ok)
            #expect(try edit.json["values"]?["note"] == nil)
            for (body, pointer) in [
                (#"{"grade": "silver"}"#, "/grade"), (#"{"note": "y"}"#, "/note"),
                (#"{"username": "eve"}"#, "/username"),
                (#"{"password": "Sunflower7"}"#, "/password"), (#"{"password_hash": "x"}"#, "/password_hash"),
            ] {
                let answer = try await test.send(.patch, "/v1/me", body, token: token, headers: any)
                #expect(answer.status == .unprocessableContent && answer.code == "bad_member", "\(answer.text)")
                #expect(try answer.text("pointer") == pointer)
            }
            let invalid = try await test.send(.patch, "/v1/me", #"{"age": "-1"}"#, token: token, headers: any)
            #expect(invalid.status == .unprocessableContent && invalid.code == "invalid")
            guard case .array(let issues)? = try invalid.json["issues"] else { throw Unexpected() }
            #expect(issues[0]["field"] == "age")
        }
    }

    @Test func `A person can register only if the service opens registration`() async throws {
        let body = #"{"username": "ann", "password": "Sunflower7", "city": "Bath"}"#
        try await TestService.with { test in
            let answer = try await test.send(.post, "/v1/register", body)
            #expect(answer.code == "no_such_route")
            let rules = try await test.send(.get, "/v1/schema")
            #expect(rules.status == .unauthorized)
        }
        try await TestService.with(options: { $0.opensRegistration = true }) { test in
            let rules = try await test.send(.get, "/v1/schema")
            #expect(rules.status == .ok && !rules.text.contains("note") && rules.text.contains("grade"))
            let key: HTTPFields = [.idempotencyKey: "k"]
            let first = try await test.send(.post, "/v1/register", body, headers: key)
            #expect(first.status == .created, "\(first.text)")
            #expect(try await test.send(.post, "/v1/register", body, headers: key).text == first.text)
            let guess = body.replacing("Sunflower7", with: "Sunflower8")
            let guessed = try await test.send(.post, "/v1/register", guess, headers: key)
            #expect(guessed.code == "key_reused", "\(guessed.text)")
            let again = try await test.send(.post, "/v1/register", body)
            #expect(again.status == .conflict, "\(again.text)")
            let staff = try await test.send(
                .post, "/v1/register", #"{"username": "bob", "password": "Sunflower7", "grade": "gold"}"#)
            #expect(staff.code == "bad_member")
        }
    }

    @Test func `A passcode is set, checked, changed and removed`() async throws {
        try await TestService.with { test in
            try await test.register("ann")
            let token = try await test.session("ann")
            func call(_ method: HTTPRequest.Method, _ path: String, _ body: String?) async throws -> TestAnswer {
                try await test.send(method, "/v1/me/passcode\(path)", body, token: token)
            }
            #expect(try await call(.post, "", #"{"passcode": "short"}"#).code == "bad_passcode")
            #expect(try await call(.post, "", #"{"passcode": "12345678"}"#).status == .noContent)
            #expect(try await call(.post, "", #"{"passcode": "12345678"}"#).code == "passcode_exists")
            #expect(try await call(.post, "/check", #"{"passcode": "12345678"}"#).status == .noContent)
            #expect(try await call(.post, "/check", #"{"passcode": "87654321"}"#).code == "wrong_secret")
            #expect(
                try await call(.put, "", #"{"old_passcode": "12345678", "passcode": "12345678"}"#).code
                    == "not_different")
            #expect(
                try await call(.put, "", #"{"old_passcode": "12345678", "passcode": "87654321"}"#).status == .noContent)
            #expect(try await call(.delete, "", nil).status == .noContent)
            #expect(try await call(.delete, "", nil).code == "no_passcode")
        }
    }

    @Test func `A person ends their own sessions and devices, but not those of other people`() async throws {
        try await TestService.with { test in
            try await test.register("ann")
            try await test.register("bob")
            let token = try await test.session("ann")
            let other = try await test.session("ann")
            _ = try await test.session("bob")
            let foreign = try #require(try await test.repository.sessions.list(of: "bob").first)
            let list = try await test.send(.get, "/v1/me/sessions", token: token)
            #expect(try list.json["sessions"]?.count == 2)
            #expect(try await test.send(.delete, "/v1/me/sessions/\(foreign.id)", token: token).status == .notFound)
            let ended = try #require(try await test.repository.sessions.find(Secret(other)))
            #expect(try await test.send(.delete, "/v1/me/sessions/\(ended.id)", token: token).status == .noContent)
            #expect(try await test.send(.get, "/v1/me", token: other).status == .unauthorized)
            #expect(try await test.send(.delete, "/v1/me/sessions", token: token).status == .noContent)
            #expect(try await test.send(.get, "/v1/me", token: token).status == .unauthorized)
            #expect(try await test.repository.sessions.list(of: "bob").count == 1)
        }
    }

    @Test func `A person exports the own data, and removes the own profile with the password`() async throws {
        try await TestService.with { test in
            try await test.register("ann", ["city": "Bath", "note": "x"])
            let token = try await test.session("ann")
            let data = try await test.send(.get, "/v1/me/export", token: token)
            #expect(data.status == .ok && !data.text.contains("note"), "\(data.text)")
            #expect(try data.json["history"]?.count == 1)
            let wrong = try await test.send(.post, "/v1/me/leave", #"{"password": "wrong1"}"#, token: token)
            #expect(wrong.code == "wrong_secret")
            let left = try await test.send(.post, "/v1/me/leave", #"{"password": "aK8oio"}"#, token: token)
            #expect(left.status == .noContent)
            #expect(try await test.repository.profile(username: "ann") == nil)
        }
    }

    @Test func `Values and drafts are judged while they are typed`() async throws {
        try await TestService.with { test in
            try await test.register("ann")
            let token = try await test.session("ann")
            func issues(_ body: String) async throws -> Int? {
                try await test.send(.post, "/v1/validate", body, token: token).json["issues"]?.count
            }
            #expect(try await issues(#"{"field": "age", "value": "12"}"#) == 0)
            #expect(try await issues(#"{"field": "age", "value": "-1"}"#) == 1)
            #expect(try await issues(#"{"draft": {"city": "Bath"}}"#) == 0)
            #expect(try await issues(#"{"draft": {"age": "-1", "password": "1"}}"#) == 2)
            let hidden = try await test.send(.post, "/v1/validate", #"{"field": "note", "value": "12"}"#, token: token)
            #expect(hidden.code == "bad_member")
        }
    }
}

/// A body that does not have the expected form.
struct Unexpected: Error {}

extension JSONValue {
    /// The number of elements of an array.
    var count: Int? { if case .array(let elements) = self { elements.count } else { nil } }
}
