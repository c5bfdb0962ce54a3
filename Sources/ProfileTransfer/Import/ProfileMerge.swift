internal import CSVStream
internal import ProfileCore
internal import ProfileStore

/// An update of a stored profile with the cells of a row (I4). If the input has no column for a field, the field keeps
/// its value. An empty cell removes the value of an optional field, but does not change a secret.
struct ProfileMerge {
    /// The new password or hash that a row contains.
    struct NewSecret {
        /// The hash to store. It is either the hash in the row, or a hash of the password in the row.
        let hash: PasswordHash?
        /// Whether the import validated the password and computed the hash from it.
        let isJudged: Bool
        /// Whether the row has a password that is not hashed yet. A dry run never hashes it.
        let isUnhashed: Bool

        /// Creates the new secret of a valid row.
        init(of row: Int, in rows: ValidProfiles, _ columns: ImportColumns) {
            let text = columns.secretField.flatMap { rows.text(row: row, field: $0) }
            hash = text.flatMap { try? PasswordHash(parsing: $0.utf8Span.span) }
            isJudged = rows.hashIsJudged(row: row)
            isUnhashed = rows.passwords[row] != nil
        }

        /// Creates the new secret of a record that is valid only if a stored profile supplies missing values.
        ///
        /// - Parameters:
        ///   - index: The position of the record.
        ///   - records: The records as read.
        ///   - columns: The columns of the fields.
        ///   - hash: The hash of the record's password, if the import has already computed it.
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

    /// Returns the merged profile if it is valid.
    func rows(_ validator: ProfileValidator, today: CalendarDay) throws(ValidationFailure) -> ValidProfiles {
        let draft = stored.draft.taking(cells)
        let hasPassword = stored.hasPassword || secret.hash != nil || secret.isUnhashed
        let valid = try validator.validate(draft, on: today, hasPassword: hasPassword)
        var rows = valid.rows
        if let hash = secret.hash, let field = validator.schema.passwordIndex {
            rows.setHash(hash, isJudged: secret.isJudged, row: 0, field: field)
        }
        return rows
    }

    /// Returns the fields in which the merged profile and the stored profile have different values.
    func fieldsChanged(by merged: ValidProfiles, _ schema: ProfileSchema, storedHash: String?) -> FieldSet {
        var changed = FieldSet()
        for (index, field) in schema.fields.enumerated() {
            if field.isSecret {
                let isNew = secret.isUnhashed || secret.isJudged || secret.hash.map { $0.text != storedHash } ?? false
                if isNew { changed.insert(index) }
            } else if stored[field.name] != merged.text(row: 0, field: index) {
                changed.insert(index)
            }
        }
        return changed
    }

    /// Returns the text of each field for which a record has a cell, without secrets. If the cell is empty, the text is
    /// nil, and the update clears the field. `key` is the computed primary key of the record; nil if it has none.
    static func cells(
        of index: Int, in records: borrowing RecordBatch, key: String?, _ columns: ImportColumns,
        _ schema: ProfileSchema
    ) -> [FieldName: String?] {
        var cells: [FieldName: String?] = [:]
        let first = records.records[index].cells.lowerBound
        for (field, rules) in schema.fields.enumerated() where !rules.isSecret {
            if field == columns.computedKey?.field, let key {
                cells[rules.name] = key
                continue
            }
            guard let column = columns.columnOfField[field], !records.isAbsent(first + column) else { continue }
            let text = String(records.cell(first + column).trimmed())
            cells[rules.name] = .some(text.isEmpty ? nil : text)
        }
        return cells
    }

    /// Returns the text of the cell that a record has for a field. The field must not be secret. Returns nil if the
    /// cell is empty or absent.
    static func text(
        of field: Int, ofRecord index: Int, in records: borrowing RecordBatch, _ columns: ImportColumns
    ) -> String? {
        guard let column = columns.columnOfField[field] else { return nil }
        let text = String(records.cell(records.records[index].cells.lowerBound + column).trimmed())
        return text.isEmpty ? nil : text
    }

    /// Returns the password of a record, or nil if it has none.
    static func password(
        of index: Int, in records: borrowing RecordBatch, _ columns: ImportColumns
    ) -> Secret? {
        guard let column = columns.secretField.flatMap({ columns.columnOfField[$0] }) else { return nil }
        let cell = records.cell(records.records[index].cells.lowerBound + column)
        return cell.isEmpty ? nil : Secret(cell)
    }

    /// Whether a record that is invalid without a stored profile can update a stored profile. The cells of the record
    /// must be readable. The password may be missing, but otherwise it must be valid.
    static func canMerge(_ rejected: JudgedBatch.Rejected, of batch: ReadBatch, _ columns: ImportColumns) -> Bool {
        let record = batch.records.records[rejected.record]
        guard record.isWhole(by: columns) else { return false }
        return rejected.issues.allSatisfy { issue in
            issue.field.map { $0 != .password || issue.problem == .required } ?? false
        }
    }
}

extension ProfileDraft {
    /// Returns a copy of the draft with the values of a row's cells. If a cell is nil, the copy has no value in this
    /// field.
    func taking(_ cells: [FieldName: String?]) -> ProfileDraft {
        var draft = self
        for (name, value) in cells { draft[name.text] = value }
        return draft
    }
}
