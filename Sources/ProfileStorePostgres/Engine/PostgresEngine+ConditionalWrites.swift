internal import PostgresAccess
internal import ProfileCore
internal import ProfileStore

// Writes of several profiles that were read before.
extension PostgresEngine {
    func apply(
        _ writes: ConditionalWrites, _ stamp: WriteStamp
    ) async throws(ProfileStoreError) -> [ConditionalWrites.Outcome] {
        try await commit(stamp) { transaction in
            let rules =
                if let schema = writes.schema {
                    try await rulesInForce(transaction, being: schema)
                } else {
                    try await rulesInForce(transaction)
                }
            var plan = ConditionalPlan(writes, under: rules, at: stamp.time)
            try await plan.lock(transaction)
            try await plan.remove(transaction)
            try await plan.updateTogether(transaction)
            try await plan.updateUniqueValues(self, transaction)
            try await plan.restore(self, transaction)
            if let refusal = writes.refusal(plan.outcomes, revision: { plan.revisions[$0] }) { throw refusal }
            return Written(value: plan.outcomes, changes: plan.changes.all, last: plan.last)
        }.get()
    }
}

/// Performs conditional writes in one transaction, with as few statements as possible.
private struct ConditionalPlan {
    private let writes: ConditionalWrites
    private let rules: RulesInForce
    private let time: Timestamp
    private(set) var outcomes: [ConditionalWrites.Outcome]
    private(set) var changes = ConditionalChanges()
    /// The commands for the end of the transaction.
    private(set) var last: [Command] = []
    /// The revisions of the locked profiles.
    private(set) var revisions: [Int64: Int64] = [:]
    private let uniqueFields: FieldSet

    init(_ writes: ConditionalWrites, under rules: RulesInForce, at time: Timestamp) {
        self.writes = writes
        self.rules = rules
        self.time = time
        outcomes = Array(repeating: .stale, count: writes.writes.count)
        uniqueFields = FieldSet(rules.table.uniqueFields.map(\.index))
    }

    /// Locks the rows in the order of ids, so that two sessions with the same profiles cannot deadlock. If a profile
    /// has not changed since it was read, its write gets the outcome `written`. A later step may change it to `taken`.
    mutating func lock(_ transaction: Transaction) async throws {
        let removed = writes.writes.compactMap { write in
            if case .restore(let removed, _) = write { removed } else { nil }
        }
        let answers = try await transaction.run([
            Command(
                "SELECT id, revision FROM profiles WHERE id = ANY ($1::bigint[]) ORDER BY id FOR UPDATE",
                [.numbers(writes.writes.map(\.id))]),
            HistoryTable.selectRemovals(removed),
        ])
        let (stored, removals) = (Self.revisions(in: answers[0]), Self.revisions(in: answers[1]))
        revisions = stored
        var written: Set<Int64> = []
        for (position, write) in writes.writes.enumerated() {
            // The first write of a profile changes the revision, so a second write of the profile is stale.
            if written.insert(write.id).inserted, isCurrent(write, stored, removals) { outcomes[position] = .written }
        }
    }

    private func isCurrent(
        _ write: ConditionalWrites.Write, _ stored: [Int64: Int64], _ removals: [Int64: Int64]
    ) -> Bool {
        switch write {
        case .update(let update, _): stored[update.id] == update.revision
        case .remove(let profile): stored[profile.id] == profile.revision
        case .restore(let removed, _): stored[removed.id] == nil && removals[removed.id] == removed.revision
        }
    }

    private static func revisions(in rows: Rows) -> [Int64: Int64] {
        var revisions: [Int64: Int64] = [:]
        for row in 0..<rows.count { revisions[rows.number(row, 0) ?? 0] = rows.number(row, 1) }
        return revisions
    }

    /// The writes that are not refused so far, in the order of `writes.order`.
    private var current: [(position: Int, write: ConditionalWrites.Write)] {
        writes.order.filter { outcomes[$0] == .written }.map { ($0, writes.writes[$0]) }
    }

