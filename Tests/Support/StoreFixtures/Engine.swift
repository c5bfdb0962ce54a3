internal import Platform
internal import ProfileCore
package import ProfileStore
internal import ProfileStorePostgres
internal import ProfileStoreSQLite
internal import ProfileTesting
internal import Synchronization
package import Testing

/// What keeps the profiles of the stores that tests use: `PROFILES_TEST_ENGINE` names it, SQLite by default.
package enum Engine: String, Sendable {
    case sqlite
    case memory
    case postgres

    package static let current =
        getenv("PROFILES_TEST_ENGINE").flatMap { Engine(rawValue: String(cString: $0)) } ?? .sqlite

    /// SQL was run on a store that is in no file.
    package struct NotSQLite: Error {}
}

extension Trait where Self == ConditionTrait {
    /// A test or suite that runs only on SQLite, for this reason. `Tests/ENGINES.md` lists all of them.
    package static func onlyOnSQLite(_ reason: String) -> ConditionTrait {
        .enabled(if: Engine.current == .sqlite, "Only on SQLite: the test \(reason).")
    }
}

/// Opens the stores of a test, by the paths of their files. In memory too, what is opened twice is the same store.
package final class StoreOpener: Sendable {
    package let engine: Engine
    /// On PostgreSQL, where each test has a schema of its own.
    let schema = PostgresSchema()
    private let inMemory = Mutex<[String: MemoryStore]>([:])

    package init(_ engine: Engine = .current) { self.engine = engine }

    package func open(
        _ path: String, _ options: ProfileRepository.Options
    ) async throws(ProfileStoreError) -> ProfileRepository {
        switch engine {
        case .sqlite: try await ProfileRepository.open(at: path, options: options)
        case .memory: try await ProfileRepository.open(memory(path, options), options: options)
        case .postgres: try await ProfileRepository.open(postgres: schema.uri(of: path), options: options)
        }
    }

    private func memory(
        _ path: String, _ options: ProfileRepository.Options
    ) throws(ProfileStoreError) -> MemoryStore {
        try inMemory.withLock { stores throws(ProfileStoreError) in
            if let store = stores[path] { return store }
            let store = try MemoryStore(options.initialSchema, at: options.now())
            stores[path] = store
            return store
        }
    }

    /// The store in memory that was opened by this path.
    func memory(_ path: String) -> MemoryStore? { inMemory.withLock { $0[path] } }
}

extension ProfileRepository {
    /// Whether a store's file is sound, where it is in one.
    package func isSound() async throws(ProfileStoreError) -> Bool {
        if path == nil { return true }
        return try await check().isSound
    }
}
