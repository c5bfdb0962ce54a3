import ProfileCore
import ProfileStore
import ProfileStoreSQLite
import RawWrites
import SyncCost

/// Registers profiles with hashed passwords, with one task and with 64 concurrent tasks, while a sync takes a fixed
/// time. Plain C inserts profiles too, each in a transaction of its own. The variants alternate. Prints the medians as
/// lines of JSON: the seconds of one write, and the longest wait of one of 64 tasks for a write. Edits a profile with and
/// without a thousand listeners to changes, too.
///
///     Writes FOLDER INSERT [ROUNDS]
///
/// INSERT is the statement for the loop in C.
@main struct Writes {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3 else { throw Failure("usage: Writes FOLDER INSERT [ROUNDS]") }
        let (folder, sql) = (arguments[1], arguments[2])
        let rounds = arguments.count > 3 ? Int(arguments[3]) ?? 0 : 5
        guard rounds > 0 else { throw Failure("ROUNDS is a number above 0") }
        guard sync_cost_vfs_register() == 0 else { throw Failure("there is no VFS whose syncs have a cost") }

        let repository = try await openStore("\(folder)/writes.db")
        let registrations = Registrations(repository)
        var seconds: [String: [Double]] = [:]
        // The first round only warms the caches.
        for round in 0...rounds {
            var figures: [(name: String, seconds: Double)] = []
            for (cost, title) in [(1_000, "1 ms"), (0, "0 ms")] {
                sync_cost_set(cost)
                for (tasks, writes) in [(1, cost > 0 ? 400 : 2_000), (64, cost > 0 ? 6_400 : 12_800)] {
                    let (elapsed, longest) = try await registrations.run(writes, tasks: tasks)
                    figures.append(("write, \(tasks) tasks, \(title)", elapsed / Double(writes)))
                    figures.append(("longest, \(tasks) tasks, \(title)", longest))
                }
                let raw = "\(folder)/raw\(cost)-\(round).db"
                await (try openStore(raw)).close()
                let writes = 400
                let elapsed = raw_writes(raw, sql, hash, Int32(writes))
                guard elapsed > 0 else { throw Failure("the loop in C cannot write to \(raw)") }
                figures.append(("write, raw, \(title)", elapsed / Double(writes)))
            }
            sync_cost_set(0)
            for listeners in [0, 1_000] {
                let edit = try await Edits(repository).run(1_000, listeners: listeners)
                figures.append(("edit, \(listeners) listeners", edit))
            }
            if round > 0 { for figure in figures { seconds[figure.name, default: []].append(figure.seconds) } }
        }
        await repository.close()
        for (name, times) in seconds.sorted(by: { $0.key < $1.key }) {
            print(#"{"name": "\#(name)", "seconds": \#(times.sorted()[times.count / 2]), "rounds": \#(times.count)}"#)
        }
    }

    private static func openStore(_ path: String) async throws -> ProfileRepository {
        var options = ProfileRepository.Options()
        options.createsMissing = true
        return try await ProfileRepository.open(at: path, options: options)
    }
}

/// A hash that belongs to no password, because this benchmark does not log in.
let hash = "$argon2id$v=19$m=19456,t=2,p=1$ypUYnQZSQQOq9pivEtjG8w$" + String(repeating: "A", count: 43)

/// Registers profiles with a given number of concurrent tasks.
struct Registrations {
    private let repository: ProfileRepository
    private let names = NameCounter()

    init(_ repository: ProfileRepository) { self.repository = repository }

    /// Registers `count` profiles, and returns the total time and the longest time of one registration, in seconds.
    func run(_ count: Int, tasks: Int) async throws -> (seconds: Double, longest: Double) {
        let first = await names.take(count)
        let start = ContinuousClock.now
        let longest = try await withThrowingTaskGroup(of: Duration.self) { group in
            for task in 0..<tasks {
                let numbers = stride(from: first + task, to: first + count, by: tasks)
                group.addTask { [repository] in
                    var longest = Duration.zero
                    for number in numbers {
                        let draft = ProfileDraft([
                            "username": "n\(number)", "password_hash": hash, "phone": "78761241",
                            "address": "12 Main St",
                        ])
                        let valid = try repository.validator.validate(draft, on: repository.today)
                        let begun = ContinuousClock.now
                        _ = try await repository.register(valid)
                        longest = max(longest, .now - begun)
                    }
                    return longest
                }
            }
            return try await group.reduce(.zero) { max($0, $1) }
        }
        return ((ContinuousClock.now - start) / .seconds(1), longest / .seconds(1))
    }
}

/// Edits one profile again and again while tasks listen to changes.
struct Edits {
    private let repository: ProfileRepository

    init(_ repository: ProfileRepository) { self.repository = repository }

    /// Edits the first registered profile `count` times, and returns the seconds of one edit.
    func run(_ count: Int, listeners: Int) async throws -> Double {
        let ready = ReadyCounter()
        let tasks = (0..<listeners).map { _ in
            Task { [repository] in
                var isFirst = true
                for try await _ in await repository.changes.stream() {
                    if isFirst { await ready.add() }
                    isFirst = false
                }
            }
        }
        defer { for task in tasks { task.cancel() } }
        // When this loop ends, each listener has received an edit. So all of them listen during the measurement.
        var number = 0
        while await ready.count < listeners {
            number += 1
            try await edit(number)
            try await Task.sleep(for: .milliseconds(20))
        }
        let start = ContinuousClock.now
        for number in 0..<count { try await edit(number) }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        for task in tasks { task.cancel() }
        for task in tasks { _ = await task.result }
        return seconds / Double(count)
    }

    private func edit(_ number: Int) async throws {
        _ = try await repository.edit("n0") { $0["address"] = "\(number)" }
    }
}

private actor ReadyCounter {
    private(set) var count = 0

    func add() { count += 1 }
}

private actor NameCounter {
    private var next = 0

    func take(_ count: Int) -> Int {
        defer { next += count }
        return next
    }
}

struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
