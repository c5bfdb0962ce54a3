import Platform
import ProfileCore
import ProfileStore
import ProfileTesting
import StoreFixtures
import Testing
import Watchdog

@testable import ProfileTransfer

/// D1: the history of imports.
@Suite(.watched) struct ImportHistoryTests {
    private let folder: ImportFolder

    init() throws { folder = try ImportFolder() }

    private static let header = "username,email,level,note\n"

    private static func rows(_ numbers: Range<Int>, _ prefix: String = "n", note: String = "") -> String {
        numbers.map { "\(prefix)\($0),,\($0 % 9 + 1),\(note)\n" }.joined()
    }

    @Test(arguments: [true, false])
    func `D1: an import of new profiles is one change with the ids that each commit has added`(
        isFirst: Bool
    ) async throws {
        let repository = try await folder.store(schema: schemaOfClub())
        if !isFirst { _ = try await repository.importing(Self.header + Self.rows(0..<1, "x")) }
        let author = try #require(Author("eve"))
        let report = try await repository.importing(Self.header + Self.rows(0..<9_000)) {
            $0.author = author
            $0.source = "people.csv"
        }
        #expect(report.imported == 9_000)
        let change = try #require(try await repository.historyChanges(onlyImports: true).first)
        #expect((change.added, change.updated, change.removed) == (9_000, 0, 0))
        #expect((change.source, change.author) == ("people.csv", "eve"))
        let entries = try await repository.history().filter { $0.change == change.number }
        #expect(entries.count < 20)
        #expect(entries.allSatisfy { $0.kind == .imported && $0.values.isEmpty })
        // Each profile has just one entry.
        for number in [0, 4_500, 8_999] {
            let entries = try #require(try await repository.history(of: "n\(number)"))
            #expect(entries.map(\.change) == [change.number])
        }
        await repository.close()
    }

    @Test(arguments: [true, false])
    func `D1: an update import keeps the values before and after of each changed profile, and nothing of others`(
        isExclusive: Bool
    ) async throws {
        let repository = try await folder.store(schema: schemaOfClub())
        _ = try await repository.importing(Self.header + Self.rows(0..<3_000))
        let text = Self.header + Self.rows(0..<1_500, note: "new") + Self.rows(1_500..<3_000) + Self.rows(0..<10, "x")
        let report = try await repository.importing(text) {
            $0.duplicates = .update
            $0.isExclusive = isExclusive
            $0.source = "again.csv"
        }
        #expect((report.imported, report.updated) == (10, 1_500))
        let change = try #require(try await repository.historyChanges(onlyImports: true, limit: 1).first)
        #expect((change.added, change.updated) == (10, 1_500))
        for number in [0, 700, 1_499] {
            let entry = try #require(try await repository.history(of: "n\(number)")?.first)
            #expect((entry.kind, entry.revision, entry.change) == (.updated, 2, change.number))
            #expect(entry.values.map(\.field) == ["note"])
            #expect(entry.values.map(\.before) == [nil])
            #expect(entry.values.map(\.after) == ["new"])
        }
        #expect(try await repository.history(of: "n1500")?.map(\.kind) == [.imported])
        await repository.close()
    }

    @Test func `D1: a record that is merged with a stored profile has an entry, and a dry run has none`() async throws {
        let repository = try await folder.store(schema: schemaOfClub())
        _ = try await repository.importing(Self.header + Self.rows(0..<3))
        let before = try await repository.history()
        let text = "username,note\nn1,new\n"
        _ = try await repository.importing(text) {
            $0.duplicates = .update
            $0.isDryRun = true
        }
        #expect(try await repository.history() == before)
        _ = try await repository.importing(text) { $0.duplicates = .update }
        let entry = try #require(try await repository.history(of: "n1")?.first)
        #expect(entry.values.map(\.after) == ["new"])
        #expect(try await repository.history().count == before.count + 1)
        await repository.close()
    }

    @Test(.onlyOnSQLite("kills processes"))
    func `D1: if one of two concurrent imports is killed, the history has exactly what each has stored`()
        async throws
    {
        let hash = broughtHash
        func text(_ prefix: String, _ rows: Int) -> String {
            "username,phone,address,password_hash\n"
                + (0..<rows).map { "\(prefix)\($0),78761241,\($0) Main St,\"\(hash)\"\n" }.joined()
        }
        var random = SeededGenerator(printingSeedOf: "the killed import of two")
        for round in 0..<4 {
            let name = "store\(round).sqlite"
            let repository = try await folder.store(name)
            _ = try await repository.importing(text("zz", 1))
            var killed = try ImporterProcess([
                "\(folder.path)/\(name)", try folder.file("killed.csv", text("a", 30_000)),
            ])
            let other = text("b", 20_000)
            let importing = Task { try await repository.importing(other) { $0.source = "other.csv" } }
            for _ in 0..<Int.random(in: 1...3, using: &random) where killed.line() == nil { break }
            usleep(UInt32.random(in: 0...30_000, using: &random))
            killed.kill()
            _ = killed.exitCode()
            #expect(try await importing.value.imported == 20_000)

            // Each id that the store has belongs to one entry, whose change is that of the profile's import.
            let entries = try await repository.history(limit: 10_000).filter { $0.kind == .imported }
            var changes: [Character: Set<Int64>] = [:]
            var found = 0
            let profiles = try await repository.profiles(ProfileQuery(limit: 100_000)).profiles
            for entry in entries.sorted(by: { $0.profileIDs.lowerBound < $1.profileIDs.lowerBound }) {
                for id in entry.profileIDs {
                    try #require(profiles[found].id == id)
                    changes[profiles[found].username.first ?? "?", default: []].insert(entry.change)
                    found += 1
                }
            }
            #expect(found == profiles.count)
            #expect(changes.values.allSatisfy { $0.count == 1 })
            #expect(Set(changes.values.flatMap(\.self)).count == changes.count)
            await repository.close()
        }
    }
}
