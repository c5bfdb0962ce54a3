import Dispatch
import Glibc

/// A process of our own beside the test: `StoreExerciser`, which is built with the tests.
final class ChildProcess: Sendable {
    let processID: pid_t
    /// Its standard input and output. One socket rather than two pipes, since a socket can be made so that other
    /// children, which tests beside this one start, do not inherit it.
    private let socket: Int32

    struct Outcome: Sendable {
        /// What it printed, by line.
        let lines: [String]
        /// Its exit code, or minus the number of the signal that ended it.
        let code: Int32
    }

    enum StartError: Error { case socket(code: Int32), spawn(path: String, code: Int32) }

    /// Starts the exerciser with these words; see its own file.
    init(_ words: String...) throws {
        var ends: [Int32] = [0, 0]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw StartError.socket(code: errno) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        let path = Self.exerciser
        var arguments = ([path] + words).map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var started: pid_t = 0
        let code = posix_spawn(&started, path, &actions, nil, &arguments, environ)
        close(ends[1])
        processID = started
        socket = ends[0]
        guard code == 0 else { throw StartError.spawn(path: path, code: code) }
    }

    /// Waits for its next byte of output, as a sign that it has come so far.
    func waitForSign() -> Bool {
        var byte: UInt8 = 0
        return read(socket, &byte, 1) == 1
    }

    /// Waits for its next line of output; nil when it has ended instead.
    func nextLine() -> String? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while read(socket, &byte, 1) == 1 {
            if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
        }
        return nil
    }

    /// Lets it go on, or end, if it waits for its standard input; then waits for its end.
    func finish() async -> Outcome {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: self.waitForEnd()) }
        }
    }

    /// Ends it as a power cut would.
    func kill() { _ = Glibc.kill(processID, SIGKILL) }

    private func waitForEnd() -> Outcome {
        shutdown(socket, Int32(SHUT_WR))
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4_096)
        while case let count = read(socket, &chunk, chunk.count), count > 0 { bytes += chunk[..<count] }
        close(socket)
        var status: Int32 = 0
        while waitpid(processID, &status, 0) < 0 && errno == EINTR {}
        let signal = status & 0x7f
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        return Outcome(lines: lines, code: signal == 0 ? (status >> 8) & 0xff : -signal)
    }

    /// Beside the test bundle, which is the executable of this process.
    private static let exerciser: String = {
        var buffer = [CChar](repeating: 0, count: 4_096)
        let length = readlink("/proc/self/exe", &buffer, buffer.count)
        let path = String(decoding: buffer.prefix(max(0, length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
            + "/StoreExerciser"
    }()
}

/// How long a test that is the better the longer it lasts may take.
enum Length {
    static let isLong = getenv("PROFILES_TEST_LONG").map { String(cString: $0) } == "1"

    static func seconds(_ usual: Int, long: Int) -> String { String(isLong ? long : usual) }
}
