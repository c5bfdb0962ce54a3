internal import Dispatch
package import Platform
internal import ProfileTesting

/// A process of our own beside the test: `StoreExerciser` or another one that is built with the tests.
package final class ExerciserProcess: Sendable {
    private let process: ChildProcess
    /// Its standard input and output. One socket rather than two pipes, since a socket can be made so that other
    /// children, which tests beside this one start, do not inherit it.
    private let socket: Int32

    package struct Outcome: Sendable {
        /// What it printed, by line.
        package let lines: [String]
        /// Its exit code, or 128 and the number of the signal that ended it.
        package let code: Int32
    }

    /// Starts an exerciser with these words, see its own file, in our environment or in this one alone.
    package convenience init(
        _ words: String..., program: String = "StoreExerciser", environment: [String: String]? = nil
    ) throws {
        try self.init(words: words, program: program, environment: environment)
    }

    package init(words: [String], program: String = "StoreExerciser", environment: [String: String]? = nil) throws {
        var ends: [Int32] = [0, 0]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw SystemError("socketpair") }
        defer { close(ends[1]) }
        socket = ends[0]
        process = try ChildProcess(
            [try BuiltProgram.path(program)] + words, environment: environment,
            streams: [0: .descriptor(ends[1]), 1: .descriptor(ends[1])])
    }

    package var processID: pid_t { process.id }

    /// Waits for its next byte of output, as a sign that it has come so far.
    package func waitForSign() -> Bool {
        var byte: UInt8 = 0
        return read(socket, &byte, 1) == 1
    }

    /// Waits for its next line of output; nil when it has ended instead.
    package func nextLine() -> String? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while read(socket, &byte, 1) == 1 {
            if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
        }
        return nil
    }

    /// Lets it go on, or end, if it waits for its standard input; then waits for its end.
    package func finish() async -> Outcome {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: self.waitForEnd()) }
        }
    }

    /// Ends it as a power cut would.
    package func kill() { process.send(SIGKILL) }

    /// Stops it as Ctrl-Z does, and returns when it has stopped.
    package func stop() {
        process.send(SIGSTOP)
        var information = siginfo_t()
        while waitid(P_PID, id_t(processID), &information, WSTOPPED | WNOWAIT) != 0, errno == EINTR {}
    }

    /// Lets it go on after ``stop()``.
    package func resume() { process.send(SIGCONT) }

    private func waitForEnd() -> Outcome {
        shutdown(socket, Int32(SHUT_WR))
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4_096)
        while case let count = read(socket, &chunk, chunk.count), count > 0 { bytes += chunk[..<count] }
        close(socket)
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        return Outcome(lines: lines, code: process.wait())
    }
}
