import Platform
import ProfileTesting
import Testing

/// A process that imports: `Tests/Programs/ImportExerciser`.
struct ImporterProcess: ~Copyable {
    private let process: ChildProcess
    private let output: Int32
    private var pending: [UInt8] = []

    /// Starts the process, with `input` as its standard input.
    init(_ arguments: [String], input: Int32? = nil) throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[1]) }
        var streams = [Int32(1): ChildProcess.Stream.descriptor(ends[1])]
        if let input { streams[0] = .descriptor(input) }
        let started: ChildProcess
        do {
            started = try ChildProcess(
                ["/usr/bin/env"] + Self.allocation + [try BuiltProgram.path("ImportExerciser")] + arguments,
                streams: streams)
        } catch {
            close(ends[0])
            throw error
        }
        process = started
        output = ends[0]
    }

    /// Variables that make the peak of the memory nearly independent of the scheduling of threads. By default, each
    /// thread has an arena that keeps freed memory: the peaks of equal imports differ by 8 MiB. With one arena, and with
    /// large blocks that go back to the system, they differ by 4 MiB.
    private static let allocation = ["MALLOC_ARENA_MAX=1", "MALLOC_MMAP_THRESHOLD_=65536"]

    deinit { close(output) }

    /// The next line that the process prints; nil at the end of the output.
    mutating func line() -> String? {
        while true {
            if let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                defer { pending.removeSubrange(...end) }
                return String(decoding: pending[..<end], as: UTF8.self)
            }
            var buffer = [UInt8](repeating: 0, count: 4_096)
            let count = read(output, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            pending += buffer[..<count]
        }
    }

    func kill() { process.send(SIGKILL) }

    /// Waits until the process ends.
    ///
    /// - Returns: The exit code of the process, or 128 and the number of the signal that ended it.
    func exitCode() -> Int32 { process.wait() }

    /// The result of the import. The process must end by itself.
    mutating func result() throws -> Result {
        var last = ""
        while let line = line() { last = line }
        #expect(exitCode() == 0)
        let numbers = last.split(separator: " ").dropFirst().compactMap { Int($0) }
        try #require(last.hasPrefix("done ") && numbers.count == 5, "it said: \(last)")
        return Result(outcomes: Array(numbers.prefix(4)), peakKiB: numbers[4])
    }

    struct Result {
        let outcomes: [Int]
        /// The most memory that was resident at once.
        let peakKiB: Int
    }
}
