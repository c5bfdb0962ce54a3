import Platform
import ProfileCore
import ProfileStore
import ProfileStoreSQLite
import ProfileTesting
import StoreFixtures
import Testing
import Watchdog

@testable import ProfileTransfer

@Suite(.onlyOnSQLite("kills processes"), .watched(for: .seconds(300))) struct ImportKillTests {
    private static let rows = runsLongImportTests ? 90_000 : 16_000
    private static let kills = runsLongImportTests ? 200 : 10
    /// The number of rows in a batch.
    private static let rowsPerBatch = ImportSource.recordsPerBatch

    private static func text() -> String {
        var text = "username,phone,address,postal_code,birthday,password_hash\n"
        for row in 0..<rows {
            text +=
                row % 100 == 99
                ? "bad\(row),12,,,,\n"
                : "user\(row),\(10_000_000 + row),\(row) Main St,12345,1998-01-\(row % 20 + 10),\"\(broughtHash)\"\n"
        }
        return text
    }

    /// Everything but ids and times.
    private static func contents(of store: ProfileRepository, sorted: Bool = true) async throws -> [String] {
        let rows = try await store.profiles(ProfileQuery(limit: 100_000)).profiles.map { profile in
            "\(profile.revision) \(profile.hasPassword) "
                + profile.fields.map { $0.value ?? "-" }.joined(separator: "|")
        }
        return sorted ? rows.sorted() : rows
    }

    /// How the killed import writes.
    enum Way: UInt64 {
        /// In one transaction, to the write-ahead log.
        case inBulk = 101
        case inBatches
        /// In one transaction, with a rollback journal, as the command fills a store that it has made.
        case inPlace
    }

    @Test(
        "I10: killed at any moment, the store holds whole batches, and importing again completes it",
        arguments: [Way.inBatches, .inBulk, .inPlace])
    func kill(_ way: Way) async throws {
        let seed = way.rawValue
        let inBulk = way != .inBatches
        var random = SeededGenerator(seed: seed)
        let folder = try ImportFolder()
        let text = Self.text()
        let file = try folder.file("input.csv", text)
        let whole = try await folder.store("whole.sqlite")
        _ = try await whole.importing(text)
        let expected = try await Self.contents(of: whole)
        let accepted = expected.count
        let inOrder = try await Self.contents(of: whole, sorted: false)
        await whole.close()

        var partly = 0
        var spread: Set<Int> = []
        for round in 0..<Self.kills {
            let name = "killed\(round).sqlite"
            if !inBulk {
                // A store with a profile is not loaded in bulk.
                let store = try await folder.store(name)
                _ = try await store.importing(
                    "username,phone,address,password_hash\nzz,78761241,x,\"\(broughtHash)\"\n")
                await store.close()
            }
            var importer = try ImporterProcess(
                ["\(folder.path)/\(name)", file] + (way == .inPlace ? ["--unread"] : []))
            // Kills at a random moment: some milliseconds after a random batch.
            let batches = Int.random(in: 0...(Self.rows / Self.rowsPerBatch + 1), using: &random)
            for _ in 0..<batches where importer.line() == nil { break }
            usleep(UInt32.random(in: 0...60_000, using: &random))
            importer.kill()
            let code = importer.exitCode()
            #expect(code == 128 + SIGKILL || code == 0)

            let store = try await folder.store(name)
            #expect(try await store.check().integrity.isEmpty)
            let stored = try await store.statistics().profiles - (inBulk ? 0 : 1)
            spread.insert(stored)
            if inBulk { #expect(stored == 0 || stored == accepted, "seed \(seed), round \(round): \(stored) rows") }
            // The store has whole transactions in the order of the input: the first rows and no others.
            let found = try await Set(Self.contents(of: store)).intersection(expected)
            #expect(found.count == stored && found.isSubset(of: inOrder.prefix(stored)), "seed \(seed), round \(round)")
            if stored > 0, stored < accepted { partly += 1 }
            if round % 5 == 0 || stored < accepted && stored > 0 {
                let again = try await store.importing(text) { $0.duplicates = .skip }
                #expect(again.imported + again.skipped == accepted)
                #expect(again.skipped == stored)
                let found = try await Self.contents(of: store).filter { !$0.contains(" zz|") }
                #expect(found == expected, "seed \(seed), round \(round)")
            }
            await store.close()
            folder.remove(name)
        }
        #expect(inBulk || partly > 0, "no kill met it between two batches: \(spread)")
    }
}
