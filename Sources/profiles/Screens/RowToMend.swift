internal import ProfileCore
internal import ProfileStore
internal import ProfileTransfer
internal import TextLayout

/// A rejected row with its current issues, for a form.
struct RowToMend {
    /// A title such as "Row 3 of 12, line 57", followed by the profile that the row edits, if any.
    let title: String
    /// The profile that the row updates. Nil for a new profile.
    let stored: Profile?
    /// The profile that the row describes. For an update, this is the stored profile with the values of the row.
    /// Otherwise it contains only the values of the row.
    let draft: ProfileDraft
    /// The values of the row itself. An empty value clears its field.
    let typed: [FieldName: String]
    let issues: [ValidationIssue]
    /// Whether the form must ask for the password, because the row would change the password of the stored profile. A
    /// password in the file is not used.
    let lacksPassword: Bool
    /// A message that belongs to no field of the form.
    let notice: String?
    /// The function that a form must call before it stores the corrected profile.
    let willStore: @Sendable (ValidProfile) async throws -> Void

    /// Validates a row again, because the rules and the stored profiles may have changed since the row was rejected.
    ///
    /// - Returns: Nil if the row needs no further work: all its values are already stored, or its profile is stored and
    ///   `policy` skips such rows.
    init?(
        _ row: RejectedRows.Row, of count: Int, onDuplicate policy: ImportOptions.DuplicatePolicy,
        in repository: ProfileRepository, willStore: @escaping @Sendable (ValidProfile) async throws -> Void
    ) async throws {
        let key = repository.schema.primaryKey.name
        let name = (row.values[key] ?? nil) ?? repository.validator.computedKey(of: row.draft)
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
            notice =
                row.cells.isEmpty
                ? "The values of this row are not in this file, because its cells did not fit the columns. "
                    + "See line \(row.line) of the imported file."
                : "The cells of this row do not match the columns: "
                    + row.cells.map { $0.quoted(longest: 64) }.joined(separator: ", ")
        } else if row.holdsSecret {
            notice =
                "The password in the file is not used: type it here."
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
    /// The message for a user who stops mending while a row is shown.
    static let unfinished = "The row that was shown is as it was."
    /// The message for a user who stops mending after a row was stored.
    static let storedLast = "The last row is stored."

    /// Returns the row's value of a field. Nil if the row has no value for this field.
    func value(of name: FieldName) -> String? { typed[name].flatMap { $0.isEmpty ? nil : $0 } }
}

/// The user does not mend a row.
enum RowLeft: Error {
    /// The row stays in the file.
    case forLater
    /// The row is removed from the file.
    case forGood
}

/// The user stops mending. The remaining rows stay in the file.
struct MendingEnded: Error {}

extension RejectedRows.Row {
    /// Whether the stored profile already has all values of the row, except passwords, which cannot be compared.
    fileprivate func says(nothingNewOf stored: Profile, in repository: ProfileRepository) -> Bool {
        let draft = draft(updating: stored)
        guard let merged = try? repository.validator.validate(draft, on: repository.today, hasPassword: true) else {
            return false
        }
        return stored.fields.allSatisfy { $0.rules.isSecret || $0.value == merged[$0.rules.name] }
    }
}
