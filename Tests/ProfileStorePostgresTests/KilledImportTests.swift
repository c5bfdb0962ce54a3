import Platform
import PostgresAccess
import ProfileCore
import ProfileStore
import ProfileTesting
import StoreFixtures
import Testing
import Watchdog

/// The command's import, killed and repeated.
@Suite(.onlyWithPostgres, .onlyWithCommand, .watched(for: .seconds(300))) struct KilledImportTests {
    private static let rowCount = 100_000

    /// The moment at which an import is killed. The statement finds a row from this moment on.
    enum Moment: String, CaseIterable {
        case rowsAreCopied = "SELECT 1 FROM store WHERE is_loading"
        case indexesAreMade = "SELECT 1 FROM profiles LIMIT 1"
        case batchesAreStored = "SELECT 1 FROM profiles OFFSET 20000 LIMIT 1"
    }

    @Test(arguments: Moment.allCases)
    func `E4: an import that is killed and repeated with skip stores the same as one that is not killed`(
        moment: Moment
    ) async throws {
        let store = try PostgresStore()
        let repository = try await store.open()
        // Only an import into an empty store makes the indexes afterwards. Others store batches.
        if moment == .batchesAreStored { try await repository.register("first") }
        let folder = try TemporaryFolder("killed-import")
        let file = folder.path + "/people.csv"
        let rows = (0..<Self.rowCount).map { "u\($0),\"\(People.policyHash)\",78761241,\($0) Main St\n" }
        try SmallFile.write("username,password_hash,phone,address\n" + rows.joined(), to: file)
        let killed = try Self.begin(file, store, folder)
        let pool = try ConnectionPool(ServerList(store.uri()), limit: 1)
        defer { pool.close() }
        try await waitUntil {
            try await pool.withConnection(until: .now + .seconds(60)) { try await !$0.run(moment.rawValue).isEmpty }
        }
        killed.send(SIGKILL)
        try #require(await killed.end() == 128 + SIGKILL, "It was at its end already.")

        #expect(try await Self.begin(file, store, folder).end() == 0)
        let others = moment == .batchesAreStored ? 1 : 0
        #expect(try await repository.count() == Self.rowCount + others)
        #expect(try await store.number("SELECT count(DISTINCT username$key) FROM profiles") == Self.rowCount + others)
        #expect(
            try await store.number(
                "SELECT count(*) FROM profiles WHERE username = 'u' || split_part(address, ' ', 1) AND revision = 1")
                == Self.rowCount)
        // The indexes exist, and writes are possible again.
        #expect(await problem { try await repository.register("U7") } == .duplicate([.username]))
        try await repository.register("last")
        await repository.close()
    }

    private static func begin(_ file: String, _ store: PostgresStore, _ folder: TemporaryFolder) throws -> ChildProcess
    {
        let command = try BuiltProgram.path("profiles")
        return try ChildProcess(
            [command, "import", file, "--on-duplicate", "skip", "--quiet", "--database", store.uri()],
            streams: [1: .file(folder.path + "/output", flags: O_WRONLY | O_CREAT | O_TRUNC)])
    }
}

extension Trait where Self == ConditionTrait {
    /// Needs the command with the trait `Postgres`.
    static var onlyWithCommand: ConditionTrait {
        .enabled(if: Traits.hasPostgres, "make test-postgres builds the command.")
    }
}
