internal import Platform
internal import PostgresAccess
internal import ProfileTesting
internal import Synchronization

/// The PostgreSQL schemas of one test, in the database that `PROFILES_TEST_POSTGRES` names. Each store of the test has
/// its own schema.
///
/// The schemas are not removed, because the server exists only for one run of the tests.
final class PostgresSchema: Sendable {
    /// There is no server to test against.
    struct NoServer: Error {}

    private let names = Mutex<[String: String]>([:])
    private static let count = Atomic(0)

    static var server: String? { getenv("PROFILES_TEST_POSTGRES").map { String(cString: $0) } }

    /// Returns the URI of the store for a path.
    func uri(of path: String) -> String {
        let name = names.withLock { names in
            if let name = names[path] { return name }
            let name = "test_\(getpid())_\(Self.count.wrappingAdd(1, ordering: .relaxed).newValue)"
            names[path] = name
            return name
        }
        let server = Self.server ?? "postgresql://"
        return server + (server.contains("?") ? "&" : "?") + "connections=4&schema=\(name)"
    }

    /// Runs a statement in the store for a path, without the repository. Returns the first two columns as text.
    func rows(of path: String, _ sql: String) async throws -> [[String?]] {
        guard Self.server != nil else { throw NoServer() }
        let pool = try ConnectionPool(ServerList(uri(of: path)), limit: 1)
        let rows = try await pool.withConnection(until: .now + .seconds(30)) { connection in
            let rows = try await connection.run(sql)
            return (0..<rows.count).map { row in (0..<2).map { rows.text(row, $0) } }
        }
        pool.close()
        return rows
    }
}
