import ProfileCore
import ProfileStore
import ProfileTesting
import StoreFixtures
import Testing
import Watchdog

@Suite(.watched) struct AdoptionTests {
    private let store: TemporaryStore
    private let repository: ProfileRepository

    init() async throws {
        store = try TemporaryStore()
        repository = try await store.open()
    }

    private func find(_ email: String, in repository: ProfileRepository) async throws -> [String] {
        try await repository.profiles(ProfileQuery([ProfileQuery.Condition(.email, .equals(email))])).profiles.map(
            \.username)
    }

    /// The stored profiles; in SQLite also the schemas, the counters and the indexes.
    private func everything() async throws -> [AnyHashable] {
        let others = store.engine == .sqlite ? ["schemas", "store", "sqlite_schema"] : []
        return try await store.contents() + others.map { AnyHashable(try store.rows($0)) }
    }

    /// The number of unique indexes on `email` in SQLite.
    private func indexesOfEmail() throws -> Int64 {
        guard store.engine == .sqlite else { return 0 }
        return try store.number("SELECT count(*) FROM sqlite_schema WHERE name = 'profiles_unique_email'")
    }

    // MARK: Versions

    @Test func `S7: each set of rules is a version with its fingerprint, and the old ones are kept`() async throws {
        #expect(repository.rules.inForce.number == 1)
        #expect(repository.rules.inForce.fingerprint == ProfileSchema.standard.fingerprint)
        let wider = try People.standard(and: People.email)
        store.clock.advance(by: .seconds(1))
        #expect(try await repository.rules.adopt(wider) == 2)
        #expect(repository.rules.inForce.number == 2)
        #expect(repository.schema == wider)
        #expect(try await repository.rules.adopt(.standard) == 3)
        let schemas = [ProfileSchema.standard, wider, .standard]
        let versions = try await repository.rules.versions()
        #expect(versions.map(\.schema) == schemas)
        #expect(versions.map(\.number) == [1, 2, 3])
        #expect(versions.map(\.fingerprint) == schemas.map(\.fingerprint))
        let now = store.clock.timestamp.millisecondsSince1970
        #expect(versions.map(\.adoptedAt.millisecondsSince1970) == [now - 1_000, now, now])
        #expect(repository.rules.inForce == versions.last)
        if store.engine == .sqlite {
            let rows = try store.rows("schemas")
            #expect(rows.map { $0[0] } == ["1", "2", "3"])
            #expect(rows.map { $0[2] } == schemas.map(\.fingerprint))
            #expect(rows.map { $0[3] } == schemas.map { $0.document() })
            #expect(rows[1][4] == String(store.clock.timestamp.millisecondsSince1970))
        }
        #expect(try await repository.register("abel").schemaVersion == 3)
        await repository.close()
        let reopened = try await store.open(ProfileRepository.Options())
        #expect(reopened.schema == .standard)
        #expect(reopened.rules.inForce.number == 3)
    }

    @Test func `S7: adopting the rules in force keeps their version, also when another process adopted them`()
        async throws
    {
        let other = try await store.open()
        #expect(try await repository.rules.adopt(.standard) == 1)
        let wider = try People.standard(and: People.email)
        #expect(try await repository.rules.adopt(wider) == 2)
        #expect(try await other.rules.adopt(wider) == 2)
        #expect(other.schema == wider)
        #expect(try await repository.engine.head().schemas.count == 2)
    }

