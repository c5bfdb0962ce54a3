#if Postgres
    import Glibc
    import ProfileCore
    import ProfileStore
    import Testing

    /// The program at a store in a PostgreSQL database. The tests stop and freeze the server, so they run one at a time.
    @Suite(
        .serialized, .timeLimit(.minutes(5)),
        .enabled(if: PostgresServer.uri != nil, "make test-server-postgres starts a server for these tests."))
    struct PostgresTests {
        private static let (name, password) = (TemporaryPlace.canaries[0], TemporaryPlace.canaries[1])
        private static let login = #"{"username": "\#(name)", "password": "\#(password)"}"#
        /// The maximum time for the answer to a request: the time limit of the store, and 5 seconds for a busy machine.
        private static let limit = Duration.seconds(10 + 5)

        private static func place() async throws -> TemporaryPlace {
            try await .withStore(database: PostgresServer.store(in: PostgresServer.newSchema()))
        }

        /// A request, its headers without the token, and its body.
        private struct Call {
            let method: String
            let path: String
            var token: String?
            var headers: [String] = []
            var body: String?

            func send(to server: RunningServer) throws -> Connection {
                let connection = try Connection(port: server.port)
                try connection.send(
                    method, path, headers: headers + (token.map { ["Authorization: Bearer \($0)"] } ?? []), body: body,
                    mediaType: method == "PATCH" ? "application/merge-patch+json" : "application/json")
                return connection
            }

            func answer(of server: RunningServer) async throws -> Connection.Answer {
                try await send(to: server).answer()
            }

            static let login = Call(method: "POST", path: "/v1/login", body: PostgresTests.login)
            static let readiness = Call(method: "GET", path: "/readyz")

            static func own(_ session: String) -> Call { Call(method: "GET", path: "/v1/me", token: session) }

            static func edit(_ city: String, _ tag: String, _ session: String) -> Call {
                Call(
                    method: "PATCH", path: "/v1/me", token: session, headers: ["If-Match: \(tag)"],
                    body: #"{"city": "\#(city)"}"#)
            }

            static func find(_ token: String) -> Call {
                Call(method: "GET", path: "/v1/profiles/\(PostgresTests.name)", token: token)
            }

            static func search(_ city: String, _ token: String) -> Call {
                Call(
                    method: "POST", path: "/v1/search", token: token,
                    body: #"{"conditions": [{"field": "city", "comparison": "equals", "value": "\#(city)"}]}"#)
            }

            static func metrics(_ token: String) -> Call { Call(method: "GET", path: "/metrics", token: token) }
        }

        private static func session(_ login: Connection.Answer) throws -> String {
            try #require(login.status == 200, "\(login)")
            guard case .string(let token)? = try JSONValue(parsing: login.body)["token"] else {
                throw SystemFailure(code: 0, action: "read the token in \(login.body)")
            }
            return token
        }

        private static func tag(_ answer: Connection.Answer) throws -> String {
            String(try #require(answer.head.firstMatch(of: /(?i)\r\netag: ([^\r]+)/)).1)
        }

        @Test func `H3, H7: a store in a database is served like a store in a file`() async throws {
            let place = try await Self.place()
            let server = try await RunningServer(place, "--open-registration")
            let registered = try await Call(
                method: "POST", path: "/v1/register",
                body: #"{"username": "ann", "password": "Sunflower7", "city": "Delft"}"#
            ).answer(of: server)
            #expect(registered.status == 201, "\(registered)")
            let wrong = try await Call(
                method: "POST", path: "/v1/login", body: #"{"username": "ann", "password": "Sunflower8"}"#
            ).answer(of: server)
            #expect(wrong.status == 401, "\(wrong)")
            let session = try Self.session(
                try await Call(
                    method: "POST", path: "/v1/login", body: #"{"username": "ann", "password": "Sunflower7"}"#
                ).answer(of: server))
            let own = try await Call.own(session).answer(of: server)
            #expect(own.status == 200 && own.body.contains(#""city":"Delft""#), "\(own)")
            let edited = try await Call.edit("Leiden", Self.tag(own), session).answer(of: server)
            #expect(edited.status == 200 && edited.body.contains(#""city":"Leiden""#), "\(edited)")
            let stale = try await Call.edit("Gouda", Self.tag(own), session).answer(of: server)
            #expect(stale.status == 412, "\(stale)")
            let found = try await Call.find(place.token).answer(of: server)
            #expect(found.status == 200 && found.body.contains(TemporaryPlace.canaries[2]), "\(found)")
            for (city, names) in [("Leiden", ["ann"]), ("Gouda", [])] {
                let page = try await Call.search(city, place.token).answer(of: server)
                #expect(page.status == 200, "\(page)")
                #expect(page.body.contains(#""username":"ann""#) == !names.isEmpty, "\(page)")
            }
            let metrics = try await Call.metrics(place.token).answer(of: server).body
            let lines = metrics.split(separator: "\n")
            #expect(
                lines.contains(#"http_requests_total{method="GET",route="/v1/profiles/{key}",status="200"} 1"#),
                "\(metrics)")
            #expect(lines.contains(#"profiles_store_operations_total{name="register",outcome="done"} 1"#), "\(metrics)")
            #expect(TemporaryPlace.canaries.allSatisfy { !metrics.contains($0) })
            server.send(SIGTERM)
            #expect(try await server.end() == 0)
        }

        @Test(arguments: PostgresServer.Absence.allCases)
        func `H7: a database that is away at the start is named, and the exit code is 69`(
            absence: PostgresServer.Absence
        ) async throws {
            let place = try await Self.place()
            let command = [try RunningServer.program(), "--database", place.store, "--port", "0"]
            let outcome = try await PostgresServer.away(absence) { try await RunningServer.run(command, in: place) }
            #expect(outcome.status == 69 && outcome.output.isEmpty)
            let lines = outcome.error.split(separator: "\n")
            #expect(lines.count == 2, "\(outcome.error)")
            let start = "Error: No server that keeps the profiles can be reached: 127.0.0.1:"
            #expect(lines.first?.hasPrefix(start) == true, "\(outcome.error)")
            #expect(lines.last == "  Start the server, or correct the address in --database or PROFILES_DATABASE")
        }

        @Test func `H7: a database without a store is named, and the exit code is 66`() async throws {
            let place = try TemporaryPlace(database: PostgresServer.store(in: PostgresServer.newSchema()))
            let outcome = try await RunningServer.run(
                [RunningServer.program(), "--database", place.store, "--port", "0"], in: place)
            #expect(outcome.status == 66 && outcome.output.isEmpty)
            #expect(outcome.error.hasPrefix("Error: There is no store at postgresql://127.0.0.1:"), "\(outcome.error)")
        }

        @Test(arguments: PostgresServer.Absence.allCases)
        func `H7: while the database is away, requests get 503 in time, and later the service works again`(
            absence: PostgresServer.Absence
        ) async throws {
            let place = try await Self.place()
            let server = try await RunningServer(place)
            let session = try Self.session(try await Call.login.answer(of: server))
            let before = try await Call.own(session).answer(of: server)
            let edit = try Call.edit("Leiden", Self.tag(before), session)
            // As many logins as an address may fail in a minute, and more requests than the store has connections.
            let calls =
                [.readiness, edit, .find(place.token), .search("Leiden", place.token), .metrics(place.token)]
                + Array(repeating: Call.own(session), count: 30) + Array(repeating: Call.login, count: 10)
            try await PostgresServer.away(absence) {
                let start = ContinuousClock.now
                let connections = try calls.map { try $0.send(to: server) }
                #expect(try await server.get("/healthz").status == 200)
                #expect(.now - start < .seconds(5))
                for (call, connection) in zip(calls, connections) {
                    let answer = try await connection.answer()
                    #expect(answer.status == 503, "\(call.method) \(call.path): \(answer)")
                    #expect(answer.head.lowercased().contains("\r\nretry-after: "), "\(answer)")
                    #expect(answer.body.contains(#""type":"urn:profiles:problem:"#), "\(answer)")
                }
                #expect(.now - start < Self.limit)
            }
            #expect(!server.hasEnded)
            var readiness = 0
            while readiness != 200 { readiness = try await server.get("/readyz").status }
            // 503 means that nothing was written, so the tag is good for the same edit.
            let after = try await Call.own(session).answer(of: server)
            #expect(after.status == 200 && after.body == before.body, "\(after)")
            #expect(try await edit.answer(of: server).status == 200)
            // Logins that the database did not answer are no failed attempts of the address.
            #expect(try await Call.login.answer(of: server).status == 200)
            let metrics = try await Call.metrics(place.token).answer(of: server).body
            #expect(metrics.contains(#"profiles_store_operations_total{name="ping",outcome="failed"}"#), "\(metrics)")
            server.send(SIGTERM)
            #expect(try await server.end() == 0)
        }

        @Test func `H2, H6: no log or answer has the database's password, its user, SQL or a path`() async throws {
            let (user, password, wrong) = ("canary_user", "canary-Secret9", "canary-Wrong9")
            try await PostgresServer.makeUser(user, password: password)
            let schema = PostgresServer.newSchema()
            let made = try await TemporaryPlace.withStore(database: PostgresServer.store(in: schema))
            let place = try TemporaryPlace(database: PostgresServer.store(in: schema, user: user))
            let refused = try await RunningServer.run(
                [RunningServer.program(), "--database", place.store, "--port", "0"], in: place,
                variables: ["PGPASSWORD": wrong])
            #expect(refused.status == 77 && refused.error.contains("password authentication failed"), "\(refused)")
            #expect(!refused.error.contains(wrong), "\(refused)")

            let server = try await RunningServer(place, "--log-level", "trace", variables: ["PGPASSWORD": password])
            let session = try Self.session(try await Call.login.answer(of: server))
            let calls: [Call] = [
                .own(session), .edit("Leiden", "*", session), .find(made.token), .search("Leiden", made.token),
                .readiness, .login,
            ]
            var answers: [Connection.Answer] = []
            for call in calls { answers.append(try await call.answer(of: server)) }
            #expect(answers.allSatisfy { $0.status == 200 }, "\(answers)")
            let away = try await PostgresServer.away(.stopped) {
                var answers: [Connection.Answer] = []
                for connection in try calls.map({ try $0.send(to: server) }) {
                    answers.append(try await connection.answer())
                }
                return answers
            }
            #expect(away.allSatisfy { $0.status == 503 }, "\(away)")
            // Without its table, PostgreSQL refuses the statements.
            try await PostgresServer.execute("ALTER TABLE \(schema).profiles RENAME TO elsewhere")
            var broken: [Connection.Answer] = []
            for call in calls { broken.append(try await call.answer(of: server)) }
            #expect(broken.contains { $0.status == 500 }, "\(broken)")
            server.send(SIGTERM)
            #expect(try await server.end() == 0)

            let words = [
                password, user, schema, "PGPASSWORD", "postgresql:", "127.0.0.1", "SELECT", "UPDATE", "relation",
                "elsewhere", "FATAL", ".swift", place.path,
            ]
            let texts = (answers + away + broken).map { $0.head + $0.body } + [server.log]
            for word in words {
                for text in texts { #expect(!text.contains(word), "\(word) is in \(text)") }
            }
        }

        @Test(arguments: PostgresServer.Absence.allCases)
        func `H7: SIGTERM ends the program in time while the database is away`(
            absence: PostgresServer.Absence
        ) async throws {
            let place = try await Self.place()
            let (busy, idle) = (try await RunningServer(place), try await RunningServer(place))
            let session = try Self.session(try await Call.login.answer(of: busy))
            #expect(try await idle.get("/readyz").status == 200)
            try await PostgresServer.away(absence) {
                // The answer 100 shows that the request has begun.
                let connection = try Connection(port: busy.port)
                try connection.send(
                    "POST", "/v1/login", headers: ["Expect: 100-continue"], body: "",
                    declaredLength: Self.login.utf8.count)
                #expect(try await connection.answer().status == 100)
                try connection.send(Self.login)
                let reading = try Call.own(session).send(to: busy)
                // The program does not answer a request that has not begun before SIGTERM. The event loops accept
                // connections in turn. So `reading` has begun when each loop has answered a later request.
                for _ in 0..<8 { #expect(try await busy.get("/healthz").status == 200) }
                let start = ContinuousClock.now
                busy.send(SIGTERM)
                idle.send(SIGTERM)
                #expect(try await idle.end() == 0)
                #expect(.now - start < .seconds(5))
                for connection in [connection, reading] { #expect(try await connection.answer().status == 503) }
                #expect(try await busy.end() == 0)
                #expect(.now - start < Self.limit)
            }
            for server in [busy, idle] { #expect(server.log.contains(#""message":"ended""#), "\(server.log)") }
        }
    }
#endif
