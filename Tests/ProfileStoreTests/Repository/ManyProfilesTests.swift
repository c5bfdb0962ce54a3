import ProfileCore
import ProfileStore
import ProfileTesting
import StoreFixtures
import Testing
import Watchdog

/// Many profiles in one call, and the entries of writes in the change log.
@Suite(.watched) struct ManyProfilesTests {
    private let store: TemporaryStore

    init() throws { store = try TemporaryStore() }

    @Test func `many profiles are registered in their order, and duplicates are named`() async throws {
        let repository = try await store.open(registering: ["carl"])
        let names = ["abel", "bert", "ABEL", "carl", "dora"]
        let profiles = try names.map { try repository.judged(People.draft($0)) }
        let report = try await repository.register(many: profiles, by: Author("loader"))
        #expect(report.registered == 3)
        #expect(report.refusals.map(\.index) == [2, 3])
        #expect(report.refusals.map(\.fields) == [[.username], [.username]])
        #expect(try await repository.usernames() == ["carl", "abel", "bert", "dora"])
        let log = try await log(repository)
        #expect(log.map(\.kind) == [.registered, .imported])
        #expect(log.map(\.author) == [nil, "loader"])
        await repository.close()
    }

    @Test func `the passwords of many profiles are hashed`() async throws {
        let repository = try await store.open(store.options { $0.hashingThreads = 2 })
        let profiles = try (0..<3).map { number in
            var draft = People.draft("user\(number)")
            draft["password_hash"] = nil
            draft.password = Secret("aK8oio\(number)")
            return try repository.judged(draft)
        }
        #expect(try await repository.register(many: profiles).registered == 3)
        for number in 0..<3 {
            let profile = try await repository.passwords.validate(Secret("aK8oio\(number)"), for: "user\(number)")
            #expect(profile.username == "user\(number)")
        }
        await repository.close()
    }

    @Test func `an error stops the registration of many profiles, and is thrown with the report`() async throws {
        let repository = try await store.open()
        let judged = try repository.judged(People.draft("abel"))
        try await repository.rules.adopt(People.standard(and: People.email))
        let stopped = await #expect(throws: StoppedWrite<RegistrationReport>.self) {
            try await repository.register(many: [judged])
        }
        #expect(stopped?.report.registered == 0)
        #expect(stopped?.error == .schemaChanged(version: 2))
        await repository.close()
    }

    @Test func `the profiles that a query finds are removed, even more than fit in a transaction`() async throws {
        let repository = try await store.open()
        let profiles = try (0..<1_100).map { number in
            try repository.judged(People.draft("user\(number)", number < 5 ? ["address": "Elsewhere"] : [:]))
        }
        #expect(try await repository.register(many: profiles).registered == 1_100)
        let here = ProfileQuery([.init(.address, .equals("12 Main St"))], limit: 7)
        let report = try await repository.remove(matching: here, by: Author("Ann"))
        #expect(report.removed == 1_095)
        #expect(report.changed == 0)
        #expect(try await repository.usernames() == (0..<5).map { "user\($0)" })
        let log = try await log(repository)
        #expect(log.count == 1_097)
        #expect(log.dropFirst(2).allSatisfy { $0.kind == .removed && $0.author == "Ann" })
        await repository.close()
    }

    @Test func `a removal checks the expected revision, and returns the removed profile`() async throws {
        let repository = try await store.open()
        let abel = try await repository.register("abel")
        await #expect(throws: ProfileStoreError.staleRevision(expected: 2, current: 1)) {
            try await repository.remove("abel", expecting: 2)
        }
        #expect(try await repository.remove("ABEL", expecting: 1) == abel)
        await repository.close()
    }

    @Test func `an edit whose closure throws changes nothing, and throws the same`() async throws {
        struct Unwanted: Error, Equatable { let name: String }
        let repository = try await store.open()
        let abel = try await repository.register("abel")
        await #expect(throws: Unwanted(name: "abel")) {
            try await repository.edit("abel") { draft in
                draft["address"] = "2 Main St"
                throw Unwanted(name: draft[.username]?.text ?? "")
            }
        }
        #expect(try await repository.profile(username: "abel") == abel)
        await repository.close()
    }

    @Test func `R7: changes of credentials are in the log with their author`() async throws {
        let repository = try await store.open(registering: ["abel"])
        let ann = Author("Ann")
        try await repository.passcodes.create(Secret("parislondon"), for: "abel", by: ann)
        try await repository.passcodes.edit(from: Secret("parislondon"), to: Secret("marsvenus"), for: "abel", by: ann)
        try await repository.passcodes.remove(of: "abel", by: ann)
        _ = try await repository.edit("abel", by: ann) { $0["password_hash"] = People.weakHash }
        // A rehash of the same password is not a change of credentials.
        _ = try await repository.passwords.validate(People.secret, for: "abel")
        _ = try await repository.edit("abel") { $0["address"] = "2 Main St" }
        let log = try await log(repository)
        let credential = ProfileChange.Kind.credentialChanged
        #expect(log.map(\.kind) == [.registered, credential, credential, credential, .edited, credential, .edited])
        #expect(log.map(\.author) == [nil, "Ann", "Ann", "Ann", "Ann", "Ann", nil])
        #expect(log.allSatisfy { $0.profileIDs == 1...1 })
        await repository.close()
    }

    private func log(_ repository: ProfileRepository) async throws -> [ProfileChange] {
        let newest = try await repository.changes.latestNumber
        var log: [ProfileChange] = []
        var changes = await repository.changes.stream(after: 0).makeAsyncIterator()
        while log.count < newest, let change = try await changes.next() { log.append(change) }
        return log
    }
}
