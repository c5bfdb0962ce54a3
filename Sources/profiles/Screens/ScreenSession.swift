internal import Synchronization
internal import TerminalUI

/// Runs screens on the process's terminal, which gets back what it showed before however that ends.
struct ScreenSession: Sendable {
    /// What somebody outside wants of the screens; nil where there is nobody.
    var requests: AsyncStream<ScreenRequest>?
    /// The terminal between screens; nil where each screen takes it and gives it back.
    private var stage: Stage?

    init(requests: AsyncStream<ScreenRequest>? = nil) { self.requests = requests }

    /// Keeps the terminal from the first screen that is run to the end, so that nothing flickers between screens and what
    /// is typed there reaches the next one. Nothing may be printed meanwhile.
    ///
    /// - Parameters:
    ///   - requests: What somebody outside wants of the screens; nil where there is nobody.
    ///   - advice: What to do where there is no terminal.
    ///   - body: Runs the screens.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws.
    static func keepingTerminal<Value>(
        requests: AsyncStream<ScreenRequest>? = nil, orElse advice: String = "With --plain you are asked line by line",
        _ body: (ScreenSession) async throws -> Value
    ) async throws -> Value {
        let stage = Stage(advice)
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
    ///   - screen: What is shown.
    ///   - welcomes: Whether the welcome notice stands before the screen if the user has not seen it yet (T5).
    ///   - unfinished: What is said to somebody who leaves.
    ///   - failure: What leaving comes to where it is more than that.
    ///   - answer: Does what the screen asks for.
    ///   - supply: Finds what the screen demands, if it does.
    /// - Returns: What came of it.
    /// - Throws: ``CommandFailure/left(_:_:)``, the failure, ``RowLeft``, an error of `answer`, or that a signal ended it.
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
        // Only now is there a terminal to show it on.
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

    /// The terminal, from the first screen on.
    private final class Stage: Sendable {
        private let opened = Mutex<(terminal: Terminal, loop: ScreenLoop)?>(nil)
        private let advice: String

        /// - Parameter advice: What to do where there is no terminal.
        init(_ advice: String) { self.advice = advice }

        func open(_ requests: AsyncStream<ScreenRequest>?) throws -> ScreenLoop {
            try opened.withLock { opened in
                if let opened { return opened.loop }
                let terminal = try ScreenSession.terminal(orElse: advice)
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

    private static func terminal(orElse advice: String) throws(CommandFailure) -> Terminal {
        do throws(TerminalError) {
            return try Terminal.open(usesColor: Environment["NO_COLOR"] == nil)
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
