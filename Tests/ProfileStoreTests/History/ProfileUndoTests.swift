import ProfileCore
@testable import ProfileStore
import ProfileTesting
import ProfileTransfer
import SecretHashing
import StoreFixtures
import Testing
import Watchdog

/// D2: changes of the history are reverted.
@Suite(.watched) struct ProfileUndoTests {
    private let store: TemporaryStore

    init() throws { store = try TemporaryStore() }

    private func open() async throws -> ProfileRepository {
        try await store.open(store.options { $0.command = "tests" })
    }

    /// Undoes the newest change, as the command does.
    @discardableResult
    private func undo(_ repository: ProfileRepository) async throws -> UndoReport {
        try await repository.undo(#require(try await repository.changeToUndo()))
    }

    @discardableResult
    private func redo(_ repository: ProfileRepository) async throws -> UndoReport {
        try await repository.undo(#require(try await repository.changeToRedo()))
    }

    private func addresses(_ repository: ProfileRepository) async throws -> [String] {
        try await repository.profiles(ProfileQuery()).profiles.map { "\($0.username) \($0["address"] ?? "-")" }
    }

    @Test func `D2: undo steps back change by change, and redo steps forward`() async throws {
        let repository = try await open()
        try await repository.register("abel")
        try await repository.register("bert")
        for number in 1...3 { _ = try await repository.edit("abel") { $0["address"] = "\(number) Side St" } }
        _ = try await repository.edit("bert") { $0["address"] = "4 Side St" }
        var states: [[String]] = [try await addresses(repository)]
        for _ in 0..<6 {
            #expect(try await undo(repository).changedCount == 1)
            states.append(try await addresses(repository))
        }
        #expect(
            states == [
                ["abel 3 Side St", "bert 4 Side St"], ["abel 3 Side St", "bert 12 Main St"],
                ["abel 2 Side St", "bert 12 Main St"], ["abel 1 Side St", "bert 12 Main St"],
                ["abel 12 Main St", "bert 12 Main St"], ["abel 12 Main St"], [],
            ])
        #expect(try await repository.changeToUndo() == nil)
        for state in states.dropLast().reversed() {
            let report = try await redo(repository)
            #expect(report.changedCount == 1, "\(report)")
            #expect(try await addresses(repository) == state)
        }
        #expect(try await repository.changeToRedo() == nil)
        // Redone changes can be undone again.
        try await undo(repository)
        #expect(try await addresses(repository) == states[1])
        #expect(try await repository.profile(username: "abel")?.id == 1)
        await repository.close()
    }

    @Test func `D2: an undone removal restores the id and continues the revision, without secrets and sessions`()
        async throws
    {
        let repository = try await open()
        _ = try await repository.register(
            repository.judged(People.draft("abel", ["postal_code": "12345"])))
        _ = try await repository.edit("abel") { $0["address"] = "2 Side St" }
        let session = try await repository.sessions.start(People.secret, for: "abel")
        let before = try #require(try await repository.profile(username: "abel"))
        store.clock.advance(by: .seconds(60))
        try await repository.remove("abel")
        let report = try await undo(repository)
        #expect((report.restored, report.needReset, report.leftCount) == (1, 1, 0))
        let profile = try #require(try await repository.profile(username: "abel"))
        #expect((profile.id, profile.revision, profile.hasPassword) == (before.id, before.revision + 1, false))
        #expect(profile.createdAt == before.createdAt)
        #expect(profile.values == before.values)
        #expect(try await repository.sessions.find(session.token) == nil)
        // The past of a restored profile is known, also the time in which it was removed.
        #expect(try await repository.profile("abel", at: before.updatedAt)?.values["address"] == "2 Side St")
        let change = try #require(try await repository.history(of: "abel")?.first)
        #expect((change.kind, change.revision) == (.registered, 3))
        #expect(change.undoes != nil)
        await repository.close()
    }

    @Test func `D2: profiles that changed later or whose old values are refused stay, and are listed`() async throws {
        let repository = try await open()
        for name in ["abel", "bert", "cain"] { try await repository.register(name) }
        _ = try await repository.edit(matching: ProfileQuery()) { _, draft in draft["address"] = "2 Side St" }
        _ = try await repository.edit("bert") { $0["postal_code"] = "12345" }
        let change = try #require(try await repository.historyChanges().first { $0.updated == 3 })
        var report = try await repository.undo(change, isPreview: true)
        #expect((report.reverted, report.leftCount) == (2, 1))
        #expect(try await addresses(repository) == ["abel 2 Side St", "bert 2 Side St", "cain 2 Side St"])
        report = try await repository.undo(change)
        #expect((report.reverted, report.leftCount) == (2, 1))
        #expect(report.left.map(\.username) == ["bert"])
        #expect(report.left.map(\.reason) == [.changedSince])
        #expect(try await addresses(repository) == ["abel 12 Main St", "bert 2 Side St", "cain 12 Main St"])
        // Only the values of the undone change are reverted by force.
        report = try await repository.undo(change, overridingLaterChanges: true)
        #expect((report.reverted, report.unchanged) == (1, 2))
        let bert = try #require(try await repository.profile(username: "bert"))
        #expect((bert["address"], bert["postal_code"]) == ("12 Main St", "12345"))

        // Another profile has the name of a removed one.
        try await repository.remove("abel")
        let removal = try #require(try await repository.historyChanges().first)
        try await repository.register("Abel")
        report = try await repository.undo(removal)
        #expect(report.left.map(\.reason) == [.refused(.duplicate([.username]))])
        #expect(report.restored == 0)

        // The rules do not allow the old value any more.
        _ = try await repository.edit("cain") { $0["postal_code"] = "12345" }
        _ = try await repository.edit("cain") { $0["postal_code"] = nil }
        let edit = try #require(try await repository.historyChanges().first)
        _ = try await repository.rules.adopt(
            ProfileSchema(
                parsing: """
                    {"name": "less", "fields": [
                      {"name": "username", "constraints": {"required": true, "unique": true}},
                      {"name": "phone"}, {"name": "address"}]}
                    """))
        report = try await repository.undo(edit)
        #expect(report.left.map(\.reason) == [.formerFields(["postal_code"])])
        await repository.close()
    }

    @Test func `D2: a set password is not undone, and is counted`() async throws {
        let repository = try await open()
        try await repository.register("abel")
        _ = try await repository.edit("abel") {
            $0["password"] = "Zx8oio"
            $0["address"] = "2 Side St"
        }
        let report = try await undo(repository)
        #expect((report.reverted, report.keptSecrets) == (1, 1))
        let profile = try #require(try await repository.profile(username: "abel"))
        #expect(profile.hasPassword && profile["address"] == "12 Main St")
        await repository.close()
    }

    @Test func `D2: an erased profile never comes back`() async throws {
        let repository = try await open()
        try await repository.register("abel")
        try await repository.remove("abel")
        let removal = try #require(try await repository.historyChanges().first)
        let entry = try #require(try await repository.history().first)
        #expect(try await repository.erase(id: 1))
        #expect(try await repository.undo(removal).changedCount == 0)
        // Not even if the undo has read the history before the profile was erased.
        let valid = try repository.judged(People.draft("abel"))
        var writes = ConditionalWrites(of: valid.rows, judgedBy: repository.schema)
        writes.append(
            .restore(
                ConditionalWrites.RemovedProfile(id: 1, revision: entry.revision ?? 1, createdAt: entry.changedAt),
                row: 0))
        #expect(try await repository.engine.apply(writes, repository.stamp(nil)) == [.stale])
        await repository.close()
    }

    @Test func `D2: an undone import removes what it has added, and reverts what it has updated`() async throws {
        let repository = try await open()
        for name in ["abel", "bert", "cain"] { try await repository.register(name) }
        let text =
            "username,phone,address,password_hash\n"
            + (["abel", "bert"] + (0..<2_500).map { "n\($0)" }).map {
                "\($0),78761241,2 Side St,\"\(People.policyHash)\"\n"
            }.joined()
        _ = try await repository.importing(text) {
            $0.duplicates = .update
            $0.source = "people.csv"
        }
        _ = try await repository.edit("n7") { $0["address"] = "3 Side St" }
        let change = try #require(try await repository.historyChanges(onlyImports: true).first)
        #expect((change.added, change.updated) == (2_500, 2))
        var report = try await repository.undo(change)
        #expect((report.removed, report.reverted, report.leftCount) == (2_499, 2, 1))
        #expect(
            try await addresses(repository) == [
                "abel 12 Main St", "bert 12 Main St", "cain 12 Main St", "n7 3 Side St",
            ])
        // A repeated undo finds nothing more to do.
        report = try await repository.undo(change)
        #expect((report.changedCount, report.leftCount) == (0, 1))
        report = try await redo(repository)
        #expect((report.restored, report.reverted) == (2_499, 2))
        #expect(try await repository.count() == 2_503)
        #expect(try await repository.profile(username: "n2499")?.id == 2_503)
        await repository.close()
    }

