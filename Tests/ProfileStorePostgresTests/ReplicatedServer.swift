import Platform
import PostgresAccess
import ProfileTesting
import StoreFixtures
import Synchronization
import Testing
import Watchdog

/// A server of a test's own, and a standby for which its commits wait.
///
/// The standby is `pg_receivewal`: it writes the server's log and confirms it, as a standby does, and cannot take over.
final class ReplicatedServer: Sendable {
    /// Its port on loopback.
    let port: UInt16
    private let base: String
    private let folder: TemporaryFolder
    private let standby: ChildProcess

    /// Gives `body` servers that are gone afterwards.
    static func with<Value>(
        _ count: Int = 1, _ body: ([ReplicatedServer]) async throws -> Value
    ) async throws -> Value {
        var servers: [ReplicatedServer] = []
        let outcome: Result<Value, any Error>
        do {
            for _ in 0..<count { servers.append(try await ReplicatedServer()) }
            outcome = .success(try await body(servers))
        } catch {
            outcome = .failure(error)
        }
        for server in servers {
            server.standby.send(SIGKILL)
            _ = await server.standby.end()
            try await server.stop()
        }
        return try outcome.get()
    }

    private init() async throws {
        folder = try TemporaryFolder("standby")
        // In a folder that the user postgres can reach.
        base = folder.path + "-server"
        _ = try await Self.script("up", base)
        let url = try await Self.script("url", base)
        let digits = url.split(separator: ":").last?.split(separator: "/").first
        port = try #require(digits.flatMap { UInt16($0) })
        let address = "host=127.0.0.1 port=\(port) user=app application_name=standby"
        standby = try ChildProcess(
            [
                "/usr/lib/postgresql/15/bin/pg_receivewal", "--dbname", address, "--directory", folder.path,
                "--synchronous", "--no-loop",
            ])
        try await waitForStandbys("ANY 1 (standby)")
        try await waitUntil {
            try await run("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'quorum'").number(0, 0) == 1
        }
    }

    /// The address of some servers. A single server is listed twice, so that a write needs a quorum.
    static func uri(_ servers: [ReplicatedServer]) -> String {
        let ports = (servers.count == 1 ? servers + servers : servers).map(\.port)
        return "postgresql://app@" + ports.map { "127.0.0.1:\($0)" }.joined(separator: ",") + "/profiles"
    }

    /// Ends the server at once, as if its machine were lost.
    func stop() async throws { _ = try await Self.script("down", base) }

    /// The standby confirms nothing until it is thawed.
    func freezeStandby() { standby.send(SIGSTOP) }

    func thawStandby() { standby.send(SIGCONT) }

    /// Sets the standbys for which commits wait. With an empty list, the waiting commits are released.
    func waitForStandbys(_ names: String) async throws {
        try await run("ALTER SYSTEM SET synchronous_standby_names = '\(names)'")
        try await run("SELECT pg_reload_conf()")
        try await waitUntil {
            try await run("SELECT current_setting('synchronous_standby_names')").firstText == names
        }
    }

    /// Waits until so many commits wait for a standby.
    func waitUntilCommitsWait(_ count: Int64) async throws {
        try await waitUntil {
            try await run("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'").number(0, 0) ?? 0
                >= count
        }
    }

    /// Runs a statement in a session whose commits wait for no standby.
    @discardableResult
    func run(_ sql: String) async throws -> Rows {
        let uri = Self.uri([self]) + "?options=-csynchronous_commit%3Dlocal"
        let pool = try ConnectionPool(ServerList(uri), limit: 1)
        defer { pool.close() }
        return try await pool.withConnection(until: .now + .seconds(60)) { try await $0.run(sql) }
    }

    /// Runs the script that starts and stops servers, and returns the first line that it prints.
    private static func script(_ verb: String, _ base: String) async throws -> String {
        let folder = try TemporaryFolder("server")
        let output = folder.path + "/output"
        let root = #filePath.split(separator: "/Tests/ProfileStorePostgresTests/")[0]
        let script = root + "/Tests/Programs/Cluster/postgres-server"
        let process = try ChildProcess(
            // A store that needs a quorum is refused on a server that does not sync.
            ["/usr/bin/env", "BASE=\(base)", "SETTINGS=fsync = on\nfull_page_writes = on", String(script), verb],
            streams: [1: .file(output, flags: O_WRONLY | O_CREAT | O_TRUNC)])
        try #require(await process.end() == 0, "postgres-server \(verb)")
        return String(SmallFile.text(of: output)?.split(separator: "\n").first ?? "")
    }
}

extension Rows {
    /// The first column of the first row; nil where there is none.
    var firstText: String? { isEmpty ? nil : text(0, 0) }
}
