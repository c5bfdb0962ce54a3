internal import ProfileCore
internal import ProfileStore
internal import SQLiteAccess

// Look-ups take microseconds and run on the caller's thread. Reads that may look at many rows run in a lane.
extension SQLiteEngine {
    func profile(
        _ key: ProfileKey, under rules: AdoptedSchema
    ) async throws(ProfileStoreError) -> Profile? {
        let table = table(of: rules)
        return try session.read { connection in
            try readUnder(rules, connection) { try table.profile(key, connection) }
        }
    }

    func page(
        _ search: ProfileSearch, under rules: AdoptedSchema
    ) async throws(ProfileStoreError) -> ProfilePage {
        let table = table(of: rules)
        let access = SearchAccess(search)
        guard !access.isBrief else {
            return try session.read { connection in
                try readUnder(rules, connection) { try table.page(search, by: access, connection) }
            }
        }
        return try await session.readAtLength(in: .search) { [self] connection in
            try readUnder(rules, connection) { try table.page(search, by: access, connection) }
        }
    }

    func count(_ search: ProfileSearch, under rules: AdoptedSchema) async throws(ProfileStoreError) -> Int {
        let table = table(of: rules)
        return try await session.readAtLength(in: .count) { [self] connection in
            try readUnder(rules, connection) { try table.count(search, connection) }
        }
    }

    func plan(of search: ProfileSearch) -> QueryPlan { SearchAccess(search).plan }

    func scan(_ scan: StoreScan) async throws(ProfileStoreError) -> StoredRows {
        try await session.readAtLength(in: .pages) { connection in try ProfileTable.rows(scan, connection) }
    }

    func statistics() async throws(ProfileStoreError) -> StoreStatistics {
        try await session.readAtLength(in: .file) { [session] connection in
            // The counts and the change number come from one snapshot. Otherwise, a caller could miss a profile or
            // count a profile twice when it reads the changes after this number.
            try connection.readTransaction {
                var statement = try connection.prepare(
                    """
                    SELECT count(*), count(issues), count(password_hash), count(passcode_hash) FROM profiles
                    """)
                _ = try statement.step()
                return StoreStatistics(
                    profiles: Int(statement.integer(at: 0)), invalid: Int(statement.integer(at: 1)),
                    withPassword: Int(statement.integer(at: 2)), withPasscode: Int(statement.integer(at: 3)),
                    schemaVersion: try SchemaTable.versionInForce(connection),
                    changeNumber: try StoreTable.changeNumber(connection),
                    fileBytes: session.file.status(ofFileEndingIn: "")?.size ?? 0,
                    walBytes: session.file.status(ofFileEndingIn: "-wal")?.size ?? 0)
            }
        }
    }

    /// Runs a read whose SQL comes from `rules`. If a restored backup has put other rules in force and a column is
    /// missing, this method throws `schemaChanged`.
    private func readUnder<Value>(
        _ rules: AdoptedSchema, _ connection: borrowing Connection, _ body: () throws -> Value
    ) throws -> Value {
        do {
            return try body()
        } catch let error as SQLiteError where error.code == .error {
            let version = try SchemaTable.versionInForce(connection)
            guard version > rules.version else { throw error }
            throw ProfileStoreError.schemaChanged(version: version)
        }
    }
}
