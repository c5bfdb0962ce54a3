internal import ProfileCore
internal import ProfileStore
internal import SQLiteAccess

// Writes of several profiles that were read before.
extension SQLiteEngine {
    func apply(
        _ writes: ConditionalWrites, _ stamp: WriteStamp
    ) async throws(ProfileStoreError) -> [ConditionalWrites.Outcome] {
        let (outcomes, isChange) = try await session.writeBatch { connection in
            let rules =
                try writes.schema.map { try self.rulesInForce(connection, being: $0) } ?? self.rulesInForce(connection)
            var outcomes = Array(repeating: ConditionalWrites.Outcome.stale, count: writes.writes.count)
            var changes = ConditionalChanges()
            for position in writes.order {
                let write = writes.writes[position]
                outcomes[position] = try Self.apply(
                    write, of: writes.rows, at: stamp.time, under: rules, &changes, connection)
            }
            let refusal = try writes.refusal(outcomes) { id throws(SQLiteError) in
                try rules.table.profile(.id(id), connection)?.revision
            }
            if let refusal { throw refusal }
            let logged = changes.all
            try self.record(logged, stamp, connection)
            return (outcomes, !logged.isEmpty)
        }
        if isChange { announce() }
        return outcomes
    }

    private static func apply(
        _ write: ConditionalWrites.Write, of rows: ValidProfiles, at time: Timestamp, under rules: RulesInForce,
        _ changes: inout ConditionalChanges, _ connection: borrowing Connection
    ) throws -> ConditionalWrites.Outcome {
        switch write {
        case .remove(let profile):
            // The profile is read again, because the history gets the fields of the rules in force. The caller may have
            // read the profile under other rules.
            guard let stored = try rules.table.profile(.id(profile.id), connection),
                stored.revision == profile.revision
            else { return .stale }
            try remove(stored, under: rules, connection)
            changes.remove(stored)
        case .update(let update, let stored):
            switch try rules.update(update, at: time, connection) {
            case .stale: return .stale
            case .duplicate:
                return .taken(
                    try rules.takenFields(of: rows, row: update.row, besides: update.id, connection))
            case .updated: break
            }
            if update.fields.contains(rules.schema.primaryKeyIndex),
                let username = rows.text(row: update.row, field: rules.schema.primaryKeyIndex)
            {
                try ThrottleTable.move(from: stored.username, to: username, connection)
            }
            changes.update(update)
        case .restore(let removed, let row):
            guard try HistoryTable.hasRemoval(removed, connection),
                try rules.table.profile(.id(removed.id), connection) == nil
            else { return .stale }
            guard try rules.insert(rows, row: row, id: removed.id, at: time, connection) else {
                return .taken(try rules.takenFields(of: rows, row: row, besides: nil, connection))
            }
            try connection.run(
                "UPDATE profiles SET revision = ?2, created_at = ?3 WHERE id = ?1", removed.id, removed.revision + 1,
                removed.createdAt.millisecondsSince1970)
            try ThrottleTable.forget(
                rows.text(row: row, field: rules.schema.primaryKeyIndex) ?? "", nil, connection)
            changes.restore(removed)
        }
        return .written
    }
}
