internal import ProfileCore
internal import ProfileStore
internal import SQLiteAccess

/// What a store has of a batch's rows.
struct BatchLooking {
    private let rules: RulesInForce

    init(under rules: RulesInForce) { self.rules = rules }

    /// Takes the steps of a batch that writes nothing; one that would write ends it.
    func run<Batch: ImportBatch>(_ batch: inout Batch, _ connection: borrowing Connection) throws(SQLiteError) {
        var step = batch.next(after: .none)
        while true {
            switch step {
            case .look, .find:
                step = batch.next(after: .found(try look(step, batch.wantsStoredProfiles, connection)))
            case .insert, .update, .end: return
            }
        }
    }

    /// What is found by a step that asks for it.
    func look(
        _ step: ImportStep, _ wantsProfile: Bool, _ connection: borrowing Connection
    ) throws(SQLiteError) -> StoredMatch {
        switch step {
        case .look(let row, let rows, let id): try match(row, of: rows, besides: id, wantsProfile, connection)
        case .find(let username): try match(username, connection)
        case .insert, .update, .end: StoredMatch()
        }
    }

    /// What other profiles than the one with this id have of a row's unique values.
    func match(
        _ row: Int, of rows: ValidProfiles, besides id: Int64?, _ wantsProfile: Bool,
        _ connection: borrowing Connection
    ) throws(SQLiteError) -> StoredMatch {
        var match = StoredMatch()
        if wantsProfile, let name = rows.text(row: row, field: rules.schema.primaryKeyIndex) {
            match = try self.match(name, connection)
        }
        match.takenFields = try rules.takenFields(of: rows, row: row, besides: id, connection)
        return match
    }

    private func match(_ username: String, _ connection: borrowing Connection) throws(SQLiteError) -> StoredMatch {
        guard let profile = try rules.table.profile(.username(username), connection) else { return StoredMatch() }
        return StoredMatch(
            profile: profile, passwordHash: try ProfileTable.passwordHash(of: profile.id, connection))
    }
}
