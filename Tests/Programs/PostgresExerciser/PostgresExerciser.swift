import Dispatch
import Platform
import ProfileCore
import ProfileStore
import ProfileStorePostgres
import SecretHashing
import Synchronization

/// Works on a store on a PostgreSQL server, for tests in which several processes do so at the same time. It is not part
/// of any product.
///
/// It prints `ready`, works, prints its results, and exits with 0. If it fails, it prints `error: …` and exits with 1.
@main
enum PostgresExerciser {
    static func main() {
        Task {
            do {
                try await run(Array(CommandLine.arguments.dropFirst()))
                exit(0)
            } catch {
                say("error: \(error)")
                exit(1)
            }
        }
        dispatchMain()
    }

    private static func run(_ words: [String]) async throws {
        switch (words.first ?? "", Array(words.dropFirst())) {
        case ("register", let rest) where rest.count == 3:
            try await register(uri: rest[0], prefix: rest[1], tasks: Int(rest[2]) ?? 1)
        case ("attempt", let rest) where rest.count == 3:
            try await attempt(uri: rest[0], username: rest[1], count: Int(rest[2]) ?? 1)
        case ("leave", let rest) where rest.count == 2:
            try await leave(uri: rest[0], closing: rest[1] == "closing")
        default: throw ExerciseError.unknownCommand(words)
        }
    }

    /// Registers `PREFIXt0n0`, `PREFIXt0n1`, …, `PREFIXt1n0`, … until its standard input ends. Each task registers one
    /// profile after another.
    ///
    /// It prints `done NAME`, `unknown NAME` or `refused NAME` for each profile, and `longest MILLISECONDS`, the time
    /// of the slowest call.
    private static func register(uri: String, prefix: String, tasks: Int) async throws {
        let repository = try await ProfileRepository.open(postgres: uri, options: options())
        let record = Record()
        say("ready")
        try await withThrowingTaskGroup { group in
            for task in 0..<tasks {
                group.addTask {
                    for number in 0... {
                        if record.isOver.load(ordering: .relaxed) { return }
                        let name = "\(prefix)t\(task)n\(number)"
                        let start = ContinuousClock.now
                        let outcome = try await outcome(of: name, in: repository)
                        record.add("\(outcome) \(name)", took: start.duration(to: .now))
                    }
                }
            }
            await endOfInput()
            record.isOver.store(true, ordering: .relaxed)
            try await group.waitForAll()
        }
        await repository.close()
        record.lines.withLock { for line in $0 { say(line) } }
        say("longest \(Int(record.longest.withLock { $0 } / .milliseconds(1)))")
    }

    /// Lets the process exit while connections are being opened, used and closed. If `closing` is true, the repository
    /// is closed first.
    private static func leave(uri: String, closing: Bool) async throws {
        let repository = try await ProfileRepository.open(postgres: uri, options: options())
        for number in 0..<24 {
            Task {
                while true { _ = try await repository.profile(username: "n\(number)") }
            }
        }
        // Each of these repositories has its own pool, so some pools begin and end at any moment.
        for _ in 0..<4 {
            Task {
                while true { await (try ProfileRepository.open(postgres: uri, options: options())).close() }
            }
        }
        usleep(UInt32.random(in: 0..<60_000))
        if closing { await repository.close() }
    }

    /// The results of the tasks.
    private final class Record: Sendable {
        let isOver = Atomic(false)
        let lines = Mutex<[String]>([])
        let longest = Mutex(Duration.zero)

        func add(_ line: String, took: Duration) {
            lines.withLock { $0.append(line) }
            longest.withLock { $0 = max($0, took) }
        }
    }

    /// Registers a profile, and returns the outcome as a word.
    private static func outcome(of name: String, in repository: ProfileRepository) async throws -> String {
        do throws(ProfileStoreError) {
            _ = try await repository.register(draft(name, repository))
            return "done"
        } catch {
            switch error.code {
            case .outcomeUnknown, .storedOnOneMachine: return "unknown"
            case .busy, .unavailable, .notDurable: return "refused"
            default: throw error
            }
        }
    }

    /// When its standard input has ended, it tries a wrong password `count` times concurrently. It prints how many
    /// attempts were `wrong`, which means that they were hashed, and how many were `throttled`.
    private static func attempt(uri: String, username: String, count: Int) async throws {
        var options = Self.options()
        // All processes use the same fixed time. No delay ends, so a slow machine admits no further attempt.
        options.now = { Timestamp(millisecondsSince1970: 1_800_000_000_000) }
        let repository = try await ProfileRepository.open(postgres: uri, options: options)
        say("ready")
        await endOfInput()
        let wrong = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<count {
                group.addTask {
                    do throws(CredentialError) {
                        _ = try await repository.passwords.validate(Secret("Wr0ng"), for: username)
                        throw CredentialError.store(.notFound(username: username))
                    } catch {
                        switch error {
                        case .wrong: return true
                        case .throttled: return false
                        default: throw error
                        }
                    }
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        await repository.close()
        say("wrong \(wrong)")
        say("throttled \(count - wrong)")
    }

    private static func draft(
        _ username: String, _ repository: ProfileRepository
    ) throws(ProfileStoreError) -> ValidProfile {
        let draft = ProfileDraft([
            "username": username, "phone": "78761241", "address": "0",
            // A hash of `aK8oio` with a very low cost.
            "password_hash":
                "$argon2id$v=19$m=8,t=1,p=1$x6KV7hY0lqmDzqg8SXGz4A$zXpdekayZS4A3z2N/dAfRIcKF8U94zGuyyN/CCZNJVo",
        ])
        do throws(ValidationFailure) {
            return try repository.validator.validate(draft, on: repository.today)
        } catch {
            throw .invalid(error)
        }
    }

    private static func options() -> ProfileRepository.Options {
        var options = ProfileRepository.Options()
        options.command = "exerciser"
        options.waitLimit = .seconds(10)
        return options
    }

    private static func endOfInput() async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                var byte: UInt8 = 0
                while read(STDIN_FILENO, &byte, 1) > 0 {}
                continuation.resume()
            }
        }
    }

    private static func say(_ line: String) {
        print(line)
        fflush(nil)
    }
}

private enum ExerciseError: Error {
    case unknownCommand([String])
}
