import ProfileCore
import ProfileStore
import ProfileStorePostgres
import ProfileStoreSQLite

/// Looks up or registers profiles with several concurrent callers, in a store in a file or on a PostgreSQL server.
/// Prints the elapsed time divided by the number of operations.
///
///     StoreLoad look-up PATH|URI CALLERS SECONDS < USERNAMES
///     StoreLoad register PATH|URI CALLERS SECONDS
@main enum StoreLoad {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 5, let callers = Int(arguments[3]), let seconds = Double(arguments[4]) else {
            throw Failure("usage: StoreLoad look-up|register PATH|URI CALLERS SECONDS")
        }
        let place = arguments[2]
        let repository =
            place.hasPrefix("postgresql://")
            ? try await ProfileRepository.open(postgres: place) : try await ProfileRepository.open(at: place)
        switch arguments[1] {
        case "look-up":
            var usernames: [String] = []
            while let line = readLine() { usernames.append(line) }
            let names = usernames
            try await measure(callers, seconds) { caller, turn in
                let name = names[(caller * 7919 + turn) % names.count]
                guard try await repository.profile(username: name) != nil else { throw Failure("no \(name)") }
            }
        case "register":
            try await measure(callers, seconds) { _, _ in
                // Ten random letters and digits, so the name is almost certainly not taken.
                let username = String(UInt64.random(in: 101_559_956_668_416..<3_656_158_440_062_976), radix: 36)
                let draft = ProfileDraft([
                    "username": username, "phone": "78761241", "address": "12 Main St",
                    "password_hash":
                        "$argon2id$v=19$m=19456,t=2,p=1$ypUYnQZSQQOq9pivEtjG8w$V7S9SK6Z6JO5ZOTfRF8XhGONnRyFDistsnjOI6zUgXc",
                ])
                let valid = try repository.validator.validate(draft, on: repository.today)
                _ = try await repository.register(valid)
            }
        default: throw Failure("look-up or register")
        }
        await repository.close()
    }

    /// Lets concurrent callers repeat `body` for this number of seconds.
    private static func measure(
        _ callers: Int, _ seconds: Double, _ body: @escaping @Sendable (_ caller: Int, _ turn: Int) async throws -> Void
    ) async throws {
        let start = ContinuousClock.now
        let end = start + .seconds(seconds)
        let total = try await withThrowingTaskGroup(of: Int.self) { group in
            for caller in 0..<callers {
                group.addTask {
                    var count = 0
                    while ContinuousClock.now < end {
                        try await body(caller, count)
                        count += 1
                    }
                    return count
                }
            }
            return try await group.reduce(0, +)
        }
        print(#"{"seconds": \#(start.duration(to: .now) / .seconds(1) / Double(total))}"#)
    }
}

struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
