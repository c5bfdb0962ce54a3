import ProfileCore
import ProfileStore
import ProfileTesting
import StoreFixtures
import Testing
import Watchdog

/// Profiles that are known by another field than `username`.
@Suite(.watched) struct PrimaryKeyTests {
    private let store: TemporaryStore
    private let repository: ProfileRepository

    private static let rules = """
        {"name": "club", "primaryKey": "member_no", "fields": [
          {"name": "email", "constraints": {"unique": true}},
          {"name": "member_no", "title": "Member", "constraints": {"maxLength": 5}},
          {"name": "password", "profiles": {"secret": true}}
        ]}
        """

    init() async throws {
        store = try TemporaryStore()
        repository = try await store.open(schema: try ProfileSchema(parsing: Self.rules))
    }

    private func register(_ values: [String: String]) async throws -> Profile {
        try await repository.register(repository.judged(ProfileDraft(values)))
    }

    private func find(_ field: String, _ value: String, isPrefix: Bool = false) async throws -> [String] {
        let name = try #require(FieldName(field))
        let query = ProfileQuery([ProfileQuery.Condition(name, isPrefix ? .hasPrefix(value) : .equals(value))])
        return try await repository.profiles(query).profiles.map(\.username)
    }

    private func adopt(_ document: String) async throws {
        try await repository.rules.adopt(ProfileSchema(parsing: document))
    }

    @Test func `S6: a profile is known by the primary key, whatever its ASCII case, under the field's own name`()
        async throws
    {
        let stored = try await register(["member_no": "a17", "email": "a@b.co"])
        #expect(stored.username == "a17")
        #expect(stored["member_no"] == "a17" && stored[.username] == nil)
        #expect(stored.fields.map(\.rules.name.text) == ["email", "member_no"])
        #expect(stored.json.text().contains(#""email":"a@b.co","member_no":"a17""#))
        #expect(try await repository.profile(username: "A17")?.id == stored.id)
        #expect(try await find("member_no", "A17") == ["a17"])
        #expect(try await find("member_no", "A1", isPrefix: true) == ["a17"])
        let unknown = ProfileStoreError.invalidQuery([ValidationIssue(nil, .unknownField("username"))])
        await #expect(throws: unknown) { try await find("username", "a17") }
        #expect(try await repository.usernames() == ["a17"])
        if store.engine == .sqlite {
            #expect(try store.number("SELECT count(*) FROM profiles WHERE username = 'a17'") == 1)
        }
    }

    @Test func `R4: a primary key that is taken is a duplicate under the field's own name`() async throws {
        let first = try await register(["member_no": "a17", "email": "a@b.co"])
        let second = try await register(["member_no": "b2"])
        let key = repository.schema.primaryKey.name
        await #expect(throws: ProfileStoreError.duplicate([key])) { _ = try await register(["member_no": "A17"]) }
        await #expect(throws: ProfileStoreError.duplicate([.email, key])) {
            _ = try await register(["member_no": "A17", "email": "a@b.co"])
        }
        await #expect(throws: ProfileStoreError.duplicate([key])) {
            try await repository.edit(second.username, expecting: 1) { $0["member_no"] = "a17" }
        }
        let edited = try await repository.edit(first.username, expecting: 1) { $0["member_no"] = "c3" }
        #expect(edited.username == "c3" && edited.id == first.id)
        try await repository.remove("C3")
        #expect(try await repository.usernames() == ["b2"])
    }

    @Test func `R6: revalidation names the profiles by their primary key`() async throws {
        _ = try await register(["member_no": "abcd"])
        try await adopt(Self.rules.replacing(#""maxLength": 5"#, with: #""maxLength": 3"#))
        let report = try await repository.rules.revalidate()
        #expect(report.invalid == 1)
        let profile = try #require(try await repository.profile(username: "abcd"))
        #expect(profile.issues.map(\.field) == ["member_no"])
        #expect(profile.issues.map(\.message) == ["Member should have at most 3 characters"])
    }

    @Test func `S6: a schema with another primary key is adopted only if no profile is stored`() async throws {
        let email = Self.rules.replacing(#""member_no", "fields""#, with: #""email", "fields""#)
        let other = try ProfileSchema(parsing: email)
        #expect(other.primaryKey.name == .email)
        try await adopt(email)
        try await adopt(Self.rules)
        _ = try await register(["member_no": "a17", "email": "a@b.co"])
        let key = repository.schema.primaryKey.name
        for schema in [other, .standard] {
            await #expect(throws: ProfileStoreError.otherPrimaryKey(schema.primaryKey.name, inForce: key)) {
                try await repository.rules.adopt(schema)
            }
        }
        #expect(repository.rules.inForce.number == 3)
        try await repository.remove("a17")
        try await adopt(email)
        #expect(try await register(["email": "x@y.zz"]).username == "x@y.zz")
    }

    @Test func `R3: a profile keeps a key that later rules would not form, until an edit changes a part of the key`()
        async throws
    {
        let wider = Self.rules.replacing(#"{"name": "email""#, with: #"{"name": "site"}, {"name": "email""#)
        try await adopt(wider)
        _ = try await register(["member_no": "a17", "email": "A", "site": "s"])
        _ = try await register(["member_no": "B/t", "email": "b", "site": "t"])
        try await adopt(wider.replacing(#""fields""#, with: #""profiles": {"key": ["email", "site"]}, "fields""#))
        let edited = try await repository.edit("a17", expecting: 1) { $0.password = People.secret }
        #expect(edited.username == "a17" && edited.revision == 2)
        // The value of a part is written again, and the key is given again.
        let same = try await repository.edit("a17") {
            $0["site"] = " s "
            $0["member_no"] = "A17"
        }
        #expect(same.username == "a17")
        await #expect(throws: (any Error).self) { try await repository.edit("a17") { $0["member_no"] = "b" } }
        #expect(try await repository.edit("a17") { $0["site"] = "u" }.username == "A/u")
        // A key that differs from its parts in the case of letters stays too.
        #expect(try await repository.edit("B/t") { $0.password = People.secret }.username == "B/t")
    }

    @Test func `P1, P2: a passcode and a password belong to the primary key`() async throws {
        _ = try await register(["member_no": "a17", "password_hash": People.policyHash])
        try await repository.passcodes.create(Secret("parislondon"), for: "A17")
        #expect(try await repository.passcodes.validate(Secret("parislondon"), for: "a17").username == "a17")
        #expect(try await repository.passwords.validate(People.secret, for: "a17").username == "a17")
    }

    @Test func `S7: a store with a primary key of its own opens again with it`() async throws {
        _ = try await register(["member_no": "a17"])
        await repository.close()
        let reopened = try await store.open()
        #expect(reopened.schema.primaryKey.name.text == "member_no")
        #expect(try await reopened.profile(username: "a17")?["member_no"] == "a17")
    }
}
