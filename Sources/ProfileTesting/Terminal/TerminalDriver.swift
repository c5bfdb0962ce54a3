internal import Platform

/// Drives a real program in a terminal, as a person would: looks at the screen, types, looks again.
///
/// ```swift
/// let driver = try TerminalDriver([path, "register"], environment: ["HOME": folder])
/// try driver.wait(for: "Username")
/// try driver.type("skboard")
/// try driver.press(.tab)
/// try driver.waitUntilStill()
/// #expect(driver.screen.rows[2].contains("skboard"))
/// #expect(try driver.end() == 0)
/// ```
///
/// Nothing here sleeps for a while and hopes. A screen is *still* when all that was typed was read, all that was
/// written is on the screen, and every thread of the program waits (see <doc:Driving-the-screens>). Each wait has a
/// limit, and past it throws an error that shows the screen.
///
/// A driver belongs to one test and is not `Sendable`. The program is killed with it.
public final class TerminalDriver {
    private let terminal: PseudoTerminal
    private let process: ChildProcess
    private let emulator: TerminalEmulator
    private let limit: Duration
    /// What was written last, at most ``transcriptLimit`` and half of it again.
    private var written: [UInt8] = []
    /// Where in `written` a wait for output goes on.
    private var seen = 0
    /// The screen when it was last found still.
    private var stillScreen: TerminalScreen
    /// The screen that the last key was pressed on: what is new is new since then.
    private var known: TerminalScreen
    private var buffer = [UInt8](repeating: 0, count: 65_536)

    /// How many bytes of what a program writes are kept for ``transcript``, at least.
    public static let transcriptLimit = 1 << 20

    /// Starts a program in a terminal of its own.
    ///
    /// - Parameters:
    ///   - command: the program's path, and its arguments.
    ///   - environment: all of its variables; `TERM` is `xterm-256color` where it is not among them.
    ///   - folder: where it runs.
    ///   - size: the terminal's.
    ///   - limit: how long each wait takes at the most.
    /// - Throws: ``SystemError`` where there is no terminal, or the program cannot be started.
    public init(
        _ command: [String], environment: [String: String] = [:], folder: String = "/",
        size: TerminalSize = .standard, limit: Duration = .seconds(60)
    ) throws(SystemError) {
        terminal = try PseudoTerminal(size)
        guard let emulator = TerminalEmulator(size) else { throw SystemError("vterm_new", code: ENOMEM) }
        self.emulator = emulator
        self.limit = limit
        stillScreen = emulator.contents
        known = stillScreen
        let device = ChildProcess.Stream.file(terminal.path, flags: O_RDWR)
        process = try ChildProcess(
            command, environment: ["TERM": "xterm-256color"].merging(environment) { $1 }, folder: folder,
            streams: [0: device, 1: device, 2: device], beginsSession: true)
    }

    // MARK: Looking

    /// What is on the screen now; after ``waitUntilStill()``, or a wait, it stays until the next key.
    public var screen: TerminalScreen {
        drain()
        return emulator.contents
    }

    /// What the program has written so far, control codes and all; of more than ``transcriptLimit`` bytes the last.
    public var transcript: String {
        drain()
        return String(decoding: written, as: UTF8.self)
    }

    /// Whether the terminal echoes what is typed: programs that ask for a secret, or draw the screen, turn that off.
    public var echoes: Bool { terminal.settings.c_lflag & tcflag_t(ECHO) != 0 }

    /// Whether the terminal is as a shell expects it: it echoes, edits lines, makes signals of keys, and shows the main
    /// screen with a caret.
    public var isRestored: Bool {
        let wanted = tcflag_t(ECHO | ICANON | ISIG)
        let settings = terminal.settings
        let screen = screen
        return settings.c_lflag & wanted == wanted && settings.c_oflag & tcflag_t(OPOST) != 0 && !screen.isAlternate
            && screen.caret != nil
    }

    /// Whether the program has ended.
    public var hasEnded: Bool { process.hasEnded }

    // MARK: Waiting

    /// Waits until a text is on the still screen that was not in its row before something was last typed.
    ///
    /// "Before" is the last still screen that was waited for. Waits that follow one another look for several texts of
    /// what came of the same keys.
    ///
    /// - Throws: ``TerminalWaitError`` after the driver's limit, or when the program has ended without it.
    public func wait(for text: String) throws(TerminalWaitError) {
        try wait(for: "\"\(text)\", new on a still screen") { $0.shows(text, newSince: known) }
    }

    /// Waits until the still screen is as it should be, which it may be already.
    ///
    /// - Throws: ``TerminalWaitError`` after the driver's limit, or when the program has ended without it.
    public func wait(until condition: (TerminalScreen) -> Bool) throws(TerminalWaitError) {
        try wait(for: "a still screen that meets a condition", until: condition)
    }

    /// Waits until the program has dealt with all that was typed and waits for more.
    ///
    /// - Throws: ``TerminalWaitError`` after the driver's limit: the program is busy without an end.
    public func waitUntilStill() throws(TerminalWaitError) {
        try wait(for: "a still screen") { _ in true }
    }

    /// Waits until the program has written a text after whatever was waited for in this way before, however busy it
    /// is: for programs that write line by line, or draw a bar.
    ///
    /// - Throws: ``TerminalWaitError`` after the driver's limit, or when the program has ended without it.
    public func waitForOutput(_ text: String) throws(TerminalWaitError) {
        let deadline = ContinuousClock.now + limit
        while true {
            let hasEnded = process.hasEnded
            drain()
            if let found = written[seen...].firstRange(of: Array(text.utf8)) {
                seen = found.upperBound
                return
            }
            try goOn("\"\(text)\" in what is written", until: deadline, hasEnded: hasEnded)
        }
    }

