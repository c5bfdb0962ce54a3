internal import ProfileCore
internal import ProfileStore
internal import ProfileTransfer

/// A rejected row with what is wrong with it now, as a form shows it.
struct RowToMend {
    /// "Row 3 of 12, line 57".
    let title: String
    let draft: ProfileDraft
    let values: [FieldName: String]
    let issues: [ValidationIssue]
    /// What no field of the form can say.
    let notice: String?

    /// Judges a row anew: the rules, and what is stored, may be others than when it was rejected.
    ///
    /// - Returns: Nil if it is stored already, as it is when mending was killed before the file could follow.
    init?(_ row: RejectedRows.Row, of count: Int, in repository: ProfileRepository) async throws {
        title = "Row \(row.number) of \(count), line \(row.line)"
        draft = row.draft
        let names = repository.schema.fields.map(\.name)
        values = Dictionary(uniqueKeysWithValues: names.compactMap { name in row.draft[name.text].map { (name, $0) } })
        var issues: [ValidationIssue] = []
        do throws(ValidationFailure) {
            _ = try repository.validator.validate(row.draft, on: repository.today)
        } catch {
            issues = error.issues
        }
        let key = repository.schema.primaryKey.name
        if let username = row.draft[key.text], let stored = try await repository.profile(username: username) {
            if stored.holds(values) { return nil }
            issues.append(ValidationIssue(key, .duplicate(line: nil)))
        }
        self.issues = issues
        notice = row.isUnreadable ? "This row's cells cannot be told apart; its line in the file leads to it." : nil
    }
}

/// A row is to be left for later.
struct RowLeft: Error {}

/// Somebody wants to go on another time.
struct MendingEnded: Error {}

extension Profile {
    /// Whether every value is stored just so; a secret cannot be compared.
    fileprivate func holds(_ values: [FieldName: String]) -> Bool {
        fields.allSatisfy { rules, value in rules.isSecret || value == values[rules.name] }
    }
}
