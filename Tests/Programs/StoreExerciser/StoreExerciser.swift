import Dispatch
import Platform
import ProfileCore
import ProfileStore
import ProfileStoreSQLite
import SQLiteAccess
import SecretHashing

/// Works on a store, for tests in which several processes do so at the same time. It is not part of any product.
///
/// It prints what it did and exits 0; or prints `error: …` and exits 1.
@main
enum StoreExerciser {
    static func main() {
        // Work that never suspends finishes on this thread, as in the command.
        Task.immediate {
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
        case ("create", let rest) where rest.count == 2: try await create(path: rest[0], username: rest[1])
        case ("create-and-die", let rest) where rest.count == 2:
            try await createAndDie(path: rest[0], username: rest[1])
        case ("register-and-edit", let rest) where rest.count == 3:
            try await registerAndEdit(path: rest[0], prefix: rest[1], seconds: Int(rest[2]) ?? 1)
        case ("register-together", let rest) where rest.count == 2:
            try await registerTogether(path: rest[0], tasks: Int(rest[1]) ?? 1)
        case ("reopen", let rest) where rest.count == 3:
            try await reopen(path: rest[0], prefix: rest[1], seconds: Int(rest[2]) ?? 1)
        case ("look-up", let rest) where rest.count == 2:
            try await lookUp(path: rest[0], username: rest[1], leavesRoom: true)
        case ("look-up-without-threads", let rest) where rest.count == 2:
            try await lookUp(path: rest[0], username: rest[1], leavesRoom: false)
        case ("open", let rest) where rest.count == 2: try await open(path: rest[0], seconds: Int(rest[1]) ?? 1)
        case ("hold", let rest) where rest.count == 2: try hold(path: rest[0], command: rest[1])
        case ("adopt", let rest) where rest.count == 2: try await adopt(path: rest[0], seconds: Int(rest[1]) ?? 1)
        case ("listen", let rest) where rest.count == 3: try listen(path: rest[0], directory: rest[1], name: rest[2])
        case ("beep", let rest) where rest.count == 3: try beep(path: rest[0], directory: rest[1], name: rest[2])
        case ("watch", let rest) where rest.count == 3:
            try await watch(path: rest[0], directory: rest[1], after: Int64(rest[2]) ?? 0)
        case ("log-in-without-memory", let rest) where rest.count == 4:
            try await logInWithoutMemory(
                path: rest[0], username: rest[1], password: rest[2], policyKiB: Int(rest[3]) ?? 0)
        case ("honour", let rest) where rest.count == 2: try await honour(path: rest[0], token: rest[1])
        case ("use", let rest) where rest.count > 3: await use(Array(rest.dropFirst(3)), tokens: Array(rest.prefix(3)))
        default: throw ExerciseError.unknownCommand(words)
        }
    }

    /// Opens the store, creates it if it is missing, and registers one profile. Its umask of 0 keeps no file private.
    private static func create(path: String, username: String) async throws {
        umask(0)
        let repository = try await ProfileRepository.open(at: path, options: options(createsMissing: true))
        try await register(username, in: repository)
        await repository.close()
        say("created")
    }

    /// Registers a profile and kills its process, so all data stays in the write-ahead log.
    private static func createAndDie(path: String, username: String) async throws {
        let repository = try await ProfileRepository.open(at: path, options: options(createsMissing: true))
        try await register(username, in: repository)
        kill(getpid(), SIGKILL)
    }

    /// Registers `PREFIX0`, `PREFIX1`, … and edits `shared` after each, whose address counts the edits. Prints the
    /// number of rounds.
    private static func registerAndEdit(path: String, prefix: String, seconds: Int) async throws {
        let repository = try await ProfileRepository.open(at: path, options: options())
        let end = ContinuousClock.now + .seconds(seconds)
        var count = 0
        while ContinuousClock.now < end {
            try await register("\(prefix)\(count)", in: repository)
            _ = try await repository.edit("shared") { draft in
                draft["address"] = String((draft["address"].flatMap { Int($0.text) } ?? 0) + 1)
            }
            count += 1
        }
        await repository.close()
        say(String(count))
    }

