internal import ProfileCore
internal import ProfileStore
internal import SQLiteAccess

extension SQLiteEngine {
    func register(
        _ row: ValidProfiles, judgedBy schema: ProfileSchema, _ stamp: WriteStamp
    ) async throws(ProfileStoreError) -> Profile {
        try await change(stamp) { connection in
            let rules = try self.rulesInForce(connection, being: schema)
            let id = try StoreTable.nextID(connection)
            let isStored = try UnjudgedPasswords.counting(of: id, under: rules, connection) {
                try StoreTable.setNextID(id + 1, connection)
                return try rules.insert(row, id: id, at: stamp.time, connection)
            }
            guard isStored else {
                throw ProfileStoreError.duplicate(try rules.takenFields(of: row, row: 0, besides: nil, connection))
            }
            let profile = try Self.justWritten(id, rules, connection)
            // Failed login attempts do not count if they were made before the profile existed.
            try ThrottleTable.forget(profile.username, nil, connection)
            return ([.registered(id)], profile)
        }
    }

    func replace(
        _ stored: Profile, with row: ValidProfiles?, judgedBy schema: ProfileSchema, _ stamp: WriteStamp
    ) async throws(ProfileStoreError) -> Profile {
        if row == nil, stamp.request == nil {
            try session.read { connection in try Self.requireRevision(of: stored, connection) }
            return stored
        }
        return try await change(stamp) { connection in
            guard let row else {
                try Self.requireRevision(of: stored, connection)
                return ([], stored)
            }
            let rules = try self.rulesInForce(connection, being: schema)
            let update = RowUpdate(of: stored, with: row, judgedBy: rules.schema)
            switch try rules.update(update, at: stamp.time, connection) {
            case .updated:
                let profile = try Self.justWritten(stored.id, rules, connection)
                try ThrottleTable.move(from: stored.username, to: profile.username, connection)
                let setsPassword = rules.table.bringsPassword(0, of: row)
                if setsPassword { try ThrottleTable.forget(profile.username, .password, connection) }
                return (update.edit(setsPassword: setsPassword), profile)
            case .duplicate:
                throw ProfileStoreError.duplicate(
                    try rules.takenFields(of: row, row: 0, besides: stored.id, connection))
            case .stale:
                try Self.requireRevision(of: stored, connection)
                throw ProfileStoreError.corrupt(.changedProfile)
            }
        }
    }

    /// Throws `notFound` if the profile was removed since it was read, and `staleRevision` if it has changed since
    /// then.
    private static func requireRevision(of stored: Profile, _ connection: borrowing Connection) throws {
        var statement = try connection.prepare("SELECT revision FROM profiles WHERE id = ?1", stored.id)
        try stored.requireUnchanged(statement.step() ? statement.integer(at: 0) : nil)
    }

    func remove(
        _ key: ProfileKey, expecting revision: Int64?, _ stamp: WriteStamp
    ) async throws(ProfileStoreError) -> Profile {
        try await change(stamp) { connection in
            let rules = try self.rulesInForce(connection)
            guard let profile = try rules.table.profile(key, connection) else {
                throw ProfileStoreError.notFound(key)
            }
            try profile.requireRevision(revision)
            try Self.remove(profile, under: rules, connection)
            return ([.removed(profile)], profile)
        }
    }

    /// Removes an existing profile and its record of failed attempts.
    static func remove(
        _ profile: Profile, under rules: RulesInForce, _ connection: borrowing Connection
    ) throws {
        try UnjudgedPasswords.counting(of: profile.id, under: rules, connection) {
            try connection.run("DELETE FROM profiles WHERE id = ?1", profile.id)
        }
        try ThrottleTable.forget(profile.username, nil, connection)
    }

    static func justWritten(
        _ id: Int64, _ rules: RulesInForce, _ connection: borrowing Connection
    ) throws -> Profile {
        guard let profile = try rules.table.profile(.id(id), connection) else {
            throw ProfileStoreError.corrupt(.missingProfile)
        }
        return profile
    }
}
