internal import ProfileStore
internal import TerminalUI

/// Runs screens on the process's terminal, which gets back what it showed before however that ends.
struct ScreenSession: Sendable {
    /// What somebody outside wants of the screen; nil where there is nobody.
    var requests: AsyncStream<ScreenRequest>?

    /// Runs a screen to its end.
    ///
    /// - Parameters:
    ///   - screen: What is shown.
    ///   - failure: What it comes to when somebody leaves.
    ///   - answer: Does what the screen asks for.
    ///   - supply: Finds what the screen demands, if it does.
    /// - Returns: What came of it.
    /// - Throws: the failure, ``RowLeft``, an error of `answer`, or that the command was interrupted or ended by a signal.
    func run<S: Screen, Value: Sendable>(
        _ screen: S, whenLeft failure: () -> any Error,
        answering answer: @escaping @Sendable (S.Request) async throws -> ScreenAnswer<S.Reply, Value>,
        supplying supply: (@Sendable (S.Demand) async throws -> S.Reply)? = nil
    ) async throws -> Value {
        let terminal = try Self.terminal()
        let ending = await ScreenLoop(terminal, requests: requests).run(
            screen, answering: answer, supplying: supply)
        terminal.close()
        switch ending {
        case .done(let value): return value
        case .left: throw failure()
        case .skipped: throw RowLeft.forLater
        case .interrupted: throw CommandFailure(.interrupted, "Interrupted")
        case .closed: throw CommandFailure(.interrupted, "The terminal is gone")
        case .signal(let number): throw SignalEnding(signal: number)
        case .failed(let error): throw error
        }
    }

    private static func terminal() throws(CommandFailure) -> Terminal {
        do throws(TerminalError) {
            return try Terminal.open(usesColor: Environment["NO_COLOR"] == nil)
        } catch {
            switch error {
            case .noTerminal: throw CommandFailure(.usage, "There is no terminal to draw on", plainAdvice)
            case .alreadyOpen: throw CommandFailure(.unavailable, "The terminal has a screen already")
            case .cannotOpen(let code), .cannotConfigure(let code), .cannotStartThread(let code):
                throw CommandFailure(
                    .unavailable, "The terminal cannot be used: \(CommandFailure.systemText(code))", plainAdvice)
            }
        }
    }

    private static let plainAdvice = "With --plain you are asked line by line"
}

extension ProfileRepository {
    /// What a store's first screen greets with (T5).
    func welcome() async throws(ProfileStoreError) -> [NoticeScreen] { try await takeWelcome() ? [.welcome] : [] }
}
