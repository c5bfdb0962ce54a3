internal import Platform
internal import Synchronization

/// The state of the process's only screen. Signal handlers and the exit handler of the process use it.
let signalRestoration = SignalRestoration()

/// Restores the terminal when the process crashes or exits, and records the signals that a screen has to handle.
///
/// A handler may run on any thread between any two instructions, even inside a lock or the allocator. So a handler may
/// use only the functions that signal-safety(7) lists. The code of the handlers below is safe for these reasons:
/// - The handlers use only one global, a `let`. `open` initializes it before a handler is installed. After that,
///   Swift's `swift_once` only compares a flag. Swift does not check exclusive access for a `let`.
/// - Memory is accessed through pointers that are allocated in `init` and never freed. Only atomics are written while a
///   handler is installed. Atomics are lock-free on every Linux platform that Swift supports.
/// - No value has a reference count, and nothing can overflow or trap. Even in a debug build, the compiler inlines
///   every call, except calls of `errno`, `write`, `poll`, `tcflush`, `tcsetattr`, `sigaction` and `raise`; `objdump
///   -dr` of the handlers shows this. For this reason, the pointers are not optional, and the code advances them with
///   `advanced(by:)`.
/// - This type keeps its descriptor numbers until the process ends. When a screen closes, `/dev/null` is opened under
///   the terminal's number. So a late handler cannot write into an unrelated file.
struct SignalRestoration: ~Copyable, @unchecked Sendable {
    /// The descriptor of the open screen's terminal; -1 if no descriptor was available.
    let terminal: Int32
    /// A descriptor that becomes readable after a signal or a call of `wake`.
    let wakeUps: Int32

    private let waker: Int32
    private let isOpen = Atomic<Bool>(false)
    /// Whether the terminal has to be restored.
    private let isTaken = Atomic<Bool>(false)
    /// The signals that have arrived but were not handled yet. Each signal has one bit.
    private let pending = Atomic<UInt64>(0)
    /// The terminal's settings before the screen opened.
    private let settings = UnsafeMutablePointer<termios>.allocate(capacity: 1)
    /// For each signal, the action that was set before the screen opened. The index is the number of the signal.
    private let formerActions = UnsafeMutablePointer<sigaction>.allocate(capacity: 65)
    private let farewell: UnsafeRawPointer
    private let farewellCount: Int

    /// The control codes that restore the terminal. CAN ends an unfinished escape sequence. The next codes end
    /// synchronised output, select plain text, turn wrapping on, turn the mouse and bracketed paste off, select the main
    /// screen, and show its cursor.
    private static let farewellText =
        "\u{18}\u{1B}[?2026l\u{1B}[0m\u{1B}[?7h\u{1B}[?1006l\u{1B}[?1002l\u{1B}[?2004l\u{1B}[?1049l\u{1B}[?25h"

    fileprivate init() {
        var ends: [Int32] = [-1, -1]
        if pipe(&ends) != 0 { ends = [-1, -1] }
        (wakeUps, waker) = (Self.kept(ends[0]), Self.kept(ends[1]))
        terminal = Self.kept(Platform.open("/dev/null", O_RDWR | O_CLOEXEC))
        settings.initialize(to: termios())
        formerActions.initialize(repeating: sigaction(), count: 65)
        let text = Array(Self.farewellText.utf8)
        let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: text.count)
        for (index, byte) in text.enumerated() { (bytes + index).initialize(to: byte) }
        farewell = UnsafeRawPointer(bytes)
        farewellCount = text.count
        atexit { signalRestoration.restore(discardsInput: true) }
    }

    /// Copies a descriptor to a number above 2, and closes the original. If the program has closed standard input,
    /// output or error, the original can have a number from 0 to 2. Code for these streams would then use the original.
    private static func kept(_ descriptor: Int32) -> Int32 {
        guard descriptor >= 0 else { return -1 }
        defer { Platform.close(descriptor) }
        let kept = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
        // If the pipe is full, a write does not have to wait, because the reader has already been woken.
        _ = fcntl(kept, F_SETFL, fcntl(kept, F_GETFL) | O_NONBLOCK)
        return kept
    }
}

// MARK: One screen at a time

