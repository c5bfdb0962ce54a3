import Platform
import PostgresAccess
import PostgresProxy
import ProfileCore
import ProfileStore
import ProfileStorePostgres
import Synchronization
import Testing

/// The store of one test. It is a schema of its own in the database that `PROFILES_TEST_POSTGRES` names, whose user is
/// a superuser. The server exists only for a run of tests, so the schema is not removed.
final class PostgresStore: Sendable {
    static let server = getenv("PROFILES_TEST_POSTGRES").map { String(cString: $0) }
    private static let count = Atomic(0)

    /// The schema that holds the tables.
    let schema: String
    private let server: String

    init(on server: String? = PostgresStore.server) throws {
        self.server = try #require(server)
        schema = "engine_\(getpid())_\(Self.count.wrappingAdd(1, ordering: .relaxed).newValue)"
    }

    /// The port of the only server.
    var port: UInt16 {
        get throws {
            let digits = try #require(ServerList(server).servers.first?.description.split(separator: ":").last)
            return try #require(UInt16(digits))
        }
    }

    /// A proxy before the server.
    func proxy() throws -> PostgresProxy { try PostgresProxy(to: port) }

    /// Where the store is, with settings besides, such as `durability=local`.
    func uri(through proxy: PostgresProxy? = nil, _ settings: String...) throws -> String {
        var server = server
        if let proxy { server = server.split(separator: ":\(try port)").joined(separator: ":\(proxy.port)") }
        let settings = settings.filter { !server.contains($0) }
        return server + (server.contains("?") ? "&" : "?")
            + (["schema=\(schema)", "connections=8"] + settings).joined(separator: "&")
    }

    /// The URI of the store, with commits that have to be durable. The server of the tests does not sync.
    func durableURI(_ settings: String...) throws -> String {
        try ([uri().replacing("durability=local&", with: "")] + settings).joined(separator: "&")
    }

    /// Opens the store, and makes it where it is missing.
    func open(
        through proxy: PostgresProxy? = nil, _ change: (inout ProfileRepository.Options) -> Void = { _ in }
    ) async throws -> ProfileRepository {
        var options = ProfileRepository.Options()
        options.createsMissing = true
        change(&options)
        return try await ProfileRepository.open(postgres: uri(through: proxy), options: options)
    }

    /// Runs a statement past the repository, in a session of its own.
    @discardableResult
    func run(_ sql: String) async throws -> Rows {
        let pool = try ConnectionPool(ServerList(uri()), limit: 1)
        defer { pool.close() }
        return try await pool.withConnection(until: .now + .seconds(100)) { try await $0.run(sql) }
    }

    /// The number that a statement finds.
    func number(_ sql: String) async throws -> Int64 { try await run(sql).number(0, 0) ?? 0 }

    /// The text that a statement finds.
    func text(_ sql: String) async throws -> String? {
        let rows = try await run(sql)
        return rows.isEmpty ? nil : rows.text(0, 0)
    }

    /// Whether another session waits for a lock of the session in which `transaction` runs.
    func isAwaited(_ transaction: Transaction) async throws -> Bool {
        let process = try await transaction.run("SELECT pg_backend_pid()::bigint").number(0, 0) ?? 0
        let waiting = "SELECT count(*) FROM pg_stat_activity WHERE \(process) = ANY (pg_blocking_pids(pid))"
        return try await number(waiting) > 0
    }
}

extension Trait where Self == ConditionTrait {
    /// For tests that need a server.
    static var onlyWithPostgres: ConditionTrait {
        .enabled(if: PostgresStore.server != nil, "PROFILES_TEST_POSTGRES names no server.")
    }
}

/// A number that several tasks raise.
final class Counter: Sendable {
    private let number = Atomic(0)

    var count: Int { number.load(ordering: .relaxed) }

    /// Returns: The new number.
    @discardableResult func add(_ more: Int = 1) -> Int { number.add(more, ordering: .relaxed).newValue }
}

/// The error that `body` throws; nil if it succeeds.
func problem<Value>(_ body: () async throws -> Value) async -> ProfileStoreError? {
    do {
        _ = try await body()
    } catch let error as ProfileStoreError {
        return error
    } catch CredentialError.store(let error) {
        return error
    } catch {
        Issue.record(error)
    }
    return nil
}
