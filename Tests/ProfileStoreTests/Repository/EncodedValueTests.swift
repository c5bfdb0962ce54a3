import Foundation
import ProfileCore
import ProfileStore
import ProfileTesting
import StoreFixtures
import Testing
import Watchdog

/// Values that a service encodes. The JSON is the same as in the output of the command.
@Suite(.watched) struct EncodedValueTests {
    private let store: TemporaryStore

    init() throws { store = try TemporaryStore() }

    private func encoded(_ value: some Encodable) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(value)).inOrder
    }

    @Test func `profiles, pages, changes and tokens are encoded as the command prints them`() async throws {
        let repository = try await store.open()
        let profile = try await repository.register("skboard")
        #expect(try encoded(profile) == profile.json.inOrder)
        #expect(try encoded(profile)["values"]?["username"] == "skboard")
        #expect(try encoded(profile)["values"]?["birthday"] == .some(.null))
        try await repository.register("second")
        let page = try await repository.profiles(ProfileQuery(limit: 1))
        #expect(try encoded(page) == page.json.inOrder)
        #expect(try encoded(page)["next"] == "1")
        let token = try await repository.tokens.create(#require(AccountLabel("ci")), scopes: [])
        #expect(try encoded(token.value) == token.value.json.inOrder)
        let session = try await repository.sessions.start(vouchingFor: "skboard")
        #expect(try encoded(session.value) == session.value.json.inOrder)
        let reset = try await repository.passwords.issueReset(of: "skboard")
        #expect(try encoded(reset.value) == reset.value.json.inOrder)
        let statistics = try await repository.statistics()
        #expect(try encoded(statistics) == statistics.json.inOrder)
        #expect(statistics.json["profiles"] == 2 && statistics.json["change_number"] == 2)
        let version = repository.rules.inForce
        #expect(try encoded(version) == version.json.inOrder)
        #expect(version.json["version"] == 1 && version.json["name"] == "standard")
        let report = try await repository.rules.revalidate()
        #expect(try encoded(report) == report.json.inOrder)
        #expect(try encoded(report)["skipped"] == .number("2.0"))
        await repository.close()
    }

    @Test func `an issue is encoded in the schema's words`() async throws {
        let schema = ProfileSchema.standard
        let issue = ReportedIssue(ValidationIssue(.phone, .required), in: schema)
        #expect(
            try encoded(issue) == ["code": "required", "field": "phone", "message": "Phone is required"])
    }

    @Test func `a refused profile has an issue for each field at fault`() async throws {
        let repository = try await store.open(registering: ["skboard"])
        let error = await #expect(throws: ProfileStoreError.self) { try await repository.register("SKBOARD") }
        #expect(error?.issues == [ValidationIssue(.username, .duplicate(line: nil))])
        #expect(ProfileStoreError.closed.issues == nil)
        await repository.close()
    }

    @Test func `the count of a stored issue is limited, so that totals do not overflow`() {
        let issue = #"{"field":null,"code":"too_short","message":"","count":9223372036854775807}"#
        let issues = [ReportedIssue](stored: "[\(issue),\(issue)]")
        var tally = IssueTally<ReportedIssue>(limit: 1)
        for issue in issues { _ = tally.count(field: issue.field, code: issue.code, times: issue.count) }
        #expect(tally.total == 2_000_000)
        #expect([ReportedIssue](stored: issues.stored) == issues)
        #expect([ReportedIssue](stored: #"[{"code":"too_short","message":"","count":-1}]"#).map(\.count) == [1])
    }

    @Test func `a refused query has issues too`() async throws {
        let repository = try await store.open()
        let error = await #expect(throws: ProfileStoreError.self) {
            try await repository.profiles(ProfileQuery([.init("email", .isPresent)]))
        }
        #expect(error?.issues == [ValidationIssue(nil, .unknownField("email"))])
        await repository.close()
    }

    @Test func `a look-up fails if the profile does not have the expected revision`() async throws {
        let repository = try await store.open(registering: ["skboard"])
        #expect(try await repository.profile(username: "SKBOARD", expecting: 1).revision == 1)
        #expect(try await repository.profile(username: "skboard", expecting: nil).revision == 1)
        await #expect(throws: ProfileStoreError.staleRevision(expected: 2, current: 1)) {
            try await repository.profile(username: "skboard", expecting: 2)
        }
        await #expect(throws: ProfileStoreError.notFound(username: "nobody")) {
            try await repository.profile(username: "nobody", expecting: 1)
        }
        await repository.close()
    }

    // MARK: Queries

    private func query(_ text: String) throws -> ProfileQuery {
        try JSONDecoder().decode(ProfileQuery.self, from: Data(text.utf8))
    }

    @Test func `a query is read from JSON`() throws {
        #expect(try query("{}") == ProfileQuery())
        let cursor = ProfileQuery(order: .init(.birthday, isDescending: true)).after
        #expect(cursor == nil)
        #expect(
            try query(
                """
                {"conditions":[{"field":"phone","comparison":"has_prefix","value":"787"},
                 {"field":"address","comparison":"is_any_of","values":["4 Elm St","12 Main St"]},
                 {"field":"birthday","comparison":"is_absent"}],
                 "text":"ann","status":"unjudged","order":{"field":"birthday","descending":true},"reversed":true,
                 "limit":7,"after":"12.birthday.descending"}
                """)
                == ProfileQuery(
                    [
                        .init(.phone, .hasPrefix("787")), .init(.address, .isAny(of: ["4 Elm St", "12 Main St"])),
                        .init(.birthday, .isAbsent),
                    ], text: "ann", status: .unjudged, order: .init(.birthday, isDescending: true), isReversed: true,
                    limit: 7, after: ProfileCursor("12.birthday.descending")))
    }

    @Test func `every query comes through an encoder and a decoder as it was`() throws {
        let comparisons: [ProfileQuery.Comparison] = [
            .equals("a"), .differs(from: "b"), .hasPrefix(""), .contains("é"), .isLess(than: "1"), .isAtMost("2"),
            .isGreater(than: "3"), .isAtLeast("4"), .isAny(of: []), .isAny(of: ["x", "y"]), .isAbsent, .isPresent,
        ]
        var queries = comparisons.map { ProfileQuery([.init("note", $0)]) }
        for status in [ProfileQuery.Status.invalid, .unjudged] { queries.append(ProfileQuery(status: status)) }
        queries.append(
            ProfileQuery(order: .init("age"), isReversed: true, limit: 3, after: ProfileCursor("4.age.ascending.31")))
        queries.append(
            ProfileQuery(
                [.init("note", .isAbsent), .init("age", .isPresent)], joinsByOr: true,
                order: .fields([.init("age"), .init("note", isDescending: true)]),
                after: ProfileCursor("4.age.ascending~note.descending.31")))
        queries.append(ProfileQuery(text: "ann", order: .relevance, after: ProfileCursor("4.3")))
        for query in queries {
            #expect(try JSONDecoder().decode(ProfileQuery.self, from: JSONEncoder().encode(query)) == query)
        }
    }

    @Test(arguments: [
        (#"{"condition":[]}"#, ["condition"]), (#"{"order":{"field":"Age"}}"#, ["order", "field"]),
        (#"{"order":{"field":"age","desc":true}}"#, ["order", "desc"]), (#"{"after":"x"}"#, ["after"]),
        (#"{"order":"best"}"#, ["order"]), (#"{"after":"3.04"}"#, ["after"]), (#"{"after":"3.5"}"#, ["after"]),
        (#"{"status":"valid"}"#, ["status"]), (#"{"limit":"7"}"#, ["limit"]),
        (#"{"conditions":[{"field":"age","comparison":"equals"}]}"#, ["conditions", "0", "value"]),
        (
            #"{"conditions":[{"field":"age","comparison":"like","value":"x"}]}"#,
            ["conditions", "0", "comparison"]
        ),
        (
            #"{"conditions":[{"field":"age","comparison":"is_absent","value":"x"}]}"#,
            ["conditions", "0", "value"]
        ),
        (
            #"{"conditions":[{"field":"age","comparison":"equals","value":"x","values":[]}]}"#,
            ["conditions", "0", "values"]
        ),
        (#"{"conditions":[{"field":"age","comparison":"equals","value":5}]}"#, ["conditions", "0", "value"]),
    ])
    func `an invalid query is refused with the path of its fault`(text: String, path: [String]) throws {
        let error = try #require(throws: DecodingError.self) { try query(text) }
        #expect(error.path.map(\.stringValue) == path)
    }
}

extension JSONValue {
    /// The value with the members of each object sorted by name, because an encoder has its own order.
    fileprivate var inOrder: JSONValue {
        switch self {
        case .object(let members):
            .object(
                members.map { JSONMember($0.name, $0.value.inOrder) }.sorted { $0.name < $1.name })
        case .array(let elements): .array(elements.map(\.inOrder))
        // A decoder does not distinguish 2.0 from 2.
        case .number(let text): .number(Double(text)?.description ?? text)
        default: self
        }
    }
}

extension DecodingError {
    fileprivate var path: [any CodingKey] {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            context.codingPath
        case .keyNotFound(let key, let context): context.codingPath + [key]
        @unknown default: []
        }
    }
}
