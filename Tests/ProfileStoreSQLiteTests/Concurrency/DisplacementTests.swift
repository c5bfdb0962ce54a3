import Platform
import ProfileCore
import ProfileStore
import ProfileTesting
import SQLiteAccess
import StoreFixtures
import Synchronization
import Testing
import Watchdog

@testable import ProfileStoreSQLite
@testable import ProfileTransfer

/// Stores whose files are removed, replaced or given a second name while they are in use.
@Suite(.watched) struct DisplacementTests {
    private let store: TemporaryStore

    init() throws { store = try TemporaryStore() }

    enum Displacement: CaseIterable, Sendable { case removed, replaced, inAnotherFolder }

    /// Opens the store, registers a profile, and makes a store that may take its place.
    private func open() async throws -> ProfileRepository {
        await (try ProfileRepository.open(at: store.directory + "/other.sqlite", options: store.options())).close()
        mkdir(store.directory + "/elsewhere", 0o700)
        let repository = try await ProfileRepository.open(
            at: store.path, options: store.options { $0.watchInterval = .milliseconds(20) })
        try await repository.register("abel")
        return repository
    }

    /// Displaces the store, as a person might who does not know that it is in use.
    private func displace(_ displacement: Displacement) {
        let files = ["", "-wal", "-shm", "-lock"]
        switch displacement {
        case .removed: for ending in files { unlink(store.path + ending) }
        case .replaced: rename(store.directory + "/other.sqlite", store.path)
        case .inAnotherFolder:
            for ending in files {
                rename(store.path + ending, store.directory + "/elsewhere/profiles.sqlite" + ending)
            }
        }
    }

    @Test(arguments: Displacement.allCases)
    func `a change to a store that is not there any more is refused`(displacement: Displacement) async throws {
        let repository = try await open()
        displace(displacement)
        let names = store.names()
        for _ in 0..<2 {
            await #expect(throws: ProfileStoreError.displaced(path: store.path)) {
                try await repository.register("bert")
            }
        }
        await repository.close()
        #expect(store.names() == names, "nothing is made in its place")
    }

    @Test(arguments: Displacement.allCases)
    func `I10: an import in batches reports that its store has gone away`(displacement: Displacement) async throws {
        let repository = try await open()
        let rows = (0..<4 * ImportSource.recordsPerBatch).map {
            "user\($0),78761241,12 Main St,\"\(People.policyHash)\"\n"
        }
        let text = "username,phone,address,password_hash\n" + rows.joined()
        let batches = Mutex(0)
        let input = try unnamedFile(Array(text.utf8))
        defer { close(input) }
        let error = await #expect(throws: ImportError.self) {
            try await ProfileImporter(repository: repository).run(
                ImportInput(descriptor: input, name: "test.csv", byteCount: nil)
            ) { _ in
                let isFirst = batches.withLock { batches in
                    batches += 1
                    return batches == 1
                }
                if isFirst { displace(displacement) }
            }
        }
        guard case .ended(.store(.displaced(path: store.path)), after: let report)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(report.imported == ImportSource.recordsPerBatch)
        await repository.close()
    }

    @Test func `R7: a watcher of a store that is not there any more gets an error`() async throws {
        let repository = try await open()
        displace(.removed)
        await #expect(throws: ProfileStoreError.displaced(path: store.path)) {
            for try await _ in await repository.changes.stream() {}
        }
        await repository.close()
    }

    @Test(arguments: Displacement.allCases)
    func `a read of a store that is not there any more is refused within a tenth of a second`(
        displacement: Displacement
    ) async throws {
        let repository = try await open()
        let reads: [(String, @Sendable () async throws -> Void)] = [
            ("look-up", { _ = try await repository.profile(username: "abel") }),
            ("page", { _ = try await repository.profiles(ProfileQuery()) }),
            ("search", { _ = try await repository.profiles(ProfileQuery(text: "be")) }),
            ("count", { _ = try await repository.count() }),
            ("statistics", { _ = try await repository.statistics() }),
            ("rules", { try await repository.refreshSchema() }),
            ("access tokens", { _ = try await repository.tokens.list() }),
            ("check", { _ = try await repository.check() }),
        ]
        for (name, read) in reads { await #expect(throws: Never.self, "\(name)") { try await read() } }
        displace(displacement)
        // `ping` looks at the place of the store at once.
        await #expect(throws: ProfileStoreError.displaced(path: store.path)) { try await repository.ping() }
        store.clock.advance(by: .milliseconds(100))
        for (name, read) in reads {
            await #expect(throws: ProfileStoreError.displaced(path: store.path), "\(name)") { try await read() }
        }
        await repository.close()
    }

    @Test func `a store that comes back to its place is read again`() async throws {
        let repository = try await open()
        rename(store.path, store.path + "-away")
        store.clock.advance(by: .seconds(1))
        await #expect(throws: ProfileStoreError.displaced(path: store.path)) {
            try await repository.profile(username: "abel")
        }
        rename(store.path + "-away", store.path)
        #expect(try await repository.profile(username: "abel") != nil)
        try await repository.ping()
        await repository.close()
    }

    @Test func `no second connection reads the file that took the store's place`() async throws {
        let repository = try await open()
        let session = try #require(repository.engine as? SQLiteEngine).session
        try session.read { _ in
            displace(.replaced)
            #expect(throws: ProfileStoreError.displaced(path: store.path)) {
                try session.read { connection in try ProfileTable.count(connection) }
            }
        }
        await repository.close()
    }

    @Test func `a store that has two names cannot be used under either`() async throws {
        await (try store.open()).close()
        let other = store.directory + "/other.sqlite"
        #expect(link(store.path, other) == 0)
        let names = store.names()
        for path in [store.path, other] {
            let refusal = ProfileStoreError.severalNames(path: path)
            await #expect(throws: refusal) { try await ProfileRepository.open(at: path) }
            await #expect(throws: refusal) { try await ProfileRepository.open(at: path, options: store.options()) }
            await #expect(throws: refusal) { try await ProfileRepository.migrate(at: path) }
        }
        #expect(store.names() == names)
        unlink(other)
        let repository = try await store.open(registering: ["abel"])
        #expect(link(store.path, other) == 0)
        await #expect(throws: ProfileStoreError.severalNames(path: store.path)) {
            try await repository.register("bert")
        }
        #expect(try await repository.usernames() == ["abel"])
        unlink(other)
        try await repository.register("carl")
        await repository.close()
    }

    @Test func `a file with the lock's name that is not a lock is reported, and the store is not made`() async throws {
        try SmallFile.write("precious\n", to: store.path + "-lock")
        let refusal = ProfileStoreError.notALockFile(path: store.path + "-lock", .foreignContent)
        await #expect(throws: refusal) { try await store.open() }
        #expect(SmallFile.text(of: store.path + "-lock") == "precious\n")
        #expect(store.names() == ["profiles.sqlite-lock"])
    }
}
