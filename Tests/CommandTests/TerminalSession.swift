import Glibc

/// The command in a pseudo-terminal, with a person typing.
final class TerminalSession {
    private let terminal: Int32
    private let process: ChildProcess
    private var bytes: [UInt8] = []
    /// How many of them were there when a wait ended.
    private var seen = 0

    convenience init(_ workplace: Workplace, _ arguments: String..., environment: [String: String] = [:]) throws {
        try self.init(workplace, arguments, environment: environment)
    }

    init(_ workplace: Workplace, _ arguments: [String], environment: [String: String] = [:]) throws {
        terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard terminal >= 0 else { throw SystemFailure(code: errno) }
        var unlock: Int32 = 0
        var number: UInt32 = 0
        // TIOCSPTLCK and TIOCGPTN: what unlockpt and ptsname, which are hidden by Glibc's header, do.
        guard ioctl(terminal, 0x4004_5431, &unlock) == 0, ioctl(terminal, 0x8004_5430, &number) == 0 else {
            throw SystemFailure(code: errno)
        }
        let path = "/dev/pts/\(number)"
        process = try ChildProcess(
            [try Workplace.binary()] + arguments,
            environment: workplace.environment.merging(environment) { $1 }, folder: workplace.folder,
            files: [(0, path, O_RDWR), (1, path, O_RDWR), (2, path, O_RDWR)], beginsSession: true)
    }

    deinit { close(terminal) }

    /// Waits until a text has appeared after whatever was waited for before, a minute at most.
    func wait(for text: String) throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while true {
            if let range = bytes[seen...].firstRange(of: Array(text.utf8)) {
                seen = range.upperBound
                return
            }
            guard ContinuousClock.now < deadline, readSome() else { throw NotSeen(text: text, screen: screen) }
        }
    }

    func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes { write(terminal, $0.baseAddress, $0.count) }
    }

    func send(_ signal: Int32) { process.send(signal) }

    /// Reads until the process has ended.
    ///
    /// - Returns: Its exit code.
    func end() -> Int32 {
        while readSome() {}
        return process.wait()
    }

    /// All that has appeared so far.
    var screen: String { String(decoding: bytes, as: UTF8.self) }

    /// Whether the terminal echoes what is typed.
    var echoes: Bool {
        var settings = termios()
        return tcgetattr(terminal, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
    }

    struct NotSeen: Error {
        let text: String
        let screen: String
    }

    /// - Returns: Whether the process still has the terminal open.
    private func readSome() -> Bool {
        var ready = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
        guard poll(&ready, 1, 60_000) > 0 else { return false }
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = buffer.withUnsafeMutableBytes { read(terminal, $0.baseAddress, $0.count) }
        guard count > 0 else { return false }
        bytes += buffer.prefix(count)
        return true
    }
}
