internal import ProfileCore
internal import ProfileStore
internal import ProfileTransfer

/// A rejected row with what is wrong with it now, as a form shows it.
struct RowToMend {
    /// "Row 3 of 12, line 57", and whom it edits.
    let title: String
    /// The profile that it updates; nil for a new one.
    let stored: Profile?
    /// The row, or the stored profile with the row's values in it.
    let draft: ProfileDraft
    /// What the row itself holds; an empty value clears its field.
    let typed: [FieldName: String]
    let issues: [ValidationIssue]
    /// Whether the stored profile was to get another password, which is not taken from the file.
    let lacksPassword: Bool
    /// What no field of the form can say.
    let notice: String?
    /// Has to be called before anything is stored of it.
    let willStore: @Sendable (ValidProfile) async throws -> Void

    /// Judges a row anew: the rules, and what is stored, may be others than when it was rejected.
    ///
    /// - Returns: Nil if nothing is left to be done with it: all that it says is stored already, or its profile is there
    ///   and such rows are skipped.
    init?(
        _ row: RejectedRows.Row, of count: Int, onDuplicate policy: ImportOptions.DuplicatePolicy,
        in repository: ProfileRepository, willStore: @escaping @Sendable (ValidProfile) async throws -> Void
    ) async throws {
        let key = repository.schema.primaryKey.name
        let name = row.values[key] ?? nil
        let owner = if let name { try await repository.profile(username: name) } else { nil as Profile? }
        lacksPassword = policy == .update && owner != nil && (row.holdsSecret || row.wasRejected(for: .password))
        if let owner {
            if policy == .skip { return nil }
            if !row.holdsSecret, !lacksPassword, row.says(nothingNewOf: owner, in: repository) { return nil }
        }
        stored = policy == .update ? owner : nil
        draft = stored.map(row.draft(updating:)) ?? row.draft
        var issues: [ValidationIssue] = []
        do throws(ValidationFailure) {
            _ = try repository.validator.validate(
                draft, on: repository.today, hasPassword: stored?.hasPassword ?? false)
        } catch {
            issues = error.issues
        }
        if owner != nil, stored == nil { issues.append(ValidationIssue(key, .duplicate(line: nil))) }
        self.issues = issues
        title = "Row \(row.number) of \(count), line \(row.line)" + (stored.map { ", edits \($0.username)" } ?? "")
        typed = row.values.mapValues { $0 ?? "" }
        if row.isUnreadable {
            notice = "This row's cells cannot be told apart; its line in the file leads to it."
        } else if row.holdsSecret {
            notice =
                "The password in the file is not taken: type it here."
                + (lacksPassword ? " An empty one keeps what is stored." : "")
        } else if lacksPassword {
            notice = "Its password was refused, and is not in the file. An empty one keeps what is stored."
        } else {
            notice = nil
        }
        self.willStore = willStore
    }
}

extension RowToMend {
    /// What it comes to to leave a row at once.
    static let unfinished = "The row that was shown is as it was."

    /// What the row itself holds of a field; nil where that is nothing.
    func value(of name: FieldName) -> String? { typed[name].flatMap { $0.isEmpty ? nil : $0 } }
}

/// A row is not to be mended.
enum RowLeft: Error {
    /// It stays in the file.
    case forLater
    /// Nobody wants it.
    case forGood
}

/// Somebody wants to go on another time.
struct MendingEnded: Error {}

extension RejectedRows.Row {
    /// Whether a stored profile would stay as it is if it got the row's values. Passwords cannot be compared.
    fileprivate func says(nothingNewOf stored: Profile, in repository: ProfileRepository) -> Bool {
        let draft = draft(updating: stored)
        guard let merged = try? repository.validator.validate(draft, on: repository.today, hasPassword: true) else {
            return false
        }
        return stored.fields.allSatisfy { $0.rules.isSecret || $0.value == merged[$0.rules.name] }
    }
}
