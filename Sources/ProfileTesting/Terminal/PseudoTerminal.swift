internal import Platform

/// A pseudo-terminal (pty(7)), seen from the side that a person sits on.
struct PseudoTerminal: ~Copyable {
    /// The device that the program has for its terminal.
    let path: String
    private let descriptor: Int32

    /// - Throws: ``SystemError`` when the system has none left.
    init(_ size: TerminalSize) throws(SystemError) {
        descriptor = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw SystemError("open /dev/ptmx") }
        var unlock: Int32 = 0
        var number: UInt32 = 0
        // TIOCSPTLCK and TIOCGPTN: what unlockpt and ptsname, which are hidden by Glibc's header, do.
        guard ioctl(descriptor, 0x4004_5431, &unlock) == 0, ioctl(descriptor, 0x8004_5430, &number) == 0 else {
            let error = SystemError("ioctl /dev/ptmx")
            close(descriptor)
            throw error
        }
        path = "/dev/pts/\(number)"
        resize(size)
    }

    deinit { close(descriptor) }

    /// Tells the programs in the foreground that their window has changed (SIGWINCH).
    func resize(_ size: TerminalSize) {
        var window = winsize(
            ws_row: UInt16(clamping: size.rows), ws_col: UInt16(clamping: size.columns), ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(descriptor, UInt(TIOCSWINSZ), &window)
    }

    /// How the terminal is set, as `stty` has it.
    var settings: termios {
        var settings = termios()
        tcgetattr(descriptor, &settings)
        return settings
    }

    enum ReadResult {
        case bytes(ArraySlice<UInt8>)
        /// Nothing there now.
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

    /// - Returns: how many bytes were taken; 0 when there is no room now, nil when there is nobody to take any.
    func write(_ bytes: ArraySlice<UInt8>) -> Int? {
        while true {
            let count = bytes.withUnsafeBytes { Platform.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 { return count }
            if errno == EINTR { continue }
            return errno == EAGAIN ? 0 : nil
        }
    }

    /// Waits until the program has written something, or, if asked to, there is room for input.
    func wait(forRoom: Bool = false, milliseconds: Int32) {
        var ready = pollfd(fd: descriptor, events: Int16(forRoom ? POLLIN | POLLOUT : POLLIN), revents: 0)
        _ = poll(&ready, 1, milliseconds)
    }

    /// Whether something was written that we have not read. The kernel hands on what is on its way first.
    var hasOutput: Bool {
        var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&ready, 1, 0) > 0 && ready.revents & Int16(POLLIN) != 0
    }

    /// Whether something was typed that the program could read and has not; in a terminal that edits lines, a whole line.
    ///
    /// What is typed passes through a work queue of the kernel; polling the program's side waits for it
    /// (`n_tty_poll` in drivers/tty/n_tty.c), so nothing is on its way afterwards.
    var hasUnreadInput: Bool {
        let device = open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
        guard device >= 0 else { return false }
        defer { close(device) }
        var ready = pollfd(fd: device, events: Int16(POLLIN), revents: 0)
        return poll(&ready, 1, 0) > 0 && ready.revents & Int16(POLLIN) != 0
    }
}
