internal import Platform
internal import ProfileTesting

/// A process of `DiskExerciser` that runs steps while calls fail.
package final class FaultLoop: Sendable {
    private let process: ChildProcess
    private let socket: Int32

    /// What happened while calls failed.
    package struct Outcome: Sendable {
        /// The number of calls that failed.
        package let failures: Int
        /// The number of steps that returned.
        package let finished: Int
        /// The error of the step that threw.
        package let error: String?
    }

    package struct Ended: Error {}

    /// The calls that fail.
    package enum Fault: Int32, CaseIterable, Sendable, CustomStringConvertible {
        case error = 1, full, short, sync

        package var description: String {
            switch self {
            case .error: "any call fails"
            case .full: "the disk is full"
            case .short: "a write is cut short"
            case .sync: "a sync fails"
            }
        }
    }

    /// Starts the process. The folder of every ``run(_:in:_:after:once:)`` must be under `folder`.
    package init(in folder: String) throws {
        var ends: [Int32] = [0, 0]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw SystemError("socketpair")
        }
        defer { close(ends[1]) }
        socket = ends[0]
        process = try ChildProcess(
            [try BuiltProgram.path("DiskExerciser"), "faults"],
            environment: try DiskFaultsProcess.environment(watching: folder),
            streams: [0: .descriptor(ends[1]), 1: .descriptor(ends[1])])
    }

    deinit { close(socket) }

    /// Runs steps in a folder. The first `after` calls succeed. Then one call fails if `once` is true. Otherwise every
    /// later call fails.
    package func run(
        _ steps: [String], in folder: String, _ fault: Fault, after: Int, once: Bool
    ) throws -> Outcome {
        let line = "\(fault.rawValue) \(after) \(once ? 1 : -1) \(folder) " + steps.joined(separator: " ") + "\n"
        let bytes = Array(line.utf8)
        guard write(socket, bytes, bytes.count) == bytes.count else { throw Ended() }
        var answer: [UInt8] = []
        var byte: UInt8 = 0
        while read(socket, &byte, 1) == 1, byte != UInt8(ascii: "\n") { answer.append(byte) }
        let words = String(decoding: answer, as: UTF8.self).split(separator: " ", maxSplits: 2)
        guard words.count == 3, let failures = Int(words[0]), let finished = Int(words[1]) else { throw Ended() }
        return Outcome(failures: failures, finished: finished, error: words[2] == "-" ? nil : String(words[2]))
    }
}