extension SignalRestoration {
    /// Takes over an open terminal. Closes its descriptor, even if this method throws.
    func claim(_ descriptor: Int32) throws(TerminalError) {
        defer { Platform.close(descriptor) }
        guard terminal >= 0, wakeUps >= 0, waker >= 0 else { throw .cannotOpen(code: EMFILE) }
        guard !isOpen.exchange(true, ordering: .acquiringAndReleasing) else { throw .alreadyOpen }
        guard tcgetattr(descriptor, settings) == 0, dup2(descriptor, terminal) >= 0 else {
            let code = errno
            isOpen.store(false, ordering: .releasing)
            throw .cannotConfigure(code: code)
        }
        _ = fcntl(terminal, F_SETFD, FD_CLOEXEC)
        pending.store(0, ordering: .relaxed)
        installHandlers()
    }

    /// Restores the terminal and the former actions of the signals.
    ///
    /// - Returns: A signal that must end the process but was not handled yet; nil if there is no such signal.
    func release() -> Int32? {
        restore(discardsInput: true)
        for signal in Self.crashes + Self.endings + Self.others where !isIgnored(signal) {
            sigaction(signal, formerActions + Int(signal), nil)
        }
        let nowhere = Platform.open("/dev/null", O_RDWR | O_CLOEXEC)
        // If `/dev/null` cannot be opened, the terminal stays open, but is never written to.
        if nowhere >= 0 {
            dup2(nowhere, terminal)
            _ = fcntl(terminal, F_SETFD, FD_CLOEXEC)
            Platform.close(nowhere)
        }
        isOpen.store(false, ordering: .releasing)
        return takePending().ending
    }

    /// Puts the terminal into raw mode.
    ///
    /// - Returns: 0, or `errno`.
    func enter() -> Int32 {
        var raw = settings.pointee
        cfmakeraw(&raw)
        // Raw mode disables flow control by Ctrl-S, but does not disable two other kinds of flow control. With the
        // first kind, any key restarts the output. With the second kind, the kernel asks the terminal to stop sending.
        raw.c_iflag &= ~tcflag_t(IXON | IXANY | IXOFF)
        isTaken.store(true, ordering: .releasing)
        // If the process is in the background, `tcsetattr` stops it until it comes to the foreground. So this call must
        // precede any output. The kernel stops the process with SIGTTOU, but Swift's own threads block this signal. If
        // a thread blocks SIGTTOU, `tcsetattr` changes the terminal immediately. So the signal is unblocked here.
        var stop = sigset_t()
        var mask = sigset_t()
        sigemptyset(&stop)
        sigaddset(&stop, SIGTTOU)
        pthread_sigmask(SIG_UNBLOCK, &stop, &mask)
        defer { pthread_sigmask(SIG_SETMASK, &mask, nil) }
        while tcsetattr(terminal, TCSANOW, &raw) != 0 {
            guard errno == EINTR else { return errno }
        }
        return 0
    }

    /// Restores the terminal; only the first call after `enter` has an effect. Safe in a signal handler.
    ///
    /// - Parameter discardsInput: Whether to discard keys that were not read yet. Such keys may belong to a secret, and
    ///   the shell would run them as a command.
    func restore(discardsInput: Bool) {
        guard isTaken.exchange(false, ordering: .acquiringAndReleasing) else { return }
        var rest = farewell
        var count = farewellCount
        var patience = 20
        while count > 0 {
            let written = write(terminal, rest, count)
            if written > 0 {
                rest = rest.advanced(by: written)
                count &-= written
            } else if errno == EAGAIN, patience > 0 {
                patience &-= 1
                var room = pollfd(fd: terminal, events: Int16(truncatingIfNeeded: POLLOUT), revents: 0)
                poll(&room, 1, 50)
            } else if errno != EINTR {
                break
            }
        }
        if discardsInput { tcflush(terminal, TCIFLUSH) }
        tcsetattr(terminal, TCSANOW, settings)
    }

    /// Writes a byte to the pipe, so the descriptor `wakeUps` becomes readable. Safe in a signal handler.
    func wake() {
        var byte: UInt8 = 0
        write(waker, &byte, 1)
    }
}

// MARK: Signals

