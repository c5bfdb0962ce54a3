internal import PostgresAccess
internal import ProfileCore
internal import ProfileStore

/// The writes of a batch of rows. It takes the batch's steps with the stored profiles that have the rows' unique
/// values, and then writes the results with a few statements. If another session has written meanwhile, the statements
/// affect fewer rows than expected, and the transaction is repeated with a new plan.
struct BatchPlan {
    /// The writes, in the order of the steps.
    private enum Write {
        case insert([(row: Int, id: Int64)])
        case update(RowUpdate)
    }

    private let rules: RulesInForce
    private let time: Timestamp
    private(set) var ids: BatchIDs
    private var writes: [Write] = []
    /// The profile that has a value of a unique field, by the column and the bytes of the compared value; nil for none.
    /// Equal `String`s can be different values, such as é in one scalar and in two.
    private var owners: [FieldName: [[UInt8]: Int64?]] = [:]
    /// The known profiles, as the steps so far have left them.
    private var profiles: [Int64: Profile] = [:]
    private var hashes: [Int64: String] = [:]
    private var updated: Set<Int64> = []

    private var table: ProfileTable { rules.table }

    /// - Parameters:
    ///   - rules: The rules in force.
    ///   - ids: The ids of the transaction, which continue after its earlier batches.
    ///   - time: The time of the write.
    init(under rules: RulesInForce, ids: BatchIDs, at time: Timestamp) {
        self.rules = rules
        self.time = time
        self.ids = ids
    }

    // MARK: The steps

    /// Takes the steps of a batch to its end. A step that writes ends a batch that only reads.
    mutating func run<Batch: ImportBatch>(
        _ batch: inout Batch, writes isWriting: Bool, _ transaction: Transaction
    ) async throws {
        let rows = batch.rows
        let wantsProfiles = batch.wantsStoredProfiles
        try await learn(of: rows, wantsProfiles, transaction)
        var step = batch.next(after: .none)
        while true {
            switch step {
            case .insert(let row): try await learn(of: row, in: rows, wantsProfiles, transaction)
            case .look(let row, let looked, _): try await learn(of: row, in: looked, wantsProfiles, transaction)
            case .find(let username): try await learn(of: username, transaction)
            case .update(let update): try await learn(of: update.row, in: update.rows, false, transaction)
            case .match: break
            case .end: return
            }
            guard let outcome = try take(step, of: batch, writes: isWriting) else { return }
            step = batch.next(after: outcome)
        }
    }

    /// Takes a step with the values that were read for it.
    private mutating func take(
        _ step: ImportStep, of batch: some ImportBatch, writes isWriting: Bool
    ) throws(ProfileStoreError) -> ImportStep.Outcome? {
        try step.take(in: batch, under: table.schema) { rows, row, id throws(ProfileStoreError) in
            takenFields(of: row, in: rows, besides: id)
        } stored: { username throws(ProfileStoreError) in
            stored(username)
        } matches: { range throws(ProfileStoreError) in
            // The values of all rows were read before the first step.
            StoredMatches(of: batch.rows, range, under: table.schema) { stored($0) }
        } insert: { row throws(ProfileStoreError) in
            guard isWriting else { return nil }
            guard takenFields(of: row, in: batch.rows, besides: nil).isEmpty else { return false }
            insert(row, of: batch.rows)
            return true
        } update: { update throws(ProfileStoreError) in
            guard isWriting else { return nil }
            guard takenFields(of: update.row, in: update.rows, besides: update.id).isEmpty else { return false }
            try take(update)
            return true
        }
    }

    private func takenFields(of row: Int, in rows: ValidProfiles, besides id: Int64?) -> [FieldName] {
        table.uniqueFields.filter { index, rules in
            guard let value = rows.text(row: row, field: index), let owner = owner(of: value, in: rules) else {
                return false
            }
            return owner != id
        }.map(\.rules.name)
    }

    /// Returns the profile with a username, and the hash of its password.
    private func stored(_ username: String) -> StoredMatch {
        guard let id = owner(of: username, in: table.schema.primaryKey), let profile = profiles[id] else {
            return StoredMatch()
        }
        return StoredMatch(profile: profile, passwordHash: hashes[id])
    }

    private func owner(of value: String, in field: FieldRules) -> Int64? {
        owners[field.column]?[Array(ProfileTable.compared(value, of: field).utf8)] ?? nil
    }

    // MARK: What the table has

    /// Reads the profiles with the unique values of a whole batch.
    private mutating func learn(
        of rows: ValidProfiles, _ wantsProfiles: Bool, _ transaction: Transaction
    ) async throws {
        var questions: [(field: FieldRules, values: [String])] = []
        for (index, field) in table.uniqueFields {
            let values = (0..<rows.count).compactMap { row in
                rows.text(row: row, field: index).map { ProfileTable.compared($0, of: field) }
            }
            if !values.isEmpty { questions.append((field, values)) }
        }
        try await ask(questions, wantsProfiles, transaction)
    }

    /// Reads the profiles with those unique values of a row that are not known yet.
    private mutating func learn(
        of row: Int, in rows: ValidProfiles, _ wantsProfiles: Bool, _ transaction: Transaction
    ) async throws {
        var questions: [(field: FieldRules, values: [String])] = []
        for (index, field) in table.uniqueFields {
            guard let value = rows.text(row: row, field: index).map({ ProfileTable.compared($0, of: field) }),
                owners[field.column]?[Array(value.utf8)] == nil
            else { continue }
            questions.append((field, [value]))
        }
        if !questions.isEmpty { try await ask(questions, wantsProfiles, transaction) }
    }

