internal import CSVStream
internal import ProfileCore
internal import ProfileStore

/// A stored profile and the cells of a row that update it (I4): a column that the input does not have keeps its value,
/// an empty cell clears an optional field and leaves a secret as it is.
struct ProfileMerge {
    /// What a row brings for the password.
    struct NewSecret {
        /// Brought, or made of the row's password.
        let hash: PasswordHash?
        /// The hash was made of a password that the rules judged.
        let isJudged: Bool
        /// There is a password that a dry run does not hash.
        let isUnhashed: Bool

        /// What a row that is a profile of its own brings.
        init(of row: Int, in rows: ValidProfiles, _ columns: ImportColumns) {
            let text = columns.secretField.flatMap { rows.text(row: row, field: $0) }
            hash = text.flatMap { try? PasswordHash(parsing: $0.utf8Span.span) }
            isJudged = rows.hashIsJudged(row: row)
            isUnhashed = rows.passwords[row] != nil
        }

        /// What a record brings that only an update can make valid.
        ///
        /// - Parameters:
        ///   - index: The record's position.
        ///   - records: The batch as it was read.
        ///   - columns: Where its cells belong.
        ///   - hash: That of its password.
        init(ofRecord index: Int, in records: borrowing RecordBatch, _ columns: ImportColumns, hash: PasswordHash?) {
            let brought = records.cell(records.records[index].cells.lowerBound, columns.columnOfHash).trimmed()
            self.hash = hash ?? (try? PasswordHash(parsing: brought))
            isJudged = hash != nil
            isUnhashed = hash == nil && ProfileMerge.password(of: index, in: records, columns) != nil
        }
    }

    private let stored: Profile
    private let cells: [FieldName: String?]
    private let secret: NewSecret

    init(_ stored: Profile, _ cells: [FieldName: String?], _ secret: NewSecret) {
        self.stored = stored
        self.cells = cells
        self.secret = secret
    }

    /// The merged profile, if it is valid.
    func rows(_ validator: ProfileValidator, today: CalendarDay) throws(ValidationFailure) -> ValidProfiles {
        let draft = stored.draft.taking(cells)
        let hasPassword = stored.hasPassword || secret.hash != nil || secret.isUnhashed
        let valid = try validator.validate(draft, on: today, hasPassword: hasPassword)
        var rows = valid.rows
        if let hash = secret.hash, let field = validator.schema.index(of: .password) {
            rows.setHash(hash, isJudged: secret.isJudged, row: 0, field: field)
        }
        return rows
    }

    /// The cells of a record by field, without the secret one's; nil for one that clears its field.
    static func cells(
        of index: Int, in records: borrowing RecordBatch, _ columns: ImportColumns, _ schema: ProfileSchema
    ) -> [FieldName: String?] {
        var cells: [FieldName: String?] = [:]
        let first = records.records[index].cells.lowerBound
        for (field, rules) in schema.fields.enumerated() where !rules.isSecret {
            guard let column = columns.columnOfField[field], !records.isAbsent(first + column) else { continue }
            let text = String(records.cell(first + column).trimmed())
            cells[rules.name] = .some(text.isEmpty ? nil : text)
        }
        return cells
    }

    /// The password that a record brings, if it brings one.
    static func password(
        of index: Int, in records: borrowing RecordBatch, _ columns: ImportColumns
    ) -> Secret? {
        guard let column = columns.secretField.flatMap({ columns.columnOfField[$0] }) else { return nil }
        let cell = records.cell(records.records[index].cells.lowerBound + column)
        return cell.isEmpty ? nil : Secret(cell)
    }

    /// Whether a record that is no profile of its own can be read as cells at all, and what is wrong with its secret,
    /// if anything, is only that there is none.
    static func canMerge(_ rejected: JudgedBatch.Rejected, of batch: ReadBatch, _ columns: ImportColumns) -> Bool {
        let record = batch.records.records[rejected.record]
        guard record.isWhole(by: columns) else { return false }
        return rejected.issues.allSatisfy { issue in
            issue.field.map { $0 != .password || issue.problem == .required } ?? false
        }
    }
}

extension ProfileDraft {
    /// The draft with the cells of a row in it; one that is nil clears its field.
    func taking(_ cells: [FieldName: String?]) -> ProfileDraft {
        var draft = self
        for (name, value) in cells { draft[name.text] = value }
        return draft
    }
}
