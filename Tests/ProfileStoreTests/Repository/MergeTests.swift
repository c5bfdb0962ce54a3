import ProfileCore
@testable import ProfileStore
import ProfileTesting
import StoreFixtures
import Testing
import Watchdog

/// D5: two profiles become one.
@Suite(.watched) struct MergeTests {
    private let store: TemporaryStore

    init() throws { store = try TemporaryStore() }

    /// Opens a store with a unique email, and with the profiles anna, anna2 and bert.
    private func open() async throws -> ProfileRepository {
        let repository = try await store.open(schema: People.standard(and: People.uniqueEmail))
        try await repository.register("anna", ["email": "anna@b.c"])
        try await repository.register(
            "anna2", ["email": "anna2@b.c", "phone": "99991111", "address": "2 Side St", "postal_code": "12345"])
        try await repository.register("bert", ["email": "bert@b.c"])
        return repository
    }

    private func profile(_ username: String, _ repository: ProfileRepository) async throws -> Profile {
        try #require(try await repository.profile(username: username))
    }

    @Test func `D5: the kept profile gets the values and keeps its id, password and sessions; the other one ends`()
        async throws
    {
        let repository = try await open()
        var sessions: [String: Secret] = [:]
        for name in ["anna", "anna2"] {
            sessions[name] = try await repository.sessions.start(People.secret, for: name).token
        }
        try await repository.passcodes.create(Secret("parislondon"), for: "anna")
        for token in sessions.values { #expect(try await repository.sessions.find(token) != nil) }
        let (anna, anna2) = (try await profile("anna", repository), try await profile("anna2", repository))
        store.clock.advance(by: .seconds(60))
        var draft = anna.draft
        for field in ["phone", "postal_code"] { draft[field] = anna2.draft[field] }
        // The password of the draft is not used.
        draft.password = Secret("Zx8oio")
        let merged = try await repository.merge(anna2, into: anna, with: draft, by: Author("eve"))
        #expect(merged == (try await profile("anna", repository)))
        #expect((merged.id, merged.revision, merged.hasPassword) == (anna.id, 2, true))
        #expect(
            ["phone", "postal_code", "address", "email"].map { FieldName($0).flatMap { merged[$0] } }
                == ["9999-1111", "12345", "12 Main St", "anna@b.c"])
        #expect(merged.createdAt == anna.createdAt && merged.updatedAt > anna.updatedAt)
        #expect(try await repository.profile(username: "anna2") == nil)
        #expect(try await repository.sessions.find(#require(sessions["anna"]))?.username == "anna")
        #expect(try await repository.sessions.find(#require(sessions["anna2"])) == nil)
        _ = try await repository.passwords.validate(People.secret, for: "anna")
        _ = try await repository.passcodes.validate(Secret("parislondon"), for: "anna")
        #expect(try await repository.count() == 2)

        let change = try #require(try await repository.historyChanges().first)
        #expect((change.added, change.updated, change.removed, change.author) == (0, 1, 1, "eve"))
        let kept = try #require(try await repository.history(ofID: anna.id).first)
        #expect((kept.kind, kept.revision, kept.change) == (.updated, 2, change.number))
        #expect(kept.values.map(\.field) == ["phone", "postal_code"])
        let removed = try #require(try await repository.history(ofID: anna2.id).first)
        #expect((removed.kind, removed.change) == (.removed, change.number))
        #expect(removed.values.first { $0.field == "email" }?.before == "anna2@b.c")
        await repository.close()
    }

    @Test func `D5: the kept profile may take over the name and unique values of the other one`() async throws {
        let repository = try await open()
        let (anna, anna2) = (try await profile("anna", repository), try await profile("anna2", repository))
        let merged = try await repository.merge(anna2, into: anna, with: anna2.draft)
        #expect((merged.id, merged.username, merged[.email]) == (anna.id, "anna2", "anna2@b.c"))
        #expect(merged == (try await profile("anna2", repository)))
        // The former name and email of the kept profile are free.
        try await repository.register("anna", ["email": "anna@b.c"])
        _ = try await repository.passwords.validate(People.secret, for: "anna2")
        await repository.close()
    }

