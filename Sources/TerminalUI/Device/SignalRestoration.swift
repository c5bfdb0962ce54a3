internal import Platform
internal import Synchronization

/// The process's one screen, as far as signal handlers and the end of the process have to know it.
let signalRestoration = SignalRestoration()

/// Gives the terminal back when the process crashes or exits, and notes the signals that a screen has to answer.
///
/// A handler may run on any thread between any two instructions, a lock's or the allocator's included; so it may touch
/// nothing but what signal-safety(7) lists. What the handlers below run is safe for these reasons:
/// - The one global that they use is a `let`, made by `open` before a handler is installed: Swift's `swift_once` only
///   compares a flag from then on, and access to a `let` is not recorded.
/// - Memory is reached through pointers that are allocated in `init` and never freed; it is written only while no handler is
///   installed, but for the atomics, which are lock-free on every platform that Swift has for Linux.
/// - No value has a reference count, nothing can overflow or trap, and no call is left that the compiler does not inline,
///   not even in a debug build, but those of `errno`, `write`, `poll`, `tcflush`, `tcsetattr`, `sigaction` and `raise`:
///   what `objdump -dr` shows of the handlers. Pointers are therefore not optional and advanced by `advanced(by:)`.
/// - The descriptors' numbers belong to this type for the life of the process: a screen that closes leaves `/dev/null`
///   behind its number, so that a handler that comes late can write into no file of somebody else's.
struct SignalRestoration: ~Copyable, @unchecked Sendable {
    /// Where the open screen's terminal is; -1 where no descriptor was to be had.
    let terminal: Int32
    /// Readable after a signal came or `wake` was called.
    let wakeUps: Int32

    private let waker: Int32
    private let isOpen = Atomic<Bool>(false)
    /// Whether the terminal has to be given back.
    private let isTaken = Atomic<Bool>(false)
    /// The signals that came and were not answered, one bit each.
    private let pending = Atomic<UInt64>(0)
    /// The terminal's own settings.
    private let settings = UnsafeMutablePointer<termios>.allocate(capacity: 1)
    /// What the process did on a signal before a screen was open, by the signal's number.
    private let formerActions = UnsafeMutablePointer<sigaction>.allocate(capacity: 65)
    private let farewell: UnsafeRawPointer
    private let farewellCount: Int

    /// CAN, which ends an escape sequence that was cut off; then the end of synchronised output, plain text, wrapping, no
    /// bracketed paste, the screen from before, and its cursor.
    private static let farewellText = "\u{18}\u{1B}[?2026l\u{1B}[0m\u{1B}[?7h\u{1B}[?2004l\u{1B}[?1049l\u{1B}[?25h"

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

    /// A descriptor beyond standard input, output and error, which a program may have closed and will open again.
    private static func kept(_ descriptor: Int32) -> Int32 {
        guard descriptor >= 0 else { return -1 }
        defer { Platform.close(descriptor) }
        let kept = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
        // A full pipe has wakened whoever reads it already.
        _ = fcntl(kept, F_SETFL, fcntl(kept, F_GETFL) | O_NONBLOCK)
        return kept
    }
}

// MARK: One screen at a time

extension SignalRestoration {
    /// Takes over an opened terminal; its descriptor is closed in any case.
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

    /// Gives the terminal back, and to signals what they did before.
    ///
    /// - Returns: The signal that should have ended the process meanwhile, if one came that was not answered.
    func release() -> Int32? {
        restore(discardsInput: true)
        for signal in Self.crashes + Self.endings + Self.others where !isIgnored(signal) {
            sigaction(signal, formerActions + Int(signal), nil)
        }
        let nowhere = Platform.open("/dev/null", O_RDWR | O_CLOEXEC)
        // Without a descriptor the terminal stays open, and is never written to.
        if nowhere >= 0 {
            dup2(nowhere, terminal)
            _ = fcntl(terminal, F_SETFD, FD_CLOEXEC)
            Platform.close(nowhere)
        }
        isOpen.store(false, ordering: .releasing)
        return takePending().ending
    }

