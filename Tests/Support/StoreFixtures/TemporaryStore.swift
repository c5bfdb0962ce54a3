package import ProfileCore
package import ProfileStore
package import ProfileTesting
package import SQLiteAccess

/// A directory of its own for one test, with room for a store; gone afterwards. In memory, the store is in no file.
package final class TemporaryStore: Sendable {
    private let folder: TemporaryFolder
    package var directory: String { folder.path }
    /// The database file, which is not there until it is opened; of a store in memory, where it would be.
    package let path: String
    package let clock = ManualClock()
    private let opener: StoreOpener
    package var engine: Engine { opener.engine }

    package init(named name: String = "profiles.sqlite", engine: Engine = .current) throws {
        opener = StoreOpener(engine)
        folder = try TemporaryFolder("profile-store")
        path = "\(folder.path)/\(name)"
    }

    /// Makes a missing store, and goes by the manual clock.
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

    /// Opens the store with an observer, registers these, and lets the observer forget it.
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

    /// What is stored of each profile, to be compared with what is stored later.
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

    /// What is remembered of failed attempts: one entry for each name and kind of secret.
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

    /// A connection past the repository, as another program has one.
    package func connect(vfs: String? = nil) throws -> Connection {
        guard engine == .sqlite else { throw Engine.NotSQLite() }
        return try Connection(DatabasePath(path), mode: .readWrite, vfs: vfs)
    }

    /// Runs SQL past the repository.
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

    /// How SQLite goes about a statement.
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
