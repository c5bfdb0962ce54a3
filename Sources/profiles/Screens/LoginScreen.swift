internal import ProfileCore
internal import ProfileLogin
internal import ProfileStore
internal import TerminalUI
internal import Threads

/// The login screen (L1–L5).
struct LoginScreen {
    /// The username. Nil if the screen asks for it.
    let username: String?
    let repository: ProfileRepository
    let service: LoginService
    /// Whether the welcome notice is shown before the screen if the user has not seen it yet (T5).
    var welcomes = false
    var session = ScreenSession()

    /// Shows the screen until a user is logged in.
    func run() async throws -> LoggedInProfile {
        let screen = EntryScreen(
            [
                .init(
                    name: "username", label: repository.schema.primaryKey.title, isSecret: false, text: username ?? ""),
                .init(name: "password", label: "Password"),
            ],
            name: "login", title: "Log in", submitting: "log in")
        let lastFailure = Locked<CommandFailure?>(nil)
        return try await session.run(
            screen, welcoming: welcomes, unfinished: "No user was logged in.",
            whenLeft: { lastFailure.withLock { $0 } }
        ) { entered in
            let name = entered["username"].bytes.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
            do throws(LoginError) {
                let profile = try await service.logIn(username: name, password: entered["password"])
                return .done(profile, notice: .success(profile.greeting))
            } catch {
                lastFailure.withLock { $0 = CommandFailure(error) }
                switch error {
                case .throttled(let milliseconds): return .reply(.throttled(milliseconds: milliseconds))
                case .cancelled: throw error
                case .invalidUsernameLength: return .reply(.failed(error.message, emptying: []))
                default: return .reply(.failed(error.message, emptying: ["password"]))
                }
            }
        }
    }
}
