internal import ProfileCore
internal import ProfileForm
internal import ProfileStore
internal import TerminalUI
internal import Threads

/// A form that changes a stored profile, and shows what other writers have changed meanwhile.
struct EditForm {
    let repository: ProfileRepository
    /// The revision on which the change is based.
    let stored: Profile
    var session = ScreenSession()

    /// Shows the form until the change is stored. If `row` is a rejected row, the form starts with the values and the
    /// issues of this row.
    ///
    /// - Throws: ``RowLeft`` if the user leaves the row for later, ``MendingEnded`` if the user stops mending.
    func run(mending row: RowToMend? = nil) async throws -> Profile {
        let form = FormState(
            repository.validator, on: repository.today, hasPassword: stored.hasPassword, values: stored.valuesByField,
            typed: row?.typed ?? [:])
        let screen =
            row.map { FormScreen(form, mending: $0) }
            ?? FormScreen(form, name: "edit", title: "Edit \(stored.username)", submitting: "store", hasHistory: true)
        let versions = Locked(Versions(base: stored))
        return try await session.run(
            screen, of: stored, mending: row, unfinished: CommandFailure.unchanged(stored.username), in: repository
        ) { profile, isMerged in
            let base = versions.withLock { $0.base(isMerged: isMerged) }
            do throws(ProfileStoreError) {
                return .done(try await repository.replace(base, with: profile))
            } catch let error where error.code == .staleRevision {
                guard let latest = try await repository.profile(id: base.id) else {
                    throw ProfileStoreError.notFound(username: base.username)
                }
                versions.withLock { $0.latest = latest }
                return .reply(.changedMeanwhile(latest.conflicts(with: profile, since: base)))
            } catch {
                return .reply(try error.formReply(repository))
            }
        }
    }

    /// The revisions that the form works with.
    private struct Versions {
        /// The revision on which the values in the form are based.
        var base: Profile
        /// The profile that is stored now, if another writer has changed it.
        var latest: Profile?

        /// Returns the profile to replace. If the form has merged the values of the latest revision, this is the latest
        /// revision. Otherwise it is the revision on which the form is based.
        mutating func base(isMerged: Bool) -> Profile {
            if isMerged, let latest { base = latest }
            return base
        }
    }
}

extension Profile {
    /// Returns the fields that differ between this revision and an earlier one. For each field, the result also
    /// contains the user's value. A key that is computed from other fields is left out, because it changes with them.
    func conflicts(with edited: ValidProfile, since base: Profile) -> [FieldConflict] {
        fields.filter { field in
            !(field.rules.isPrimaryKey && !schema.keyParts.isEmpty) && field.value != base[field.rules.name]
        }.map { field in
            let rules = field.rules
            func shown(_ text: String?) -> String { text.map(rules.shownForm(of:)) ?? "" }
            return FieldConflict(
                field: rules.name, title: rules.title, before: shown(base[rules.name]), theirs: shown(field.value),
                yours: shown(edited[rules.name]))
        }
    }
}

extension CommandFailure {
    /// The message for a user who leaves the form without a change.
    static func unchanged(_ username: String) -> String { "\(username)'s profile is as it was." }
}
