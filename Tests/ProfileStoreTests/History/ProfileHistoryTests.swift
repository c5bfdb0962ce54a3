import ProfileCore
@testable import ProfileStore
import ProfileTesting
import SecretHashing
import StoreFixtures
import Testing
import Watchdog

/// D1: the values of profiles before each change.
@Suite(.watched) struct ProfileHistoryTests {
    private let store: TemporaryStore

    init() throws { store = try TemporaryStore() }

    private func open(
        _ change: (inout ProfileRepository.Options) -> Void = { _ in }
    ) async throws -> ProfileRepository {
        try await store.open(
            store.options {
                $0.command = "tests"
                change(&$0)
            })
    }

    /// An entry in words: its kind, the ids, the revision, and the values before and after.
    private func words(_ entries: [HistoryEntry]?) -> [String] {
        (entries ?? []).map { entry in
            let values = entry.values.map { "\($0.field): \($0.before ?? "-") > \($0.after ?? "-")" }
            let revision = entry.revision.map { " \($0)" } ?? ""
            return "\(entry.kind.rawValue)\(revision)" + (entry.setsPassword ? " password" : "")
                + (values.isEmpty ? "" : " " + values.joined(separator: ", "))
        }
    }

    @Test func `D1: each change is kept with the values before and after, its time, author and command`() async throws {
        let repository = try await open()
        _ = try await repository.register(
            repository.judged(People.draft("abel", ["postal_code": "12345"])), by: Author("eve"))
        store.clock.advance(by: .seconds(5))
        _ = try await repository.edit("abel", by: Author("adam")) {
            $0["address"] = "2 Side St"
            $0["postal_code"] = nil
            $0["birthday"] = "1990-01-31"
        }
        _ = try await repository.edit("ABEL") { $0["username"] = "cain" }
        let entries = try #require(try await repository.history(of: "cain"))
        #expect(
            words(entries) == [
                "edited 3 username: abel > cain",
                "edited 2 address: 12 Main St > 2 Side St, postal_code: 12345 > -, birthday: - > 1990-01-31",
                "registered 1",
            ])
        #expect(entries.map(\.author) == [nil, "adam", "eve"])
        #expect(entries.map(\.command) == ["tests", "tests", "tests"])
        #expect(entries[0].changedAt == store.clock.timestamp)
        #expect(entries[2].changedAt == store.clock.timestamp.advanced(by: .seconds(-5)))
        #expect(Set(entries.map(\.change)).count == 3)
        #expect(try await repository.history(of: "missing") == nil)
        #expect(try await repository.history(ofID: 99).isEmpty)
        await repository.close()
    }

    @Test func `D1: an edit that changes nothing, and a refused write, add nothing`() async throws {
        let repository = try await open()
        try await repository.register("abel")
        _ = try await repository.edit("abel") { $0["address"] = "12 Main St" }
        await #expect(throws: ProfileStoreError.duplicate([.username])) { try await repository.register("ABEL") }
        await #expect(throws: ProfileStoreError.self) { try await repository.edit("abel") { $0["phone"] = "x" } }
        #expect(words(try await repository.history()) == ["registered 1"])
        await repository.close()
    }

    @Test func `D1: the history has no password, no passcode and no hash, and says that one was set`() async throws {
        let repository = try await open()
        try await repository.register("abel")
        _ = try await repository.edit("abel") {
            $0["password"] = "Zx8oio"
            $0["address"] = "2 Side St"
        }
        try await repository.passcodes.create(Secret("13572468"), for: "abel")
        let reset = try await repository.passwords.issueReset(of: "abel")
        _ = try await repository.passwords.redeemReset(reset.token, password: Secret("Qy7oio"))
        let entries = try await repository.history(of: "abel")
        #expect(
            words(entries) == [
                "edited 3 password", "credential_changed", "edited 2 password address: 12 Main St > 2 Side St",
                "registered 1",
            ])
        try await repository.remove("abel")
        let text = "\(try await repository.history())"
        for secret in ["argon2", "Zx8oio", "Qy7oio", "13572468"] { #expect(!text.contains(secret)) }
        await repository.close()
    }

    @Test func `D1: a removed profile is found by its last username and by its id, with all its values`() async throws {
        let repository = try await open()
        try await repository.register("abel")
        try await repository.register("bert")
        try await repository.remove("abel")
        let removed = "removed 1 username: abel > -, phone: 7876-1241 > -, address: 12 Main St > -"
        #expect(words(try await repository.history(of: "ABEL")) == [removed, "registered 1"])
        #expect(words(try await repository.history(ofID: 1)) == [removed, "registered 1"])
        // A new profile with this name has its own history.
        try await repository.register("abel")
        #expect(words(try await repository.history(of: "abel")) == ["registered 1"])
        _ = try await repository.remove(matching: ProfileQuery())
        #expect(words(try await repository.history(of: "abel")).first?.hasPrefix("removed 1 username: abel") == true)
        // All profiles of one call belong to one change.
        let both = try await repository.history(limit: 2)
        #expect(Set(both.map(\.change)).count == 1)
        #expect(both.map(\.kind) == [.removed, .removed])
        await repository.close()
    }

    @Test func `D1: new profiles of one call are one change, with the ids of each transaction`() async throws {
        let repository = try await open()
        try await repository.register("abel")
        let drafts = try (0..<2_500).map { try repository.judged(People.draft("n\($0)")) }
        _ = try await repository.register(many: drafts, by: Author("eve"))
        let entries = try await repository.history()
        #expect(words(entries) == ["imported 1", "imported 1", "imported 1", "registered 1"])
        #expect(entries.prefix(3).reduce(0) { $0 + $1.profileIDs.count } == 2_500)
        #expect(Set(entries.prefix(3).map(\.change)).count == 1)
        let change = try #require(try await repository.historyChanges(limit: 1).first)
        #expect((change.added, change.updated, change.removed) == (2_500, 0, 0))
        #expect(change.author == "eve")
        let last = try #require(try await repository.profile(username: "n2499"))
        #expect(words(try await repository.history(of: "n2499")) == ["imported 1"])
        #expect(try await repository.history(ofID: last.id)[0].profileIDs.contains(last.id))
        #expect(try await repository.historyChanges(onlyImports: true).isEmpty)
        await repository.close()
    }

    @Test func `D1: expired entries are never shown, and writers and run() remove them`() async throws {
        let repository = try await open()
        #expect(try await repository.historyTime() == .seconds(90 * 86_400))
        try await repository.register("abel")
        store.clock.advance(by: .seconds(50 * 86_400))
        try await repository.register("bert")
        store.clock.advance(by: .seconds(40 * 86_400))
        #expect(words(try await repository.history()) == ["registered 1"])
        #expect(try await repository.history(of: "abel") == [])
        try await repository.keepHistory(for: .seconds(30 * 86_400))
        #expect(try await repository.history().isEmpty)
        #expect(try await repository.historyChanges().isEmpty)
        // Nothing was removed so far.
        try await repository.keepHistory(for: .seconds(90 * 86_400))
        #expect(try await repository.history().count == 1)
        try await repository.keepHistory(for: .seconds(30 * 86_400))
        while try await repository.removeExpired() > 0 {}
        try await repository.keepHistory(for: .seconds(1_000 * 86_400))
        #expect(try await repository.history().isEmpty)
        for number in 0..<40 { _ = try await repository.edit("abel") { $0["address"] = "\(number)" } }
        #expect(try await repository.history(limit: 3).count == 3)
        await repository.close()
    }

    @Test func `D1: a store without history keeps nothing`() async throws {
        let repository = try await open()
        try await repository.keepHistory(for: .zero)
        try await repository.register("abel")
        _ = try await repository.edit("abel") { $0["address"] = "2 Side St" }
        try await repository.remove("abel")
        #expect(try await repository.history().isEmpty)
        try await repository.keepHistory(for: .seconds(86_400))
        #expect(try await repository.history().isEmpty)
        #expect(try await repository.history(of: "abel") == nil)
        await repository.close()
    }

    @Test func `D1: pages of the history follow each other without a gap`() async throws {
        let repository = try await open()
        for number in 0..<25 {
            try await repository.register("n\(number)")
            store.clock.advance(by: .seconds(1))
        }
        let all = try await repository.history()
        var paged: [HistoryEntry] = []
        repeat {
            let page = try await repository.history(after: paged.last, limit: 4)
            if page.isEmpty { break }
            paged += page
        } while true
        #expect(paged == all)
        let since = store.clock.timestamp.advanced(by: .seconds(-3))
        #expect(try await repository.history(since: since).count == 3)
        await repository.close()
    }

    // MARK: At a time

    @Test func `D1: a profile can be read as it was at any time`() async throws {
        let repository = try await open()
        let start = store.clock.timestamp
        var states: [(time: Timestamp, address: String?)] = [(start.advanced(by: .seconds(-1)), nil)]
        func wait(_ address: String?) {
            states.append((store.clock.timestamp, address))
            store.clock.advance(by: .seconds(60))
        }
        try await repository.register("abel")
        wait("12 Main St")
        for number in 1...4 {
            _ = try await repository.edit("abel") { $0["address"] = "\(number) Side St" }
            wait("\(number) Side St")
        }
        try await repository.passcodes.create(Secret("13572468"), for: "abel")
        func check() async throws {
            for (time, address) in states {
                #expect(try await repository.profile("abel", at: time)?.values["address"] == address)
            }
        }
        try await check()
        let past = try #require(try await repository.profile("abel", at: states[2].time))
        #expect((past.id, past.revision) == (1, 2))
        #expect(past.values == ["username": "abel", "phone": "7876-1241", "address": "1 Side St"])
        try await repository.remove("abel")
        wait(nil)
        try await check()
        #expect(try await repository.profile("bert", at: start) == nil)
        await repository.close()
    }

    @Test func `D1: a time that the history does not reach is an error, not a wrong answer`() async throws {
        let repository = try await open()
        let start = store.clock.timestamp
        try await repository.register("abel")
        _ = try await repository.edit("abel") { $0["address"] = "1 Side St" }
        store.clock.advance(by: .seconds(100 * 86_400))
        _ = try await repository.edit("abel") { $0["address"] = "2 Side St" }
        // The entry of the first edit has expired, so the earlier values are unknown.
        await #expect(throws: ProfileStoreError.beyondHistory) { try await repository.profile("abel", at: start) }
        try await repository.keepHistory(for: .zero)
        _ = try await repository.edit("abel") { $0["address"] = "3 Side St" }
        try await repository.keepHistory(for: .seconds(365 * 86_400))
        store.clock.advance(by: .seconds(60))
        let between = store.clock.timestamp
        store.clock.advance(by: .seconds(60))
        _ = try await repository.edit("abel") { $0["address"] = "4 Side St" }
        let late = try await repository.profile("abel", at: store.clock.timestamp)
        #expect(late?.values["address"] == "4 Side St")
        await #expect(throws: ProfileStoreError.beyondHistory) { try await repository.profile("abel", at: between) }
        await repository.close()
    }

    // MARK: Erasing

    @Test func `D4: an erased profile leaves no value, no name and no author`() async throws {
        let repository = try await open()
        let key = try #require(WriteKey("once"))
        let abel = try await repository.register(
            repository.judged(People.draft("abel")), by: Author("Abel"), key: key)
        _ = try await repository.edit("abel", by: Author("abel")) { $0["address"] = "2 Side St" }
        _ = try await repository.edit("abel") { $0["username"] = "cain" }
        try await repository.register("bert")
        _ = try await repository.edit("bert", by: Author("cain")) { $0["address"] = "cains" }
        _ = try? await repository.passwords.validate(Secret("wrong1A"), for: "cain")
        #expect(try await repository.erase(id: abel.id))
        #expect(try await repository.profile(username: "cain") == nil)
        #expect(try await repository.history(ofID: abel.id).isEmpty)
        #expect(try await repository.history(of: "cain") == nil)
        let authors = try await repository.history().map(\.author)
        #expect(authors.allSatisfy { $0 == nil })
        let log = try await repository.engine.changes(after: 0, limit: 100)
        #expect(log.last?.kind == .removed)
        #expect(!log.contains { $0.author == "cain" })
        #expect(try await store.failedAttempts().isEmpty)
        // The outcome of the registration is gone, so the key is free.
        try await repository.register("abel")
        #expect(try await !repository.erase(id: 99))
        await repository.close()
    }

    @Test func `D4: a profile is erased by its id after its removal`() async throws {
        let repository = try await open()
        try await repository.register("abel")
        _ = try await repository.edit("abel") { $0["address"] = "2 Side St" }
        try await repository.remove("abel", by: Author("abel"))
        #expect(try await repository.erase(id: 1))
        #expect(try await repository.history().isEmpty)
        #expect(try await !repository.erase(id: 1))
        await repository.close()
    }
}
