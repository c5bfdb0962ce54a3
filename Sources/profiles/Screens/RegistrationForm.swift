internal import ProfileCore
internal import ProfileForm
internal import ProfileStore
internal import TerminalUI

/// A form that stores a new profile.
struct RegistrationForm {
    let repository: ProfileRepository
    /// Whether the welcome notice is shown before the form if the user has not seen it yet (T5).
    var welcomes = false
    var session = ScreenSession()

    /// Shows the form until a profile is stored. If `row` is a rejected row, the form starts with the values and the
    /// issues of this row.
    ///
    /// - Throws: ``RowLeft`` if the user leaves the row for later, ``MendingEnded`` if the user stops mending.
    func run(mending row: RowToMend? = nil) async throws -> Profile {
        let form = FormState(repository.validator, on: repository.today, typed: row?.typed ?? [:])
        let screen =
            row.map { FormScreen(form, mending: $0) }
            ?? FormScreen(form, name: "register", title: "Register a profile", submitting: "register")
        return try await session.run(
            screen, mending: row, welcoming: welcomes, unfinished: CommandFailure.nothingStored, in: repository
        ) { profile, _ in
            do throws(ProfileStoreError) {
                return .done(try await repository.register(profile))
            } catch {
                return .reply(try error.formReply(repository))
            }
        }
    }
}

extension ScreenSession {
    /// Runs a form to its end. If the form has a rejected row, the user may leave the row for later, or stop mending.
    ///
    /// - Parameters:
    ///   - screen: The form.
    ///   - stored: The stored profile that the form changes; nil for a new profile.
    ///   - row: The rejected row; nil if there is none.
    ///   - welcomes: Whether the welcome notice is shown before the form if the user has not seen it yet (T5).
    ///   - unfinished: The message for a user who leaves a form without a row.
    ///   - repository: The store.
    ///   - store: Stores a profile. The second argument says whether the form has merged the values of another writer.
    /// - Returns: The stored profile.
    /// - Throws: ``RowLeft`` or ``MendingEnded`` for a row that is left, and the errors of the screen and of `store`.
    func run(
        _ screen: FormScreen, of stored: Profile? = nil, mending row: RowToMend?, welcoming welcomes: Bool = false,
        unfinished: String, in repository: ProfileRepository,
        storing store: @escaping @Sendable (ValidProfile, Bool) async throws -> ScreenAnswer<FormScreen.Reply, Profile>
    ) async throws -> Profile {
        try await run(
            screen, welcoming: welcomes, unfinished: row == nil ? unfinished : RowToMend.unfinished,
            whenLeft: { row.map { _ in MendingEnded() } }
        ) { request in
            switch request {
            case .addresses(let postalCode):
                return .reply(.addresses(try await repository.addresses(under: postalCode)))
            case .history:
                do throws(ProfileStoreError) {
                    guard let stored else { return .reply(.noted("A new profile has no history")) }
                    let text = try await repository.historyText(ofID: stored.id, stored.username)
                    return .reply(text.map { .text($0) } ?? .noted(TextScreen.noHistory(of: stored.username)))
                } catch {
                    return .reply(try error.formReply(repository))
                }
            case .store(let profile, let isMerged):
                try await row?.willStore(profile)
                return try await store(profile, isMerged)
            }
        }
    }
}

extension FormScreen {
    /// A form for a rejected row, with the issues of the row.
    init(_ form: FormState, mending row: RowToMend) {
        var form = form
        form.report(row.issues)
        self.init(
            form, name: "mend", title: row.title, submitting: row.stored == nil ? "register" : "store", canSkip: true,
            hasHistory: row.stored != nil, notices: row.notice.map { [.error($0)] } ?? [])
    }
}

extension CommandFailure {
    /// The message for a user who leaves a form for a new profile.
    static let nothingStored = "Nothing was stored."
}

extension ProfileStoreError {
    /// Returns the form's reply to the error. Throws the error if the user cannot try to store the profile again.
    func formReply(_ repository: ProfileRepository) throws -> FormScreen.Reply {
        if let issues { return .refused(issues) }
        switch code {
        case .schemaChanged: return .rulesChanged(repository.validator)
        case .cancelled, .closed: throw self
        default: return .failed(CommandFailure(self).lines.joined(separator: "\n"))
        }
    }
}

extension ProfileRepository {
    /// Returns at most 100 addresses of the first 1,000 profiles with this postal code. The most frequent address comes
    /// first.
    func addresses(under postalCode: String) async throws(ProfileStoreError) -> [String] {
        guard let code = schema.field(of: .postalCode), let address = schema.field(of: .streetAddress) else {
            return []
        }
        // If the user has not typed a complete postal code yet, there are no addresses to offer.
        guard validator.storedForm(of: postalCode, in: code.name) != nil else { return [] }
        let query = ProfileQuery([.init(code.name, .equals(postalCode))], limit: 1_000)
        var counts: [String: Int] = [:]
        for profile in try await profiles(query).profiles {
            if let text = profile[address.name] { counts[text, default: 0] += 1 }
        }
        return counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(100).map(\.key)
    }
}
