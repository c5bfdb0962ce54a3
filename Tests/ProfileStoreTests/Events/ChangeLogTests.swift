import ProfileCore
import ProfileStore
import ProfileTesting
import ProfileTransfer
import StoreFixtures
import Testing
import Watchdog

/// R7: the change log of a store.
@Suite(.watched) struct ChangeLogTests {
    private let store: TemporaryStore

    init() throws { store = try TemporaryStore() }

    private func open(
        _ change: (inout ProfileRepository.Options) -> Void = { _ in }
    ) async throws -> ProfileRepository {
        try await store.open(store.options(change))
    }

    /// The changes that a listener receives after a number, up to the newest one.
    private func log(_ repository: ProfileRepository, after number: Int64 = 0) async throws -> [ProfileChange] {
        let newest = try await repository.changes.latestNumber
        var log: [ProfileChange] = []
        var changes = await repository.changes.stream(after: number).makeAsyncIterator()
        while (log.last?.number ?? number) != newest, let change = try await changes.next() { log.append(change) }
        return log
    }

    @Test func `R7: each commit that changes profiles or rules is in the log, with its kind and the ids it concerns`()
        async throws
    {
        let repository = try await open()
        let made = store.clock.timestamp
        try await repository.register("abel")
        try await repository.register("bert")
        store.clock.advance(by: .seconds(5))
        let abel = try await repository.edit("abel") { $0["address"] = "2 Main St" }
        _ = try await repository.replace(abel, with: repository.judged(People.draft("adam")))
        try await repository.rules.adopt(try People.standard(and: People.email))
        try await repository.remove("bert")
        let log = try await log(repository)
        #expect(log.map(\.number) == [1, 2, 3, 4, 5, 6, 7])
        // The replacement also sets a hash, which is a second change of the same commit.
        #expect(
            log.map(\.kind) == [.registered, .registered, .edited, .edited, .credentialChanged, .adopted, .removed])
        #expect(log.map(\.profileIDs) == [1...1, 2...2, 1...1, 1...1, 1...1, nil, 2...2])
        // The log looks up usernames and revisions when it is read, so a removed profile has none.
        #expect(log.map(\.username) == ["adam", nil, "adam", "adam", "adam", nil, nil])
        #expect(log.map(\.revision) == [3, nil, 3, 3, 3, nil, nil])
        #expect(log.first?.changedAt == made)
        #expect(log.last?.changedAt == store.clock.timestamp)
        #expect(try await repository.changes.latestNumber == 7)
        await repository.close()
    }

    @Test func `R7: a write that changes neither a profile nor a credential is not in the log`() async throws {
        let repository = try await open()
        try await repository.register("abel")
        let stored = try #require(try await repository.profile(username: "abel"))
        _ = try await repository.edit("abel") { $0["address"] = stored[.address] }
        await #expect(throws: ProfileStoreError.duplicate([.username])) { try await repository.register("ABEL") }
        await #expect(throws: ProfileStoreError.notFound(username: "bert")) { try await repository.remove("bert") }
        await #expect(throws: ProfileStoreError.staleRevision(expected: 9, current: 1)) {
            try await repository.edit("abel", expecting: 9) { $0["address"] = "2" }
        }
        try await repository.rules.adopt(repository.schema)
        await #expect(throws: CredentialError.noPasscode) { try await repository.passcodes.remove(of: "abel") }
        await #expect(throws: CredentialError.wrong) {
            try await repository.passwords.validate(Secret("poY7trl"), for: "abel")
        }
        try await repository.unlock("abel")
        #expect(try await repository.changes.latestNumber == 1)
        // R6: marks raise no revision, and are not in the log either.
        try await repository.rules.adopt(try People.standard(replacing: "\"maxLength\":70", with: "\"maxLength\":3"))
        #expect(try await repository.rules.revalidate().invalid == 1)
        #expect(try await log(repository).map(\.kind) == [.registered, .adopted])
        await repository.close()
    }

    @Test func `R7: each commit of an import is one change with the range of its new profiles`() async throws {
        let repository = try await open()
        let bulk = try await repository.importing(rows(1..<2_001))
        #expect(bulk.imported == 2_000)
        let batches = try await repository.importing(rows(2_001..<2_004))
        #expect(batches.imported == 3)
        let nothing = try await repository.importing(rows(2_001..<2_004))
        #expect(nothing.rejected == 3)
        let undone = try await repository.importing(rows(2_002..<2_006)) { $0.isAllOrNothing = true }
        #expect(undone.imported == 0)
        let log = try await log(repository)
        #expect(log.map(\.kind) == [.imported, .imported])
        #expect(log.map(\.profileIDs) == [1...2_000, 2_001...2_003])
        await repository.close()
    }

    @Test func `R7: a commit that adds and updates is two changes`() async throws {
        let repository = try await open()
        _ = try await repository.importing(rows(1..<11))
        // Profiles 3 and 8 change, profile 11 is new, and profile 5 is unchanged.
        let mixed =
            header + row(8, address: "8 New St") + row(5) + row(3, address: "3 New St") + row(11)
        let report = try await repository.importing(mixed) {
            $0.duplicates = .update
            $0.isExclusive = true
        }
        #expect(report.updated == 2 && report.imported == 1 && report.skipped == 1)
        let both = try await log(repository, after: 1)
        #expect(both.map(\.kind) == [.imported, .updated])
        #expect(both.map(\.number) == [2, 3])
        #expect(both.map(\.profileIDs) == [11...11, 3...8])
        #expect(both.map(\.username) == ["u11", nil])
        await repository.close()
    }

    @Test(.onlyOnSQLite("reads the tables directly"))
    func `the log contains ids and times, and no other data of a profile`() async throws {
        let repository = try await open()
        try await repository.register("abel", ["address": "12 Hidden Lane"])
        try await repository.remove("abel")
        await repository.close()
        let time = String(store.clock.timestamp.millisecondsSince1970)
        #expect(
            try store.rows("changes") == [
                ["1", "registered", "1", "1", time, nil], ["2", "removed", "1", "1", time, nil],
            ])
    }

    @Test func `the oldest changes are deleted, and a listener that asks for them gets missed`() async throws {
        let repository = try await open { $0.mostChanges = 10 }
        try await repository.register("abel")
        for number in 2...25 { _ = try await repository.edit("abel") { $0["address"] = "\(number)" } }
        #expect(try await store.logLength() == 10)
        #expect(try await log(repository, after: 15).map(\.number) == Array(16...25))
        let missed = try await log(repository, after: 14)
        #expect(missed.map(\.kind) == [.missed])
        #expect(missed.map(\.number) == [25])
        #expect(missed.first?.profileIDs == nil && missed.first?.changedAt == nil)
        await repository.close()
    }

    @Test func `R7: a page of the log has the next changes, and says so if they are no longer kept`() async throws {
        let repository = try await open { $0.mostChanges = 10 }
        let changes = repository.changes
        #expect(try await changes.page(after: 0).isEmpty)
        try await repository.register("abel")
        for number in 2...25 { _ = try await repository.edit("abel") { $0["address"] = "\(number)" } }
        #expect(try await changes.page(after: 15, limit: 4).map(\.number) == Array(16...19))
        #expect(try await changes.page(after: 19, limit: 100).map(\.number) == Array(20...25))
        #expect(try await changes.page(after: 25).isEmpty)
        // The ends of the range, and numbers that no change has.
        #expect(try await changes.page(after: 20, limit: 0).map(\.number) == [21])
        #expect(try await changes.page(after: 15, limit: .max).count == 10)
        for number: Int64 in [0, 14, -1, .min, 26, .max] {
            let missed = try await changes.page(after: number, limit: 4)
            #expect(missed.map(\.kind) == [.missed] && missed.map(\.number) == [25], "after \(number)")
        }
        await repository.close()
    }

    @Test func `R7: a log without readers stays short`() async throws {
        let repository = try await open { $0.mostChanges = 200 }
        try await repository.register("abel")
        for number in 2...800 { _ = try await repository.edit("abel") { $0["address"] = "\(number)" } }
        #expect(try await 200...300 ~= store.logLength())
        #expect(try await log(repository, after: 600).map(\.number) == Array(601...800))
        await repository.close()
    }

    @Test(.onlyOnSQLite("reads the tables directly"))
    func `a long log is pruned in steps of a hundredth`() async throws {
        let repository = try await open { $0.mostChanges = 200 }
        try await repository.register("abel")
        for number in 2...203 { _ = try await repository.edit("abel") { $0["address"] = "\(number)" } }
        #expect(try store.number("SELECT min(number) FROM changes") == 3)
        #expect(try store.number("SELECT count(*) FROM changes") == 201)
        await repository.close()
    }

    @Test func `a listener ahead of the store, as after the restore of a backup, gets missed`() async throws {
        let repository = try await open()
        try await repository.register("abel")
        for number in [2, 1_000, Int64.max] {
            let log = try await log(repository, after: number)
            #expect(log.map(\.kind) == [.missed] && log.map(\.number) == [1])
        }
        #expect(try await log(repository, after: .min).map(\.kind) == [.registered])
        await repository.close()
    }

    @Test func `a change as JSON has every key, null where nothing is known`() async throws {
        let repository = try await open()
        try await repository.register("abel")
        try await repository.rules.adopt(try People.standard(and: People.email))
        let log = try await log(repository)
        #expect(
            log.map { $0.json.text() } == [
                #"{"number":1,"kind":"registered","first_profile_id":1,"last_profile_id":1,"key":"abel","#
                    + #""revision":1,"changed_at":"\#(store.clock.timestamp)","author":null}"#,
                #"{"number":2,"kind":"adopted","first_profile_id":null,"last_profile_id":null,"key":null,"#
                    + #""revision":null,"changed_at":"\#(store.clock.timestamp)","author":null}"#,
            ])
        await repository.close()
    }

    // MARK: Rows to import

    private let header = "username,phone,address,password_hash\n"

    private func row(_ number: Int, address: String = "12 Main St") -> String {
        "u\(number),78761241,\(address),\"\(People.policyHash)\"\n"
    }

    private func rows(_ numbers: Range<Int>) -> String { header + numbers.map { row($0) }.joined() }
}
