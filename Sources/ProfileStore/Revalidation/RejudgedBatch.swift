internal import ProfileCore

/// Stored profiles, with the issues that a validation by a schema found.
struct RejudgedBatch: Sendable {
    struct Invalid: Sendable {
        /// The position of the profile in the batch.
        let row: Int
        let username: String
        let issues: [ReportedIssue]
        /// The stored value of each issue's field; nil for a secret and for an issue of the whole profile.
        let values: [String?]
    }

    let rows: [StoredRows.Row]
    let invalid: [Invalid]

    /// Judges stored profiles. If there is a `conversion`, the values are judged as their conversion would store them.
    init(_ stored: StoredRows, validator: ProfileValidator, today: CalendarDay, conversion: ValueConversion?) {
        rows = stored.rows
        invalid = Self.judge(stored, validator, today, conversion)
    }

    private static func judge(
        _ stored: StoredRows, _ validator: ProfileValidator, _ today: CalendarDay, _ conversion: ValueConversion?
    ) -> [Invalid] {
        let schema = validator.schema
        let secret = schema.passwordIndex
        var judge = RowValidator(validator, today: today)
        var invalid: [Invalid] = []
        for (index, row) in stored.rows.enumerated() {
            judge.beginRow()
            for field in schema.fields.indices {
                if field == secret {
                    judge.judgePassword(nil, hash: nil, index: field, isStored: row.judgement?.hasPassword ?? false)
                } else if stored.isAbsent(index, field) {
                    judge.judgeAbsent(index: field)
                } else {
                    let reading = row.judgement.flatMap {
                        conversion?.reading(ofField: field, judgedBy: $0.schemaVersion, hasIssue: true)
                    }
                    (reading ?? .stored).judge(stored.cell(index, field)) { value, notation in
                        judge.judge(value, index: field, as: notation)
                    }
                }
            }
            // The validator keeps each valid row for an insertion. It must drop these rows: they are already stored.
            defer { judge.removeAll() }
            if judge.endRow(ValidProfiles.Origin(line: 0, record: index)) { continue }
            let issues = judge.issues
            let positions = issues.map { $0.field.flatMap(schema.index) }
            let values = positions.map { field -> String? in
                guard let field, field != secret, !stored.isAbsent(index, field) else { return nil }
                return String(reporting: stored.cell(index, field))
            }
            invalid.append(
                Invalid(
                    row: index,
                    username: String(reporting: stored.cell(index, schema.primaryKeyIndex)),
                    issues: issues.map { ReportedIssue($0, in: schema) }, values: values))
        }
        return invalid
    }
}
