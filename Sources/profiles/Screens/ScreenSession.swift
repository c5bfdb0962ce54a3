internal import TerminalUI
internal import Threads

/// Runs screens on the terminal of the process. After the last screen, the terminal shows its earlier content again.
struct ScreenSession: Sendable {
    /// Requests to the screens. They come from a source such as a control server, and not from the keyboard. Nil if
    /// there are none.
    var requests: AsyncStream<ScreenRequest>?
    /// The terminal that stays open between screens. Nil if each screen opens and closes the terminal.
    private var stage: Stage?

    init(requests: AsyncStream<ScreenRequest>? = nil) { self.requests = requests }

    /// Keeps the terminal open from the first screen until `body` returns. So the terminal does not flicker between
    /// screens, and keys that are typed between two screens reach the second one. The program must not print anything
    /// meanwhile.
    ///
    /// - Parameters:
    ///   - requests: Requests to the screens that do not come from the keyboard. Nil if there are none.
    ///   - usesMouse: Whether the terminal reports the mouse to the screens.
    ///   - advice: The advice to print if there is no terminal.
    ///   - body: Runs the screens.
    /// - Returns: The result of `body`.
    /// - Throws: The errors of `body`.
    static func keepingTerminal<Value>(
        requests: AsyncStream<ScreenRequest>? = nil, usesMouse: Bool = false,
        orElse advice: String = "With --plain you are asked line by line",
        _ body: (ScreenSession) async throws -> Value
    ) async throws -> Value {
        let stage = Stage(usesMouse: usesMouse, advice)
        var session = ScreenSession(requests: requests)
        session.stage = stage
        do {
            let value = try await body(session)
            await stage.close()
            return value
        } catch {
            await stage.close()
            throw error
        }
    }

    /// Runs a screen to its end.
    ///
    /// - Parameters:
    ///   - screen: The screen to show.
    ///   - welcomes: Whether the welcome notice is shown before the screen if the user has not seen it yet (T5).
    ///   - unfinished: The message for a user who leaves the screen.
    ///   - failure: Returns the error for a user who leaves the screen. If it returns nil, the error is
    ///     ``CommandFailure/left(_:_:)`` with the message `unfinished`.
    ///   - answer: Performs the requests of the screen.
    ///   - supply: Reads the data that the screen demands. Nil if it demands none.
    /// - Returns: The result of the screen.
    /// - Throws: ``CommandFailure/left(_:_:)`` or `failure` for a user who leaves, ``RowLeft`` for a skipped row, an
    ///   error of `answer`, or ``SignalEnding`` if a signal ended the screen.
    func run<S: Screen, Value: Sendable>(
        _ screen: S, welcoming welcomes: Bool = false, unfinished: String,
        whenLeft failure: () -> (any Error)? = { nil },
        answering answer: @escaping @Sendable (S.Request) async throws -> ScreenAnswer<S.Reply, Value>,
        supplying supply: (@Sendable (S.Demand) async throws -> S.Reply)? = nil
    ) async throws -> Value {
        guard let stage else {
            return try await Self.keepingTerminal(requests: requests) { session in
                try await session.run(
                    screen, welcoming: welcomes, unfinished: unfinished, whenLeft: failure, answering: answer,
                    supplying: supply)
            }
        }
        let loop = try stage.open(requests)
        var screen = screen
        // The welcome is recorded as seen only at this point, because the terminal is now ready to show it.
        if welcomes, WelcomeRecord.take() { screen.notices.insert(.welcome, at: 0) }
        switch await loop.run(screen, answering: answer, supplying: supply) {
        case .done(let value): return value
        case .left: throw failure() ?? CommandFailure.left(.no, unfinished)
        case .skipped: throw RowLeft.forLater
        case .interrupted: throw CommandFailure.left(.interrupted, unfinished)
        case .closed: throw CommandFailure(.interrupted, "The terminal is gone")
        case .signal(let number): throw SignalEnding(signal: number)
        case .failed(let error): throw error
        }
    }

    /// Asks the terminal to put a text into its clipboard. Has no effect while no screen is open.
    func copy(_ text: String) { stage?.terminal?.copy(text) }

    /// The terminal. The first screen opens it.
    private final class Stage: Sendable {
        private let opened = Locked<(terminal: Terminal, loop: ScreenLoop)?>(nil)
        private let usesMouse: Bool
        private let advice: String

        /// - Parameters:
        ///   - usesMouse: Whether the terminal reports the mouse.
        ///   - advice: The advice to print if there is no terminal.
        init(usesMouse: Bool, _ advice: String) {
            self.usesMouse = usesMouse
            self.advice = advice
        }

        var terminal: Terminal? { opened.withLock { $0?.terminal } }

        func open(_ requests: AsyncStream<ScreenRequest>?) throws -> ScreenLoop {
            try opened.withLock { opened in
                if let opened { return opened.loop }
                let terminal = try ScreenSession.terminal(usesMouse: usesMouse, orElse: advice)
                let loop = ScreenLoop(terminal, requests: requests)
                opened = (terminal, loop)
                return loop
            }
        }

        func close() async {
            guard let (terminal, loop) = opened.withLock({ $0 }) else { return }
            await loop.waitForRepeats()
            terminal.close()
            opened.withLock { $0 = nil }
        }
    }

    private static func terminal(usesMouse: Bool, orElse advice: String) throws(CommandFailure) -> Terminal {
        do throws(TerminalError) {
            return try Terminal.open(usesColor: Environment["NO_COLOR"] == nil, usesMouse: usesMouse)
        } catch {
            switch error {
            case .noTerminal: throw CommandFailure(.usage, "There is no terminal to draw on", advice)
            case .alreadyOpen: throw CommandFailure(.unavailable, "The terminal has a screen already")
            case .cannotOpen(let code), .cannotConfigure(let code), .cannotStartThread(let code):
                throw CommandFailure(
                    .unavailable, "The terminal cannot be used: \(CommandFailure.systemText(code))", advice)
            }
        }
    }
}
