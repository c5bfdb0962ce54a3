import Platform
import ProfileCore
import ProfileStore
import ProfileStoreSQLite
import ProfileTransfer
import SecretHashing

/// Imports a file in a process of its own, for tests that kill it or look at its memory.
///
///     ImportExerciser STORE FILE|- [--skip] [--ndjson] [--exclusive] [--unread] [--ignore-unknown] [--names|--accounts]
///     ImportExerciser STORE --register
///     ImportExerciser STORE --log-in USERNAME PASSWORD
///
/// After every batch, it prints the number of rows that were decided on, on a line of its own. At the end, it prints
/// `done IMPORTED UPDATED SKIPPED REJECTED PEAK`. `PEAK` is the peak of its resident memory in KiB.
///
/// If the store is missing, `--names` creates it with a schema without passwords, and `--accounts` with a schema in
/// which profiles may have passwords.
///
/// With `--register`, it registers guests one after another until its standard input ends. Then it prints
/// `done REGISTERED LONGEST 0 0 PEAK`. `LONGEST` is the time of the slowest registration in milliseconds.
///
/// With `--log-in`, it checks a password again and again until its standard input ends. Then it prints
/// `done CHECKED LONGEST MEAN 0 PEAK`.
@main
struct ImportExerciser {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count >= 2 else { exit(64) }
        var options = ImportOptions()
        if arguments.contains("--skip") { options.duplicates = .skip }
        if arguments.contains("--ndjson") { options.format = .json }
        options.isExclusive = arguments.contains("--exclusive")
        options.ignoresUnknownColumns = arguments.contains("--ignore-unknown")
        var storeOptions = ProfileRepository.Options()
        storeOptions.createsMissing = true
        storeOptions.isUnreadUntilLoaded = arguments.contains("--unread")
        storeOptions.now = { Timestamp(millisecondsSince1970: 1_767_225_600_000) }
        if arguments.contains("--names") { storeOptions.initialSchema = try ProfileSchema(parsing: schemaOfNames) }
        if arguments.contains("--accounts") {
            storeOptions.initialSchema = try ProfileSchema(parsing: schemaOfAccounts)
        }

        if arguments[1] == "--register" { return try await register(in: arguments[0], storeOptions) }
        if arguments[1] == "--log-in", arguments.count == 4 {
            return try await logIn(arguments[2], Secret(arguments[3]), in: arguments[0], storeOptions)
        }
        let input = arguments[1] == "-" ? 0 : open(arguments[1], O_RDONLY | O_CLOEXEC)
        guard input >= 0 else { exit(66) }
        let repository = try await ProfileRepository.open(at: arguments[0], options: storeOptions)
        let report = try await ProfileImporter(repository: repository, options: options).run(
            ImportInput(descriptor: input, name: arguments[1], byteCount: nil)
        ) { say("\($0.rows)") }
        await repository.close()
        let numbers = [report.imported, report.updated, report.skipped, report.rejected, peakOfResidentMemory()]
        say("done " + numbers.map(String.init).joined(separator: " "))
    }

    private static func register(in store: String, _ options: ProfileRepository.Options) async throws {
        let repository = try await ProfileRepository.open(at: store, options: options)
        var longest = Duration.zero
        var registered = 0
        var input = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
        say("ready")
        while poll(&input, 1, 0) == 0 {
            let draft = ProfileDraft(["username": "guest\(registered)"])
            let start = ContinuousClock.now
            _ = try await repository.register(repository.validator.validate(draft, on: repository.today))
            longest = max(longest, ContinuousClock.now - start)
            registered += 1
        }
        await repository.close()
        say("done \(registered) \(Int(longest / .milliseconds(1))) 0 0 \(peakOfResidentMemory())")
    }

    private static func logIn(
        _ username: String, _ password: Secret, in store: String, _ options: ProfileRepository.Options
    ) async throws {
        let repository = try await ProfileRepository.open(at: store, options: options)
        let begin = ContinuousClock.now
        var longest = Duration.zero
        var checked = 0
        var input = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
        say("ready")
        while poll(&input, 1, 0) == 0 {
            let start = ContinuousClock.now
            _ = try await repository.passwords.validate(password, for: username)
            longest = max(longest, ContinuousClock.now - start)
            checked += 1
        }
        let mean = (ContinuousClock.now - begin) / max(1, checked)
        await repository.close()
        let times = [longest, mean].map { String(Int($0 / .milliseconds(1))) }.joined(separator: " ")
        say("done \(checked) \(times) 0 \(peakOfResidentMemory())")
    }

    private static let schemaOfNames = """
        {"name": "names", "fields": [
          {"name": "username", "constraints": {"required": true, "unique": true, "minLength": 2, "maxLength": 20}},
          {"name": "note"}
        ]}
        """

    private static let schemaOfAccounts = """
        {"name": "accounts", "fields": [
          {"name": "username", "constraints": {"required": true, "unique": true, "minLength": 2, "maxLength": 20}},
          {"name": "password", "profiles": {"secret": true}},
          {"name": "note"}
        ]}
        """

    /// Writes a line without a buffer, so that a test that kills this process sees the last line.
    private static func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = write(1, bytes, bytes.count)
    }

    /// `VmHWM` of proc(5), in KiB.
    private static func peakOfResidentMemory() -> Int {
        guard let file = fopen("/proc/self/status", "re") else { return -1 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, Int32(line.count), file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            guard text.hasPrefix("VmHWM:") else { continue }
            return text.split { !$0.isNumber }.first.flatMap { Int($0) } ?? -1
        }
        return -1
    }
}
