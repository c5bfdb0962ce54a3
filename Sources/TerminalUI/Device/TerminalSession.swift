internal import Platform
internal import Synchronization
internal import TextLayout
internal import Threads

/// One use of the terminal, from opening it to restoring it. The session draws the screen and runs the thread that
/// handles keys and signals.
final class TerminalSession: Sendable {
    /// After ESC, the session waits at most this time for the rest of a key's sequence, in milliseconds. A terminal
    /// sends the rest immediately, and a person does not notice the delay.
    private static let escapeTime: Int32 = 30
    /// The maximum pause within a paste, in milliseconds. A terminal sends a paste without pauses. A longer pause means
    /// that the end mark was lost.
    private static let pasteTime: Int32 = 1_000

    let events: AsyncStream<TerminalEvent>
    private let continuation: AsyncStream<TerminalEvent>.Continuation
    private let usesColor: Bool
    private let usesMouse: Bool
    private let firstSize: ScreenSize
    private let screen = Locked(Screen())
    private let isEndRequested = Atomic<Bool>(false)
    private let isSuspensionRequested = Atomic<Bool>(false)

    private struct Screen {
        enum Phase { case shown, suspended, ended }
        var phase = Phase.shown
        /// The frame that the terminal shows; nil if the content of the terminal is uncertain.
        var shown: Frame?
        /// The frame that the terminal should show.
        var wanted: Frame?
    }

    /// Takes over the terminal. Closes the descriptor, even if the initializer throws.
    init(_ descriptor: Int32, usesColor: Bool, usesMouse: Bool) throws(TerminalError) {
        self.usesColor = usesColor
        self.usesMouse = usesMouse
        (events, continuation) = AsyncStream.makeStream()
        try signalRestoration.claim(descriptor)
        firstSize = Self.currentSize ?? Self.assumedSize
        let code = screen.withLock { enter(&$0) }
        guard code == 0 else {
            end()
            throw .cannotConfigure(code: code)
        }
    }

    var size: ScreenSize { Self.currentSize ?? Self.assumedSize }

    private static let assumedSize = ScreenSize(columns: 80, rows: 24)

    /// The terminal's size; nil if the terminal no longer exists.
    private static var currentSize: ScreenSize? {
        var window = winsize()
        guard ioctl(signalRestoration.terminal, UInt(TIOCGWINSZ), &window) == 0 else { return nil }
        guard window.ws_col > 0, window.ws_row > 0 else { return assumedSize }
        return ScreenSize(columns: Int(window.ws_col), rows: Int(window.ws_row))
    }

    func draw(_ frame: Frame) {
        screen.withLock { screen in
            screen.wanted = frame
            if screen.phase == .shown { paint(&screen) }
        }
    }

    /// Writes OSC 52. `c` is the clipboard. The text is in base64, so it cannot contain control characters.
    func copy(_ text: String) {
        screen.withLock { screen in
            guard screen.phase == .shown else { return }
            // If only a part of the sequence was written, the terminal may read the next output as its rest. So the
            // content of the terminal is then uncertain.
            if !write(Array("\u{1B}]52;c;\(Base64.text(of: Array(text.utf8)))\u{7}".utf8)) { screen.shown = nil }
        }
    }

    func forgetDrawn() { screen.withLock { $0.shown = nil } }

    func requestSuspension() {
        isSuspensionRequested.store(true, ordering: .releasing)
        signalRestoration.wake()
    }

    /// Ends the loop. If a draw call waits because the terminal accepts no output, this method also ends the draw call.
    func requestEnd() {
        isEndRequested.store(true, ordering: .releasing)
        signalRestoration.wake()
    }

    /// Restores the terminal; only the first call has an effect.
    func end() {
        let unanswered: Int32? = screen.withLock { screen in
            guard screen.phase != .ended else { return nil }
            screen.phase = .ended
            return signalRestoration.release()
        }
        if let unanswered { kill(getpid(), unanswered) }
    }

    /// Runs the loop of the thread until the session ends.
    func run() {
        signalRestoration.unblockSignals()
        defer { continuation.finish() }
        var reader = KeyReader()
        var lastSize = firstSize
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4_096, alignment: 1)
        defer { buffer.deallocate() }
        while true {
            guard answerSignals(&lastSize) else { return }
            let time = reader.isWaitingForPaste ? Self.pasteTime : reader.isWaitingAfterEscape ? Self.escapeTime : -1
            switch wait(atMost: time) {
            case .nothing: report(reader.timeOut())
            case .wakeUp: continue
            case .input: guard read(into: buffer, &reader) else { return close() }
            }
        }
    }
}

// MARK: Signals

