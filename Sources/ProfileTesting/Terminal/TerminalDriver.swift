internal import Platform

/// Drives a real program in a terminal like a person: it reads the screen, types, and reads the screen again.
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
/// The driver does not rely on fixed delays. A screen is *still* when three conditions are met: the program has read
/// all typed input, all output is on the screen, and every thread of the program waits (see <doc:Driving-the-screens>).
/// Each wait has a time limit. If a wait reaches this limit, it throws an error with a description of the screen.
///
/// A driver belongs to one test and is not `Sendable`. The program is killed when the driver is released.
public final class TerminalDriver {
    private let terminal: PseudoTerminal
    private let process: ChildProcess
    private let emulator: TerminalEmulator
    private let limit: Duration
    /// The latest output of the program, at most 1.5 × ``transcriptLimit`` bytes.
    private var written: [UInt8] = []
    /// The index in `written` at which the next search for output starts.
    private var seen = 0
    /// The last still screen.
    private var stillScreen: TerminalScreen
    /// The last still screen before the last input. If a text is not on this screen but is on a later screen, it is
    /// new.
    private var known: TerminalScreen
    private var buffer = [UInt8](repeating: 0, count: 65_536)

    /// The minimum number of output bytes kept for ``transcript``.
    public static let transcriptLimit = 1 << 20

    /// Starts a program in a terminal of its own.
    ///
    /// - Parameters:
    ///   - command: The program's path and its arguments.
    ///   - environment: All environment variables of the program. If the variables do not include `TERM`, it is
    ///     `xterm-256color`.
    ///   - folder: The working directory of the program.
    ///   - size: The size of the terminal.
    ///   - limit: The maximum duration of each wait.
    /// - Throws: ``SystemError`` if no terminal is available or the program cannot be started.
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

    /// The current screen. After a wait, such as ``waitUntilStill()``, the screen does not change until the next input.
    public var screen: TerminalScreen {
        drain()
        return emulator.contents
    }

    /// The program's output so far, including control codes. If the output is long, only the end is kept: at least
    /// ``transcriptLimit`` bytes.
    public var transcript: String {
        drain()
        return String(decoding: written, as: UTF8.self)
    }

    /// Whether the terminal echoes typed text. Programs that ask for a secret or draw the screen turn the echo off.
    public var echoes: Bool { terminal.settings.c_lflag & tcflag_t(ECHO) != 0 }

    /// Whether the terminal is in the state that a shell expects. Echo, line editing and signal keys such as Control-C
    /// are on. The main screen and the caret are visible, and the mouse is not reported.
    public var isRestored: Bool {
        let wanted = tcflag_t(ECHO | ICANON | ISIG)
        let settings = terminal.settings
        let screen = screen
        return settings.c_lflag & wanted == wanted && settings.c_oflag & tcflag_t(OPOST) != 0 && !screen.isAlternate
            && screen.caret != nil && !emulator.reportsMouse
    }

    /// Whether the program has ended.
    public var hasEnded: Bool { process.hasEnded }

    // MARK: Waiting

    /// Waits until the screen is still and shows a new text: a row contains the text more often than the same row did
    /// before the last input.
    ///
    /// The new screen is compared with the last still screen before that input. Therefore, if one input produces
    /// several texts, consecutive calls can wait for each of them.
    ///
    /// - Throws: ``TerminalWaitError`` if the driver's time limit is reached, or if the program has ended without
    ///   showing the text.
    public func wait(for text: String) throws(TerminalWaitError) {
        try wait(for: "\"\(text)\", new on a still screen") { $0.shows(text, newSince: known) }
    }

    /// Waits until the screen is still and meets a condition. If the current screen is already still and meets the
    /// condition, the wait ends at once.
    ///
    /// - Throws: ``TerminalWaitError`` if the driver's time limit is reached, or if the program has ended and its last
    ///   screen does not meet the condition.
    public func wait(until condition: (TerminalScreen) -> Bool) throws(TerminalWaitError) {
        try wait(for: "a still screen that meets a condition", until: condition)
    }

    /// Waits until the program has processed all input and waits for more.
    ///
    /// - Throws: ``TerminalWaitError`` if the program is still busy when the driver's time limit is reached.
    public func waitUntilStill() throws(TerminalWaitError) {
        try wait(for: "a still screen") { _ in true }
    }

