#if Postgres
    import Glibc
    import Synchronization
    import Testing

    /// The PostgreSQL server that `Tests/Programs/Cluster/postgres-server run` has started for the tests.
    enum PostgresServer {
        /// The ways in which the server can be away.
        enum Absence: CaseIterable {
            /// It does not run: its connections are cut, and new ones are refused.
            case stopped
            /// It hangs: its connections stay open, and new ones are accepted, but it answers nothing.
            case frozen
        }

        /// The URI of the database; nil without a server.
        static let uri = variable("PROFILES_TEST_POSTGRES")
        private static let count = Atomic(0)

        private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

        /// A schema of the database that no other test has.
        static func newSchema() -> String {
            "server_\(getpid())_\(count.wrappingAdd(1, ordering: .relaxed).newValue)"
        }

        /// The URI of a store in a schema, for a user.
        static func store(in schema: String, user: String = "app") throws -> String {
            try #require(uri).replacing("//app@", with: "//\(user)@") + "&connections=4&schema=\(schema)"
        }

        /// Calls `body` while the server is away. The server is back when this function returns or throws.
        static func away<Value>(_ absence: Absence, _ body: () async throws -> Value) async throws -> Value {
            try await run(absence == .stopped ? "stop" : "freeze")
            let value: Value
            do {
                value = try await body()
            } catch {
                // A test that exceeds its time limit is cancelled. The next test still needs the server, so a new task
                // brings it back.
                try await Task { try await back(absence) }.value
                throw error
            }
            try await back(absence)
            return value
        }

        private static func back(_ absence: Absence) async throws {
            try await run(absence == .stopped ? "start" : "thaw")
        }

        private static func run(_ command: String) async throws {
            let root = #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined()
            let folder = try #require(variable("PROFILES_TEST_POSTGRES_FOLDER"))
            let outcome = try await RunningServer.run(
                ["\(root)/Tests/Programs/Cluster/postgres-server", command], in: try TemporaryPlace(),
                variables: ["BASE": folder])
            try #require(outcome.status == 0, "\(command): \(outcome.error)")
        }

        /// Runs statements as the superuser of the server.
        static func execute(_ statements: String...) async throws {
            let server = try #require(uri)
            let port = try #require(server.firstMatch(of: #/:([0-9]+)//#)).1
            let outcome = try await RunningServer.run(
                ["/usr/bin/psql", "-h", "127.0.0.1", "-p", String(port), "-U", "app", "-d", "profiles", "-qX"]
                    + ["-v", "ON_ERROR_STOP=1"] + statements.flatMap { ["-c", $0] }, in: try TemporaryPlace())
            try #require(outcome.status == 0, "\(outcome.error)")
        }

        /// Makes a user whom the server admits only with a password.
        static func makeUser(_ name: String, password: String) async throws {
            try await execute(
                "CREATE ROLE \(name) SUPERUSER LOGIN PASSWORD '\(password)'",
                // Only superusers may write files of the server.
                """
                DO $$ BEGIN EXECUTE format('COPY (VALUES (%L), (%L)) TO %L',
                    'host all \(name) 127.0.0.1/32 scram-sha-256', 'host all all 127.0.0.1/32 trust',
                    current_setting('hba_file')); END $$
                """,
                "SELECT pg_reload_conf()")
        }
    }
#endif
