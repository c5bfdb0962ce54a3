internal import Dispatch
package import Platform
internal import ProfileTesting

/// A helper process of a test: `StoreExerciser`, or another program that is built with the tests.
package final class ExerciserProcess: Sendable {
    private let process: ChildProcess
    /// The other end of the process's standard input and output. This is a socket instead of two pipes, because a
    /// socket can be created with the close-on-exec flag. So the processes that concurrent tests start do not inherit
    /// it.
    private let socket: Int32

    package struct Outcome: Sendable {
        /// What it printed, by line.
        package let lines: [String]
        /// Its exit code, or 128 and the number of the signal that ended it.
        package let code: Int32
    }

    /// Starts a program with these arguments, which the program's source file describes. If `environment` is nil, the
    /// program inherits the environment variables of the tests.
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

    /// Waits for the next byte of output, by which the process reports its progress. False if the output has ended.
    package func waitForSign() -> Bool {
        var byte: UInt8 = 0
        return read(socket, &byte, 1) == 1
    }

    /// Waits for the next line of output. Nil if the output ends first.
    package func nextLine() -> String? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while read(socket, &byte, 1) == 1 {
            if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
        }
        return nil
    }

    /// Closes the process's standard input, and waits until the process ends. A process that waits for input continues.
    package func finish() async -> Outcome {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: self.waitForEnd()) }
        }
    }

    /// Kills the process. The process cannot clean up.
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