    /// Waits until the program has ended.
    ///
    /// - Returns: its exit code, or 128 and the number of the signal that ended it, as a shell has it.
    /// - Throws: ``TerminalWaitError`` after the driver's limit.
    public func end() throws(TerminalWaitError) -> Int32 {
        let deadline = ContinuousClock.now + limit
        while !process.hasEnded {
            drain()
            try goOn("the end of the program", until: deadline, hasEnded: false)
        }
        drain()
        return process.wait()
    }

    // MARK: Typing

    /// Types a text, character by character; a line feed is the Return key.
    ///
    /// - Throws: ``TerminalWaitError`` when nobody takes it.
    public func type(_ text: String) throws(TerminalWaitError) {
        try send(Array(text.replacing("\n", with: "\r").utf8))
    }

    /// Presses a key, some times.
    ///
    /// - Throws: ``TerminalWaitError`` when nobody takes it.
    public func press(_ key: TerminalKey, times: Int = 1) throws(TerminalWaitError) {
        drain()
        for _ in 0..<max(0, times) { emulator.press(key) }
        try send(emulator.takeInput())
    }

    /// Pastes a text, marked as pasted if the program has asked for that (bracketed paste).
    ///
    /// - Throws: ``TerminalWaitError`` when nobody takes it.
    public func paste(_ text: String) throws(TerminalWaitError) {
        drain()
        emulator.paste(text)
        try send(emulator.takeInput())
    }

    /// Changes the window's size. All that the program draws then counts as new.
    public func resize(_ size: TerminalSize) {
        drain()
        emulator.resize(size)
        // Nothing is known of a screen of this size.
        if let blank = TerminalEmulator(size)?.contents { stillScreen = blank }
        known = stillScreen
        terminal.resize(size)
    }

    /// Sends the program a signal.
    public func send(_ signal: Int32) {
        known = stillScreen
        process.send(signal)
    }

    // MARK: How it is done

    private func wait(
        for what: String, until condition: (TerminalScreen) -> Bool
    ) throws(TerminalWaitError) {
        let deadline = ContinuousClock.now + limit
        while true {
            let hasEnded = process.hasEnded
            drain()
            if hasEnded || isStill() {
                let screen = emulator.contents
                if condition(screen) {
                    stillScreen = screen
                    return
                }
            }
            try goOn(what, until: deadline, hasEnded: hasEnded)
        }
    }

    /// Whether nothing is under way; true only if nothing was at one moment.
    ///
    /// Both looks at the threads find the same, so none has run between them; and between them nothing was unread.
    private func isStill() -> Bool {
        let before = SessionActivity(session: process.id)
        guard let before else {
            // No /proc to look at: a program that has been silent for a while is taken to wait.
            terminal.wait(milliseconds: 50)
            return !terminal.hasUnreadInput && !terminal.hasOutput
        }
        guard before.isAsleep, !terminal.hasUnreadInput, !terminal.hasOutput else { return false }
        return SessionActivity(session: process.id) == before
    }

    /// Lets the program go on for a moment, or until it writes.
    private func goOn(
        _ what: String, until deadline: ContinuousClock.Instant, hasEnded: Bool
    ) throws(TerminalWaitError) {
        guard !hasEnded, ContinuousClock.now < deadline else {
            throw TerminalWaitError(
                awaited: what, limit: limit, exitCode: hasEnded ? process.wait() : nil, screen: emulator.contents)
        }
        terminal.wait(milliseconds: 2)
    }

    /// Brings what was written to the screen, and the terminal's answers to the program.
    private func drain() {
        while case .bytes(let bytes) = terminal.read(into: &buffer) {
            emulator.write(bytes)
            written += bytes
            if written.count > Self.transcriptLimit * 3 / 2 {
                let surplus = written.count - Self.transcriptLimit
                written.removeFirst(surplus)
                seen = max(0, seen - surplus)
            }
            let answer = emulator.takeInput()
            // Short, and nobody's loss if the program takes none of it.
            if !answer.isEmpty { _ = terminal.write(answer[...]) }
        }
    }

    private func send(_ bytes: [UInt8]) throws(TerminalWaitError) {
        known = stillScreen
        let deadline = ContinuousClock.now + limit
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = terminal.write(rest)
            rest = rest.dropFirst(count ?? 0)
            if rest.isEmpty { return }
            // A program that waits for room on the screen takes no input, so both ways have to be kept open.
            drain()
            try goOn("room for what is typed", until: deadline, hasEnded: process.hasEnded)
            if count == 0 { terminal.wait(forRoom: true, milliseconds: 2) }
        }
    }
}

@available(*, unavailable)
extension TerminalDriver: Sendable {}

/// A wait for a program in a terminal that was in vain.
public struct TerminalWaitError: Error, Sendable, CustomStringConvertible {
    /// What was waited for.
    public let awaited: String
    /// How long a wait takes at the most.
    public let limit: Duration
    /// How the program ended; nil while it runs.
    public let exitCode: Int32?
    /// What was on the screen.
    public let screen: TerminalScreen

    /// What was waited for, and the screen.
    public var description: String {
        let reason = exitCode.map { "The program ended with \($0)" } ?? "It was not there within \(limit)"
        return "Waited for \(awaited). \(reason). The screen:\n\(screen)"
    }
}
