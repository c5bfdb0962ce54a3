import ProfileCore
import ProfileStore
import ProfileStoreSQLite

/// Makes the store of the service's benchmark, and measures how fast the repository registers profiles without a service.
///
///     BenchmarkStore make PATH PROFILES               prints the access token of a program
///     BenchmarkStore register PATH CALLERS SECONDS    prints the profiles a second
///
/// The profiles are named `user0`, `user1`, …, and all have the password `Sunflower7`.
@main enum BenchmarkStore {
    static func main() async throws {
        let arguments = CommandLine.arguments
        switch (arguments.dropFirst().first, arguments.count) {
        case ("make", 4):
            guard let count = Int(arguments[3]) else { throw Failure.usage }
            try await make(arguments[2], count)
        case ("register", 5):
            guard let callers = Int(arguments[3]), let seconds = Double(arguments[4]) else { throw Failure.usage }
            try await register(arguments[2], callers, seconds)
        default: throw Failure.usage
        }
    }

    private static func make(_ path: String, _ count: Int) async throws {
        var options = ProfileRepository.Options()
        options.createsMissing = true
        let repository = try await ProfileRepository.open(at: path, options: options)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                if number >= 64 { try await group.next() }
                group.addTask {
                    var draft = draft("user\(number)")
                    draft.password = Secret("Sunflower7")
                    _ = try await repository.register(draft)
                }
            }
            try await group.waitForAll()
        }
        guard let name = AccountLabel("benchmark") else { throw Failure("the name of the token is wrong") }
        print(try await repository.tokens.create(name, scopes: [.write]).text)
        await repository.close()
    }

    private static func register(_ path: String, _ callers: Int, _ seconds: Double) async throws {
        let repository = try await ProfileRepository.open(at: path)
        let start = ContinuousClock.now
        let end = start + .seconds(seconds)
        let total = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<callers {
                group.addTask {
                    var count = 0
                    while ContinuousClock.now < end {
                        // Ten random letters and digits, so the name is almost certainly not taken.
                        var draft = draft(
                            String(UInt64.random(in: 101_559_956_668_416..<3_656_158_440_062_976), radix: 36))
                        draft.passwordHash = hash
                        let valid = try repository.validator.validate(draft, on: repository.today)
                        _ = try await repository.register(valid, by: Author("benchmark"))
                        count += 1
                    }
                    return count
                }
            }
            return try await group.reduce(0, +)
        }
        print(Double(total) / (start.duration(to: .now) / .seconds(1)))
        await repository.close()
    }

    /// A hash that belongs to no password, because these profiles do not log in.
    private static let hash =
        "$argon2id$v=19$m=19456,t=2,p=1$ypUYnQZSQQOq9pivEtjG8w$" + String(repeating: "A", count: 43)

    private static func draft(_ username: String) -> ProfileDraft {
        ProfileDraft([
            "username": username, "phone": "78761241", "address": "12 Main St", "postal_code": "01234",
            "birthday": "1980-12-31",
        ])
    }
}

struct Failure: Error, CustomStringConvertible {
    static let usage = Failure("usage: BenchmarkStore make PATH PROFILES | register PATH CALLERS SECONDS")
    let description: String
    init(_ description: String) { self.description = description }
}
