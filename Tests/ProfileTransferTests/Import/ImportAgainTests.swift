import ProfileCore
import ProfileStore
import ProfileTesting
import StoreFixtures
import Synchronization
import Testing
import Watchdog

@testable import ProfileTransfer

/// A file whose rows are mostly stored. They are found by their order or by their key.
@Suite(.watched) struct ImportAgainTests {
    private let folder: ImportFolder

    init() throws { folder = try ImportFolder() }

    enum Order: CaseIterable {
        case same, reversed, shuffled

        func apply(to rows: [String]) -> [String] {
            var random = SeededGenerator(seed: 23)
            return switch self {
            case .same: rows
            case .reversed: rows.reversed()
            case .shuffled: rows.shuffled(using: &random)
            }
        }
    }

    private static let numbers = 0..<1_000
    private static let header = "username,email,level,note\n"

    private static func row(_ number: Int, note: String = "") -> String {
        "n\(number),e\(number)@x,\(number % 9 + 1),\(note)\n"
    }

    private static func isRemoved(_ number: Int) -> Bool { number % 100 == 50 }
    private static func isChanged(_ number: Int) -> Bool { number.isMultiple(of: 7) }

    /// Imports all rows, and removes every hundredth profile.
    private func makeStore() async throws -> ProfileRepository {
        let repository = try await folder.store(schema: schemaOfClub())
        let first = try await repository.importing(Self.header + Self.numbers.map { Self.row($0) }.joined())
        #expect(first.outcomes == [1_000, 0, 0, 0])
        for number in Self.numbers where Self.isRemoved(number) { try await repository.remove("n\(number)") }
        return repository
    }

    @Test(arguments: Order.allCases)
    func `I4: stored rows are skipped or updated in any order, and nothing else is written`(
        order: Order
    ) async throws {
        let repository = try await makeStore()
        // Every 50th row is one that the store never had.
        let rows = Self.numbers.map { number in
            let row = Self.row(number, note: Self.isChanged(number) ? "new" : "")
            return number.isMultiple(of: 50) ? row + "x\(number),,1,\n" : row
        }
        let text = Self.header + order.apply(to: rows).joined()
        let removed = Self.numbers.count(where: Self.isRemoved)
        let changed = Self.numbers.count { Self.isChanged($0) && !Self.isRemoved($0) }

        let updated = try await repository.importing(text) { $0.duplicates = .update }
        #expect(updated.outcomes == [removed + 20, changed, 1_000 - removed - changed, 0])
        let latest = try await repository.changes.latestNumber
        for policy in [ImportOptions.DuplicatePolicy.update, .skip] {
            let again = try await repository.importing(text) { $0.duplicates = policy }
            #expect(again.outcomes == [0, 0, 1_020, 0])
        }
        #expect(try await repository.changes.latestNumber == latest)

        let stored = try await repository.profiles(ProfileQuery(limit: 2_000)).profiles
        #expect(stored.count == 1_020)
        for profile in stored {
            guard let number = Int(profile.username.dropFirst()), profile.username.hasPrefix("n") else { continue }
            #expect(profile["email"] == "e\(number)@x" && profile["level"] == "\(number % 9 + 1)")
            #expect(profile["note"] == (Self.isChanged(number) ? "new" : nil))
            #expect(profile.revision == (Self.isChanged(number) && !Self.isRemoved(number) ? 2 : 1))
        }
        #expect(try await repository.isSound())
        await repository.close()
    }

    @Test func `I4: an object that lacks members keeps their values, and changes the others`() async throws {
        let repository = try await makeStore()
        let text = #"{"username":"N1","level":5}"# + "\n" + #"{"username":"n2","level":3,"email":"z@x","note":null}"#
        let report = try await repository.importing(text) {
            $0.duplicates = .update
            $0.format = .json
        }
        #expect(report.outcomes == [0, 2, 0, 0])
        let first = try #require(try await repository.profile(username: "n1"))
        #expect(first.username == "N1" && first["email"] == "e1@x" && first["level"] == "5" && first.revision == 2)
        let second = try #require(try await repository.profile(username: "n2"))
        #expect(second["email"] == "z@x" && second["level"] == "3" && second.revision == 2)
        await repository.close()
    }

    @Test func `I4: a value that an earlier row gave up is free, and one that another profile has is not`() async throws
    {
        let repository = try await makeStore()
        let text = "username,email,level\nn1,a@x,2\nn2,e1@x,3\nn3,e4@x,4\n"
        let report = try await repository.importing(text) { $0.duplicates = .update }
        #expect(report.outcomes == [0, 2, 0, 1])
        #expect(report.lines == ["4/3 email duplicate"])
        #expect(try await repository.profile(username: "n2")?["email"] == "e1@x")
        #expect(try await repository.profile(username: "n3")?["email"] == "e3@x")
        await repository.close()
    }

    @Test func `I4: a kept value is judged again if it depends on the day`()
        async throws
    {
        let schema = try ProfileSchema(
            parsing: """
                {"name": "visits", "fields": [
                  {"name": "username", "constraints": {"required": true, "unique": true}}, {"name": "note"},
                  {"name": "seen", "type": "date", "constraints": {"maximum": "today"}}
                ]}
                """)
        let now = Mutex(importTime)
        let repository = try await folder.store(schema: schema) { $0.now = { now.withLock(\.self) } }
        #expect(try await repository.importing("username,note,seen\nann,,2020-01-01\n").outcomes == [1, 0, 0, 0])
        now.withLock { $0 = Timestamp(millisecondsSince1970: 0) }
        for note in ["", "new"] {
            let early = try await repository.importing("username,note\nann,\(note)\n") { $0.duplicates = .update }
            #expect(early.outcomes == [0, 0, 0, 1])
        }
        await repository.close()
    }
}
