internal import ProfileCore
internal import ProfileStore
internal import SQLiteAccess

// Copies of whole stores.
extension SQLiteEngine {
    func head() async throws(ProfileStoreError) -> StoreHead {
        try session.read { connection in try connection.readTransaction { try Self.head(connection) } }
    }

    private static func head(_ connection: borrowing Connection) throws -> StoreHead {
        StoreHead(
            schemas: try SchemaTable.all(connection), tokens: try TokenTable.tokens(.access, connection),
            nextProfileID: try StoreTable.nextID(connection), isEmpty: try !SchemaTable.hasProfiles(connection),
            copyOf: try KeyedWriteTable.unfinishedCopy(connection))
    }

    func beginCopy(of head: StoreHead, restarting: Bool) async throws(ProfileStoreError) {
        try await session.writeAlone { [place] connection in
            let own = try Self.head(connection)
            guard try own.beginsCopy(of: head, restarting: restarting, at: place) else { return }
            try connection.execute("DELETE FROM profiles")
            try connection.execute("DELETE FROM schemas")
            var previous = own.schemas.last?.schema
            for adopted in head.schemas {
                try SchemaTable.adopt(
                    adopted.schema, replacing: previous, as: adopted.version, at: adopted.adoptedAt, connection)
                previous = adopted.schema
            }
            try KeyedWriteTable.setUnfinishedCopy(of: head.fingerprint, connection)
        }
    }

    func place(_ rows: StoredRows, of fields: [FieldRules]) async throws(ProfileStoreError) {
        try await session.writeAlone { [place] connection in
            guard try ProfileTable.insert(rows, of: fields, connection) else {
                throw ProfileStoreError.notUnused(path: place)
            }
        }
    }

    func endCopy(of head: StoreHead) async throws(ProfileStoreError) {
        try await session.writeAlone { connection in
            for token in head.tokens { _ = try TokenTable.insert(token, of: nil, connection) }
            try StoreTable.setNextID(head.nextProfileID, connection)
            try UnjudgedPasswords.recount(connection)
            try KeyedWriteTable.setUnfinishedCopy(of: nil, connection)
        }
    }
}
