package import ProfileCore
package import ProfileStore
package import ProfileTesting
package import SQLiteAccess

/// A temporary directory and a store for one test. The directory is removed after the test. Only with the engine
/// SQLite, the store is a file in the directory.
package final class TemporaryStore: Sendable {
    private let folder: TemporaryFolder
    package var directory: String { folder.path }
    /// The path of the database file. The file does not exist before the store is opened, and only SQLite creates it.
    package let path: String
    package let clock = ManualClock()
    private let opener: StoreOpener
    package var engine: Engine { opener.engine }

    package init(named name: String = "profiles.sqlite", engine: Engine = .current) throws {
        opener = StoreOpener(engine)
        folder = try TemporaryFolder("profile-store")
        path = "\(folder.path)/\(name)"
    }

    /// Returns options that create a missing store and use the manual clock.
    package func options(_ change: (inout ProfileRepository.Options) -> Void = { _ in }) -> ProfileRepository.Options {
        var options = ProfileRepository.Options()
        options.createsMissing = true
        let clock = clock
        options.now = { clock.timestamp }
        options.uptime = { clock.uptime }
        change(&options)
        return options
    }

    /// Opens the store and registers these profiles. The first time creates the store with this schema.
    package func open(
        schema: ProfileSchema = .standard, registering names: [String] = []
    ) async throws -> ProfileRepository {
        let repository = try await open(options { $0.initialSchema = schema })
        for name in names { try await repository.register(name) }
        return repository
    }

    /// Opens the store with an observer and registers these profiles. Then removes the recorded operations.
    package func open(
        observedBy observed: Observed, registering names: [String] = [],
        _ change: (inout ProfileRepository.Options) -> Void = { _ in }
    ) async throws -> ProfileRepository {
        let repository = try await open(
            options {
                $0.observer = observed.observer
                change(&$0)
            })
        for name in names { try await repository.register(name) }
        _ = observed.take()
        return repository
    }

    package func open(_ options: ProfileRepository.Options) async throws(ProfileStoreError) -> ProfileRepository {
        try await opener.open(path, options)
    }

    /// Returns the stored values of each profile. A test compares them with the values at a later time.
    package func contents() async throws -> [AnyHashable] {
        switch engine {
        case .sqlite: try rows().map { AnyHashable($0) }
        case .memory: opener.memory(path)?.contents ?? []
        case .postgres:
            try await opener.schema.rows(
                of: path, "SELECT json_strip_nulls(to_json(profiles))::text, NULL FROM profiles ORDER BY id"
            ).map { AnyHashable($0) }
        }
    }

    /// Returns the stored numbers of failed attempts to use a secret: one entry for each name and kind of secret.
    package func failedAttempts() async throws -> [(name: String, failures: Int)] {
        switch engine {
        case .sqlite: try rows("throttles").map { ($0[0] ?? "", Int($0[2] ?? "") ?? 0) }
        case .memory: opener.memory(path)?.failedAttempts ?? []
        case .postgres:
            try await opener.schema.rows(of: path, "SELECT name, failures::text FROM throttles ORDER BY name, kind")
                .map { ($0[0] ?? "", Int($0[1] ?? "") ?? 0) }
        }
    }

    /// The number of changes that the log holds.
    package func logLength() async throws -> Int {
        let sql = "SELECT count(*) FROM changes"
        return switch engine {
        case .sqlite: Int(try number(sql))
        case .memory: opener.memory(path)?.logLength ?? 0
        case .postgres:
            try await opener.schema.rows(of: path, "SELECT (\(sql))::text, NULL").first?[0].flatMap { Int($0) } ?? 0
        }
    }

    // MARK: Past the repository, on SQLite

    /// Opens a connection that does not use the repository, as another program would.
    package func connect(vfs: String? = nil) throws -> Connection {
        guard engine == .sqlite else { throw Engine.NotSQLite() }
        return try Connection(DatabasePath(path), mode: .readWrite, vfs: vfs)
    }

    /// Runs SQL without the repository.
    package func execute(_ sql: String) throws { try connect().execute(sql) }

    /// The first column of the first row.
    package func number(_ sql: String) throws -> Int64 {
        let connection = try connect()
        var statement = try connection.prepare(sql)
        return try statement.step() ? statement.integer(at: 0) : -1
    }

    /// Every value of every row of a table, as text; nil for NULL.
    package func rows(_ table: String = "profiles") throws -> [[String?]] {
        let connection = try connect()
        var statement = try connection.prepare("SELECT * FROM \(table) ORDER BY 1")
        var rows: [[String?]] = []
        while try statement.step() {
            rows.append((0..<statement.columnCount).map { statement.string(at: $0) })
        }
        return rows
    }

    /// Returns the query plan of a statement.
    package func plan(_ sql: String) throws -> [String] {
        let connection = try connect()
        var statement = try connection.prepare("EXPLAIN QUERY PLAN " + sql)
        var steps: [String] = []
        while try statement.step() { steps.append(statement.string(at: 3) ?? "") }
        return steps
    }

    /// The names in the directory, sorted.
    package func names() -> [String] { SmallFile.names(in: directory) }
}