    @Test func `D2: an undo of the newest change passes over passwords, passcodes and erased profiles`() async throws {
        let repository = try await open()
        try await repository.register("abel")
        try await repository.register("bert")
        _ = try await repository.edit("abel") { $0["address"] = "1 Side St" }
        let edit = try #require(try await repository.changeToUndo())
        let bert = try await repository.edit("bert") { $0["password"] = "Zx8oio" }.id
        try await repository.passcodes.create(Secret("parislondon"), for: "abel")
        #expect(try await repository.changeToUndo() == edit)
        try await repository.remove("bert")
        #expect(try await repository.changeToUndo()?.removed == 1)
        _ = try await repository.erase(id: bert)
        #expect(try await repository.changeToUndo() == edit)
        await repository.close()
    }

    @Test func `D2: a password that was set later stays if an edit is undone, and keeps a registration`() async throws {
        let repository = try await open()
        try await repository.register("abel")
        _ = try await repository.edit("abel") { $0["address"] = "1 Side St" }
        _ = try await repository.edit("abel") { $0["password"] = "Zx8oio" }
        #expect(try await undo(repository).reverted == 1)
        #expect(try await addresses(repository) == ["abel 12 Main St"])
        #expect(try await redo(repository).reverted == 1)
        #expect(try await undo(repository).reverted == 1)
        let registration = try await undo(repository)
        #expect(registration.removed == 0 && registration.left.map(\.reason) == [.changedSince])
        await repository.close()
    }

