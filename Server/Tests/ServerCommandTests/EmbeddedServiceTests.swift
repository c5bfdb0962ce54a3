import ProfileCore
import ProfileStore
import ProfileStoreSQLite
import Testing

/// Another developer's service, which has two of our routes next to its own route.
@Suite(.timeLimit(.minutes(5))) struct EmbeddedServiceTests {
    @Test func `A service uses two of our routes next to its own, and sees the changes of other processes`()
        async throws
    {
        let place = try TemporaryPlace()
        let port = try Connection.freePort()
        let program = try RunningServer.program().replacing("/profiles-server", with: "/EmbeddedService")
        let server = try RunningServer([program, place.store, String(port)], in: place)
        try await waitUntil { server.output.contains("accepts requests") || server.hasEnded }
        try #require(!server.hasEnded, "\(server.log)")
        func ask(_ method: String, _ path: String, token: String? = nil, body: String? = nil) async throws
            -> Connection.Answer
        {
            let connection = try Connection(port: port)
            try connection.send(method, path, headers: token.map { ["Authorization: Bearer \($0)"] } ?? [], body: body)
            return try await connection.answer()
        }

        // The test changes the store from its own process, not from that of the service.
        let repository = try await ProfileRepository.open(at: place.store)
        let before = try await ask("GET", "/changes").body
        #expect(before == "0\n")
        let draft = ProfileDraft([
            "username": "ann", "password": "Sunflower7", "phone": "78761241", "address": "12 Main St",
        ])
        _ = try await repository.register(draft)
        await repository.close()
        var changes = ""
        while changes != "1\n" {
            changes = try await ask("GET", "/changes").body
            try await Task.sleep(for: .milliseconds(5))
        }

        let login = try await ask("POST", "/v1/login", body: #"{"username": "ann", "password": "Sunflower7"}"#)
        #expect(login.status == 200)
        guard case .string(let token)? = try JSONValue(parsing: login.body)["token"] else {
            Issue.record("\(login.body)")
            return
        }
        let own = try await ask("GET", "/v1/me", token: token)
        #expect(own.status == 200)
        let greeting = try await ask("GET", "/greeting", token: token)
        #expect(greeting.body == "Hello ann! Your profile has the revision 1.\n")
        let anonymous = try await ask("GET", "/greeting")
        #expect(anonymous.status == 401)
        // Paths outside the two routes go to the own router of the service.
        let missing = try await ask("GET", "/v1/profiles", token: token)
        #expect(missing.status == 404)
        server.send(15)
        #expect(try await server.end() == 0)
    }
}
