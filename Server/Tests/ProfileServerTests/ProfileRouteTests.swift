import HTTPTypes
import ProfileCore
import ProfileStore
import Testing

@testable import ProfileServer

@Suite(.timeLimit(.minutes(5))) struct ProfileRouteTests {
    @Test func `A program stores, reads, edits and removes a profile`() async throws {
        try await TestService.with { test in
            let token = try await test.token(.write)
            let created = try await test.send(
                .post, "/v1/profiles",
                #"{"username": "bob/ö", "city": "Bath", "age": 41, "password_hash": "\#(TestService.hash)"}"#,
                token: token)
            #expect(created.status == .created)
            #expect(created.headers[.location] == "/v1/profiles/bob%2F%C3%B6")
            let path = try #require(created.headers[.location])
            let found = try await test.send(.get, path, token: token)
            #expect(found.text == created.text && found.headers[.eTag] == "\"1-1\"")
            #expect(try found.json["values"]?["age"] == .number("41"))

            let edit = try await test.send(
                .patch, path, #"{"city": null, "age": 42}"#, token: token, headers: [.ifMatch: "\"1-1\""])
            #expect(edit.status == .ok && edit.headers[.eTag] == "\"2-1\"")
            #expect(try edit.json["values"]?["city"] == .null)
            let byID = try await test.send(.get, "/v1/profiles/by-id/1", token: token)
            #expect(byID.text == edit.text)

            #expect(try await test.send(.delete, path, token: token, headers: [.ifMatch: "*"]).status == .noContent)
            #expect(try await test.send(.get, path, token: token).code == "not_found")
            let history = try await test.send(.get, "/v1/profiles/by-id/1/history", token: token)
            guard case .array(let entries)? = try history.json["entries"] else { throw Unexpected() }
            #expect(entries.count == 3)
        }
    }

    @Test func `H3: a change needs the ETag that was read, and a changed profile refuses it`() async throws {
        try await TestService.with { test in
            try await test.register("ann")
            let token = try await test.token(.support)
            let patch = #"{"city": "Bath"}"#
            #expect(try await test.send(.patch, "/v1/profiles/ann", patch, token: token).code == "no_precondition")
            for tag in ["\"2-1\"", "\"1-2\"", "\"1-1-invalid\"", "W/\"1-1\"", "\"x\""] {
                let answer = try await test.send(
                    .patch, "/v1/profiles/ann", patch, token: token, headers: [.ifMatch: tag])
                #expect(answer.status == .preconditionFailed, "\(tag)")
            }
            for tag in ["", "1-1", "\"1", "*, \"1-1\""] {
                let answer = try await test.send(
                    .patch, "/v1/profiles/ann", patch, token: token, headers: [.ifMatch: tag])
                #expect(answer.status == .badRequest, "\(tag)")
            }
            let edit = try await test.send(
                .patch, "/v1/profiles/ann", patch, token: token, headers: [.ifMatch: "\"9-9\", \"1-1\""])
            #expect(edit.status == .ok)
        }
    }

    @Test func `H3: a revalidation that marks a profile as invalid changes its ETag`() async throws {
        try await TestService.with { test in
            try await test.register("ann")
            let stricter = TestService.schema.replacing(
                #"{"name": "city"}"#, with: #"{"name": "city", "constraints": {"required": true}}"#)
            try await test.repository.rules.adopt(try ProfileSchema(parsing: stricter))
            _ = try await test.repository.rules.revalidate()
            let token = try await test.token(.read)
            let found = try await test.send(.get, "/v1/profiles/ann", token: token)
            #expect(found.headers[.eTag] == "\"1-2-invalid\"")
        }
    }

    @Test func `H3: a request repeated with the same idempotency key gets the first answer and has one effect`()
        async throws
    {
        try await TestService.with { test in
            let token = try await test.token(.write)
            let body = #"{"username": "ann", "password_hash": "\#(TestService.hash)"}"#
            let key: HTTPFields = [.idempotencyKey: "k1"]
            let first = try await test.send(.post, "/v1/profiles", body, token: token, headers: key)
            let second = try await test.send(.post, "/v1/profiles", body, token: token, headers: key)
            #expect(first.status == .created && second.status == .created && first.text == second.text)
            let other = try await test.send(
                .post, "/v1/profiles", #"{"username": "ann", "city": "Bath", "password_hash": "\#(TestService.hash)"}"#,
                token: token, headers: key)
            #expect(other.status == .unprocessableContent && other.code == "key_reused")
            let another = try await test.token(.write)
            let foreign = try await test.send(.post, "/v1/profiles", body, token: another, headers: key)
            #expect(foreign.status == .conflict, "\(foreign.text)")

            let edit: HTTPFields = [.idempotencyKey: "k2", .ifMatch: "\"1-1\""]
            for _ in 1...2 {
                let answer = try await test.send(
                    .patch, "/v1/profiles/ann", #"{"username": "anna"}"#, token: token, headers: edit)
                #expect(answer.status == .ok && answer.headers[.eTag] == "\"2-1\"", "\(answer.text)")
            }
            let removal: HTTPFields = [.idempotencyKey: "k3", .ifMatch: "\"2-1\""]
            for _ in 1...2 {
                let answer = try await test.send(.delete, "/v1/profiles/anna", token: token, headers: removal)
                #expect(answer.status == .noContent, "\(answer.text)")
            }
            #expect(try await test.repository.changes.latestNumber == 3)
        }
    }

    @Test func `H3: a removal by the id is repeated with one effect`() async throws {
        try await TestService.with { test in
            // The store keeps no history, so it does not know the names of removed profiles.
            try await test.repository.keepHistory(for: .zero)
            try await test.register("ann")
            try await test.register("ben")
            let token = try await test.token(.write)
            let removal: HTTPFields = [.idempotencyKey: "k", .ifMatch: "\"1-1\""]
            for _ in 1...2 {
                let answer = try await test.send(.delete, "/v1/profiles/by-id/1", token: token, headers: removal)
                #expect(answer.status == .noContent, "\(answer.text)")
            }
            let another: HTTPFields = [.idempotencyKey: "another", .ifMatch: "\"1-1\""]
            let answer = try await test.send(.delete, "/v1/profiles/by-id/1", token: token, headers: another)
            #expect(answer.status == .notFound)
            let third: HTTPFields = [.idempotencyKey: "third", .ifMatch: "\"1-1\""]
            for id in ["9", "nine"] {
                let unknown = try await test.send(.delete, "/v1/profiles/by-id/\(id)", token: token, headers: third)
                #expect(unknown.status == .notFound)
            }
            #expect(try await test.repository.profile(username: "ben") != nil)
        }
    }

    @Test func `H3: an edit by the id that renames the profile is repeated with one effect`() async throws {
        try await TestService.with { test in
            try await test.register("ann")
            let token = try await test.token(.write)
            let edit: HTTPFields = [.idempotencyKey: "k", .ifMatch: "\"1-1\""]
            for _ in 1...2 {
                let answer = try await test.send(
                    .patch, "/v1/profiles/by-id/1", #"{"username": "anna"}"#, token: token, headers: edit)
                #expect(answer.status == .ok && answer.headers[.eTag] == "\"2-1\"", "\(answer.text)")
            }
            let other = try await test.send(
                .patch, "/v1/profiles/by-id/1", #"{"username": "anne"}"#, token: token, headers: edit)
            #expect(other.status == .unprocessableContent && other.code == "key_reused")
            #expect(try await test.repository.changes.latestNumber == 2)
        }
    }

    @Test func `A request that sets a secret is refused if it has an idempotency key`() async throws {
        try await TestService.with { test in
            try await test.register("ann")
            let token = try await test.token(.write)
            let key: HTTPFields = [.idempotencyKey: "k", .ifMatch: "*"]
            for (method, path, body) in [
                (HTTPRequest.Method.put, "/v1/profiles/ann/password", #"{"password": "Sunflower7"}"#),
                (.post, "/v1/profiles/ann/passcode", #"{"passcode": "12345678"}"#),
                (.patch, "/v1/profiles/ann", #"{"password": "Sunflower7"}"#),
            ] {
                let answer = try await test.send(method, path, body, token: token, headers: key)
                #expect(answer.status == .unprocessableContent && answer.code == "keyed_secret", "\(answer.text)")
            }
        }
    }

    @Test func `A token with the scope support sets no password, and one with the scope write does`() async throws {
        try await TestService.with { test in
            try await test.register("ann")
            let any: HTTPFields = [.ifMatch: "*"]
            for body in [
                #"{"password": "Sunflower7"}"#, #"{"password": null}"#, #"{"password_hash": "\#(TestService.hash)"}"#,
            ] {
                let answer = try await test.send(
                    .patch, "/v1/profiles/ann", body, token: try await test.token(.support), headers: any)
                #expect(answer.code == "not_permitted")
            }
            let set = try await test.send(
                .put, "/v1/profiles/ann/password", #"{"password": "Sunflower7"}"#, token: try await test.token(.write))
            #expect(set.status == .noContent)
            let login = #"{"username": "ann", "password": "Sunflower7"}"#
            #expect(try await test.send(.post, "/v1/login", login).status == .ok)
        }
    }

    @Test func `Profiles are found page by page, and by a query in JSON`() async throws {
        try await TestService.with(options: { $0.pageLimit = 2 }) { test in
            for name in ["ann", "bob", "cid"] {
                try await test.register(name, ["city": name == "bob" ? "Leeds" : "Bath", "email": "\(name)@x.example"])
            }
            let token = try await test.token(.read)
            let page = try await test.send(.get, "/v1/profiles?limit=2&sort=username", token: token)
            #expect(page.status == .ok)
            let link = try #require(page.headers[values: .link].first)
            let next = try #require(link.wholeMatch(of: /<(.*)>; rel="next"/)?.1)
            let rest = try await test.send(.get, String(next), token: token)
            guard case .array(let profiles)? = try rest.json["profiles"] else { throw Unexpected() }
            #expect(profiles.count == 1 && profiles[0]["values"]?["username"] == "cid")
            #expect(rest.headers[values: .link].isEmpty)
            let tooMany = try await test.send(.get, "/v1/profiles?limit=3", token: token)
            #expect(tooMany.status == .badRequest && tooMany.code == "bad_parameter")
            let found = try await test.send(
                .post, "/v1/search",
                #"{"conditions": [{"field": "email", "comparison": "equals", "value": "bob@x.example"}]}"#, token: token
            )
            let bob = try #require(try await test.repository.profile(username: "bob"))
            #expect(try found.json["profiles"] == .array([bob.json]))
            let wrong = try await test.send(.get, "/v1/profiles?where=shoe=4", token: token)
            #expect(wrong.status == .badRequest && wrong.code == "invalid_query", "\(wrong.text)")
        }
    }

    @Test func `Support issues a reset, which sets a password and ends the sessions`() async throws {
        try await TestService.with { test in
            try await test.register("ann")
            let session = try await test.session("ann")
            let issued = try await test.send(
                .post, "/v1/profiles/ann/reset", token: try await test.token(.support))
            #expect(issued.status == .created)
            let body = #"{"token": "\#(try issued.text("token"))", "password": "Sunflower7"}"#
            #expect(try await test.send(.post, "/v1/resets", body).status == .noContent)
            #expect(try await test.send(.post, "/v1/resets", body).code == "invalid_reset")
            #expect(try await test.send(.get, "/v1/me", token: session).status == .unauthorized)
        }
    }

    @Test func `A change is undone by its number`() async throws {
        try await TestService.with { test in
            try await test.register("ann", ["city": "Bath"])
            let token = try await test.token(.write)
            _ = try await test.send(
                .patch, "/v1/profiles/ann", #"{"city": "Leeds"}"#, token: token, headers: [.ifMatch: "*"])
            let history = try await test.send(.get, "/v1/profiles/ann/history", token: token)
            guard case .array(let entries)? = try history.json["entries"],
                case .number(let number)? = entries[0]["change"]
            else { throw Unexpected() }
            let undone = try await test.send(.post, "/v1/changes/\(number)/undo", "{}", token: token)
            #expect(undone.status == .ok, "\(undone.text)")
            #expect(try await test.repository.profile(username: "ann")?["city"] == "Bath")
            #expect(try await test.send(.post, "/v1/changes/999/undo", "{}", token: token).status == .notFound)
        }
    }

    @Test func `A schema is compared, and is adopted only with the ETag of the schema that it replaces`() async throws {
        try await TestService.with { test in
            let token = try await test.token(.admin)
            let present = try await test.send(.get, "/v1/schema", token: token)
            let other = TestService.schema.replacing(
                #"{"name": "city"}"#, with: #"{"name": "city"}, {"name": "street"}"#)
            let difference = try await test.send(.post, "/v1/schema/difference", other, token: token)
            #expect(difference.status == .ok && difference.text.contains("street"))
            #expect(try await test.send(.put, "/v1/schema", other, token: token).code == "no_precondition")
            let tag = try #require(present.headers[.eTag])
            let adopted = try await test.send(.put, "/v1/schema", other, token: token, headers: [.ifMatch: tag])
            #expect(adopted.status == .ok && adopted.headers[.eTag] == "\"schema-2\"")
            #expect(
                try await test.send(.put, "/v1/schema", other, token: token, headers: [.ifMatch: tag]).status
                    == .preconditionFailed)
            #expect(try await test.send(.get, "/v1/schema/versions/1", token: token).text == present.text)
            #expect(try await test.send(.get, "/v1/schema/versions/3", token: token).status == .notFound)
            let broken = try await test.send(.post, "/v1/schema/difference", #"{"fields": []}"#, token: token)
            #expect(broken.status == .unprocessableContent && broken.code == "bad_schema")
        }
    }
}
