import ProfileCore
import ProfileStore
import ProfileTesting
import StoreFixtures
import Testing
import Watchdog

/// Fields with the names of a store's own columns, and queries for the store's own columns.
@Suite(.watched) struct OwnNamesTests {
    private static let names = [
        "revision", "created_at", "updated_at", "schema_version", "status", "issues", "password_schema_version",
        "password_is_judged", "passcode_hash", "rowid", "oid", "xmin",
    ]

    /// The key is `id`, and each other field has the name of a column that an engine has.
    private static func schema(withNumber number: Bool = false) throws -> ProfileSchema {
        let others = names.map { name in
            #"{"name":"\#(name)","constraints":{"unique":\#(name == "revision")},"profiles":{"indexed":true}}"#
        }
        let more = number ? [#"{"name":"age","type":"integer"}"#] : []
        return try ProfileSchema(
            parsing: """
                {"primaryKey": "id", "fields": [{"name": "id"}, \((others + more).joined(separator: ","))]}
                """)
    }

    private let store: TemporaryStore
    private let repository: ProfileRepository

    init() async throws {
        store = try TemporaryStore()
        repository = try await store.open(schema: try Self.schema())
    }

    private func register(_ id: String) async throws -> Profile {
        var values = ["id": id]
        for name in Self.names { values[name] = "\(name) of \(id)" }
        return try await repository.register(
            try repository.validator.validate(ProfileDraft(values), on: repository.today))
    }

    private func ids(_ name: String, _ comparison: ProfileQuery.Comparison) async throws -> [String] {
        let field = try #require(FieldName.inQuery(name))
        return try await repository.profiles(ProfileQuery([.init(field, comparison)])).profiles.map(\.username)
    }

    @Test func `S9: fields with the names of own columns are stored, found, sorted and changed`() async throws {
        let ann = try await register("Ann")
        let bob = try await register("bob")
        for name in Self.names {
            let field = try #require(FieldName(name))
            #expect(try await ids(name, .equals("\(name) of bob")) == ["bob"], "\(name)")
            #expect(try await ids(name, .isLess(than: "\(name) of b")) == ["Ann"], "\(name)")
            let sorted = try await repository.profiles(ProfileQuery(order: .init(field, isDescending: true)))
            #expect(sorted.profiles.map(\.username) == ["bob", "Ann"], "\(name)")
        }
        let taken = await #expect(throws: ProfileStoreError.self) {
            _ = try await repository.edit("bob") { $0["revision"] = "revision of Ann" }
        }
        #expect(taken?.code == .duplicate && taken?.fields == ["revision"])
        let edited = try await repository.edit("bob") { draft in
            for name in Self.names { draft[name] = "other \(name)" }
        }
        #expect(edited.revision == bob.revision + 1 && edited["revision"] == "other revision")
        #expect(try await repository.profile(id: bob.id) == edited)
        #expect(try await repository.profile(id: ann.id) == ann)
        // The columns stay when the rules change.
        #expect(try await repository.rules.adopt(try Self.schema(withNumber: true)) == 2)
        let again = try #require(try await repository.profile(username: "bob"))
        #expect(again["xmin"] == "other xmin" && again["oid"] == "other oid" && again["age"] == nil)
    }

    @Test func `S9: in JSON, the values are apart from the facts of the same names`() async throws {
        let json = try await register("Ann").json
        let values = try #require(json["values"])
        #expect(values["id"] == "Ann" && json["id"] == 1)
        #expect(values["status"] == "status of Ann" && json["status"] == "valid")
        #expect(json["revision"] == 1 && json["schema_version"] == 1)
    }

    @Test func `R8: a query compares the facts that the store keeps, and sorts by them`() async throws {
        let ann = try await register("Ann")
        store.clock.advance(by: .seconds(86_400))
        let bob = try await register("bob")
        store.clock.advance(by: .milliseconds(1))
        let edited = try await repository.edit("Ann") { $0["status"] = "x" }
        for id in 3...11 { _ = try await register("other\(id)") }
        #expect(try await ids("_id", .equals("2")) == ["bob"])
        #expect(try await ids("_id", .isAtLeast("10")).count == 2)
        #expect(try await ids("_id", .isAny(of: ["1", "11"])) == ["Ann", "other11"])
        #expect(try await ids("_revision", .isGreater(than: "1")) == ["Ann"])
        #expect(try await ids("_status", .equals("valid")).count == 11)
        #expect(try await ids("_status", .equals("invalid")) == [])
        #expect(try await ids("_status", .differs(from: "valid")) == [])
        #expect(try await ids("_schema_version", .isAtMost("1")).count == 11)
        #expect(try await ids("_created_at", .isLess(than: bob.createdAt.description)) == ["Ann"])
        #expect(try await ids("_created_at", .equals(ann.createdAt.description)) == ["Ann"])
        let day = String(bob.createdAt.description.prefix(10))
        #expect(try await ids("_created_at", .isLess(than: day)) == ["Ann"])
        #expect(try await ids("_updated_at", .hasPrefix(String(edited.updatedAt.description))).contains("Ann"))
        let second = String(ann.createdAt.description.prefix(19))
        #expect(
            try await ids("_created_at", .isAtMost("\(second)Z"))
                == (ann.createdAt.description.hasSuffix(".000Z") ? ["Ann"] : []))
        #expect(try await ids("_created_at", .isPresent).count == 11)
        #expect(try await ids("_created_at", .isAbsent) == [])

        for name in ["_id", "_created_at", "_revision", "_updated_at", "_status"] {
            let field = try #require(FieldName.inQuery(name))
            for isDescending in [false, true] {
                var query = ProfileQuery(order: .init(field, isDescending: isDescending), limit: 4)
                let all = try await repository.profiles(ProfileQuery(order: query.order)).profiles.map(\.id)
                var paged: [Int64] = []
                repeat {
                    let page = try await repository.profiles(query)
                    paged += page.profiles.map(\.id)
                    // A cursor is read again from its text.
                    query.after = page.next.flatMap { ProfileCursor($0.description) }
                } while query.after != nil
                #expect(paged == all && all.count == 11, "\(name)")
            }
        }
        let newest = try await repository.profiles(ProfileQuery(order: .init(FieldName(of: .id), isDescending: true)))
        #expect(newest.profiles.map(\.id) == (1...11).reversed())
    }

    @Test(arguments: [("_id", "x"), ("_created_at", "yesterday"), ("_status", "odd"), ("_id", "")])
    func `R8: a value that a fact cannot have is refused`(name: String, value: String) async throws {
        let error = await #expect(throws: ProfileStoreError.self) { _ = try await ids(name, .equals(value)) }
        #expect(error?.code == .invalidQuery)
    }

    @Test func `R8: a query for the issues, or for a fact that does not exist, is refused`() async throws {
        let error = await #expect(throws: ProfileStoreError.self) { _ = try await ids("_issues", .isPresent) }
        #expect(error?.code == .invalidQuery)
    }
}
