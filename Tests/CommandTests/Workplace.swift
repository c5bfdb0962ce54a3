import Platform
import ProfileTesting

/// A temporary folder in which the real command runs, with a store of its own.
final class Workplace: Sendable {
    private let temporary: TemporaryFolder
    var folder: String { temporary.path }

    /// The result of a command.
    struct Outcome: Equatable, Sendable {
        /// The exit code, or 128 and the signal's number.
        let status: Int32
        let output: String
        let error: String
    }

    init() throws { temporary = try TemporaryFolder("profiles-command") }

    /// Makes a workplace with a new store. The schema is JSON, and is also written to `schema.json`.
    convenience init(schema: String) throws {
        try self.init()
        try write(schema, to: "schema.json")
        let outcome = try profiles("init", "--schema", "schema.json", "--quiet")
        guard outcome.status == 0 else { throw UnexpectedOutcome(outcome: outcome) }
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
            streams: [
                0: .file(names.input, flags: O_RDONLY), 1: .file(names.output, flags: O_RDWR | O_CREAT),
                2: .file(names.error, flags: O_RDWR | O_CREAT),
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

    func write(_ text: String, to name: String) throws { try SmallFile.write(text, to: "\(folder)/\(name)") }

    func read(_ name: String) throws -> String { try Self.read("\(folder)/\(name)") }

    func exists(_ name: String) -> Bool { access("\(folder)/\(name)", F_OK) == 0 }

    /// Returns the permission bits of a file, or 0 if there is no file.
    func mode(_ name: String) -> UInt32 { SmallFile.mode(of: "\(folder)/\(name)") ?? 0 }

    /// Waits until a further change of a file would show in its times. Before that, a store in a folder that cannot be
    /// written is not read without locks; see `FileStamp`.
    static func waitUntilSettled(_ path: String) {
        var status = stat()
        while stat(path, &status) == 0, time(nil) - status.st_ctim.tv_sec <= 2 { usleep(20_000) }
    }

    /// Registers a profile with the password `aK8oio`.
    func register(_ username: String, phone: String = "78761241", address: String = "12 Main St") throws {
        let outcome = try profiles(
            "register", "--username", username, "--phone", phone, "--address", address, "--password-stdin",
            input: "aK8oio\n")
        guard outcome.status == 0 else { throw UnexpectedOutcome(outcome: outcome) }
    }

    /// Imports CSV. Throws an error if a row is rejected.
    func importRows(_ csv: String) throws {
        try write(csv, to: "people.csv")
        let outcome = try profiles("import", "people.csv", "--quiet")
        guard outcome.status == 0 else { throw UnexpectedOutcome(outcome: outcome) }
    }

    /// Returns the path of the command that SwiftPM has built with the tests.
    static func binary() throws -> String { try BuiltProgram.path("profiles") }

    static func read(_ path: String) throws -> String {
        guard let text = SmallFile.text(of: path) else { throw SystemError("read \(path)") }
        return text
    }
}

extension TerminalDriver {
    /// Starts the command in a terminal.
    convenience init(
        _ workplace: Workplace, _ arguments: String..., size: TerminalSize = .standard,
        environment: [String: String] = [:]
    ) throws {
        try self.init(workplace, arguments, size: size, environment: environment)
    }

    convenience init(
        _ workplace: Workplace, _ arguments: [String], size: TerminalSize = .standard,
        environment: [String: String] = [:]
    ) throws {
        try self.init(
            [try Workplace.binary()] + arguments, environment: workplace.environment.merging(environment) { $1 },
            folder: workplace.folder, size: size)
    }
}

struct UnexpectedOutcome: Error {
    let outcome: Workplace.Outcome
}

extension String {
    /// Returns the text with fixed words in place of times, durations and the path of the folder.
    func reproducible(_ workplace: Workplace) -> String {
        replacing(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/, with: "TIME")
            .replacing(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/, with: "TIME")
            .replacing(/\d+(\.\d+)? seconds/, with: "N seconds")
            .replacing(workplace.folder, with: "FOLDER")
    }
}
