import Platform

/// A pseudo-terminal, used from the side of the user who types and looks at the screen.
final class PseudoTerminal {
    let path: String
    private let descriptor: Int32
    /// All that was written to the screen so far.
    private(set) var output: [UInt8] = []
    /// The number of bytes of `output` that earlier waits have passed.
    private var seen = 0

    init(columns: UInt16 = 40, rows: UInt16 = 10) throws {
        descriptor = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure(text: "/dev/ptmx cannot be opened: \(errno)") }
        var unlock: Int32 = 0
        var number: UInt32 = 0
        // TIOCSPTLCK and TIOCGPTN do the work of unlockpt and ptsname, which Glibc's header hides.
        guard ioctl(descriptor, 0x4004_5431, &unlock) == 0, ioctl(descriptor, 0x8004_5430, &number) == 0 else {
            throw Failure(text: "no pseudo-terminal: \(errno)")
        }
        path = "/dev/pts/\(number)"
        resize(columns: columns, rows: rows)
        // All flow control is on, so that a setting that is not restored is noticed.
        var settings = termios()
        tcgetattr(descriptor, &settings)
        settings.c_iflag |= Self.flowControl
        tcsetattr(descriptor, TCSANOW, &settings)
    }

    private static let flowControl = tcflag_t(IXON | IXOFF | IXANY)

    deinit { hangUp() }

    private var isOpen = true

    /// Closes the window.
    func hangUp() {
        if isOpen { close(descriptor) }
        isOpen = false
    }

    func resize(columns: UInt16, rows: UInt16) {
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(descriptor, UInt(TIOCSWINSZ), &size)
    }

    func type(_ text: String) { type(Array(text.utf8)) }

    func type(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }
    }

    /// Waits until a text is written after the text of the last wait. It fails after 20 seconds without output.
    func wait(for text: String) throws {
        while true {
            if let range = output[seen...].firstRange(of: Array(text.utf8)) {
                seen = range.upperBound
                return
            }
            guard readSome() else {
                throw Failure(
                    text: "\"\(text)\" was not written, but: \(String(decoding: output[seen...], as: UTF8.self))")
            }
        }
    }

    /// Reads until every process has closed the terminal.
    func readToEnd() { while readSome() {} }

    /// Reads what is there now.
    func readWhatIsThere() { while readSome(within: 0) {} }

    /// Whether typing is echoed and edited by the kernel, and Ctrl-S stops the output, as before and after a screen.
    var isCooked: Bool {
        var settings = termios()
        guard tcgetattr(descriptor, &settings) == 0 else { return false }
        return settings.c_lflag & tcflag_t(ECHO | ICANON | ISIG) == tcflag_t(ECHO | ICANON | ISIG)
            && settings.c_oflag & tcflag_t(OPOST) != 0 && settings.c_iflag & tcflag_t(ICRNL) != 0
            && settings.c_iflag & Self.flowControl == Self.flowControl
    }

    /// Whether a key reaches the process as it is pressed, Ctrl-S too.
    var isRaw: Bool {
        var settings = termios()
        guard tcgetattr(descriptor, &settings) == 0 else { return false }
        return settings.c_lflag & tcflag_t(ECHO | ICANON | ISIG) == 0 && settings.c_iflag & Self.flowControl == 0
    }

    private func readSome(within milliseconds: Int32 = 20_000) -> Bool {
        var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&ready, 1, milliseconds) > 0 else { return false }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
        guard count > 0 else { return false }
        output += buffer.prefix(count)
        return true
    }

    struct Failure: Error { let text: String }
}
