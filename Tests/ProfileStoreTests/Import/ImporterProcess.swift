import Glibc
import Testing

/// A process that imports: `Tests/ImportExerciser`.
struct ImporterProcess: ~Copyable {
    private let identifier: pid_t
    private let output: Int32
    private var pending: [UInt8] = []
    private var isReaped = false

    /// Beside the test bundle, where SwiftPM builds it.
    private static var executable: String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
        let path = String(decoding: buffer.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
        return path.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/ImportExerciser"
    }

    /// Starts it, with a descriptor for its standard input.
    init(_ arguments: [String], input: Int32? = nil) throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        if let input { posix_spawn_file_actions_adddup2(&actions, input, 0) }
        let texts = [Self.executable] + arguments
        var pointers = texts.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        var identifier: pid_t = 0
        let code = posix_spawn(&identifier, Self.executable, &actions, nil, &pointers, environ)
        close(ends[1])
        try #require(code == 0, "\(Self.executable) cannot be run: \(code)")
        self.identifier = identifier
        output = ends[0]
    }

    deinit {
        close(output)
        if !isReaped {
            _ = Glibc.kill(identifier, SIGKILL)
            waitpid(identifier, nil, 0)
        }
    }

    /// The next line that it prints; nil at the end.
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

    func kill() { _ = Glibc.kill(identifier, SIGKILL) }

    /// Waits for its end.
    ///
    /// - Returns: Its exit code, negative for the signal that ended it.
    mutating func exitCode() -> Int32 {
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0 && errno == EINTR {}
        isReaped = true
        return status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F)
    }

    /// What it came to, once it has ended by itself.
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
