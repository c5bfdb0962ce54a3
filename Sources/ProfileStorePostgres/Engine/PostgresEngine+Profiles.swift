internal import PostgresAccess
internal import ProfileCore
internal import ProfileStore

extension PostgresEngine {
    func register(
        _ row: ValidProfiles, judgedBy schema: ProfileSchema, _ stamp: WriteStamp
    ) async throws(ProfileStoreError) -> Profile {
        try await session.writingCall { () throws(ProfileStoreError) in
            let id = try await ids.take(session, at: stamp.time)
            return try await register(row, as: id, judgedBy: schema, stamp)
        }
    }

    private func register(
        _ row: ValidProfiles, as id: Int64, judgedBy schema: ProfileSchema, _ stamp: WriteStamp
    ) async throws(ProfileStoreError) -> Profile {
        // The first attempt does not check for conflicts. Usually no conflict exists, and one round trip is enough.
        var mayGuess = true
        return try await change(stamp) { transaction in
            func written(under rules: RulesInForce, last: [Command] = [], isGuess: Bool = false) -> Written<Profile> {
                let profile = rules.table.newProfile(0, of: row, id: id, at: stamp.time, schemaVersion: rules.version)
                return Written(
                    value: profile, changes: [.registered(id)],
                    // Failed login attempts do not count if they were made before the profile existed.
                    last: last + ThrottleTable.forget(profile.username), isGuess: isGuess)
            }
            if mayGuess, let rules = rulesLastRead(being: schema) {
                mayGuess = false
                let insertion = rules.table.insertion(
                    of: 0, in: row, id: id, at: stamp.time, schemaVersion: rules.version, mayFail: true)
                return written(
                    under: rules, last: [SchemaTable.share(being: rules.version), insertion], isGuess: true)
            }
            let rules = try await rulesInForce(transaction, being: schema)
            let insertion = rules.table.insertion(
                of: 0, in: row, id: id, at: stamp.time, schemaVersion: rules.version, mayFail: false)
            if try await transaction.run([insertion])[0].affectedCount == 0 {
                let taken = try await takenFields(of: row, besides: nil, rules.table, transaction)
                throw ProfileStoreError.duplicate(taken)
            }
            return written(under: rules)
        }
    }

    func replace(
        _ stored: Profile, with row: ValidProfiles?, judgedBy schema: ProfileSchema, _ stamp: WriteStamp
    ) async throws(ProfileStoreError) -> Profile {
        try await change(stamp) { transaction in
            guard let row else {
                // This is a write, although it changes nothing. Only the commit of a write shows that this server is
                // still the leader.
                try await requireRevision(of: stored, transaction)
                return Written(value: stored)
            }
            let rules = try await rulesInForce(transaction, being: schema)
            let table = rules.table
            // Locks the profile's row first. A concurrent writer of this profile waits here, and checks the unique
            // values afterwards.
            try await requireRevision(of: stored, transaction)
            let taken = try await takenFields(of: row, besides: stored.id, table, transaction)
            guard taken.isEmpty else { throw ProfileStoreError.duplicate(taken) }
            let update = RowUpdate(of: stored, with: row, judgedBy: rules.schema)
            var commands = [table.setting(update, at: stamp.time, schemaVersion: rules.version)]
            let password = table.secretField.flatMap { row.text(row: 0, field: $0) }
            if let password {
                commands += ProfileTable.settingPassword(
                    password, isJudged: row.hashIsJudged(row: 0), of: stored.id, schemaVersion: rules.version)
            }
            let answers = try await transaction.run(commands + [table.select(.id(stored.id))])
            guard let profile = answers.last.flatMap({ table.profile(in: $0) }) else {
                throw ProfileStoreError.corrupt(.missingProfile)
            }
            var last = ThrottleTable.move(from: stored.username, to: profile.username)
            if password != nil { last += ThrottleTable.forget(profile.username, .password) }
            return Written(value: profile, changes: update.edit(setsPassword: password != nil), last: last)
        }
    }

    /// Locks the row of a profile, and checks that the profile has not changed since it was read.
    private func requireRevision(of stored: Profile, _ transaction: Transaction) async throws {
        let current = try await transaction.run(
            "SELECT revision FROM profiles WHERE id = $1 FOR UPDATE", [.number(stored.id)])
        try stored.requireUnchanged(current.firstNumber)
    }

    func remove(
        _ key: ProfileKey, expecting revision: Int64?, _ stamp: WriteStamp
    ) async throws(ProfileStoreError) -> Profile {
        try await change(stamp) { transaction in
            let rules = try await rulesInForce(transaction)
            let rows = try await transaction.run([rules.table.selectForUpdate(key)])
            guard let profile = rows.last.flatMap({ rules.table.profile(in: $0) }) else {
                throw ProfileStoreError.notFound(key)
            }
            try profile.requireRevision(revision)
            return Written(
                value: profile, changes: [.removed(profile)],
                last: [Command("DELETE FROM profiles WHERE id = $1", [.number(profile.id)])]
                    + ThrottleTable.forget(profile.username))
        }
    }

    /// Returns the unique fields in which another profile has the same value as the row.
    ///
    /// - Parameters:
    ///   - rows: Validated rows.
    ///   - row: The position of the row in `rows`.
    ///   - id: The profile that gets the values of the row; nil for a new profile.
    ///   - others: Further profiles to ignore.
    ///   - table: The table under the rules in force.
    ///   - transaction: The transaction.
    /// - Returns: The fields.
    /// - Throws: `PostgresError.changedMeanwhile` if `id` is nil and no other profile has one of the row's unique
    ///   values any more. The transaction is then repeated.
    func takenFields(
        of rows: ValidProfiles, row: Int = 0, besides id: Int64?, ignoring others: Set<Int64> = [],
        _ table: ProfileTable,
        _ transaction: Transaction
    ) async throws -> [FieldName] {
        let questions = table.selectOwners(of: row, in: rows)
        let answers = try await transaction.run(questions.map(\.command))
        let taken = zip(questions, answers).filter { _, owners in
            guard let owner = owners.firstNumber else { return false }
            return owner != id && !others.contains(owner)
        }.map(\.0.field)
        if taken.isEmpty, id == nil {
            throw PostgresError.changedMeanwhile
        }
        return taken
    }
}
