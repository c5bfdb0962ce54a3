internal import PostgresAccess
internal import ProfileCore
internal import ProfileStore

// Copying whole stores.
extension PostgresEngine {
    func head() async throws(ProfileStoreError) -> StoreHead {
        try await session.readAtOneMoment { transaction in try await Self.head(transaction) }
    }

    private static func head(_ transaction: Transaction) async throws -> StoreHead {
        let answers = try await transaction.run([
            Command(SchemaTable.selectAll), TokenTable.select(.access),
            Command(
                """
                SELECT (SELECT value FROM counters WHERE name = 'next_profile_id'),
                    NOT EXISTS (SELECT 1 FROM profiles)
                """), Command(KeyedWriteTable.selectUnfinishedCopy),
        ])
        return StoreHead(
            schemas: try SchemaTable.schemas(in: answers[0]), tokens: TokenTable.tokens(in: answers[1]),
            nextProfileID: answers[2].number(0, 0) ?? 1, isEmpty: answers[2].flag(0, 1),
            copyOf: KeyedWriteTable.unfinishedCopy(in: answers[3]))
    }

    func beginCopy(of head: StoreHead, restarting: Bool) async throws(ProfileStoreError) {
        let own = try await self.head()
        guard try own.beginsCopy(of: head, restarting: restarting, at: place) else { return }
        if own.copyOf != nil {
            // The profiles of the earlier copy are removed first, because they may violate the unique indexes that are
            // created next.
            try await session.write(at: options.now()) { transaction, _ in
                try await transaction.run(SchemaTable.hold)
                let isCopy = try await Self.head(transaction).copyOf != nil
                return PostgresSession.Outcome(value: (), last: isCopy ? [Command("DELETE FROM profiles")] : [])
            }
        }
        let schemas = head.schemas
        // The columns and indexes are created first, as when a schema is adopted. The next transaction replaces the
        // content of the store.
        try await session.read { connection in
            for adopted in schemas { try await Self.prepare(for: adopted.schema, connection) }
        }
        try await session.write(at: options.now()) { transaction, _ in
            try await transaction.run(SchemaTable.hold)
            let own = try await Self.head(transaction)
            guard try own.beginsCopy(of: head, restarting: restarting, at: place) else {
                return PostgresSession.Outcome(value: ())
            }
            let cleared = [Command("DELETE FROM profiles"), Command("DELETE FROM schemas")]
            let put = schemas.flatMap { SchemaTable.putInForce($0.schema, as: $0.version, at: $0.adoptedAt) }
            let mark = KeyedWriteTable.settingUnfinishedCopy(of: head.fingerprint)
            return PostgresSession.Outcome(value: (), last: cleared + put + mark)
        }
        try await dropUnwantedIndexes()
    }

    func place(_ rows: StoredRows, of fields: [FieldRules]) async throws(ProfileStoreError) {
        let insertion = ProfileTable.insertion(of: rows, fields)
        let place = place
        try await session.write(at: options.now()) { transaction, _ in
            let inserted = try await transaction.run([insertion])[0]
            guard inserted.affectedCount == rows.rows.count else { throw ProfileStoreError.notUnused(path: place) }
            return PostgresSession.Outcome(value: ())
        }
    }

    func endCopy(of head: StoreHead) async throws(ProfileStoreError) {
        try await session.write(at: options.now()) { transaction, _ in
            try await transaction.run(SchemaTable.hold)
            let tokens = head.tokens.map { TokenTable.insert($0, of: nil) }
            let rest = [
                Command(
                    "UPDATE counters SET value = $1 WHERE name = 'next_profile_id'", [.number(head.nextProfileID)])
            ]
            let mark = KeyedWriteTable.settingUnfinishedCopy(of: nil)
            return PostgresSession.Outcome(value: (), last: tokens + rest + mark)
        }
    }
}