    @Test func `S7: an adoption that expects another version than the one in force changes nothing`() async throws {
        let other = try await store.open()
        let wider = try People.standard(and: People.email)
        let unique = try People.standard(and: People.uniqueEmail)
        let key = WriteKey("adopt")
        #expect(try await repository.rules.adopt(wider, expecting: 1, key: key) == 2)
        let before = try await everything()
        // The adoption of the rules in force is refused too, because the caller has not seen them.
        for schema in [unique, wider] {
            let error = await #expect(throws: ProfileStoreError.self) {
                try await other.rules.adopt(schema, expecting: 1)
            }
            #expect(error?.code == .schemaChanged && error?.kind == .stale && error?.schemaVersion == 2)
        }
        #expect(try await everything() == before)
        #expect(other.rules.inForce.number == 2, "the refusal has told it")
        #expect(try await other.rules.adopt(unique, expecting: 2) == 3)
        // A repeat has the first answer, although its version is no longer in force.
        #expect(try await repository.rules.adopt(wider, expecting: 1, key: key) == 2)
        await #expect(throws: ProfileStoreError.keyReused(try #require(key))) {
            try await repository.rules.adopt(wider, expecting: 3, key: key)
        }
    }

    @Test func `S7: a store is made with the schema that it is given, and keeps it`() async throws {
        let narrow = try ProfileSchema(
            parsing: #"{"name":"names","fields":[{"name":"username","constraints":{"required":true,"unique":true}}]}"#)
        let other = try TemporaryStore()
        let made = try await other.open(schema: narrow)
        let draft = ProfileDraft(["username": "someone with a long name"])
        let profile = try await made.register(made.judged(draft))
        #expect(profile.hasPassword == false)
        await made.close()
        let reopened = try await other.open(schema: .standard)
        #expect(reopened.schema == narrow)
    }

    // MARK: Fields

    @Test func `S6: an added field is stored, looked up, edited and kept unique like a built-in one`() async throws {
        try await repository.register("abel")
        try await repository.rules.adopt(try People.standard(and: People.uniqueEmail))
        #expect(try await repository.profile(username: "abel")?[.email] == nil)
        let edited = try await repository.edit("abel") { $0["email"] = "a@b.c" }
        #expect(edited[.email] == "a@b.c")
        #expect(edited.schemaVersion == 2)
        #expect(try await find("a@b.c", in: repository) == ["abel"])
        await #expect(throws: ProfileStoreError.duplicate([.email])) {
            try await repository.register("bert", ["email": "a@b.c"])
        }
        #expect(try await repository.edit("abel") { $0["email"] = "" }[.email] == nil)
        try await repository.register("bert", ["email": "a@b.c"])
        #expect(try await find("a@b.c", in: repository) == ["bert"])
    }

    @Test func `S6, D6: a field that is dropped and continued later finds its values`() async throws {
        let wider = try People.standard(and: People.uniqueEmail)
        try await repository.rules.adopt(wider)
        try await repository.register("abel", ["email": "a@b.c"])
        try await repository.rules.adopt(.standard)
        let without = try #require(try await repository.profile(username: "abel"))
        #expect(without.fields.allSatisfy { $0.rules.name != .email })
        let unknown = ProfileStoreError.invalidQuery([ValidationIssue(nil, .unknownField("email"))])
        await #expect(throws: unknown) { try await find("a@b.c", in: repository) }
        // No index is left that would refuse what the rules allow.
        #expect(try indexesOfEmail() == 0)
        _ = try await repository.edit("abel") { $0["address"] = "2" }
        try await repository.rules.adopt(
            try People.standard(
                and: #"{"name":"email","constraints":{"unique":true},"profiles":{"was":"email"}}"#))
        #expect(try await repository.profile(username: "abel")?[.email] == "a@b.c")
        #expect(try await find("a@b.c", in: repository) == ["abel"])
        await #expect(throws: ProfileStoreError.duplicate([.email])) {
            try await repository.register("bert", ["email": "a@b.c"])
        }
    }

    // MARK: Uniqueness

    @Test func `R6: adopting a unique field fails while values repeat, names the values, and changes nothing`()
        async throws
    {
        try await repository.rules.adopt(try People.standard(and: People.email))
        for number in 0..<12 {
            for twin in ["a", "b"] { try await repository.register("\(twin)\(number)", ["email": "m\(number)"]) }
        }
        try await repository.register("alone", ["email": "alone"])
        try await repository.register("none")
        try await repository.register("nothing")
        let before = try await everything()
        let unique = try People.standard(and: People.uniqueEmail, #"{"name":"more"}"#)
        let error = await #expect(throws: ProfileStoreError.self) { try await repository.rules.adopt(unique) }
        guard case .repeatedValues(.email, let values)? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(values.count == 10)
        #expect(Set(values).isSubset(of: Set((0..<12).map { "m\($0)" })))
        let after = try await everything()
        #expect(after == before)
        #expect(repository.rules.inForce.number == 2)
        #expect(try await repository.profile(username: "alone")?[.email] == "alone")

        for number in 0..<12 { _ = try await repository.edit("b\(number)") { $0["email"] = nil } }
        #expect(try await repository.rules.adopt(unique) == 3)
    }

    @Test func `R5: a field that is no longer unique accepts a repeated value`() async throws {
        try await repository.rules.adopt(try People.standard(and: People.uniqueEmail))
        try await repository.register("abel", ["email": "a"])
        try await repository.rules.adopt(try People.standard(and: People.email))
        try await repository.register("bert", ["email": "a"])
        #expect(try await find("a", in: repository) == ["abel", "bert"])
        #expect(try indexesOfEmail() == 0)
    }

    @Test func `R5: a built-in field can become unique`() async throws {
        try await repository.register("abel")
        let document = ProfileSchema.standard.document()
        let text = #""title":"Phone","type":"string","constraints":{"required":true"#
        #expect(document.contains(text))
        try await repository.rules.adopt(try People.standard(replacing: text, with: text + #","unique":true"#))
        await #expect(throws: ProfileStoreError.duplicate([.phone])) { try await repository.register("bert") }
        try await repository.register("bert", ["phone": "1111-2222"])
    }

    // MARK: Repositories that were opened before

    @Test func `S7: a draft judged by former rules is refused, and must be judged again`() async throws {
        let other = try await store.open()
        let judged = try repository.judged(People.draft("abel"))
        try await other.rules.adopt(try People.standard(and: #"{"name":"email","constraints":{"required":true}}"#))
        await #expect(throws: ProfileStoreError.schemaChanged(version: 2)) { try await repository.register(judged) }
        #expect(try await repository.statistics().profiles == 0)
        // The refusal has made the repository read the new rules.
        #expect(repository.rules.inForce.number == 2)
        let error = #expect(throws: ProfileStoreError.self) { try repository.judged(People.draft("abel")) }
        guard case .invalid(let failure)? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(failure.issues == [ValidationIssue(.email, .required)])
        try await repository.register("abel", ["email": "a"])
    }

    @Test func `S7: a repository that was opened before sees the new columns of rows that have them`() async throws {
        try await repository.register("abel")
        let other = try await store.open()
        try await other.rules.adopt(try People.standard(and: People.uniqueEmail))
        _ = try await other.edit("abel") { $0["email"] = "a@b.c" }
        #expect(repository.rules.inForce.number == 1)
        #expect(try await repository.profile(username: "abel")?[.email] == "a@b.c")
        #expect(repository.rules.inForce.number == 2)
    }

    @Test func `S7: a page that was asked for before shows the new columns of rows that have them`() async throws {
        try await repository.register("abel")
        let other = try await store.open()
        try await other.rules.adopt(try People.standard(and: People.uniqueEmail))
        _ = try await other.edit("abel") { $0["email"] = "a@b.c" }
        #expect(try await repository.profiles(ProfileQuery()).profiles.map { $0[.email] } == ["a@b.c"])
    }

    @Test func `S6: a repository that was opened before looks up by an added field`() async throws {
        let other = try await store.open()
        try await other.rules.adopt(try People.standard(and: People.uniqueEmail))
        try await other.register("abel", ["email": "a@b.c"])
        #expect(repository.rules.inForce.number == 1)
        #expect(try await find("a@b.c", in: repository) == ["abel"])
    }

    @Test func `S6: an edit by a repository that was opened before meets the new rules`() async throws {
        try await repository.register("abel")
        let other = try await store.open()
        try await other.rules.adopt(try People.standard(and: #"{"name":"email","constraints":{"required":true}}"#))
        let error = await #expect(throws: ProfileStoreError.self) {
            try await repository.edit("abel") { $0["address"] = "2" }
        }
        guard case .invalid(let failure)? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(failure.issues == [ValidationIssue(.email, .required)])
        let edited = try await repository.edit("abel") { draft in
            draft["address"] = "3"
            draft["email"] = "a"
        }
        #expect(edited[.email] == "a")
        #expect(edited.revision == 2)
    }

    @Test func `S6: a replacement that brings a new field alone is stored`() async throws {
        let stored = try await repository.register("abel")
        try await repository.rules.adopt(try People.standard(and: People.email))
        var draft = stored.draft
        draft["email"] = "a@b.c"
        let valid = try repository.validator.validate(draft, on: repository.today, hasPassword: true)
        let replaced = try await repository.replace(stored, with: valid)
        #expect(replaced.revision == 2)
        #expect(try await repository.profile(username: "abel")?[.email] == "a@b.c")
    }
}