    mutating func remove(_ transaction: Transaction) async throws {
        let profiles = current.compactMap { if case .remove(let profile) = $0.write { profile } else { nil } }
        guard !profiles.isEmpty else { return }
        _ = try await transaction.run([
            Command("DELETE FROM profiles WHERE id = ANY ($1::bigint[])", [.numbers(profiles.map(\.id))])
        ])
        for profile in profiles { changes.remove(profile) }
        last.append(ThrottleTable.forget(profiles.map(\.username)))
    }

    /// Makes the updates that set no unique value. One statement makes all updates of the same fields.
    mutating func updateTogether(_ transaction: Transaction) async throws {
        var updates: [FieldSet: [RowUpdate]] = [:]
        for (_, write) in current {
            guard case .update(let update, _) = write, update.fields.isDisjoint(with: uniqueFields) else { continue }
            updates[update.fields, default: []].append(update)
            changes.update(update)
        }
        guard !updates.isEmpty else { return }
        _ = try await transaction.run(
            updates.map { fields, updates in
                rules.table.setting(fields, of: updates, at: time, schemaVersion: rules.version)
            })
    }

    /// Makes the updates that set unique values, one after another: an update may set a value that an earlier update
    /// has removed from another profile.
    mutating func updateUniqueValues(_ engine: PostgresEngine, _ transaction: Transaction) async throws {
        for (position, write) in current {
            guard case .update(let update, let stored) = write, !update.fields.isDisjoint(with: uniqueFields)
            else { continue }
            let taken = try await engine.takenFields(
                of: writes.rows, row: update.row, besides: update.id, rules.table, transaction)
            guard taken.isEmpty else {
                outcomes[position] = .taken(taken)
                continue
            }
            _ = try await transaction.run([
                rules.table.setting(update, at: time, schemaVersion: rules.version)
            ])
            changes.update(update)
            let key = rules.schema.primaryKeyIndex
            if update.fields.contains(key), let username = writes.rows.text(row: update.row, field: key) {
                last += ThrottleTable.move(from: stored.username, to: username)
            }
        }
    }

    mutating func restore(_ engine: PostgresEngine, _ transaction: Transaction) async throws {
        let restored = current.compactMap { position, write in
            if case .restore(let removed, let row) = write {
                (position: position, removed: removed, row: row)
            } else {
                nil
            }
        }
        guard !restored.isEmpty else { return }
        let ids = restored.map(\.removed.id)
        let answers = try await transaction.run([
            rules.table.insertion(
                of: restored.map { ($0.row, $0.removed.id) }, in: writes.rows, at: time, schemaVersion: rules.version),
            Command(
                """
                UPDATE profiles SET revision = known.revision + 1, created_at = known.created_at
                FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS known (id, revision, created_at)
                WHERE profiles.id = known.id
                """,
                [
                    .numbers(ids), .numbers(restored.map(\.removed.revision)),
                    .numbers(restored.map(\.removed.createdAt.millisecondsSince1970)),
                ]),
            Command("SELECT id, revision FROM profiles WHERE id = ANY ($1::bigint[])", [.numbers(ids)]),
        ])
        let stored = Self.revisions(in: answers[2])
        var usernames: [String] = []
        var later = Set(ids)
        for (position, removed, row) in restored {
            later.remove(removed.id)
            guard stored[removed.id] == nil else {
                changes.restore(removed)
                usernames += [writes.rows.text(row: row, field: rules.schema.primaryKeyIndex)].compactMap(\.self)
                continue
            }
            // The INSERT stores the profiles in the order of `restored`. So a profile that follows in `restored` cannot
            // be the reason why this profile was not stored.
            let taken = try await engine.takenFields(
                of: writes.rows, row: row, besides: nil, ignoring: later, rules.table, transaction)
            outcomes[position] = .taken(taken)
        }
        last.append(ThrottleTable.forget(usernames))
    }
}