    /// Puts the terminal into raw mode and shows the other screen.
    ///
    /// - Returns: 0, or `errno`.
    func enter() -> Int32 {
        var raw = settings.pointee
        cfmakeraw(&raw)
        // That takes away what Ctrl-S does to the output, and leaves two more kinds of flow control: any key that goes on
        // with it, and a kernel that tells the terminal to stop.
        raw.c_iflag &= ~tcflag_t(IXON | IXANY | IXOFF)
        isTaken.store(true, ordering: .releasing)
        // In the background this stops the process until it comes to the foreground, so it has to come first. Swift's own
        // threads block the signal that does it, and a terminal obeys those who block it.
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

    /// The terminal as it was, once; safe in a signal handler.
    ///
    /// - Parameter discardsInput: whether keys that nobody has read are dropped, which might be a secret's, and which the
    ///   shell would take for a command.
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

    /// Makes `wakeUps` readable; safe in a signal handler.
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

    /// Signals that came.
    struct Pending {
        fileprivate let bits: UInt64

        func contains(_ signal: Int32) -> Bool { bits & 1 << UInt64(signal) != 0 }

        var ending: Int32? { endings.first(where: contains) }
    }

    /// The signals that came since this was asked before.
    func takePending() -> Pending { Pending(bits: pending.exchange(0, ordering: .acquiringAndReleasing)) }

    /// Whether a signal came that ends the process; it stays unanswered.
    var isEnding: Bool { Pending(bits: pending.load(ordering: .acquiring)).ending != nil }

    /// Stops the process by SIGTSTP until it goes on, unless that is ignored, as where no shell could continue it.
    ///
    /// It has to run on a thread that does not block the signal: `raise` then returns after the process went on.
    ///
    /// - Parameter wholeJob: whether the other processes of the job are stopped too, as Ctrl-Z does.
    func stop(wholeJob: Bool) {
        guard !isIgnored(SIGTSTP) else { return }
        // The signal to the job must not reach this process, which would then be stopped twice.
        signal(SIGTSTP, SIG_IGN)
        if wholeJob { kill(0, SIGTSTP) }
        // A handler would report as news from outside that the process goes on.
        signal(SIGCONT, SIG_DFL)
        signal(SIGTSTP, SIG_DFL)
        raise(SIGTSTP)
        install(SIGCONT, noteSignal)
        install(SIGTSTP, noteSignal)
    }

    /// Lets a thread see every signal that a screen answers, whatever its maker blocked.
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
        // No handler interrupts another, and SIGTTOU does not stop one that restores the terminal.
        sigfillset(&action.sa_mask)
        sigaction(signal, &action, nil)
    }

    /// Whether whoever started the process wants a signal ignored, as `nohup` does.
    private func isIgnored(_ signal: Int32) -> Bool {
        let former = formerActions[Int(signal)].__sigaction_handler.sa_handler
        return unsafeBitCast(former, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// Notes a signal for the screen's thread; runs in a handler.
    fileprivate func note(_ signal: Int32) {
        let code = errno
        pending.bitwiseOr(1 &<< UInt64(truncatingIfNeeded: signal), ordering: .acquiringAndReleasing)
        wake()
        errno = code
    }

    /// Gives the terminal back, and lets the signal do what it did before; runs in a handler.
    fileprivate func crash(_ signal: Int32) {
        restore(discardsInput: true)
        sigaction(signal, formerActions + Int(truncatingIfNeeded: signal), nil)
        // It waits until the handler has returned to where the crash was, which a debugger or backtrace then sees.
        raise(signal)
    }
}

private let noteSignal: @convention(c) (Int32) -> Void = { signalRestoration.note($0) }
private let restoreAndCrash: @convention(c) (Int32) -> Void = { signalRestoration.crash($0) }