extension SignalRestoration {
    static let crashes = [SIGSEGV, SIGABRT, SIGILL, SIGTRAP, SIGBUS, SIGFPE]
    static let endings = [SIGHUP, SIGINT, SIGQUIT, SIGTERM]
    static let others = [SIGTSTP, SIGCONT, SIGWINCH]

    /// A set of signals that have arrived.
    struct Pending {
        fileprivate let bits: UInt64

        func contains(_ signal: Int32) -> Bool { bits & 1 << UInt64(signal) != 0 }

        var ending: Int32? { endings.first(where: contains) }
    }

    /// Returns and removes the signals that have arrived since the last call.
    func takePending() -> Pending { Pending(bits: pending.exchange(0, ordering: .acquiringAndReleasing)) }

    /// Whether a signal has arrived that must end the process but was not handled yet. The signal stays unhandled.
    var isEnding: Bool { Pending(bits: pending.load(ordering: .acquiring)).ending != nil }

    /// Stops the process by SIGTSTP until it is continued. Does nothing if that signal is ignored, for example because
    /// no shell could continue the process.
    ///
    /// Call this method on a thread that does not block SIGTSTP. On such a thread, `raise` returns after the process
    /// was continued.
    ///
    /// - Parameter wholeJob: Whether to stop the other processes of the job too, as Ctrl-Z does.
    func stop(wholeJob: Bool) {
        guard !isIgnored(SIGTSTP) else { return }
        // While the signal is sent to the job, this process ignores it. Otherwise this process would be stopped twice.
        signal(SIGTSTP, SIG_IGN)
        if wholeJob { kill(0, SIGTSTP) }
        // SIGCONT must have no handler here. Otherwise the handler would record SIGCONT, and the session would resume a
        // second time.
        signal(SIGCONT, SIG_DFL)
        signal(SIGTSTP, SIG_DFL)
        raise(SIGTSTP)
        install(SIGCONT, noteSignal)
        install(SIGTSTP, noteSignal)
    }

    /// On the calling thread, unblocks every signal that a screen handles. The creator of the thread may have blocked
    /// some of them.
    func unblockSignals() {
        var signals = sigset_t()
        sigemptyset(&signals)
        for signal in Self.crashes + Self.endings + Self.others + [SIGTTOU, SIGTTIN] { sigaddset(&signals, signal) }
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    private func installHandlers() {
        for signal in Self.crashes + Self.endings + Self.others {
            sigaction(signal, nil, formerActions + Int(signal))
        }
        for signal in Self.crashes { install(signal, restoreAndCrash) }
        for signal in Self.endings + Self.others where !isIgnored(signal) { install(signal, noteSignal) }
    }

    private func install(_ signal: Int32, _ handler: @escaping @convention(c) (Int32) -> Void) {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = handler
        action.sa_flags = SA_RESTART | SA_ONSTACK
        // While a handler runs, all signals are blocked. So no handler interrupts another handler, and SIGTTOU does not
        // stop a handler that restores the terminal.
        sigfillset(&action.sa_mask)
        sigaction(signal, &action, nil)
    }

    /// Whether a signal was already ignored before a screen was open, for example because of `nohup`.
    private func isIgnored(_ signal: Int32) -> Bool {
        let former = formerActions[Int(signal)].__sigaction_handler.sa_handler
        return unsafeBitCast(former, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// Records a signal for the screen's thread. Runs in a handler.
    fileprivate func note(_ signal: Int32) {
        let code = errno
        pending.bitwiseOr(1 &<< UInt64(truncatingIfNeeded: signal), ordering: .acquiringAndReleasing)
        wake()
        errno = code
    }

    /// Restores the terminal and repeats the signal with its former action. Runs in a handler.
    fileprivate func crash(_ signal: Int32) {
        restore(discardsInput: true)
        sigaction(signal, formerActions + Int(truncatingIfNeeded: signal), nil)
        // The signal is delivered after the handler has returned to the code that crashed. So a debugger or a backtrace
        // shows the place of the crash.
        raise(signal)
    }
}

private let noteSignal: @convention(c) (Int32) -> Void = { signalRestoration.note($0) }
private let restoreAndCrash: @convention(c) (Int32) -> Void = { signalRestoration.crash($0) }