    @Test func `D2: an interrupted redo is continued by the next redo, and reverted by an undo`() async throws {
        let repository = try await open()
        let drafts = try (0..<1_200).map { try repository.judged(People.draft("n\($0)")) }
        _ = try await repository.register(many: drafts)
        _ = try await repository.remove(matching: ProfileQuery())
        let removal = try #require(try await repository.changeToUndo())
        #expect(try await undo(repository).restored == 1_200)
        let redone = try #require(try await repository.changeToRedo())
        // The first transaction of a redo, as a killed process leaves it.
        let profiles = try await repository.profiles(ProfileQuery(limit: 1_000)).profiles
        let stamp = repository.stamp(nil, from: ChangeOrigin(ofManyTransactionsUndoing: redone.number))
        _ = try await repository.engine.apply(ConditionalWrites(removing: profiles), stamp)
        #expect(try await repository.changeToRedo() == redone)
        #expect(try await repository.changeToUndo() == removal)
        #expect(try await undo(repository).restored == 1_000)
        #expect(try await repository.count() == 1_200)
        await repository.close()
    }

    @Test func `D2: an undo that was interrupted is continued by the next one`() async throws {
        let repository = try await open()
        let drafts = try (0..<2_200).map { try repository.judged(People.draft("n\($0)")) }
        _ = try await repository.register(many: drafts)
        let change = try #require(try await repository.changeToUndo())
        // The first transactions of an undo, as a killed process leaves them.
        let profiles = try await repository.profiles(ProfileQuery(limit: 1_000)).profiles
        let stamp = repository.stamp(nil, from: ChangeOrigin(ofManyTransactionsUndoing: change.number))
        _ = try await repository.engine.apply(ConditionalWrites(removing: profiles), stamp)
        #expect(try await repository.changeToUndo() == change)
        let report = try await repository.undo(change)
        #expect((report.removed, report.unchanged) == (1_200, 1_000))
        #expect(try await repository.count() == 0)
        #expect(try await repository.changeToUndo() == nil)
        await repository.close()
    }

    @Test func `D2: names that were exchanged are exchanged back`() async throws {
        let repository = try await open()
        try await repository.register("abel", ["address": "1 A St"])
        try await repository.register("bert", ["address": "1 B St"])
        let names = ["abel": "tmp", "bert": "abel"]
        _ = try await repository.edit(matching: ProfileQuery()) { profile, draft in
            draft["username"] = names[profile.username]
        }
        #expect(try await addresses(repository) == ["tmp 1 A St", "abel 1 B St"])
        #expect(try await undo(repository).reverted == 2)
        #expect(try await addresses(repository) == ["abel 1 A St", "bert 1 B St"])
        await repository.close()
    }
}
