import Glibc

/// A temporary folder in which the real command runs, with a store of its own.
final class Workplace: Sendable {
    let folder: String

    /// What a command has done.
    struct Outcome: Equatable, Sendable {
        /// The exit code, or 128 and the signal's number.
        let status: Int32
        let output: String
        let error: String
    }

    init() throws {
        var template = Array("/tmp/profiles-command-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemFailure(code: errno) }
        folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit {
        let process = try? ChildProcess(["/bin/rm", "-rf", folder], environment: [:])
        _ = process?.wait()
    }

    /// Runs `profiles` to its end, in the folder.
    func profiles(
        _ arguments: String..., input: String = "", environment: [String: String] = [:]
    ) throws -> Outcome {
        try run([try Self.binary()] + arguments, input: input, environment: environment)
    }

    /// Runs a line of shell in which `profiles` is the command.
    func shell(_ script: String) throws -> Outcome {
        let definition = "profiles() { \"\(try Self.binary())\" \"$@\"; }"
        return try run(["/bin/bash", "-c", "\(definition); \(script)"], input: "", environment: [:])
    }

    func run(_ command: [String], input: String, environment: [String: String]) throws -> Outcome {
        try write(input, to: ".input")
        let names = (input: "\(folder)/.input", output: "\(folder)/.output", error: "\(folder)/.error")
        let process = try ChildProcess(
            command, environment: self.environment.merging(environment) { $1 }, folder: folder,
            files: [
                (0, names.input, O_RDONLY), (1, names.output, O_RDWR | O_CREAT), (2, names.error, O_RDWR | O_CREAT),
            ])
        let status = process.wait()
        defer {
            unlink(names.output)
            unlink(names.error)
        }
        return Outcome(status: status, output: try Self.read(names.output), error: try Self.read(names.error))
    }

    var environment: [String: String] {
        ["PROFILES_DATABASE": "\(folder)/store.sqlite", "HOME": folder, "PATH": "/usr/bin:/bin", "TERM": "xterm"]
    }

    func write(_ text: String, to name: String) throws {
        let descriptor = open("\(folder)/\(name)", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemFailure(code: errno) }
        defer { close(descriptor) }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { throw SystemFailure(code: errno) }
            rest = rest.dropFirst(count)
        }
    }

    func read(_ name: String) throws -> String { try Self.read("\(folder)/\(name)") }

    func exists(_ name: String) -> Bool { access("\(folder)/\(name)", F_OK) == 0 }

    /// Permission bits.
    func mode(_ name: String) -> mode_t {
        var status = stat()
        return stat("\(folder)/\(name)", &status) == 0 ? status.st_mode & 0o7777 : 0
    }

    /// Registers a profile with the password `aK8oio`.
    func register(_ username: String, phone: String = "78761241", address: String = "12 Main St") throws {
        let outcome = try profiles(
            "register", "--username", username, "--phone", phone, "--address", address, "--password-stdin",
            input: "aK8oio\n")
        guard outcome.status == 0 else { throw UnexpectedOutcome(outcome: outcome) }
    }

    /// The command beside the running tests, which SwiftPM has built with them.
    static func binary() throws -> String {
        var buffer = [CChar](repeating: 0, count: 4_096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        let path = String(decoding: buffer.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
        var folder = path.split(separator: "/").map(String.init)
        while !folder.isEmpty {
            folder.removeLast()
            for candidate in [folder, folder + [".build", "debug"]] {
                let path = "/" + (candidate + ["profiles"]).joined(separator: "/")
                var status = stat()
                if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG { return path }
            }
        }
        throw SystemFailure(code: ENOENT)
    }

    static func read(_ path: String) throws -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemFailure(code: errno) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = buffer.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += buffer.prefix(count)
        }
    }
}

struct SystemFailure: Error {
    let code: Int32
}

struct UnexpectedOutcome: Error {
    let outcome: Workplace.Outcome
}

extension String {
    /// The text with times, durations and the folder's name made the same in every run.
    func settled(_ workplace: Workplace) -> String {
        replacing(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/, with: "TIME")
            .replacing(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/, with: "TIME")
            .replacing(/\d+(\.\d+)? seconds/, with: "N seconds")
            .replacing(workplace.folder, with: "FOLDER")
    }
}
