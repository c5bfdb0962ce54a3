import Glibc
import Testing

/// A process of `profiles-server` or of another program, which a test has started. `deinit` kills it if it still runs.
final class RunningServer {
    /// The addresses that the program prints when it accepts requests.
    private(set) var addresses: [String] = []
    private let folder: TemporaryPlace
    private let id: pid_t
    private let name: String
    private var status: Int32?

    /// Starts a program with its output in files of the folder.
    ///
    /// - Parameters:
    ///   - command: The path of the program, and its arguments.
    ///   - folder: The folder for the output. It is also the home folder.
    ///   - variables: Further environment variables.
    /// - Throws: The error of `posix_spawn`.
    init(_ command: [String], in folder: TemporaryPlace, variables: [String: String] = [:]) throws {
        self.folder = folder
        name = folder.newName("run")
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        for (descriptor, end) in [(Int32(1), "out"), (2, "err")] {
            posix_spawn_file_actions_addopen(
                &actions, descriptor, "\(name).\(end)", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        }
        // Closes the sockets of other tests, which would otherwise stay open while this process and its children run.
        // It is no error if a descriptor is not open.
        for descriptor in Int32(3)..<1_024 { posix_spawn_file_actions_addclose(&actions, descriptor) }
        let environment = ["HOME": folder.path, "PATH": "/usr/bin:/bin"].merging(variables) { $1 }
        var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        var pointers: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for pointer in arguments + pointers { free(pointer) } }
        var id: pid_t = 0
        let code = posix_spawn(&id, command[0], &actions, nil, &arguments, &pointers)
        guard code == 0 else { throw SystemFailure(code: code, action: "start \(command[0])") }
        self.id = id
    }

    /// Starts the server on free ports, and waits until it accepts requests.
    convenience init(
        _ folder: TemporaryPlace, _ arguments: String..., listeners: Int = 1, variables: [String: String] = [:]
    ) async throws {
        let options = ["--database", folder.store, "--port", "0"] + (listeners == 2 ? ["--admin-port", "0"] : [])
        try self.init([Self.program()] + options + arguments, in: folder, variables: variables)
        try await waitUntil { self.output.filter { $0 == "\n" }.count == listeners || self.hasEnded }
        addresses = output.split(separator: "\n").map { String($0.split(separator: " ").last ?? "") }
        try #require(addresses.count == listeners, "\(log)")
    }

    deinit {
        if !hasEnded {
            kill(id, SIGKILL)
            var status: Int32 = 0
            waitpid(id, &status, 0)
        }
    }

    /// Returns the path of the server that SwiftPM has built with the tests.
    static func program() throws -> String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        let path = String(decoding: buffer.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
        var folder = path.split(separator: "/")
        while !folder.isEmpty {
            folder.removeLast()
            let parent = "/" + folder.joined(separator: "/")
            for candidate in ["\(parent)/profiles-server", "\(parent)/.build/debug/profiles-server"]
            where access(candidate, X_OK) == 0 && access(candidate + "/.", F_OK) != 0 {
                return candidate
            }
        }
        // The process of the tests may be a program of the toolchain, which is not in the build folder.
        let package = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
        return package + "/.build/debug/profiles-server"
    }

    /// The port of the first listener.
    var port: UInt16 { Self.port(of: addresses[0]) }

    /// The port of an address.
    static func port(of address: String) -> UInt16 { address.split(separator: ":").last.flatMap { UInt16($0) } ?? 0 }

    /// Standard output.
    var output: String { TemporaryPlace.read("\(name).out") }

    /// Standard error.
    var log: String { TemporaryPlace.read("\(name).err") }

    func send(_ signal: Int32) { if !hasEnded { kill(id, signal) } }

    var hasEnded: Bool {
        if status == nil {
            var code: Int32 = 0
            if waitpid(id, &code, WNOHANG) == id {
                status = code & 0x7F == 0 ? (code >> 8) & 0xFF : 128 + (code & 0x7F)
            }
        }
        return status != nil
    }

    /// Waits for the end of the process.
    ///
    /// - Returns: The exit code, or 128 and the number of the signal.
    func end() async throws -> Int32 {
        try await waitUntil { self.hasEnded }
        return status ?? -1
    }

    /// Runs a program to its end.
    static func run(
        _ command: [String], in folder: TemporaryPlace, variables: [String: String] = [:]
    ) async throws -> (status: Int32, output: String, error: String) {
        let process = try RunningServer(command, in: folder, variables: variables)
        let status = try await process.end()
        return (status, process.output, process.log)
    }

    /// Runs a line of shell to its end.
    static func shell(_ line: String, in folder: TemporaryPlace) async throws -> (
        status: Int32, output: String, error: String
    ) {
        try await run(["/bin/sh", "-c", "cd \"$HOME\" && " + line], in: folder)
    }
}

struct SystemFailure: Error {
    let code: Int32
    let action: String
}

/// Waits until the condition holds. If it never does, the time limit of the suite ends the wait.
func waitUntil(_ condition: () throws -> Bool) async throws {
    while try !condition() { try await Task.sleep(for: .milliseconds(5)) }
}