    @Test func `D5: failed attempts at the name of the other profile are forgotten, as with its removal`() async throws
    {
        let repository = try await open()
        for _ in 0..<4 {
            await #expect(throws: CredentialError.wrong) {
                try await repository.passwords.validate(Secret("Zx8oio"), for: "anna2")
            }
        }
        let (anna, anna2) = (try await profile("anna", repository), try await profile("anna2", repository))
        _ = try await repository.merge(anna2, into: anna, with: anna2.draft)
        #expect(try await store.failedAttempts().isEmpty)
        await repository.close()
    }

    @Test(
        "D5: a merge writes nothing if a profile has changed or is removed, or if a value is taken",
        arguments: ["edit anna", "edit anna2", "remove anna", "remove anna2", "take", "same"])
    func refused(_ event: String) async throws {
        let repository = try await open()
        let (anna, anna2) = (try await profile("anna", repository), try await profile("anna2", repository))
        var draft = anna.draft
        draft["email"] = "new@b.c"
        let token = try await repository.sessions.start(People.secret, for: "anna2").token
        let words = event.split(separator: " ").map(String.init)
        var expected = ProfileStoreError.staleRevision(expected: 1, current: 2)
        switch words[0] {
        case "edit": _ = try await repository.edit(words[1]) { $0["address"] = "3 Side St" }
        case "remove":
            try await repository.remove(words[1])
            expected = .notFound(username: words[1])
        case "take":
            _ = try await repository.edit("bert") { $0["email"] = "new@b.c" }
            expected = .duplicate([.email])
        default: expected = .notFound(username: "anna")
        }
        let before = try await store.contents()
        let entries = try await repository.history().count
        await #expect(throws: expected) {
            try await repository.merge(words[0] == "same" ? anna : anna2, into: anna, with: draft)
        }
        #expect(try await store.contents() == before)
        #expect(try await repository.history().count == entries)
        #expect((try await repository.sessions.find(token) != nil) == (event != "remove anna2"))
        await repository.close()
    }

    @Test func `D5: a merge with invalid values is refused with its issues, and so is one under changed rules`()
        async throws
    {
        let repository = try await open()
        let (anna, anna2) = (try await profile("anna", repository), try await profile("anna2", repository))
        var draft = anna.draft
        draft["phone"] = "1"
        draft["address"] = nil as DraftValue?
        let error = await #expect(throws: ProfileStoreError.self) {
            try await repository.merge(anna2, into: anna, with: draft)
        }
        #expect(error?.code == .invalid)
        #expect(error?.issues?.map(\.field) == [.phone, .address])
        let other = try await store.open(store.options())
        _ = try await other.rules.adopt(People.standard(and: People.email))
        await other.close()
        await #expect(throws: ProfileStoreError.schemaChanged(version: 2)) {
            try await repository.merge(anna2, into: anna, with: anna.draft)
        }
        #expect(try await repository.count() == 3)
        await repository.close()
    }

    @Test func `D5: a key of several columns follows the values that were chosen`() async throws {
        let repository = try await store.open(
            schema: ProfileSchema(
                parsing: """
                    {"profiles": {"key": ["site", "number"]}, "fields": [
                      {"name": "username", "constraints": {"required": true, "unique": true}},
                      {"name": "site"}, {"name": "number"}, {"name": "note"}]}
                    """))
        let first = try await repository.register(ProfileDraft(["site": "a", "number": "1"]))
        let second = try await repository.register(ProfileDraft(["site": "b", "number": "2", "note": "x"]))
        var draft = first.draft
        draft["note"] = second.draft["note"]
        let kept = try await repository.merge(second, into: first, with: draft)
        #expect((kept.username, kept["note"]) == ("a/1", "x"))
        let third = try await repository.register(ProfileDraft(["site": "b", "number": "3"]))
        draft = kept.draft
        draft["site"] = third.draft["site"]
        #expect(try await repository.merge(third, into: kept, with: draft).username == "b/1")
        await repository.close()
    }

    @Test func `D2, D5: an undo brings both profiles back, and a redo merges them again`() async throws {
        let repository = try await open()
        let (anna, anna2) = (try await profile("anna", repository), try await profile("anna2", repository))
        _ = try await repository.merge(anna2, into: anna, with: anna2.draft)
        var report = try await repository.undo(#require(try await repository.changeToUndo()))
        #expect((report.reverted, report.restored, report.needReset, report.leftCount) == (1, 1, 1, 0))
        var (first, second) = (try await profile("anna", repository), try await profile("anna2", repository))
        #expect((first.id, first.revision, first.hasPassword) == (anna.id, 3, true))
        #expect((second.id, second.revision, second.hasPassword) == (anna2.id, 2, false))
        #expect(first.values == anna.values && second.values == anna2.values)
        report = try await repository.undo(#require(try await repository.changeToRedo()))
        #expect((report.reverted, report.removed, report.leftCount) == (1, 1, 0))
        #expect(try await profile("anna2", repository).id == anna.id)
        _ = try await repository.undo(#require(try await repository.changeToUndo()))
        (first, second) = (try await profile("anna", repository), try await profile("anna2", repository))
        #expect(first.values == anna.values && second.values == anna2.values)
        await repository.close()
    }

    @Test func `D2, D5: a merge that changes no value raises the revision, and does not hide the change before it`()
        async throws
    {
        let repository = try await open()
        _ = try await repository.edit("anna") { $0["address"] = "3 Side St" }
        let (anna, anna2) = (try await profile("anna", repository), try await profile("anna2", repository))
        let merged = try await repository.merge(anna2, into: anna, with: anna.draft)
        #expect(merged.revision == 3)
        #expect(try await repository.history(ofID: anna.id).first?.values == [])
        var report = try await repository.undo(#require(try await repository.changeToUndo()))
        #expect((report.reverted, report.restored, report.leftCount) == (0, 1, 0))
        report = try await repository.undo(#require(try await repository.changeToUndo()))
        #expect((report.reverted, report.leftCount) == (1, 0))
        #expect(try await profile("anna", repository)[.address] == "12 Main St")
        await repository.close()
    }

    @Test func `D5: of several merges of the same profiles at once, one is made`() async throws {
        let repository = try await open()
        let (anna, anna2) = (try await profile("anna", repository), try await profile("anna2", repository))
        let made = await withTaskGroup(of: Int.self) { group in
            for number in 0..<8 {
                group.addTask {
                    let (removed, kept) = number % 2 == 0 ? (anna, anna2) : (anna2, anna)
                    return await (try? repository.merge(removed, into: kept, with: kept.draft)) == nil ? 0 : 1
                }
            }
            return await group.reduce(0, +)
        }
        #expect(made == 1)
        #expect(try await repository.count() == 2)
        await repository.close()
    }
}