    /// Registers `t0n0`, `t0n1`, …, `t1n0`, … without end. Each task registers one profile after another. Prints each
    /// name after its registration, with a full stop, so that a reader recognises a line that was cut off.
    private static func registerTogether(path: String, tasks: Int) async throws {
        let repository = try await ProfileRepository.open(at: path, options: options())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<tasks {
                group.addTask {
                    for number in 0... {
                        try await register("t\(task)n\(number)", in: repository)
                        say("t\(task)n\(number).")
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Opens, registers and closes repeatedly. Each close checkpoints the write-ahead log.
    private static func reopen(path: String, prefix: String, seconds: Int) async throws {
        let end = ContinuousClock.now + .seconds(seconds)
        var count = 0
        while ContinuousClock.now < end {
            let repository = try await ProfileRepository.open(at: path, options: options())
            try await register("\(prefix)\(count)", in: repository)
            await repository.close()
            count += 1
        }
        say(String(count))
    }

    /// Opens the store, reads and closes it repeatedly.
    private static func open(path: String, seconds: Int) async throws {
        let end = ContinuousClock.now + .seconds(seconds)
        var count = 0
        while ContinuousClock.now < end {
            let repository = try await ProfileRepository.open(at: path, options: options())
            guard try await repository.profile(username: "shared") != nil else { throw ExerciseError.lostProfile }
            await repository.close()
            count += 1
        }
        say(String(count))
    }

    /// Looks up a profile, and prints its id and the final number of threads. If `leavesRoom` is false, the process has
    /// no memory for another thread.
    private static func lookUp(path: String, username: String, leavesRoom: Bool) async throws {
        if !leavesRoom { try limitMemory(to: 1 << 20) }
        let repository = try await ProfileRepository.open(at: path, options: options())
        say("id \(try await repository.profile(username: username)?.id ?? 0)")
        await repository.close()
        say("threads \(threadCount())")
    }

    private static func threadCount() -> Int {
        guard let folder = opendir("/proc/self/task") else { return 0 }
        defer { closedir(folder) }
        var count = 0
        while let entry = readdir(folder) {
            // All entries except "." and ".." are thread ids.
            if entry.pointee.d_name.0 != CChar(UInt8(ascii: ".")) { count += 1 }
        }
        return count
    }

    /// Adopts up to 60 schemas, each with one more field. Closes the store after each, so that the log is checkpointed.
    private static func adopt(path: String, seconds: Int) async throws {
        let end = ContinuousClock.now + .seconds(seconds)
        var count = 0
        while ContinuousClock.now < end, count < 60 {
            let repository = try await ProfileRepository.open(at: path, options: options())
            let document = repository.schema.document().dropLast(2)
            let field = #",{"name":"extra_\#(count)","constraints":{"unique":true}}]}"#
            try await repository.rules.adopt(ProfileSchema(parsing: document + field))
            await repository.close()
            count += 1
        }
        say(String(count))
    }

    /// Holds the write lock until its standard input ends; prints `held` when it has it.
    private static func hold(path: String, command: String) throws {
        var lock = try WriteLock(DatabasePath(path))
        try lock.acquire(as: command)
        say("held")
        waitForEndOfInput()
        lock.release()
    }

    /// Prints `ready`, then `heard` for every beep. Prints `end` when its standard input has ended.
    private static func listen(path: String, directory: String, name: String) throws {
        let beeper = try Beeper(store: path, prefix: "test", directory: directory)
        try beeper.register(name) { say("heard") }
        say("ready")
        waitForEndOfInput()
        beeper.unregister(name)
        say("end")
    }

    private static func beep(path: String, directory: String, name: String) throws {
        let beeper = try Beeper(store: path, prefix: "test", directory: directory)
        say(String(beeper.beep(name).delivered))
    }

    /// Prints `ready`, then the number and the kind of every change, until its standard input ends. Only beeps wake it,
    /// because it polls once an hour.
    private static func watch(path: String, directory: String, after number: Int64) async throws {
        var options = options()
        options.watchInterval = .seconds(3_600)
        options.runtimeDirectory = directory
        let repository = try await ProfileRepository.open(at: path, options: options)
        let watching = Task {
            for try await change in await repository.changes.stream(after: number) {
                say("\(change.number) \(change.kind)")
            }
        }
        say("ready")
        waitForEndOfInput()
        await repository.close()
        try await watching.value
    }

    /// Tries to log in six times with at most 64 MiB of memory left, and prints the result of each attempt.
    private static func logInWithoutMemory(
        path: String, username: String, password: String, policyKiB: Int
    ) async throws {
        var options = options()
        options.hashing = try HashingPolicy(memoryKiB: policyKiB, iterations: 2)
        let repository = try await ProfileRepository.open(at: path, options: options)
        // This creates the threads and everything else that is created only once.
        _ = try? await PasscodeHasher().hash(Secret("x"))
        _ = try? await repository.profile(username: username)
        _ = try? await repository.hasher.verify(Secret("x"), against: PasswordHash(parsing: weakHash.utf8Span.span))
        try limitMemory(to: 64 << 20)
        for _ in 1...6 {
            do throws(CredentialError) {
                _ = try await repository.passwords.validate(Secret(password), for: username)
                say("right")
            } catch {
                say("\(error)")
            }
        }
        await repository.close()
    }

    /// Limits the memory of the process to `bytes` more than it uses now.
    private static func limitMemory(to bytes: UInt) throws {
        let file = fopen("/proc/self/statm", "r")
        defer { if let file { fclose(file) } }
        var pages: UInt = 0
        guard let file, withUnsafeMutablePointer(to: &pages, { withVaList([$0]) { vfscanf(file, "%lu", $0) } }) == 1
        else { throw ExerciseError.noLimit }
        let most = rlim_t(pages * UInt(getpagesize()) + bytes)
        var limit = rlimit(rlim_cur: most, rlim_max: most)
        guard setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0 else { throw ExerciseError.noLimit }
    }

    /// Looks up the session of a token repeatedly, for half a minute at most. Prints `honoured` after the first
    /// success. At the end, it prints when the last successful lookup began, in nanoseconds of `CLOCK_BOOTTIME`.
    private static func honour(path: String, token: String) async throws {
        let repository = try await ProfileRepository.open(at: path, options: options())
        let token = Secret(token)
        var latest: Int64 = 0
        let end = ContinuousClock.now + .seconds(30)
        while ContinuousClock.now < end {
            var time = timespec()
            clock_gettime(CLOCK_BOOTTIME, &time)
            guard try await repository.sessions.find(token) != nil else { break }
            if latest == 0 { say("honoured") }
            latest = Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
        }
        await repository.close()
        say(String(latest))
    }

    /// Prints the path of each store, and then calls all operations on the store.
    private static func use(_ paths: [String], tokens: [String]) async {
        for path in paths {
            say(path)
            await EveryUse(path: path, tokens: tokens).run()
        }
        say("done")
    }

    private static func register(_ username: String, in repository: ProfileRepository) async throws {
        let draft = ProfileDraft([
            "username": username, "phone": "78761241", "address": "0",
            "password_hash": weakHash,
        ])
        while true {
            do {
                let profile = try repository.validator.validate(draft, on: repository.today)
                _ = try await repository.register(profile)
                return
            } catch let error as ProfileStoreError where error.code == .schemaChanged {
                continue
            }
        }
    }

    /// A hash of `aK8oio` with a very low cost.
    static let weakHash =
        "$argon2id$v=19$m=8,t=1,p=1$x6KV7hY0lqmDzqg8SXGz4A$zXpdekayZS4A3z2N/dAfRIcKF8U94zGuyyN/CCZNJVo"

    private static func options(createsMissing: Bool = false) -> ProfileRepository.Options {
        var options = ProfileRepository.Options()
        options.createsMissing = createsMissing
        options.command = "exerciser"
        return options
    }

    /// Uses `read`, because `getchar` would hold the lock of its stream, and `fflush` on another thread would wait for
    /// it.
    private static func waitForEndOfInput() {
        var byte: UInt8 = 0
        while read(STDIN_FILENO, &byte, 1) > 0 {}
    }

    private static func say(_ line: String) {
        print(line)
        fflush(nil)
    }
}

private enum ExerciseError: Error {
    case unknownCommand([String])
    case lostProfile
    case noLimit
}
