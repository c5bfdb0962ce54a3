import ProfileCore
import ProfileLogin
import ProfileStore
import ProfileTesting
import StoreFixtures
import Testing
import Watchdog

/// L4: what a remote's answer means.
@Suite(.watched) struct RemoteAuthenticatorTests {
    private static let body = """
        {"id": 7, "revision": 1, "created_at": "2026-01-01T00:00:00.000Z", "status": "valid", "username": "pritesh",
         "phone": "7876-1241", "address": "12 Main St", "postal_code": null, "birthday": "1998-01-15"}
        """

    private func outcome(
        _ status: Int, _ body: String, _ schema: ProfileSchema = .standard
    ) -> Result<LoggedInProfile, LoginError> {
        outcome(status, Array(body.utf8), schema)
    }

    private func outcome(
        _ status: Int, _ body: [UInt8], _ schema: ProfileSchema = .standard
    ) -> Result<LoggedInProfile, LoginError> {
        do throws(LoginError) {
            return .success(try LoginAnswer(status: status, body: body).profile(by: schema))
        } catch {
            return .failure(error)
        }
    }

    @Test(
        "L4: the status",
        arguments: [
            (401, LoginError.invalidCredentials), (403, .invalidCredentials), (100, .unexpectedStatus),
            (199, .unexpectedStatus), (300, .unexpectedStatus), (302, .unexpectedStatus), (400, .unexpectedStatus),
            (402, .unexpectedStatus), (404, .unexpectedStatus), (429, .unexpectedStatus), (500, .unexpectedStatus),
            (0, .unexpectedStatus), (-1, .unexpectedStatus), (.max, .unexpectedStatus), (.min, .unexpectedStatus),
        ])
    func status(_ status: Int, error: LoginError) {
        #expect(outcome(status, Self.body) == .failure(error))
        #expect(outcome(status, "") == .failure(error))
    }

    @Test("L4: a body with a username is a success", arguments: [200, 201, 299])
    func success(status: Int) throws {
        let profile = try outcome(status, Self.body).get()
        #expect(profile.username == "pritesh")
        #expect(profile.greeting == "Hello pritesh")
        #expect(
            profile.values == [
                .username: "pritesh", .phone: "7876-1241", .address: "12 Main St", .birthday: "1998-01-15",
            ])
    }

    @Test(
        "L4: a body that is empty or has no username is an invalid response",
        arguments: [
            "", " \n", "null", "[]", "\"pritesh\"", "{}", "{\"username\": null}", "{\"username\": \"\"}",
            "{\"username\": [\"pritesh\"]}", "{\"username\": \"pritesh\"", "{\"username\": \"pritesh\", \"phone\": {}}",
            "{\"username\": \"a\", \"username\": \"b\"}", "{\"Username\": \"pritesh\"}", "username=pritesh",
            String(repeating: "[", count: 100_000),
        ])
    func invalidResponse(body: String) {
        #expect(outcome(200, body) == .failure(.invalidResponse))
        #expect(outcome(204, body) == .failure(.invalidResponse))
    }

    @Test func `L4: a body that is not UTF-8 is an invalid response`() {
        let body = Array("{\"username\": \"".utf8) + [0xC3, 0x28] + Array("\"}".utf8)
        #expect(outcome(200, body) == .failure(.invalidResponse))
    }

    @Test func `L4: values have the type of their field, secrets are left out, and a name is greeted`() throws {
        let schema = try ProfileSchema(
            parsing: """
                {"name": "kinds", "fields": [
                  {"name": "username", "constraints": {"required": true, "unique": true}},
                  {"name": "password", "profiles": {"secret": true}},
                  {"name": "age", "type": "integer"}, {"name": "member", "type": "boolean"},
                  {"name": "display_name", "profiles": {"contentType": "name"}}]}
                """)
        let body = #"{"username": "ann", "password": "aK8oio", "age": 42, "member": true, "display_name": "Ann B"}"#
        let profile = try outcome(200, body, schema).get()
        #expect(profile.values.values.sorted() == ["42", "Ann B", "ann", "true"])
        #expect(profile.greeting == "Hello Ann B")
        #expect(try outcome(200, #"{"username": "ann", "display_name": ""}"#, schema).get().greeting == "Hello ann")
    }

    @Test func `L4: the JSON of a stored profile is understood`() async throws {
        let store = try TemporaryStore()
        let repository = try await store.open()
        let stored = try await repository.register("pritesh")
        let profile = try outcome(200, stored.json.text()).get()
        #expect(profile == LoggedInProfile(username: "pritesh", values: profile.values))
        #expect(profile.values.count == 3)
        #expect(profile.values[.phone] == stored[.phone])
        await repository.close()
    }

    @Test func `L4: random bytes give a profile with a username, or an invalid response`() {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SeededGenerator(seed: seed)
        let whole = Array(Self.body.utf8)
        for _ in 0..<(Length.isLong ? 200_000 : 5_000) {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random)))
            switch outcome(200, bytes) {
            case .success(let profile): #expect(!profile.username.isEmpty, "seed \(seed)")
            case .failure(let error): #expect(error == .invalidResponse, "seed \(seed)")
            }
        }
    }

    private struct Offline: Error {}

    @Test func `L4: a transport that fails is unknown, and one that is cancelled is cancelled`() async {
        func failure(_ send: @escaping RemoteAuthenticator.Transport) async -> LoginError? {
            await LoginService(checks: LoginChecks(.standard), authenticator: RemoteAuthenticator(send: send))
                .failure("pritesh", "aK8oio")
        }
        #expect(await failure { _, _ in throw Offline() } == .unknown)
        #expect(await failure { _, _ in throw CancellationError() } == .cancelled)
        #expect(await failure { _, _ in LoginAnswer(status: 403, body: []) } == .invalidCredentials)
        let right = await failure { username, password in
            guard username == "pritesh", password == Secret("aK8oio") else { throw Offline() }
            return LoginAnswer(status: 200, body: Array(Self.body.utf8))
        }
        #expect(right == nil)
    }
}
