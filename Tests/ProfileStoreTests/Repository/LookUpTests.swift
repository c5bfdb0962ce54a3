import ProfileCore
@testable import ProfileStore
import StoreFixtures
import Testing
import Watchdog

@Suite(.watched) struct LookUpTests {
    private typealias Condition = ProfileQuery.Condition

    private let store: TemporaryStore
    private let repository: ProfileRepository

    init() async throws {
        store = try TemporaryStore()
        repository = try await store.open(
            schema: try People.standard(
                and: People.uniqueEmail, #"{"name":"age","type":"integer"}"#, #"{"name":"score","type":"number"}"#,
                #"{"name":"member","type":"boolean"}"#, #"{"name":"order"}"#))
    }

    private func names(_ conditions: Condition...) async throws -> [String] {
        try await repository.profiles(ProfileQuery(conditions)).profiles.map(\.username)
    }

    private func name(_ text: String) throws -> FieldName { try #require(FieldName(text)) }

    // MARK: Conditions

    @Test func `S6: every kind of field is looked up, in any form in which it may be typed`() async throws {
        try await repository.register(
            "abel",
            [
                "phone": "11112222", "birthday": "19980115", "postal_code": "12345", "email": "a@b.c", "age": "41",
                "score": "1.5", "member": "true", "order": "select",
            ])
        try await repository.register("bert", ["age": "4", "score": "-2", "member": "false"])
        let found: [(String, [String])] = [
            ("username", ["abel", "ABEL", " Abel "]), ("phone", ["1111-2222", "11112222"]),
            ("birthday", ["1998-01-15", "1998.01.15", "19980115"]), ("postal_code", ["12345"]), ("email", ["a@b.c"]),
            ("age", ["41"]), ("score", ["1.5", "1.50", "15e-1"]), ("member", ["true"]), ("order", ["select"]),
        ]
        for (field, values) in found {
            for value in values {
                #expect(try await names(Condition(name(field), .equals(value))) == ["abel"], "\(field) \(value)")
            }
        }
        for (field, value) in [("email", "A@B.C"), ("username", "abe"), ("phone", "1111"), ("age", "42")] {
            #expect(try await names(Condition(name(field), .equals(value))) == [], "\(field) \(value)")
        }
    }

    @Test func `a prefix is taken as it is typed, without wildcards; a username's ignores ASCII case`() async throws {
        for (username, address) in [("abel", "Main St"), ("ABBA", "main st"), ("bert", "Mai"), ("ab1", "Main")] {
            try await repository.register(username, ["address": address])
        }
        #expect(try await names(Condition(.username, .hasPrefix("aB"))) == ["abel", "ABBA", "ab1"])
        #expect(try await names(Condition(.username, .hasPrefix(""))) == ["abel", "ABBA", "bert", "ab1"])
        #expect(try await names(Condition(.address, .hasPrefix("Main"))) == ["abel", "ab1"])
        #expect(try await names(Condition(.phone, .hasPrefix("7876-"))).count == 4)
        for wildcard in ["%", "_", "a%", "*", "a*", "abel\0"] {
            #expect(try await names(Condition(.username, .hasPrefix(wildcard))) == [], "\(wildcard)")
        }
    }

    @Test func `all conditions must hold`() async throws {
        try await repository.register("abel", ["address": "one"])
        try await repository.register("bert", ["address": "two"])
        #expect(
            try await names(Condition(.phone, .equals("78761241")), Condition(.address, .equals("two"))) == ["bert"])
        #expect(try await names(Condition(.phone, .equals("78761241")), Condition(.address, .equals("three"))) == [])
        #expect(try await repository.profile(username: "zoe") == nil)
        #expect(try await repository.profile(username: "") == nil)
        #expect(try await repository.profile(id: .max) == nil)
    }

    @Test(.onlyOnSQLite("writes to the tables directly"))
    func `a look-up by a value that breaks the rules finds the profile with this value`() async throws {
        try await repository.register("abel")
        try store.execute(
            "UPDATE profiles SET address = 'no. 5!', birthday = 'long ago', username = 'far-too-long-a-name'")
        #expect(try await names(Condition(.address, .equals("no. 5!"))) == ["far-too-long-a-name"])
        #expect(try await names(Condition(.birthday, .hasPrefix("long"))) == ["far-too-long-a-name"])
        #expect(try await repository.profile(username: "FAR-too-long-a-name")?.id == 1)
    }

    // MARK: Pages

    @Test func `pages are complete and in order while others insert and remove`() async throws {
        for number in 0..<95 { try await repository.register("user\(number)") }
        var query = ProfileQuery(limit: 10)
        var ids: [Int64] = []
        var later = 0
        repeat {
            let page = try await repository.profiles(query)
            #expect(page.profiles.count <= 10)
            ids += page.profiles.map(\.id)
            // A profile of the page is removed, and a new one is added at the end.
            try await repository.remove(page.profiles[0].username)
            later += 1
            if later <= 5 { try await repository.register("later\(later)") }
            // Reads the cursor from its text, as a client sends it back.
            query.after = try page.next.map { try #require(ProfileCursor($0.description)) }
        } while query.after != nil
        #expect(ids == Array(1...100))
    }

    @Test func `a page holds at least one profile, and the last page has no next cursor`() async throws {
        for number in 0..<3 { try await repository.register("user\(number)") }
        for limit in [Int.min, -1, 0, 1] {
            let page = try await repository.profiles(ProfileQuery(limit: limit))
            #expect(page.profiles.map(\.id) == [1])
            #expect(page.next?.description == "1")
        }
        for limit in [3, 4, Int.max] {
            let page = try await repository.profiles(ProfileQuery(limit: limit))
            #expect(page.profiles.map(\.id) == [1, 2, 3])
            #expect(page.next == nil)
        }
        let beyond = try await repository.profiles(ProfileQuery(after: ProfileCursor("9223372036854775807")))
        #expect(beyond.profiles == [])
        #expect(beyond.next == nil)
        for text in ["", "-1", "x", "1 ", "9223372036854775808"] { #expect(ProfileCursor(text) == nil, "\(text)") }
    }

    @Test func `all profiles stream, however many pages they fill`() async throws {
        for number in 0..<25 { try await repository.register("user\(number)") }
        for limit in [1, 5, 24, 25, 26] {
            #expect(try await repository.usernames(ProfileQuery(limit: limit)).count == 25)
        }
        try await repository.remove("user24")
        #expect(try await repository.usernames(ProfileQuery(limit: 24)).count == 24)
        var count = 0
        for try await profile in repository.all() {
            count += 1
            #expect(profile.id == Int64(count))
        }
        #expect(count == 24)
    }

    @Test(.onlyOnSQLite("writes to the tables directly"))
    func `R6: a query for invalid profiles lists only profiles that were judged invalid`() async throws {
        for number in 0..<5 { try await repository.register("user\(number)") }
        #expect(try await repository.usernames(ProfileQuery(status: .invalid)) == [])
        try store.execute("UPDATE profiles SET phone = '1' WHERE id IN (2, 4)")
        _ = try await repository.rules.revalidate(all: true)
        #expect(try await repository.usernames(ProfileQuery(status: .invalid, limit: 1)) == ["user1", "user3"])
        let one = try await repository.profiles(
            ProfileQuery([Condition(.username, .equals("user3"))], status: .invalid)
        )
        .profiles
        #expect(one.map(\.status) == [.invalid])
        #expect(one.first?.issues.map(\.code) == ["too_short"])
    }

    @Test(.onlyOnSQLite("writes to the tables directly"))
    func `a row with an unknown schema version is read by the schema in force`() async throws {
        try await repository.register("abel")
        try store.execute("UPDATE profiles SET schema_version = 99")
        #expect(try await repository.profile(username: "abel")?.schemaVersion == 99)
        #expect(try await names(Condition(.username, .equals("abel"))) == ["abel"])
    }
}
