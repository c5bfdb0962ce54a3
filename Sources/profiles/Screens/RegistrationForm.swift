internal import ProfileCore
internal import ProfileForm
internal import ProfileStore
internal import TerminalUI

/// A form that stores a new profile.
struct RegistrationForm {
    let repository: ProfileRepository
    /// Whether the welcome notice may be shown before the form (T5).
    var welcomes = false
    var session = ScreenSession()

    /// Shows the form until a profile is stored.
    func run() async throws -> Profile {
        let screen = FormScreen(
            FormState(repository.validator, on: repository.today), name: "register", title: "Register a profile",
            submitting: "register")
        return try await run(screen)
    }

    /// Shows the form with a rejected row and its issues, until the row is stored.
    ///
    /// - Throws: ``RowLeft`` if the user leaves the row for later, ``MendingEnded`` if the user stops mending.
    func run(mending row: RowToMend) async throws -> Profile {
        var form = FormState(repository.validator, on: repository.today, typed: row.typed)
        form.report(row.issues)
        return try await run(
            FormScreen(form, mending: row), unfinished: RowToMend.unfinished, whenLeft: { MendingEnded() },
            willStore: row.willStore)
    }

    private func run(
        _ screen: FormScreen, unfinished: String = CommandFailure.nothingStored,
        whenLeft failure: () -> (any Error)? = { nil },
        willStore: @escaping @Sendable (ValidProfile) async throws -> Void = { _ in }
    ) async throws -> Profile {
        try await session.run(
            screen, welcoming: welcomes, unfinished: unfinished, whenLeft: failure
        ) { request in
            switch request {
            case .addresses(let postalCode):
                return .reply(.addresses(try await repository.addresses(under: postalCode)))
            case .store(let profile, isMerged: _):
                try await willStore(profile)
                do throws(ProfileStoreError) {
                    return .done(try await repository.register(profile))
                } catch {
                    return .reply(try error.formReply(repository))
                }
            }
        }
    }
}

extension FormScreen {
    /// A form for a rejected row.
    init(_ form: FormState, mending row: RowToMend) {
        self.init(
            form, name: "mend", title: row.title, submitting: row.stored == nil ? "register" : "store", canSkip: true,
            notices: row.notice.map { [.error($0)] } ?? [])
    }
}

extension CommandFailure {
    /// The message for a user who leaves a form for a new profile.
    static let nothingStored = "Nothing was stored."
}

extension ProfileStoreError {
    /// Returns the form's reply to the error, or throws the error if another attempt cannot help.
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
    /// Returns the addresses that are stored under a postal code, the most frequent first.
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
