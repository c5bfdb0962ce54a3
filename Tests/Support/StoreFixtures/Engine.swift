internal import Platform
internal import ProfileCore
package import ProfileStore
internal import ProfileStorePostgres
internal import ProfileStoreSQLite
internal import ProfileTesting
internal import Synchronization
package import Testing

/// The engine of the stores that tests use. `PROFILES_TEST_ENGINE` names the engine. The default is SQLite.
package enum Engine: String, Sendable {
    case sqlite
    case memory
    case postgres

    package static let current =
        getenv("PROFILES_TEST_ENGINE").flatMap { Engine(rawValue: String(cString: $0)) } ?? .sqlite

    /// A test has run SQL on a store that is not an SQLite file.
    package struct NotSQLite: Error {}
}

extension Trait where Self == ConditionTrait {
    /// A test or suite that runs only on SQLite, for this reason. `Tests/ENGINES.md` lists all of them.
    package static func onlyOnSQLite(_ reason: String) -> ConditionTrait {
        .enabled(if: Engine.current == .sqlite, "Only on SQLite: the test \(reason).")
    }
}

/// Opens the stores of a test by the paths of their files. A path always opens the same store, also in memory.
package final class StoreOpener: Sendable {
    package let engine: Engine
    /// The schemas of this test's stores on PostgreSQL.
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
    /// Whether the store's file is sound. True if the store has no file.
    package func isSound() async throws(ProfileStoreError) -> Bool {
        if path == nil { return true }
        return try await check().isSound
    }
}
