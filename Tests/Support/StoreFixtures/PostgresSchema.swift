internal import Platform
internal import PostgresAccess
internal import ProfileTesting
internal import Synchronization

/// Schemas of a test's own in the database that `PROFILES_TEST_POSTGRES` names: one for each store that it opens.
///
/// The server is there for a run of tests, so that nobody has to remove them.
final class PostgresSchema: Sendable {
    /// There is no server to test against.
    struct NoServer: Error {}

    private let names = Mutex<[String: String]>([:])
    private static let count = Atomic(0)

    static var server: String? { getenv("PROFILES_TEST_POSTGRES").map { String(cString: $0) } }

    /// Where the store of a path is.
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

    /// What a statement finds in the store of a path, past the repository: two columns of text.
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
