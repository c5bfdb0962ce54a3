internal import PostgresAccess
internal import ProfileCore
internal import ProfileStore

extension PostgresEngine {
    func profile(_ key: ProfileKey, under rules: AdoptedSchema) async throws(ProfileStoreError) -> Profile? {
        let table = table(of: rules)
        return try await readUnder(rules) { connection in
            table.profile(in: try await connection.run([table.select(key)])[0])
        }
    }

    func page(_ search: ProfileSearch, under rules: AdoptedSchema) async throws(ProfileStoreError) -> ProfilePage {
        let search = TableSearch(search, table(of: rules))
        return try await readUnder(rules) { connection in try await search.page(connection) }
    }

    func count(_ search: ProfileSearch, under rules: AdoptedSchema) async throws(ProfileStoreError) -> Int {
        var search = search
        search.order = nil
        search.after = nil
        let counted = TableSearch(search, table(of: rules))
        return try await readUnder(rules) { connection in try await counted.count(connection) }
    }

    func plan(of search: ProfileSearch) -> QueryPlan { TableSearch.plan(of: search) }

    func scan(_ scan: StoreScan) async throws(ProfileStoreError) -> StoredRows {
        try await session.read { connection in try await TableScan(scan).rows(connection) }
    }

    func statistics() async throws(ProfileStoreError) -> StoreStatistics {
        try await session.read { connection in
            // One statement reads one consistent snapshot. Changes without a number will get the next free numbers. So
            // the count of these changes is added to the last number.
            let rows = try await connection.run(
                """
                SELECT count(*), count(issues), count(password_hash), count(passcode_hash),
                    (SELECT schema_version FROM store), pg_table_size('profiles') + pg_indexes_size('profiles'),
                    (SELECT value FROM counters WHERE name = 'change_number')
                        + (SELECT count(*) FROM changes WHERE number IS NULL)
                FROM profiles
                """)
            return StoreStatistics(
                profiles: rows.count(0, 0), invalid: rows.count(0, 1), withPassword: rows.count(0, 2),
                withPasscode: rows.count(0, 3), schemaVersion: rows.count(0, 4), changeNumber: rows.number(0, 6) ?? 0,
                fileBytes: rows.number(0, 5) ?? 0, walBytes: 0)
        }
    }

    /// Calls `body`, which reads the columns of `rules`. Later rules never remove a column. So if a column is missing and
    /// other rules are in force, a backup was restored, and this method throws `schemaChanged`.
    private func readUnder<Value: Sendable>(
        _ rules: AdoptedSchema, _ body: (Connection) async throws -> Value
    ) async throws(ProfileStoreError) -> Value {
        try await session.read { connection in
            do {
                return try await body(connection)
            } catch let error as PostgresError where error.state == .undefinedColumn {
                let version = try await connection.run(SchemaTable.selectVersion).count(0, 0)
                guard version > rules.version else { throw error }
                throw ProfileStoreError.schemaChanged(version: version)
            }
        }
    }
}
