internal import ProfileCore
internal import Threads

/// A write of one profile among many, before its values are validated.
enum PlannedWrite: Sendable {
    /// If `hasPassword` is false and the rules require a password, the edit is refused as invalid.
    case edit(Profile, ProfileDraft, hasPassword: Bool)
    case remove(Profile)
    case restore(ConditionalWrites.RemovedProfile, ProfileDraft)
}

/// Writes of several profiles, whose values are validated. Each profile has at most one write.
struct PlannedWrites: Sendable {
    /// The outcome of a ``PlannedWrite``.
    enum Outcome: Sendable {
        /// The write was made, or will be made.
        case written
        /// The edit changes nothing.
        case unchanged
        /// The profile has changed since it was read.
        case stale
        /// The values are invalid, or other profiles have some of them.
        case refused(ProfileRefusal)
    }

    let plans: [PlannedWrite]
    /// The outcomes of the plans, in their order.
    private(set) var outcomes: [Outcome] = []
    /// For each plan with valid values, the row with the values and the fields that change.
    private var rows: [(row: Int, changed: FieldSet)?] = []
    /// The writes of the plans whose outcome is ``Outcome/written``. They are prepared during the validation, before
    /// the transaction. So a batch can be prepared while the previous batch is written.
    private var writes: ConditionalWrites

    /// Validates the values.
    ///
    /// - Parameters:
    ///   - plans: The writes.
    ///   - rules: The rules in force.
    ///   - today: The day for rules such as "not in the future".
    /// - Throws: `schemaChanged` if a profile was read under other rules.
    init(_ plans: [PlannedWrite], under rules: AdoptedSchema, on today: CalendarDay) throws(ProfileStoreError) {
        self.plans = plans
        var values = RowValidator(rules.validator, today: today)
        writes = ConditionalWrites(of: values.profiles, judgedBy: rules.schema)
        for plan in plans {
            let row = values.profiles.count
            switch plan {
            case .remove:
                outcomes.append(.written)
                rows.append(nil)
            case .edit(let stored, let draft, let hasPassword):
                try rules.require(stored.schema)
                guard rules.validator.judge(draft, hasPassword: hasPassword, &values) else {
                    refuse(ValidationFailure(values.issues))
                    continue
                }
                let changed = values.profiles.fields(ofRow: row, differingFrom: stored)
                outcomes.append(changed.isEmpty ? .unchanged : .written)
                rows.append((row, changed))
            case .restore(_, let draft):
                // A restored profile gets its password later, by a reset, so a missing password is no issue here.
                guard rules.validator.judge(draft, hasPassword: true, &values) else {
                    refuse(ValidationFailure(values.issues))
                    continue
                }
                outcomes.append(.written)
                rows.append((row, FieldSet()))
            }
        }
        writes = ConditionalWrites(of: values.takeProfiles(), judgedBy: rules.schema)
        appendWrites(RecordedColumns(rules.schema))
    }

    private mutating func refuse(_ failure: ValidationFailure) {
        outcomes.append(.refused(.invalid(failure)))
        rows.append(nil)
    }

    /// The positions of the plans that are written.
    private var written: [Int] { outcomes.indices.filter { if case .written = outcomes[$0] { true } else { false } } }

    /// Makes the writes in one transaction.
    ///
    /// - Throws: `schemaChanged` if other rules are in force now.
    mutating func make(
        in repository: ProfileRepository, _ stamp: WriteStamp
    ) async throws(ProfileStoreError) {
        let positions = written
        guard !positions.isEmpty else { return }
        let writes = writes
        let made = try await repository.learningOfRules { () throws(ProfileStoreError) in
            try await repository.ask(
                .writeMany, rows: { $0.count { $0 == .written } }, await repository.engine.apply(writes, stamp))
        }
        for (position, outcome) in zip(positions, made) {
            switch outcome {
            case .written: break
            case .stale: outcomes[position] = .stale
            case .taken(let fields): outcomes[position] = .refused(.duplicate(fields))
            }
        }
    }

    private mutating func appendWrites(_ columns: RecordedColumns) {
        for position in written {
            switch (plans[position], rows[position]) {
            case (.remove(let stored), _): writes.append(.remove(stored))
            case (.edit(let stored, _, _), let (row, changed)?):
                let recorded = RecordedValues(of: changed, in: columns, to: writes.rows, row: row) {
                    stored.value(ofField: $0)
                }
                let update = RowUpdate(
                    id: stored.id, revision: stored.revision, with: writes.rows, row: row, fields: changed,
                    recorded: recorded)
                writes.append(.update(update, of: stored))
            case (.restore(let removed, _), let (row, _)?): writes.append(.restore(removed, row: row))
            case (.edit, nil), (.restore, nil): break
            }
        }
    }

    /// Returns the changed values of an edit.
    func changes(_ position: Int) -> [HistoryEntry.ChangedValue] {
        guard case .edit(let stored, _, _) = plans[position], let (row, changed) = rows[position] else { return [] }
        return stored.schema.fields.indices.filter { changed.contains($0) }.map { index in
            HistoryEntry.ChangedValue(
                field: stored.schema.fields[index].name.text, before: stored.value(ofField: index),
                after: writes.rows.text(row: row, field: index))
        }
    }
}

extension ProfileRepository {
    /// Runs a body that reads and writes profiles under the rules in force. If other rules come into force meanwhile,
    /// the body is repeated until it succeeds or the wait limit has passed.
    func repeatingIfRulesChange<Value>(
        _ body: () async throws(ProfileStoreError) -> Value
    ) async throws(ProfileStoreError) -> Value {
        let deadline = CallDeadline.orFromNow(options.waitLimit)
        while true {
            do throws(ProfileStoreError) {
                return try await body()
            } catch {
                guard error.code == .schemaChanged, .now < deadline else { throw error }
            }
        }
    }
}

extension ValidProfiles {
    /// Returns the fields in which a row differs from a stored profile, byte by byte.
    func fields(ofRow row: Int, differingFrom stored: Profile) -> FieldSet {
        var changed = FieldSet()
        let secret = stored.schema.passwordIndex
        for field in 0..<fieldCount where field != secret {
            let slot = slot(row: row, field: field)
            let isSame =
                if let text = stored.value(ofField: field) {
                    !slot.isAbsent && text.utf8Span.span.isEqual(to: bytes.span.extracting(slot.range))
                } else {
                    slot.isAbsent
                }
            if !isSame { changed.insert(field) }
        }
        return changed
    }
}