    private mutating func learn(of username: String, _ transaction: Transaction) async throws {
        let key = table.schema.primaryKey
        let value = ProfileTable.compared(username, of: key)
        if let owner = owners[key.column]?[Array(value.utf8)], owner.map({ profiles[$0] != nil }) ?? true { return }
        try await ask([(key, [value])], true, transaction)
    }

    private mutating func ask(
        _ questions: [(field: FieldRules, values: [String])], _ wantsProfiles: Bool, _ transaction: Transaction
    ) async throws {
        let answers = try await transaction.run(
            questions.map { field, values in
                let column = ProfileTable.comparedColumn(field)
                let wanted = wantsProfiles && field.isPrimaryKey
                let selected = wanted ? table.selectionWithHash(column) : "SELECT id, \(column) FROM profiles"
                return Command("\(selected) WHERE \(column) = ANY ($1::text[])", [.texts(values)])
            })
        for (question, rows) in zip(questions, answers) {
            for value in question.values.map({ Array($0.utf8) }) where owners[question.field.column]?[value] == nil {
                owners[question.field.column, default: [:]][value] = .some(nil)
            }
            let wanted = wantsProfiles && question.field.isPrimaryKey
            for row in 0..<rows.count {
                guard let id = rows.number(row, 0) else { continue }
                let valueColumn = wanted ? ProfileTable.firstFieldColumn + table.openFields.count + 1 : 1
                guard let value = rows.text(row, valueColumn) else { continue }
                // An earlier step has changed this profile, and the table does not have the change yet.
                guard !updated.contains(id) else { continue }
                owners[question.field.column, default: [:]][Array(value.utf8)] = id
                if wanted {
                    profiles[id] = table.profile(in: rows, row)
                    hashes[id] = rows.text(row, valueColumn - 1)
                }
            }
        }
    }

    // MARK: What is written

    private mutating func insert(_ row: Int, of rows: ValidProfiles) {
        let id = ids.next
        ids.next += 1
        if case .insert(let before)? = writes.last {
            writes[writes.count - 1] = .insert(before + [(row, id)])
        } else {
            writes.append(.insert([(row, id)]))
        }
        remember(
            Profile(
                id: id, revision: 1, createdAt: time, updatedAt: time, schemaVersion: rules.version, issues: [],
                hasPassword: table.bringsPassword(row, of: rows), schema: table.schema, values: values(row, rows)),
            row, of: rows)
    }

    private mutating func take(_ update: RowUpdate) throws(ProfileStoreError) {
        // The batch has found it, so it was read.
        guard let stored = profiles[update.id] else { throw .corrupt(.changedProfile) }
        let revision = try ProfileStoreError.number(after: update.revision, "the revision")
        writes.append(.update(update))
        updated.insert(update.id)
        ids.addUpdated(update.id)
        // Values that the profile no longer has are free.
        for (index, field) in table.uniqueFields where update.fields.contains(index) {
            guard let value = stored[field.name] else { continue }
            owners[field.column]?[Array(ProfileTable.compared(value, of: field).utf8)] = .some(nil)
        }
        let values = table.schema.fields.enumerated().filter { !$0.element.isSecret }.map { index, field in
            update.fields.contains(index) ? update.rows.text(row: update.row, field: index) : stored[field.name]
        }
        remember(
            Profile(
                id: update.id, revision: revision, createdAt: stored.createdAt, updatedAt: time,
                schemaVersion: rules.version, issues: [],
                hasPassword: stored.hasPassword || table.bringsPassword(update.row, of: update.rows),
                schema: table.schema, values: values),
            update.row, of: update.rows)
    }

    private mutating func remember(_ profile: Profile, _ row: Int, of rows: ValidProfiles) {
        profiles[profile.id] = profile
        if let secret = table.secretField, let hash = rows.text(row: row, field: secret) { hashes[profile.id] = hash }
        for (index, field) in table.uniqueFields {
            guard let value = rows.text(row: row, field: index) else { continue }
            owners[field.column, default: [:]][Array(ProfileTable.compared(value, of: field).utf8)] = profile.id
        }
    }

    private func values(_ row: Int, _ rows: ValidProfiles) -> [String?] {
        table.schema.fields.indices.filter { !table.schema.fields[$0].isSecret }.map { rows.text(row: row, field: $0) }
    }

    /// Writes the plan.
    ///
    /// - Throws: An error that repeats the transaction, if the table has changed since the plan was made.
    func write(_ rows: ValidProfiles, _ transaction: Transaction) async throws {
        var commands: [Command] = []
        var expected: [Int?] = []
        for write in writes {
            switch write {
            case .insert(let new):
                commands.append(table.insertion(of: new, in: rows, at: time, schemaVersion: rules.version))
                expected.append(new.count)
            case .update(let update):
                commands.append(table.setting(update, at: time, schemaVersion: rules.version))
                expected.append(1)
                if let hash = update.newHash(in: table.secretField) {
                    let set = ProfileTable.settingPassword(
                        hash, isJudged: update.rows.hashIsJudged(row: update.row), of: update.id,
                        schemaVersion: rules.version)
                    commands += set
                    expected += set.map { _ in nil }
                }
            }
        }
        guard !commands.isEmpty else { return }
        let answers = try await transaction.run(commands)
        guard zip(answers, expected).allSatisfy({ $0.affectedCount == $1 ?? $0.affectedCount }) else {
            throw PostgresError.changedMeanwhile
        }
    }

    /// Returns the changes to log, and the commands that forget failed attempts at names without a profile.
    func finish() -> (changes: [PostgresEngine.Change], last: [Command]) {
        let changes = ids.changes.map { PostgresEngine.Change($0.kind, in: $0.ids) }
        return (changes, ids.added.map { [ThrottleTable.forgetUnknown(namesOf: $0)] } ?? [])
    }
}
