import Platform
import PostgresAccess
import Synchronization
import Testing

/// The server that tests talk to, by its URI in `PROFILES_TEST_POSTGRES`; its user is a superuser.
enum TestServer {
    static let uri = getenv("PROFILES_TEST_POSTGRES").map { String(cString: $0) }

    /// The server's list, with settings that its URI does not have, such as `options=-csearch_path%3Dmine`.
    static func list(_ settings: String...) throws -> ServerList {
        let uri = try #require(uri)
        guard !settings.isEmpty else { return try ServerList(uri) }
        return try ServerList(uri + (uri.contains("?") ? "&" : "?") + settings.joined(separator: "&"))
    }

    /// Gives `body` a pool of connections to a schema of its own, which is gone afterwards.
    static func withSchema<Value>(limit: Int = 4, _ body: (ConnectionPool) async throws -> Value) async throws -> Value
    {
        let schema = "test_\(UInt64.random(in: 0 ... .max))"
        let owner = try ConnectionPool(list(), limit: 1)
        _ = try await owner.withConnection { try await $0.run("CREATE SCHEMA \(schema)") }
        let pool = try ConnectionPool(
            list("options=-csearch_path%3D\(schema)", "application_name=\(schema)"), limit: limit)
        let outcome: Result<Value, any Error>
        do { outcome = .success(try await body(pool)) } catch { outcome = .failure(error) }
        pool.close()
        _ = try await owner.withConnection { connection in
            // A test may have left a session that still waits.
            try await connection.run(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1", [.text(schema)])
            try await connection.run("DROP SCHEMA \(schema) CASCADE")
        }
        owner.close()
        return try outcome.get()
    }

    /// Gives `body` one connection to a schema of its own.
    static func withSession<Value>(_ body: (Connection) async throws -> Value) async throws -> Value {
        try await withSchema(limit: 1) { try await $0.withConnection(body) }
    }

    /// Waits until a session waits for something, such as `PgSleep`, `SyncRep` or `advisory`.
    static func waitUntil(_ process: Int64, waitsFor event: String) async throws {
        try await waitUntil(
            "EXISTS (SELECT 1 FROM pg_stat_activity WHERE pid = $1::bigint AND wait_event = $2)",
            [.number(process), .text(event)])
    }

    /// Waits until a session has ended.
    static func waitUntilGone(_ process: Int64) async throws {
        try await waitUntil("NOT EXISTS (SELECT 1 FROM pg_stat_activity WHERE pid = $1::bigint)", [.number(process)])
    }

    private static func waitUntil(_ condition: String, _ values: Values) async throws {
        let pool = try ConnectionPool(list(), limit: 1)
        defer { pool.close() }
        try await pool.withConnection { connection in
            while try await connection.run("SELECT 1 WHERE \(condition)", values).isEmpty {
                try await Task.sleep(for: .milliseconds(1))
            }
        }
    }

    /// Runs a statement in a session of its own.
    @discardableResult
    static func run(_ sql: String, _ values: Values = []) async throws -> Rows {
        let pool = try ConnectionPool(list(), limit: 1)
        defer { pool.close() }
        return try await pool.withConnection { try await $0.run(sql, values) }
    }
}

extension Trait where Self == ConditionTrait {
    /// For tests that need a server.
    static var onlyWithPostgres: ConditionTrait {
        .enabled(if: TestServer.uri != nil, "PROFILES_TEST_POSTGRES names no server.")
    }
}

extension ContinuousClock.Instant {
    /// Later than any test lasts.
    static var late: Self { .now + .seconds(600) }
}

extension ConnectionPool {
    /// Lends a connection with a deadline that no test reaches.
    @discardableResult
    func withConnection<Value>(_ body: (Connection) async throws -> Value) async throws -> Value {
        try await withConnection(until: .late, body)
    }
}

extension Connection {
    /// The server's process for this session.
    var process: Int64 {
        get async throws { try await run("SELECT pg_backend_pid()::bigint").number(0, 0) ?? 0 }
    }
}

extension SQLState {
    static let divisionByZero: SQLState = "22012"
    static let syntaxError: SQLState = "42601"
    static let invalidEncoding: SQLState = "22021"
    static let failedTransaction: SQLState = "25P02"
}

/// The code by which `body` was refused; nil where it was not.
func refusal(_ body: () async throws -> Void) async throws -> SQLState? {
    do { try await body() } catch PostgresError.refused(let state, _, _, _) { return state }
    return nil
}

/// A value that one task of a test sets and other tasks wait for.
final class Noted<Value: Sendable>: Sendable {
    private let noted = Mutex<Value?>(nil)

    var value: Value? {
        get { noted.withLock { $0 } }
        set { noted.withLock { $0 = newValue } }
    }
}

/// The error that `body` throws; nil if it succeeds.
func problem<Value>(_ body: () async throws -> Value) async -> PostgresError? {
    do { _ = try await body() } catch let error as PostgresError { return error } catch { Issue.record(error) }
    return nil
}

extension Task where Failure == any Error {
    var problem: PostgresError? {
        get async { await PostgresAccessTests.problem { try await value } }
    }
}

/// A number that several tasks raise.
final class Counter: Sendable {
    private let number = Atomic(0)

    var count: Int { number.load(ordering: .relaxed) }

    /// Returns: The new number.
    @discardableResult func add(_ more: Int) -> Int { number.add(more, ordering: .relaxed).newValue }
}
