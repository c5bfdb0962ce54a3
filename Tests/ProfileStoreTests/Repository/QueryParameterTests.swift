import ProfileCore
import ProfileStore
import StoreFixtures
import Testing
import Watchdog

/// Conditions and queries as texts, such as the parameters of a URL.
@Suite(.watched) struct QueryParameterTests {
    @Test(arguments: [
        ("age>=30", "age", ProfileQuery.Comparison.isAtLeast("30")), ("age>30", "age", .isGreater(than: "30")),
        ("age<=30", "age", .isAtMost("30")), ("age<30", "age", .isLess(than: "30")),
        ("city=Bath", "city", .equals("Bath")),
        ("city==Bath", "city", .equals("Bath")), ("city!=Bath", "city", .differs(from: "Bath")),
        ("city=", "city", .isAbsent), ("city!=", "city", .isPresent), ("city=a=b>c", "city", .equals("a=b>c")),
        (" city = Bath", "city", .equals(" Bath")), ("_id>=7", "_id", .isAtLeast("7")),
    ])
    func `a condition is read as the command writes it`(
        text: String, field: String, comparison: ProfileQuery.Comparison
    ) throws {
        let condition = try #require(ProfileQuery.Condition(text))
        #expect(condition.field.text == field)
        #expect(condition.comparison == comparison)
    }

    @Test(arguments: ["", "age", "=30", "age>=", "age<", "Age=30", "zip code=1", "a!b", "_ids=1"])
    func `a text that is not a condition is refused`(text: String) {
        #expect(ProfileQuery.Condition(text) == nil)
    }

    private func query(_ parameters: [(String, String)], mostLimit: Int = 1_000) throws -> ProfileQuery {
        try ProfileQuery(parameters: parameters.map { (name: $0, value: $1) }, mostLimit: mostLimit)
    }

    @Test func `a query is read from parameters`() throws {
        #expect(
            try query([
                ("where", "age>=30"), ("any", #"city=Bath,Le\,eds"#), ("where", "email="), ("contains", "note=x=y"),
                ("q", "łódź"), ("or", "true"), ("status", "unjudged"), ("sort", "age:desc"), ("sort", "name"),
                ("sort", "_id:asc"), ("reversed", "false"), ("limit", "50"), ("after", "12.age.descending.3431"),
            ])
                == ProfileQuery(
                    [
                        .init("age", .isAtLeast("30")), .init("city", .isAny(of: ["Bath", "Le,eds"])),
                        .init("email", .isAbsent), .init("note", .contains("x=y")),
                    ], joinsByOr: true, text: "łódź", status: .unjudged,
                    order: .fields([
                        .init("age", isDescending: true), .init("name"),
                        .init(try #require(ProfileQuery.Condition("_id=1")).field),
                    ]), limit: 50, after: ProfileCursor("12.age.descending.3431")))
        // A backslash that escapes nothing is a backslash, also at the end.
        #expect(
            try query([("any", #"city=a\b,c\\,d\"#)])
                == ProfileQuery([.init("city", .isAny(of: [#"a\b"#, #"c\"#, #"d\"#]))]))
        #expect(try query([]) == ProfileQuery())
        #expect(try query([("q", "ann"), ("sort", "_relevance")]).order == .relevance)
    }

    @Test func `the limit of a service bounds the limit of a query, even the default limit`() throws {
        #expect(try query([], mostLimit: 20).limit == 20)
        #expect(try query([("limit", "20")], mostLimit: 20).limit == 20)
        let error = try #require(throws: QueryParameterError.self) { try query([("limit", "21")], mostLimit: 20) }
        #expect(error == QueryParameterError(name: "limit", reason: .outOfRange(1...20)))
        #expect(error.description == "limit: a whole number from 1 to 20 is expected")
        #expect(try query([("limit", "1")], mostLimit: 0).limit == 1)
    }

    @Test(arguments: [
        ([("where", "age")], QueryParameterError.Reason.noOperator), ([("where", "age>")], .noValue),
        ([("where", "Age=3")], .badField("Age")), ([("any", "city")], .noOperator), ([("any", "city=a,")], .noValue),
        ([("contains", "=x")], .noOperator), ([("contains", "No=x")], .badField("No")),
        ([("q", "a"), ("q", "b")], .repeated), ([("limit", "1"), ("limit", "1")], .repeated),
        ([("or", "yes")], .unknownWord(known: ["true", "false"])),
        ([("status", "valid")], .unknownWord(known: ["invalid", "unjudged"])), ([("sort", "age:")], .badField("age:")),
        ([("sort", "_relevance"), ("sort", "age")], .otherOrder),
        ([("sort", "age"), ("sort", "_relevance")], .otherOrder),
        ([("limit", "0")], .outOfRange(1...1_000)), ([("limit", "-1")], .outOfRange(1...1_000)),
        ([("limit", "ten")], .outOfRange(1...1_000)), ([("after", "x")], .badCursor),
    ])
    func `a parameter without meaning is refused with its name`(
        parameters: [(String, String)], reason: QueryParameterError.Reason
    ) throws {
        let error = try #require(throws: QueryParameterError.self) { try query(parameters) }
        #expect(error == QueryParameterError(name: try #require(parameters.last).0, reason: reason))
    }

    @Test func `an unknown parameter is refused, so that no condition is lost`() throws {
        let error = try #require(throws: QueryParameterError.self) { try query([("were", "age=3")]) }
        guard error.name == "were", case .unknownName(let known) = error.reason else {
            Issue.record("\(error)")
            return
        }
        #expect(known.contains("where"))
    }
}
