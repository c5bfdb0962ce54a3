public import ProfileCore
internal import Threads

/// A write of one profile among many, before its values are validated.
enum PlannedWrite: Sendable {
    /// `hasPassword` is false if the missing password of the profile makes it invalid.
    case edit(Profile, ProfileDraft, hasPassword: Bool)
    case remove(Profile)
    case restore(ConditionalWrites.RemovedProfile, ProfileDraft)
}

/// The outcome of a ``PlannedWrite``.
enum PlannedOutcome: Sendable {
    /// The write was made. For an edit, the changed values; otherwise there are none.
    case written([HistoryEntry.ChangedValue])
    /// The edit changes nothing.
    case unchanged
    /// The profile has changed since it was read.
    case stale
    /// The values are invalid, or other profiles have some of them.
    case refused(ProfileRefusal)
}

/// The reason why a profile does not get new values.
public enum ProfileRefusal: Hashable, Sendable {
    /// The profile would be invalid.
    case invalid(ValidationFailure)
    /// Other profiles have the values of these unique fields.
    case duplicate([FieldName])
}

extension ProfileRepository {
    /// Validates new values of some profiles, and makes their writes in one transaction. Each profile has at most one
    /// write.
    ///
    /// - Parameters:
    ///   - plans: The writes.
    ///   - rules: The rules under which the profiles were read.
    ///   - isPreview: Whether nothing is written. A preview does not find values that other profiles have.
    ///   - author: The author of the change.
    ///   - origin: The origin of the change.
    /// - Returns: The outcome of each write.
    /// - Throws: `schemaChanged` if other rules are in force; the caller then reads the profiles again.
    func make(
        _ plans: [PlannedWrite], under rules: AdoptedSchema, isPreview: Bool, by author: Author?,
        from origin: ChangeOrigin
    ) async throws(ProfileStoreError) -> [PlannedOutcome] {
        var outcomes: [PlannedOutcome] = []
        outcomes.reserveCapacity(plans.count)
        var values: [NewValues] = []
        /// The positions of the plans that are written.
        var positions: [Int] = []
        for (position, plan) in plans.enumerated() {
            let outcome: PlannedOutcome
            switch plan {
            case .remove: outcome = .written([])
            case .edit(let stored, let draft, let hasPassword):
                guard stored.schema == rules.schema else { throw .schemaChanged(version: rules.version) }
                outcome = validate(draft, under: rules, hasPassword: hasPassword, of: stored, &values)
            case .restore(_, let draft):
                // A restored profile gets its password later, by a reset.
                outcome = validate(draft, under: rules, hasPassword: true, of: nil, &values)
            }
            if case .written = outcome { positions.append(position) }
            outcomes.append(outcome)
        }
        guard !isPreview, !positions.isEmpty else { return outcomes }
        let writes = ConditionalWrites(positions.map { plans[$0] }, values, judgedBy: rules.schema)
        let stamp = stamp(author, from: origin)
        let written = try await learningOfRules { () throws(ProfileStoreError) in
            try await ask(.writeMany, rows: { $0.count { $0 == .written } }, await engine.apply(writes, stamp))
        }
        for (position, outcome) in zip(positions, written) {
            switch outcome {
            case .written: break
            case .stale: outcomes[position] = .stale
            case .taken(let fields): outcomes[position] = .refused(.duplicate(fields))
            }
        }
        return outcomes
    }

    /// Runs a body that reads and writes profiles under the rules in force. If other rules come into force meanwhile, runs
    /// it again, for at most the wait limit.
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

    /// Validates a draft. If the result has to be written, appends it to `values`.
    private func validate(
        _ draft: ProfileDraft, under rules: AdoptedSchema, hasPassword: Bool, of stored: Profile?,
        _ values: inout [NewValues]
    ) -> PlannedOutcome {
        let new: NewValues
        do throws(ValidationFailure) {
            let valid = try rules.validator.validate(draft, on: today, hasPassword: hasPassword)
            new = NewValues(valid, of: stored)
        } catch {
            return .refused(.invalid(error))
        }
        if stored != nil, new.changed.isEmpty { return .unchanged }
        values.append(new)
        return .written(stored.map { new.differences(from: $0) } ?? [])
    }
}

/// The valid values of a profile, and the fields in which they differ from the stored profile.
private struct NewValues {
    let profile: ValidProfile
    let changed: FieldSet

    init(_ profile: ValidProfile, of stored: Profile?) {
        self.profile = profile
        var changed = FieldSet()
        if let stored {
            for (index, field) in profile.schema.fields.enumerated() where !field.isSecret {
                if !profile.rows.isText(stored[field.name], row: 0, field: index) { changed.insert(index) }
            }
        }
        self.changed = changed
    }

    func differences(from stored: Profile) -> [HistoryEntry.ChangedValue] {
        profile.schema.fields.enumerated().filter { changed.contains($0.offset) }.map { _, field in
            HistoryEntry.ChangedValue(field: field.name.text, before: stored[field.name], after: profile[field.name])
        }
    }
}

extension ConditionalWrites {
    /// - Parameters:
    ///   - plans: The plans to write.
    ///   - values: The values of the plans that have values, in the order of the plans.
    ///   - schema: The rules that validated them.
    fileprivate init(_ plans: [PlannedWrite], _ values: [NewValues], judgedBy schema: ProfileSchema) {
        self.init(of: values.map(\.profile), judgedBy: schema)
        let columns = RecordedColumns(schema)
        var row = 0
        for plan in plans {
            switch plan {
            case .remove(let stored): append(.remove(stored))
            case .edit(let stored, _, _):
                let changed = values[row].changed
                let recorded = RecordedValues(of: changed, in: columns, to: rows, row: row) {
                    stored[schema.fields[$0].name]
                }
                let update = RowUpdate(
                    id: stored.id, revision: stored.revision, with: rows, row: row, fields: changed, recorded: recorded)
                append(.update(update, of: stored))
                row += 1
            case .restore(let removed, _):
                append(.restore(removed, row: row))
                row += 1
            }
        }
    }
}

extension ValidProfiles {
    /// Returns whether a value equals a text, byte by byte.
    fileprivate func isText(_ text: String?, row: Int, field: Int) -> Bool {
        let slot = slot(row: row, field: field)
        guard let text else { return slot.isAbsent }
        return !slot.isAbsent && bytes[slot.range].elementsEqual(text.utf8)
    }
}
