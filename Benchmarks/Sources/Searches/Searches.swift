import ProfileStore
import ProfileStoreSQLite

/// Counts the profiles that contain a text in any field, and prints the shortest time of TIMES runs.
///
///     Searches DATABASE TEXT [TIMES]
@main struct Searches {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3 else { throw Failure("usage: Searches DATABASE TEXT [TIMES]") }
        let repository = try await ProfileRepository.open(at: arguments[1])
        var found = 0
        var best = Duration.seconds(1_000_000)
        for _ in 0..<(arguments.count > 3 ? Int(arguments[3]) ?? 1 : 1) {
            let start = ContinuousClock.now
            found = try await repository.count(ProfileQuery(text: arguments[2]))
            best = min(best, ContinuousClock.now - start)
        }
        print(#"{"found": \#(found), "seconds": \#(best / .seconds(1))}"#)
        await repository.close()
    }
}

struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