    /// Waits until the program has written a text, even while the program is busy. The search begins after the text
    /// that the previous call found. Use this method for programs that write line by line or draw a progress bar.
    ///
    /// - Throws: ``TerminalWaitError`` if the driver's time limit is reached, or if the program has ended without
    ///   writing the text.
    public func waitForOutput(_ text: String) throws(TerminalWaitError) {
        let deadline = ContinuousClock.now + limit
        while true {
            let hasEnded = process.hasEnded
            drain()
            if let found = written[seen...].firstRange(of: Array(text.utf8)) {
                seen = found.upperBound
                return
            }
            try goOn("\"\(text)\" in the output", until: deadline, hasEnded: hasEnded)
        }
    }

    /// Waits until the program has ended.
    ///
    /// - Returns: The exit code, or 128 plus the number of the signal that ended the program, as in a shell.
    /// - Throws: ``TerminalWaitError`` if the program does not end within the driver's time limit.
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

    /// Types a text character by character. A line feed is the Return key.
    ///
    /// - Throws: ``TerminalWaitError`` if the program ends, or does not read the input within the driver's limit.
    public func type(_ text: String) throws(TerminalWaitError) {
        try send(Array(text.replacing("\n", with: "\r").utf8))
    }

    /// Presses a key once or several times.
    ///
    /// - Throws: ``TerminalWaitError`` if the program ends, or does not read the input within the driver's limit.
    public func press(_ key: TerminalKey, times: Int = 1) throws(TerminalWaitError) {
        drain()
        for _ in 0..<max(0, times) { emulator.press(key) }
        try send(emulator.takeInput())
    }

    /// Pastes a text. If the program has turned on bracketed paste, the text is marked as pasted.
    ///
    /// - Throws: ``TerminalWaitError`` if the program ends, or does not read the input within the driver's limit.
    public func paste(_ text: String) throws(TerminalWaitError) {
        drain()
        emulator.paste(text)
        try send(emulator.takeInput())
    }

    /// Changes the window's size. Everything that the program draws afterwards counts as new.
    public func resize(_ size: TerminalSize) {
        drain()
        emulator.resize(size)
        // The previous screen has another size. Therefore the next screens are compared with a blank screen.
        if let blank = TerminalEmulator(size)?.contents { stillScreen = blank }
        known = stillScreen
        terminal.resize(size)
    }

    /// Sends the program a signal.
    public func send(_ signal: Int32) {
        known = stillScreen
        process.send(signal)
    }

    // MARK: Implementation

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

    /// Whether the program is idle. True only if there was a moment at which all data was read and no thread was
    /// running.
    ///
    /// This method reads the state of the threads, then checks for unread data, then reads the state of the threads
    /// again. If both states are equal, no thread ran between the two readings.
    private func isStill() -> Bool {
        let before = SessionActivity(session: process.id)
        guard let before else {
            // If there is no /proc, the program counts as idle when it writes nothing for 50 ms.
            terminal.wait(milliseconds: 50)
            return !terminal.hasUnreadInput && !terminal.hasOutput
        }
        guard before.isAsleep, !terminal.hasUnreadInput, !terminal.hasOutput else { return false }
        return SessionActivity(session: process.id) == before
    }

    /// Waits until the program writes, but at most 2 ms. Throws if the program has ended or the deadline has passed.
    private func goOn(
        _ what: String, until deadline: ContinuousClock.Instant, hasEnded: Bool
    ) throws(TerminalWaitError) {
        guard !hasEnded, ContinuousClock.now < deadline else {
            throw TerminalWaitError(
                awaited: what, limit: limit, exitCode: hasEnded ? process.wait() : nil, screen: emulator.contents)
        }
        terminal.wait(milliseconds: 2)
    }

    /// Passes the program's output to the emulator. Sends the emulator's answers to the program.
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
            // The result is ignored, because a short answer fits into the terminal's buffer. If this buffer is full,
            // the program has stopped reading its input.
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
            // If the output of a program is blocked, the program does not read input. Therefore the driver must also
            // read output here.
            drain()
            try goOn("room for typed input", until: deadline, hasEnded: process.hasEnded)
            if count == 0 { terminal.wait(forRoom: true, milliseconds: 2) }
        }
    }
}

@available(*, unavailable)
extension TerminalDriver: Sendable {}

/// A failed wait for a program in a terminal.
public struct TerminalWaitError: Error, Sendable, CustomStringConvertible {
    /// The awaited event.
    public let awaited: String
    /// The maximum duration of the wait.
    public let limit: Duration
    /// The exit code of the program; nil while it runs.
    public let exitCode: Int32?
    /// The screen at the end of the wait.
    public let screen: TerminalScreen

    /// The awaited event, the reason of the failure, and the screen.
    public var description: String {
        let reason = exitCode.map { "The program ended with \($0)" } ?? "It did not happen within \(limit)"
        return "Waited for \(awaited). \(reason). The screen:\n\(screen)"
    }
}