extension TerminalSession {
    /// - Returns: Whether the session continues.
    private func answerSignals(_ lastSize: inout ScreenSize) -> Bool {
        guard !isEndRequested.load(ordering: .acquiring) else { return false }
        let signals = signalRestoration.takePending()
        if let ending = signals.ending {
            end()
            continuation.yield(.ended(signal: ending))
            return false
        }
        let isRequested = isSuspensionRequested.exchange(false, ordering: .acquiringAndReleasing)
        if isRequested || signals.contains(SIGTSTP) {
            suspend(wholeJob: isRequested)
            continuation.yield(.resumed)
        } else if signals.contains(SIGCONT) {
            // The process was stopped by SIGSTOP, a signal that no handler can catch. Since then, the shell has changed
            // the terminal's settings.
            resume()
            continuation.yield(.resumed)
        }
        // After SIGWINCH the screen is always drawn again. Even if the size is the same as before, the terminal may
        // have truncated text in the meantime.
        if let size = Self.currentSize, size != lastSize || signals.contains(SIGWINCH) {
            lastSize = size
            screen.withLock { $0.shown = nil }
            continuation.yield(.resized(size))
        }
        return true
    }

    private func suspend(wholeJob: Bool) {
        let isShown = screen.withLock { screen in
            guard screen.phase == .shown else { return false }
            screen.phase = .suspended
            signalRestoration.restore(discardsInput: false)
            return true
        }
        guard isShown else { return }
        signalRestoration.stop(wholeJob: wholeJob)
        resume()
    }

    private func resume() {
        screen.withLock { screen in
            guard screen.phase != .ended else { return }
            screen.phase = .shown
            // If the terminal no longer exists, the next read detects it.
            if enter(&screen) == 0 { paint(&screen) }
        }
    }

    private func close() {
        end()
        continuation.yield(.closed)
    }
}

// MARK: Input

extension TerminalSession {
    private enum News { case nothing, wakeUp, input }

    /// Waits for input, a signal or the timeout.
    private func wait(atMost milliseconds: Int32) -> News {
        withUnsafeTemporaryAllocation(of: pollfd.self, capacity: 2) { waiting in
            waiting.initializeElement(
                at: 0, to: pollfd(fd: signalRestoration.wakeUps, events: Int16(POLLIN), revents: 0))
            waiting.initializeElement(
                at: 1, to: pollfd(fd: signalRestoration.terminal, events: Int16(POLLIN), revents: 0))
            let count = poll(waiting.baseAddress, 2, milliseconds)
            if count == 0 { return .nothing }
            // Signals come first: a signal that ends the process must not wait until a large input is read.
            guard count > 0, waiting[0].revents == 0 else {
                drainWakeUps()
                return .wakeUp
            }
            return .input
        }
    }

    private func drainWakeUps() {
        withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { bytes in
            while Platform.read(signalRestoration.wakeUps, bytes.baseAddress, bytes.count) > 0 {}
        }
    }

    /// - Returns: Whether the terminal still exists.
    private func read(into buffer: UnsafeMutableRawBufferPointer, _ reader: inout KeyReader) -> Bool {
        let count = Platform.read(signalRestoration.terminal, buffer.baseAddress, buffer.count)
        guard count > 0 else { return count < 0 && (errno == EAGAIN || errno == EINTR) }
        let bytes = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(count))
        // The input may be a secret.
        defer { if let start = bytes.baseAddress { explicit_bzero(start, count) } }
        report(reader.read(bytes.bindMemory(to: UInt8.self).span))
        if count < buffer.count { report(reader.pause()) }
        return true
    }

    private func report(_ keys: [Key]) {
        for key in keys { continuation.yield(.key(key)) }
    }
}

// MARK: Output

extension TerminalSession {
    /// Selects the alternate screen, which leaves the main screen unchanged. Turns off wrapping, turns on bracketed
    /// paste, and sets cursor keys and keypad to normal mode.
    private static let greeting = Array("\u{1B}[?1049h\u{1B}[?7l\u{1B}[?2004h\u{1B}[?1l\u{1B}>".utf8)

    /// Turns on reports of presses, releases, the wheel, and movements while a button is pressed (1002). The format of
    /// these reports has no maximum row and column (1006).
    private static let mouseModes = Array("\u{1B}[?1002h\u{1B}[?1006h".utf8)

    /// - Returns: 0, or `errno`.
    private func enter(_ screen: inout Screen) -> Int32 {
        screen.shown = nil
        let code = signalRestoration.enter()
        guard code == 0 else { return code }
        return write(Self.greeting + (usesMouse ? Self.mouseModes : [])) ? 0 : EIO
    }

    private func paint(_ screen: inout Screen) {
        guard let wanted = screen.wanted else { return }
        var bytes = ScreenRenderer.bytes(from: screen.shown, to: wanted, usesColor: usesColor)
        screen.shown = write(bytes) ? wanted : nil
        // The bytes may contain a revealed secret.
        bytes.withUnsafeMutableBytes { if let start = $0.baseAddress { explicit_bzero(start, $0.count) } }
    }

    /// Writes all bytes. Waits for a slow terminal, unless the session is about to end.
    ///
    /// - Returns: Whether all bytes were written.
    private func write(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let written = Platform.write(
                    signalRestoration.terminal, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if written > 0 {
                    rest = rest.dropFirst(written)
                } else if errno == EAGAIN {
                    guard !isEndRequested.load(ordering: .acquiring), !signalRestoration.isEnding else { return false }
                    var room = pollfd(fd: signalRestoration.terminal, events: Int16(POLLOUT), revents: 0)
                    poll(&room, 1, 50)
                } else if errno != EINTR {
                    return false
                }
            }
            return true
        }
    }
}
