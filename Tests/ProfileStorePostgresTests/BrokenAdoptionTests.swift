import PostgresAccess
import ProfileCore
import ProfileStore
import StoreFixtures
import Testing
import Watchdog

/// Adoptions that were broken off, and what they leave behind.
@Suite(.onlyWithPostgres, .watched) struct BrokenAdoptionTests {
    /// Leaves a unique index whose creation has failed. PostgreSQL does not use it in queries, but it still refuses
    /// duplicates.
    private func breakOff(_ store: PostgresStore) async throws {
        try await store.run(#"ALTER TABLE profiles ADD COLUMN IF NOT EXISTS "email" text COLLATE "C""#)
        try await store.run("UPDATE profiles SET email = 'same'")
        let name = try await indexName(store)
        _ = try? await store.run("CREATE UNIQUE INDEX CONCURRENTLY \(name) ON profiles (email)")
        try await store.run("UPDATE profiles SET email = NULL")
        #expect(
            try await store.number(
                "SELECT count(*) FROM pg_index WHERE NOT indisvalid AND indrelid = 'profiles'::regclass") == 1)
    }

    /// The name that the index of `email` has.
    private func indexName(_ store: PostgresStore) async throws -> String {
        let other = try PostgresStore()
        let schema = try People.standard(and: People.uniqueEmail)
        let repository = try await other.open { $0.initialSchema = schema }
        await repository.close()
        return try #require(
            try await other.text(
                """
                SELECT indexname::text FROM pg_indexes
                WHERE schemaname = '\(other.schema)' AND indexname LIKE 'profiles\\_unique\\_%'
                """))
    }

    private func indexes(_ store: PostgresStore) async throws -> Int64 {
        try await store.number(
            """
            SELECT count(*) FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
            WHERE indrelid = 'profiles'::regclass AND relname LIKE 'profiles\\_unique\\_%'
            """)
    }

    @Test func `an index whose making was broken off is made again by the next adoption`() async throws {
        let store = try PostgresStore()
        let repository = try await store.open()
        for name in ["one", "two"] { try await repository.register(name) }
        try await breakOff(store)
        #expect(try await repository.rules.adopt(People.standard(and: People.uniqueEmail)) == 2)
        try await repository.register("three", ["email": "e"])
        #expect(await problem { try await repository.register("four", ["email": "e"]) } == .duplicate([.email]))
        #expect(try await indexes(store) == 1)
        await repository.close()
    }

    @Test func `an index that another session has repaired meanwhile is kept`() async throws {
        let store = try PostgresStore()
        let repository = try await store.open()
        for name in ["one", "two"] { try await repository.register(name) }
        try await breakOff(store)
        let name = try await indexName(store)
        let pool = try ConnectionPool(ServerList(store.uri()), limit: 1)
        defer { pool.close() }
        // The adoption finds the broken index, and waits for the other session before it can drop it.
        let (adoption, made) = try await pool.withConnection(until: .now + .seconds(100)) { connection in
            try await connection.transaction { transaction in
                try await transaction.run("SELECT FROM store FOR UPDATE")
                try await transaction.run("DROP INDEX \(name)")
                try await transaction.run("CREATE UNIQUE INDEX \(name) ON profiles (email)")
                let made = try await transaction.run("SELECT '\(name)'::regclass::bigint").number(0, 0)
                let adoption = Task { try await repository.rules.adopt(People.standard(and: People.uniqueEmail)) }
                try await waitUntil { try await store.isAwaited(transaction) }
                return (adoption, made)
            }
        }
        #expect(try await adoption.value == 2)
        #expect(try await store.number("SELECT '\(name)'::regclass::bigint") == made)
        await repository.close()
    }

    @Test func `an adoption of other rules removes the index that a broken-off adoption has left behind`() async throws
    {
        let store = try PostgresStore()
        let repository = try await store.open()
        for name in ["one", "two"] { try await repository.register(name) }
        try await breakOff(store)
        #expect(try await repository.rules.adopt(People.standard(and: #"{"name":"nick"}"#)) == 2)
        #expect(try await indexes(store) == 0)
        await repository.close()
    }

    @Test func `an index that no rules ask for makes a write busy, not a duplicate, until an adoption removes it`()
        async throws
    {
        let store = try PostgresStore()
        let schema = try People.standard(and: People.email)
        let repository = try await store.open { $0.initialSchema = schema }
        // Only this repository waits for something that does not happen, so its limit is short.
        let hasty = try await store.open { $0.waitLimit = .seconds(1) }
        try await repository.register("one", ["email": "same"])
        try await repository.register("two", ["email": "other"])
        let name = try await indexName(store)
        try await store.run("CREATE UNIQUE INDEX \(name) ON profiles (email)")
        // The rules in force allow the same value twice, but the index that was left behind does not.
        let refused = await problem { try await hasty.register("three", ["email": "same"]) }
        guard case .busy? = refused?.reason else {
            Issue.record("\(String(describing: refused))")
            return
        }
        let edited = await problem { try await hasty.edit("two") { $0["email"] = "same" } }
        guard case .busy? = edited?.reason else {
            Issue.record("\(String(describing: edited))")
            return
        }
        let four = try hasty.judged(People.draft("four", ["email": "same"]))
        let stopped = await #expect(throws: StoppedWrite<RegistrationReport>.self) {
            try await hasty.register(many: [four])
        }
        #expect(stopped?.error.code == .busy)
        // Writes of other values are not held up.
        try await repository.register("five", ["email": "fifth"])
        #expect(try await repository.rules.adopt(schema) == 1)
        #expect(try await indexes(store) == 0)
        try await repository.register("three", ["email": "same"])
        await hasty.close()
        await repository.close()
    }

    @Test func `an adoption that is refused because of repeated values names them, and leaves no index behind`()
        async throws
    {
        let store = try PostgresStore()
        let schema = try People.standard(and: People.email)
        let repository = try await store.open { $0.initialSchema = schema }
        for name in ["one", "two"] { try await repository.register(name, ["email": "same"]) }
        #expect(
            await problem { try await repository.rules.adopt(People.standard(and: People.uniqueEmail)) }
                == .repeatedValues(.email, ["same"]))
        #expect(try await indexes(store) == 0)
        try await repository.register("three", ["email": "same"])
        await repository.close()
    }

    @Test func `an adoption that is refused after its indexes were made leaves none of them behind`() async throws {
        let store = try PostgresStore()
        let schema = try People.standard(and: People.email)
        let repository = try await store.open { $0.initialSchema = schema }
        let key = try #require(WriteKey("first"))
        try await repository.register("one", ["email": "same"])
        #expect(try await repository.rules.adopt(schema, key: key) == 1)
        // The values are unique, so the only reason to refuse is the key.
        #expect(
            await problem { try await repository.rules.adopt(People.standard(and: People.uniqueEmail), key: key) }
                == .keyReused(key))
        #expect(try await indexes(store) == 0)
        let otherKey = try ProfileSchema(
            parsing: """
                {"name": "people", "primaryKey": "email", "fields": [
                    {"name": "email", "constraints": {"required": true}}, {"name": "nick", "constraints": {"unique": true}}]}
                """)
        let refused = await problem { try await repository.rules.adopt(otherKey) }
        #expect(refused?.code == .otherPrimaryKey)
        #expect(try await indexes(store) == 0)
        try await repository.register("two", ["email": "same"])
        await repository.close()
    }
}
