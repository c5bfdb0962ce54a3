internal import ProfileCore
internal import ProfileStore
internal import SQLiteAccess

extension SQLiteEngine {
    func register(
        _ row: ValidProfiles, judgedBy schema: ProfileSchema, at time: Timestamp
    ) async throws(ProfileStoreError) -> Profile {
        try await change(.registered, at: time) { connection in
            let rules = try self.rulesInForce(connection, being: schema)
            let id = try StoreTable.nextID(connection)
            let isStored = try UnjudgedPasswords.counting(of: id, under: rules, connection) {
                try StoreTable.setNextID(id + 1, connection)
                return try rules.insert(row, id: id, at: time, connection)
            }
            guard isStored else {
                throw ProfileStoreError.duplicate(try rules.takenFields(of: row, row: 0, besides: nil, connection))
            }
            let profile = try Self.justWritten(id, rules, connection)
            // Whoever guessed at the name before had nothing to guess.
            try ThrottleTable.forget(profile.username, nil, connection)
            return (id, profile)
        }
    }

    func replace(
        _ stored: Profile, with row: ValidProfiles, judgedBy schema: ProfileSchema, at time: Timestamp
    ) async throws(ProfileStoreError) -> Profile {
        try await change(.edited, at: time) { connection in
            let rules = try self.rulesInForce(connection, being: schema)
            switch try rules.update(
                id: stored.id, revision: stored.revision, with: row, at: time, connection)
            {
            case .updated:
                let profile = try Self.justWritten(stored.id, rules, connection)
                if stored.username != profile.username {
                    for name in [stored.username, profile.username] { try ThrottleTable.forget(name, nil, connection) }
                } else if rules.table.bringsPassword(0, of: row) {
                    try ThrottleTable.forget(stored.username, .password, connection)
                }
                return (stored.id, profile)
            case .duplicate:
                throw ProfileStoreError.duplicate(
                    try rules.takenFields(of: row, row: 0, besides: stored.id, connection))
            case .stale:
                guard let current = try rules.table.profile(.id(stored.id), connection) else {
                    throw ProfileStoreError.notFound(username: stored.username)
                }
                throw ProfileStoreError.staleRevision(expected: stored.revision, current: current.revision)
            }
        }
    }

    func remove(_ username: String, at time: Timestamp) async throws(ProfileStoreError) {
        try await change(.removed, at: time) { connection in
            guard let id = try ProfileTable.owner(of: username, in: .username, connection) else {
                throw ProfileStoreError.notFound(username: username)
            }
            try UnjudgedPasswords.counting(of: id, under: self.rulesInForce(connection), connection) {
                var statement = try connection.prepare("DELETE FROM profiles WHERE id = ?1")
                try statement.bind(id, at: 1)
                try statement.run()
            }
            try ThrottleTable.forget(username, nil, connection)
            return (id, ())
        }
    }

    static func justWritten(
        _ id: Int64, _ rules: RulesInForce, _ connection: borrowing Connection
    ) throws -> Profile {
        guard let profile = try rules.table.profile(.id(id), connection) else {
            throw ProfileStoreError.corrupt("a profile just written is missing")
        }
        return profile
    }
}
