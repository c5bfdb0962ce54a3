internal import ProfileLogin
internal import ProfileStore
internal import SecretHashing
internal import TerminalUI
internal import Threads

/// The screen on which a passcode is created, validated or edited (P4).
struct PasscodeScreen {
    let kind: PasscodeFlow.Kind
    let username: String
    let repository: ProfileRepository
    var session = ScreenSession()

    /// Shows the screen until the flow is done.
    func run() async throws {
        // This check is only for the creation of a passcode: without the check, the user could type a new passcode
        // that cannot be set. The other flows must not reveal whether the profile exists (P10).
        if kind == .create { try await repository.passcodes.requireNone(of: username) }
        let entries = kind.entries.map { entry in
            EntryScreen.Entry(
                name: entry.rawValue, label: entry.label, hint: entry == .new ? PasscodePolicy.standard.hint : "",
                isNew: entry != .present)
        }
        let screen = EntryScreen(
            entries, name: "passcode_\(kind.rawValue)", title: kind.title, subject: username,
            submitting: kind.rawValue)
        let lastFailure = Locked<CommandFailure?>(nil)
        return try await session.run(
            screen, unfinished: kind.unfinished, whenLeft: { lastFailure.withLock { $0 } }
        ) { entered in
            do {
                try await repository.carryOut(kind.request(from: entered), for: username)
                return .done(())
            } catch {
                guard let failure = CommandFailure(error) else { throw error }
                lastFailure.withLock { $0 = failure }
                return .reply(try Self.reply(to: error, failure))
            }
        }
    }

    /// Returns the screen's reply to an error. Throws the error if the user cannot correct it with new entries.
    private static func reply(to error: any Error, _ failure: CommandFailure) throws -> EntryScreen.Reply {
        let alert = failure.lines.joined(separator: "\n")
        switch error {
        case CredentialError.throttled(let milliseconds): return .throttled(milliseconds: milliseconds)
        case CredentialError.wrong: return .failed(alert, emptying: [PasscodeFlow.Entry.present.rawValue])
        case is PasscodeFlowError, CredentialError.notDifferent, CredentialError.violation:
            let new: [PasscodeFlow.Entry] = [.new, .repeated]
            return .failed(alert, emptying: new.map(\.rawValue))
        case CredentialError.locked, CredentialError.passcodeExists: return .failed(alert, emptying: [])
        case let error as CredentialError where error.kind == .busy:
            return .failed(alert, emptying: [])
        default: throw error
        }
    }
}

extension PasscodeFlow.Kind {
    /// Returns the request that the flow produces from the entries.
    fileprivate func request(from entered: EntryScreen.Request) throws(PasscodeFlowError) -> PasscodeFlow.Request? {
        var flow = PasscodeFlow(self)
        var request: PasscodeFlow.Request?
        for entry in entries { request = try flow.enter(entered[entry.rawValue]) }
        return request
    }

    /// The message for a user who leaves the screen.
    fileprivate var unfinished: String {
        switch self {
        case .create: "No passcode was created."
        case .validate: "No passcode was entered."
        case .edit: "The passcode is as it was."
        }
    }
}

extension PasscodeFlow.Entry {
    /// The label of the entry for the user.
    var label: String {
        switch self {
        case .present: "Passcode"
        case .new: "New passcode"
        case .repeated: "Repeat new passcode"
        }
    }
}

extension PasscodePolicy {
    /// A short description of the accepted passcodes.
    fileprivate var hint: String { "\(minimumLength)–\(maximumLength) characters of any kind" }
}

extension ProfileRepository {
    /// Performs the request that the passcode flow produced.
    func carryOut(_ request: PasscodeFlow.Request?, for username: String) async throws(CredentialError) {
        switch request {
        case .create(let new): try await passcodes.create(new, for: username)
        case .validate(let passcode): try await passcodes.validate(passcode, for: username)
        case .edit(let present, let new): try await passcodes.edit(from: present, to: new, for: username)
        case nil: break
        }
    }
}
