internal import Platform

/// The user's side (the master) of a pseudo-terminal (pty(7)).
struct PseudoTerminal: ~Copyable {
    /// The path of the terminal device that the program uses.
    let path: String
    private let descriptor: Int32

    /// - Throws: ``SystemError`` if the system has no pseudo-terminal left.
    init(_ size: TerminalSize) throws(SystemError) {
        descriptor = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw SystemError("open /dev/ptmx") }
        var unlock: Int32 = 0
        var number: UInt32 = 0
        // These numbers are the requests TIOCSPTLCK and TIOCGPTN. They have the same effect as the functions unlockpt
        // and ptsname. Glibc's header does not declare these functions here.
        guard ioctl(descriptor, 0x4004_5431, &unlock) == 0, ioctl(descriptor, 0x8004_5430, &number) == 0 else {
            let error = SystemError("ioctl /dev/ptmx")
            close(descriptor)
            throw error
        }
        path = "/dev/pts/\(number)"
        resize(size)
    }

    deinit { close(descriptor) }

    /// Sets the window's size and notifies the programs in the foreground (SIGWINCH).
    func resize(_ size: TerminalSize) {
        var window = winsize(
            ws_row: UInt16(clamping: size.rows), ws_col: UInt16(clamping: size.columns), ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(descriptor, UInt(TIOCSWINSZ), &window)
    }

    /// The terminal's settings, as `stty` shows them.
    var settings: termios {
        var settings = termios()
        tcgetattr(descriptor, &settings)
        return settings
    }

    enum ReadResult {
        case bytes(ArraySlice<UInt8>)
        /// No output is available now.
        case nothing
        /// No program has the terminal open.
        case closed
    }

    func read(into buffer: inout [UInt8]) -> ReadResult {
        while true {
            let count = Platform.read(descriptor, &buffer, buffer.count)
            if count > 0 { return .bytes(buffer[..<count]) }
            if count < 0, errno == EINTR { continue }
            return count < 0 && errno == EAGAIN ? .nothing : .closed
        }
    }

    /// - Returns: The number of written bytes. 0 if the terminal's buffer is full, nil if no program has the terminal
    ///   open.
    func write(_ bytes: ArraySlice<UInt8>) -> Int? {
        while true {
            let count = bytes.withUnsafeBytes { Platform.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 { return count }
            if errno == EINTR { continue }
            return errno == EAGAIN ? 0 : nil
        }
    }

    /// Waits until the program has written output. If `forRoom` is true, the wait also ends when the terminal can
    /// accept input.
    func wait(forRoom: Bool = false, milliseconds: Int32) {
        var ready = pollfd(fd: descriptor, events: Int16(forRoom ? POLLIN | POLLOUT : POLLIN), revents: 0)
        _ = poll(&ready, 1, milliseconds)
    }

    /// Whether the program has written output that is not read yet. If bytes are still in a queue of the kernel, `poll`
    /// makes the kernel deliver them before `poll` returns.
    var hasOutput: Bool { Self.isReadable(descriptor) }

    private static func isReadable(_ descriptor: Int32) -> Bool {
        var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&ready, 1, 0) > 0 && ready.revents & Int16(POLLIN) != 0
    }

    /// Whether there is typed input that the program has not read. If the terminal is in canonical mode (line editing),
    /// only complete lines count.
    ///
    /// Typed input passes through a work queue of the kernel. `poll` on the program's side of the terminal waits until
    /// this queue is empty (`n_tty_poll` in drivers/tty/n_tty.c).
    var hasUnreadInput: Bool {
        let device = open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
        guard device >= 0 else { return false }
        defer { close(device) }
        return Self.isReadable(device)
    }
}
