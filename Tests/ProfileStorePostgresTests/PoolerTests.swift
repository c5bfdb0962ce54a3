import Platform
import PostgresAccess
import ProfileCore
import ProfileStore
import ProfileStorePostgres
import ProfileTesting
import StoreFixtures
import Testing
import Watchdog

/// A store behind PgBouncer, Debian's own.
@Suite(.onlyWithPostgres, .watched(for: .seconds(120))) struct PoolerTests {
    /// A PgBouncer before the server of the tests.
    private final class PgBouncer {
        let port: UInt16
        private let folder: TemporaryFolder
        private let process: ChildProcess

        init(_ mode: String, before server: UInt16, extra: String = "") async throws {
            folder = try TemporaryFolder("pgbouncer")
            port = UInt16.random(in: 30_000..<32_000)
            try SmallFile.write(
                """
                [databases]
                profiles = host=127.0.0.1 port=\(server) dbname=profiles user=app
                [pgbouncer]
                listen_addr = 127.0.0.1
                listen_port = \(port)
                unix_socket_dir =
                auth_type = any
                pool_mode = \(mode)
                ignore_startup_parameters = extra_float_digits,options
                \(extra)

                """, to: folder.path + "/pgbouncer.ini")
            chmod(folder.path, 0o755)
            chmod(folder.path + "/pgbouncer.ini", 0o644)
            // PgBouncer refuses to run as root.
            let user = getuid() == 0 ? ["-u", "postgres"] : []
            process = try ChildProcess(
                ["/usr/sbin/pgbouncer", "-q"] + user + [folder.path + "/pgbouncer.ini"],
                streams: [2: .file(folder.path + "/log", flags: O_WRONLY | O_CREAT | O_TRUNC)])
            let pool = try ConnectionPool(ServerList(uri()), limit: 1)
            try await waitUntil {
                do { return try await pool.withConnection(until: .now + .seconds(1)) { _ in true } } catch {
                    return false
                }
            }
            pool.close()
        }

        deinit { process.send(SIGKILL) }

        func uri(_ settings: String = "") -> String {
            "postgresql://app@127.0.0.1:\(port)/profiles?durability=local&sslmode=disable\(settings)"
        }
    }

    private static let isInstalled: ConditionTrait = .enabled(
        if: access("/usr/sbin/pgbouncer", X_OK) == 0, "Debian's package pgbouncer is not installed.")

    @Test(isInstalled)
    func `a pooler that gives each transaction another session is refused, and one that keeps sessions is not`()
        async throws
    {
        let server = try PostgresStore()
        // The tables are in a database of the test's own, since a pooler that ignores options keeps no schema.
        let name = "pooled_\(getpid())_\(UInt32.random(in: 0 ... .max))"
        try await server.run("CREATE DATABASE \(name)")
        for mode in ["transaction", "session"] {
            let pooler = try await PgBouncer(
                mode, before: try server.port,
                extra: "[databases]\n\(name) = host=127.0.0.1 port=\(try server.port) user=app")
            let uri = pooler.uri().replacing("/profiles?", with: "/\(name)?")
            var options = ProfileRepository.Options()
            options.createsMissing = true
            let outcome = await problem {
                let repository = try await ProfileRepository.open(postgres: uri, options: options)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<20 {
                        group.addTask { try await repository.register("n\(number)") }
                        group.addTask { _ = try await repository.profile(username: "n\(number)") }
                    }
                    try await group.waitForAll()
                }
                await repository.close()
            }
            guard mode == "transaction" else {
                #expect(outcome == nil)
                continue
            }
            #expect(outcome == .unreadableAddress(.sharedSession))
        }
        try await server.run("DROP DATABASE \(name) WITH (FORCE)")
    }

    @Test(isInstalled) func `a pooler that drops the schema of an address is refused`() async throws {
        let server = try PostgresStore()
        let pooler = try await PgBouncer("session", before: try server.port)
        let refusal = await problem {
            try await ProfileRepository.open(postgres: pooler.uri("&schema=\(server.schema)"))
        }
        #expect(refusal == .unreadableAddress(.schemaIgnored))
    }

    @Test(isInstalled) func `a session that is exchanged later is reported, and runs no other client's statement`()
        async throws
    {
        let server = try PostgresStore()
        let pooler = try await PgBouncer("transaction", before: try server.port)
        let pool = try ConnectionPool(ServerList(pooler.uri()), limit: 3)
        let late = ContinuousClock.now + .seconds(60)
        try await pool.withConnection(until: late) { first in
            try await pool.withConnection(until: late) { second in
                // Meanwhile the second connection has the session of the first one.
                let one = try await first.run("SELECT 1::bigint").number(0, 0)
                #expect(one == 1)
                try await second.transaction { transaction in
                    let two = try await transaction.run("SELECT 2::bigint").number(0, 0)
                    #expect(two == 2)
                    await #expect(throws: PostgresError.sharedSession) { try await first.run("SELECT 1::bigint") }
                }
            }
        }
        pool.close()
    }
}
