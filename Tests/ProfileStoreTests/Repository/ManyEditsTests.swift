import ProfileCore
@testable import ProfileStore
import ProfileTesting
import StoreFixtures
import Testing
import Watchdog

/// D3: edits of all profiles that a query finds.
@Suite(.watched) struct ManyEditsTests {
    private let store: TemporaryStore

    init() throws { store = try TemporaryStore() }

    private func open(profiles count: Int) async throws -> ProfileRepository {
        let repository = try await store.open(store.options())
        _ = try await repository.register(many: (0..<count).map { try repository.judged(People.draft("n\($0)")) })
        return repository
    }

    @Test func `D3: only the profiles that meet the conditions are edited, as one change with an author`() async throws
    {
        let repository = try await open(profiles: 2_500)
        let query = ProfileQuery([.init(.username, .hasPrefix("n2"))])
        var report = try await repository.edit(matching: query, isPreview: true) { _, draft in
            draft["address"] = "2 Side St"
        }
        // n2, n20 to n29, n200 to n299, n2000 to n2499.
        #expect((report.edited, report.unchanged, report.leftCount) == (611, 0, 0))
        #expect(report.examples.count == 10)
        #expect(report.examples.first?.values == [.init(field: "address", before: "12 Main St", after: "2 Side St")])
        #expect(try await repository.history(limit: 5_000).count == 3)
        report = try await repository.edit(matching: query, by: Author("eve")) { _, draft in
            draft["address"] = "2 Side St"
        }
        #expect(report.edited == 611)
        let edited = ProfileQuery([.init(.address, .equals("2 Side St"))])
        #expect(try await repository.count(edited) == 611)
        let change = try #require(try await repository.historyChanges().first)
        #expect((change.updated, change.author) == (611, "eve"))
        report = try await repository.edit(matching: query) { _, draft in draft["address"] = "2 Side St" }
        #expect((report.edited, report.unchanged) == (0, 611))
        await repository.close()
    }

    @Test func `D3: profiles that would be invalid or duplicate stay, and are listed`() async throws {
        let repository = try await open(profiles: 5)
        let report = try await repository.edit(matching: ProfileQuery()) { profile, draft in
            switch profile.username {
            case "n0": draft["phone"] = "x"
            case "n1": draft["username"] = "N2"
            case "n3": draft.password = Secret("Zx8oio")
            default: draft["address"] = "2 Side St"
            }
        }
        #expect((report.edited, report.unchanged, report.leftCount) == (2, 1, 2))
        #expect(report.left.map(\.username) == ["n0", "n1"])
        #expect(report.left.last?.reason == .duplicate([.username]))
        #expect(try await repository.profile(username: "n3")?.revision == 1)
        await repository.close()
    }

    @Test func `D3: an edit that changes the sort key edits each profile once`() async throws {
        let repository = try await open(profiles: 1_500)
        let query = ProfileQuery(order: .init(.username), isReversed: true)
        let report = try await repository.edit(matching: query) { profile, draft in
            draft["username"] = "z\(profile.username)"
        }
        #expect(report.edited == 1_500)
        #expect(try await repository.count(ProfileQuery([.init(.username, .hasPrefix("zn"))])) == 1_500)
        #expect(try await repository.count(ProfileQuery([.init(.username, .hasPrefix("zz"))])) == 0)
        await repository.close()
    }

    @Test func `D3: edits of other writers meanwhile are kept, and each profile is edited once`() async throws {
        let repository = try await open(profiles: 300)
        let other = try await store.open(store.options())
        async let others: Void = {
            for number in 0..<300 { _ = try await other.edit("n\(number)") { $0["postal_code"] = "12345" } }
        }()
        let report = try await repository.edit(matching: ProfileQuery()) { profile, draft in
            draft["address"] = "\(profile["address"] ?? "") x"
        }
        try await others
        #expect((report.edited, report.changed, report.leftCount) == (300, 0, 0))
        for profile in try await repository.profiles(ProfileQuery(limit: 1_000)).profiles {
            #expect((profile["address"], profile["postal_code"]) == ("12 Main St x", "12345"))
            #expect(profile.revision == 3)
        }
        await other.close()
        await repository.close()
    }

    @Test func `D3: the profiles with given ids are edited and removed as one change, however many`() async throws {
        let repository = try await open(profiles: 2_500)
        let ids = try await repository.profiles(ProfileQuery(limit: 3_000)).profiles.map(\.id)
        // Every other one, far apart, and two that do not exist.
        let chosen = ids.enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element) + [9_999_999, 0]
        var report = try await repository.edit(ids: chosen.shuffled(), isPreview: true) { _, draft in
            draft["address"] = "2 Side St"
        }
        #expect((report.edited, report.unchanged, report.leftCount, report.changed) == (1_250, 0, 0, 0))
        #expect(report.examples.first?.profileID == ids.first)
        report = try await repository.edit(ids: chosen, by: Author("eve")) { profile, draft in
            if profile.id == ids[2] { draft["phone"] = "x" } else { draft["address"] = "2 Side St" }
        }
        #expect((report.edited, report.leftCount) == (1_249, 1))
        let edited = ProfileQuery([.init(.address, .equals("2 Side St"))])
        #expect(try await repository.count(edited) == 1_249)
        let change = try #require(try await repository.historyChanges().first)
        #expect((change.updated, change.author) == (1_249, "eve"))
        let removal = try await repository.remove(ids: chosen)
        #expect((removal.removed, removal.changed) == (1_250, 0))
        #expect(try await repository.count() == 1_250)
        #expect(try await repository.profile(id: ids[0]) == nil)
        #expect(try await repository.profile(id: ids[1]) != nil)
        #expect(try await repository.historyChanges().first?.removed == 1_250)
        #expect(try await repository.edit(ids: [] as [Int64]) { _, _ in } == EditReport())
        #expect(try await repository.remove(ids: [] as [Int64]) == RemovalReport())
        await repository.close()
    }

    @Test func `D3: given ids that another writer has removed meanwhile are skipped`() async throws {
        let repository = try await open(profiles: 3)
        let ids = try await repository.profiles(ProfileQuery()).profiles.map(\.id)
        try await repository.remove("n1")
        let report = try await repository.edit(ids: ids) { _, draft in draft["address"] = "2 Side St" }
        #expect((report.edited, report.changed, report.leftCount) == (2, 0, 0))
        await repository.close()
    }
}
