import ProfileCore
import ProfileStore
import StoreFixtures
import Testing
import Watchdog

@Suite(.watched) struct QueryTests {
    private typealias Condition = ProfileQuery.Condition
    private typealias Order = ProfileQuery.Order

    private let store: TemporaryStore
    private let repository: ProfileRepository

    init() async throws {
        store = try TemporaryStore()
        repository = try await store.open(
            schema: try People.standard(
                and: People.uniqueEmail, #"{"name":"age","type":"integer","constraints":{"maximum":150}}"#,
                #"{"name":"score","type":"number","decimalChar":","}"#, #"{"name":"member","type":"boolean"}"#,
                #"{"name":"seen","type":"datetime","profiles":{"indexed":true}}"#,
                #"{"name":"note","profiles":{"indexed":true}}"#))
    }

    private func name(_ text: String) throws -> FieldName { try #require(FieldName(text)) }

    private func names(_ query: ProfileQuery) async throws -> [String] { try await repository.usernames(query) }

    private func names(_ field: String, _ comparison: ProfileQuery.Comparison) async throws -> [String] {
        try await names(ProfileQuery([Condition(name(field), comparison)]))
    }

    private func issues(_ query: ProfileQuery) async -> [ValidationIssue] {
        do throws(ProfileStoreError) {
            _ = try await repository.profiles(query)
            return []
        } catch {
            guard case .invalidQuery(let issues) = error.reason else { return [ValidationIssue(nil, .badEncoding)] }
            return issues
        }
    }

    /// Five profiles, whose values differ in every way that matters.
    private func registerFive() async throws {
        let people: [(String, [String: String])] = [
            ("Anna", ["age": "9", "score": "-1,5", "seen": "2024-02-29T12:00:00Z", "note": "Łódź", "member": "true"]),
            ("bert", ["age": "41", "score": "10", "seen": "2024-02-29T12:00:00.5Z", "note": "lodz", "email": "B@x"]),
            ("Carl", ["age": "100", "score": "9", "note": "Straße 5", "email": "b@x", "member": "false"]),
            ("dora", ["seen": "2023-01-01T00:00:00", "note": "b"]), ("Emil", ["age": "41"]),
        ]
        for (username, values) in people { try await repository.register(username, values) }
    }

    // MARK: Conditions

    @Test func `R8: numbers are compared by value, moments as they follow each other, and text by its bytes`()
        async throws
    {
        try await registerFive()
        #expect(try await names("age", .isLess(than: "41")) == ["Anna"])
        #expect(try await names("age", .isAtMost("041")) == ["Anna", "bert", "Emil"])
        #expect(try await names("age", .isGreater(than: "41")) == ["Carl"])
        #expect(try await names("age", .isAtLeast("41")) == ["bert", "Carl", "Emil"])
        // The bound of a comparison may be a value that the rules do not allow.
        #expect(try await names("age", .isLess(than: "1000")) == ["Anna", "bert", "Carl", "Emil"])
        #expect(try await names("score", .isLess(than: "9,5")) == ["Anna", "Carl"])
        #expect(try await names("seen", .isGreater(than: "2024-02-29T12:00:00Z")) == ["bert"])
        #expect(try await names("seen", .isAtMost("2024-02-29T13:00:00+01:00")) == ["Anna", "dora"])
        #expect(try await names("note", .isLess(than: "a")) == ["Carl"])
        #expect(try await names("username", .isAtLeast("C")) == ["Carl", "dora", "Emil"])
        #expect(try await names("username", .isLess(than: "b")) == ["Anna"])
        #expect(try await names("member", .isGreater(than: "false")) == ["Anna"])
    }

    @Test func `a condition asks for one value, any of several, any other value, or none`() async throws {
        try await registerFive()
        #expect(try await names("username", .equals("BERT")) == ["bert"])
        #expect(try await names("email", .equals("b@x")) == ["Carl"])
        #expect(try await names("username", .isAny(of: ["emil", "ANNA", "nobody"])) == ["Anna", "Emil"])
        #expect(try await names("age", .isAny(of: ["041", "9"])) == ["Anna", "bert", "Emil"])
        #expect(try await names("note", .isAny(of: ["b", "x"])) == ["dora"])
        #expect(try await names("age", .isAny(of: [])) == [])
        // A profile without a value counts as having another value.
        #expect(try await names("age", .differs(from: "41")) == ["Anna", "Carl", "dora"])
        #expect(try await names("username", .differs(from: "BERT")) == ["Anna", "Carl", "dora", "Emil"])
        #expect(try await names("age", .isAbsent) == ["dora"])
        #expect(try await names("note", .isAbsent) == ["Emil"])
        #expect(try await names("email", .isPresent) == ["bert", "Carl"])
    }

    @Test func `R8: a text is found anywhere in a value, whatever its case and accents, in one field or in all`()
        async throws
    {
        try await registerFive()
        #expect(try await names("note", .contains("ODZ")) == ["Anna", "bert"])
        #expect(try await names("note", .contains("łó")) == ["Anna", "bert"])
        #expect(try await names("note", .contains("STRASSE")) == ["Carl"])
        #expect(try await names("note", .contains("")) == ["Anna", "bert", "Carl", "dora"])
        #expect(try await names("note", .contains("%")) == [])
        #expect(try await names("username", .contains("ER")) == ["bert"])
        #expect(try await names(ProfileQuery(text: "b")) == ["bert", "Carl", "dora"])
        #expect(try await names(ProfileQuery(text: "ŁODZ")) == ["Anna", "bert"])
        // Neither secrets nor the facts that the store keeps are searched.
        #expect(try await names(ProfileQuery(text: "argon2")) == [])
        #expect(try await names(ProfileQuery([Condition(.username, .contains("a"))], text: "12 main")).count == 3)
    }

    @Test func `R8: one condition of several can be enough`() async throws {
        try await registerFive()
        func either(_ conditions: [(String, ProfileQuery.Comparison)], text: String? = nil) async throws -> [String] {
            let conditions = try conditions.map { Condition(try #require(FieldName.inQuery($0.0)), $0.1) }
            let query = ProfileQuery(conditions, joinsByOr: true, text: text, limit: 1)
            let names = try await names(query)
            #expect(try await repository.count(query) == names.count)
            return names
        }
        #expect(try await either([("username", .equals("BERT")), ("note", .isAbsent)]) == ["bert", "Emil"])
        #expect(try await either([("age", .isLess(than: "41")), ("note", .contains("STRASSE"))]) == ["Anna", "Carl"])
        #expect(try await either([("note", .hasPrefix("l")), ("email", .equals("b@x"))]) == ["bert", "Carl"])
        #expect(try await either([("note", .equals("b")), ("age", .isGreater(than: "41"))]) == ["Carl", "dora"])
        #expect(try await either([("age", .isAny(of: [])), ("age", .isAbsent)]) == ["dora"])
        #expect(try await either([("age", .isPresent), ("age", .differs(from: "9"))]).count == 5)
        #expect(try await either([("_id", .isAtMost("1")), ("_status", .equals("invalid"))]) == ["Anna"])
        // The text must be found in addition to one of the conditions.
        #expect(try await either([("note", .isPresent), ("age", .isPresent)], text: "b") == ["bert", "Carl", "dora"])
        #expect(try await either([("age", .equals("41"))]) == ["bert", "Emil"])
        #expect(try await either([]).count == 5)
        let many = (0..<49).map { ("note", ProfileQuery.Comparison.hasPrefix("x\($0)")) }
        #expect(try await either(many + [("note", .equals("b"))]) == ["dora"])
        // The order of an indexed field still holds.
        let conditions = [
            Condition(try name("note"), .isLess(than: "a")), Condition(try name("note"), .isAtLeast("m")),
        ]
        for isDescending in [false, true] {
            let order = Order(try name("note"), isDescending: isDescending)
            let found = try await names(ProfileQuery(conditions, joinsByOr: true, order: order, limit: 1))
            #expect(found == (isDescending ? ["Anna", "Carl"] : ["Carl", "Anna"]))
        }
    }

    @Test func `a query finds and counts the profiles that are not judged or are invalid`() async throws {
        try await registerFive()
        #expect(try await repository.count(ProfileQuery(status: .unjudged)) == 0)
        try await repository.rules.adopt(People.standard(and: #"{"name":"note","constraints":{"minLength":2}}"#))
        let others = [Condition(try name("note"), .isPresent)]
        #expect(try await names(ProfileQuery(others, status: .unjudged)) == ["Anna", "bert", "Carl", "dora"])
        try await repository.register("Fritz", ["note": "xy"])
        #expect(try await repository.count(ProfileQuery(status: .unjudged)) == 5)
        _ = try await repository.rules.revalidate()
        #expect(try await names(ProfileQuery(status: .unjudged)) == [])
        #expect(try await names(ProfileQuery(status: .invalid)) == ["dora"])
        #expect(try await repository.count(ProfileQuery(status: .invalid)) == 1)
        #expect(try await repository.count(ProfileQuery(others, status: .invalid, limit: 1)) == 1)
        #expect(try await repository.count() == 6)
        #expect(try await repository.count(ProfileQuery([Condition(.username, .isAtLeast("d"))])) == 3)
    }

    @Test func `stored values that do not match a field's type meet no bound and come after the others`() async throws {
        let texts = #"{"name":"size"}"#
        try await repository.rules.adopt(People.standard(and: texts))
        for (username, size) in [("anna", "7"), ("bert", "tall"), ("carl", "50"), ("dora", "-3 or so")] {
            try await repository.register(username, ["size": size])
        }
        let size = try name("size")
        try await repository.rules.adopt(People.standard(and: #"{"name":"size","type":"integer"}"#))
        #expect(try await names("size", .isGreater(than: "8")) == ["carl"])
        #expect(try await names("size", .isLess(than: "8")) == ["anna"])
        #expect(try await names("size", .contains("TALL")) == ["bert"])
        #expect(try await names(ProfileQuery(order: Order(size))) == ["anna", "carl", "dora", "bert"])
        #expect(
            try await names(ProfileQuery(order: Order(size, isDescending: true))) == ["bert", "dora", "carl", "anna"])
    }

    // MARK: Order

    @Test func `profiles are sorted by any field, those without a value last, and equal ones by id`() async throws {
        try await registerFive()
        for limit in [1, 2, 100] {
            func ordered(_ field: String, _ isDescending: Bool = false, reversed: Bool = false) async throws -> [String]
            {
                let order = Order(try name(field), isDescending: isDescending)
                return try await names(ProfileQuery(order: order, isReversed: reversed, limit: limit))
            }
            #expect(try await ordered("age") == ["Anna", "bert", "Emil", "Carl", "dora"])
            #expect(try await ordered("age", true) == ["Carl", "Emil", "bert", "Anna", "dora"])
            #expect(try await ordered("age", reversed: true) == ["dora", "Carl", "Emil", "bert", "Anna"])
            #expect(try await ordered("age", true, reversed: true) == ["dora", "Anna", "bert", "Emil", "Carl"])
            #expect(try await ordered("score") == ["Anna", "Carl", "bert", "dora", "Emil"])
            #expect(try await ordered("seen") == ["dora", "Anna", "bert", "Carl", "Emil"])
            #expect(try await ordered("note") == ["Carl", "dora", "bert", "Anna", "Emil"])
            #expect(try await ordered("note", true) == ["Anna", "bert", "dora", "Carl", "Emil"])
            #expect(try await ordered("username", true) == ["Emil", "dora", "Carl", "bert", "Anna"])
            #expect(try await ordered("phone") == ["Anna", "bert", "Carl", "dora", "Emil"])
            #expect(
                try await names(ProfileQuery(isReversed: true, limit: limit)) == [
                    "Emil", "dora", "Carl", "bert", "Anna",
                ])
        }
    }

    @Test func `R8: profiles are sorted by several fields, and pages follow this order in both directions`()
        async throws
    {
        try await registerFive()
        try await repository.register("Fritz", ["age": "41", "note": "a"])
        try await repository.register("Gina", [:])
        try await repository.register("Hugo", ["age": "41", "note": "lodz"])
        let (age, note) = (try name("age"), try name("note"))
        let cases: [([ProfileQuery.SortField], [String])] = [
            ([.init(age), .init(note)], ["Anna", "Fritz", "bert", "Hugo", "Emil", "Carl", "dora", "Gina"]),
            (
                [.init(age), .init(note, isDescending: true)],
                ["Anna", "Hugo", "bert", "Fritz", "Emil", "Carl", "dora", "Gina"]
            ),
            (
                [.init(age, isDescending: true), .init(note)],
                ["Carl", "Fritz", "bert", "Hugo", "Emil", "Anna", "dora", "Gina"]
            ),
            (
                [.init(age, isDescending: true), .init(note), .init(.username, isDescending: true)],
                ["Carl", "Fritz", "Hugo", "bert", "Emil", "Anna", "dora", "Gina"]
            ),
        ]
        for (fields, all) in cases {
            for limit in [1, 3, 100] {
                var query = ProfileQuery(order: .fields(fields), limit: limit)
                #expect(try await names(query) == all, "\(fields)")
                query.isReversed = true
                #expect(try await names(query) == all.reversed(), "\(fields)")
            }
            for place in all.indices {
                let profile = try #require(try await repository.profile(username: all[place]))
                var query = ProfileQuery(order: .fields(fields), limit: 2)
                query.after = ProfileCursor(query.cursor(at: profile).description)
                #expect(try await names(query) == Array(all[(place + 1)...]), "\(fields)")
                query.isReversed = true
                #expect(try await names(query) == all[..<place].reversed(), "\(fields)")
            }
        }
        let found = ProfileQuery(
            [Condition(age, .equals("41"))], order: .fields([.init(note, isDescending: true), .init(.username)]))
        #expect(try await names(found) == ["bert", "Hugo", "Fritz", "Emil"])
    }

    @Test func `R8: sorted pages miss and repeat no profile while others are added and removed`() async throws {
        for number in 0..<40 {
            try await repository.register("user\(number)", number % 4 == 0 ? [:] : ["age": "\(number * 7 % 50)"])
        }
        var query = ProfileQuery(order: Order(try name("age")), limit: 3)
        let before = try await names(query)
        var seen: [String] = []
        repeat {
            let page = try await repository.profiles(query)
            seen += page.profiles.map(\.username)
            // Removes the last profile of the page, and adds a profile before it.
            if let last = page.profiles.last, seen.count < 30 {
                try await repository.remove(last.username)
                try await repository.register("new\(seen.count)", ["age": "0"])
            }
            query.after = try page.next.map { try #require(ProfileCursor($0.description)) }
        } while query.after != nil
        #expect(seen.filter { !$0.hasPrefix("new") } == before)
        #expect(Set(seen).count == seen.count)
    }

    @Test func `pages can begin at any profile, in both directions`() async throws {
        try await registerFive()
        var query = ProfileQuery(order: Order(try name("age"), isDescending: true), limit: 2)
        let all = try await names(query)
        for place in all.indices {
            query.after = query.cursor(at: try #require(try await repository.profile(username: all[place])))
            query.isReversed = false
            #expect(try await names(query) == Array(all[(place + 1)...]))
            query.isReversed = true
            #expect(try await names(query) == all[..<place].reversed())
        }
    }

    @Test(arguments: [
        ProfileCursor(id: 0), ProfileCursor(id: .max), ProfileCursor(id: 12, order: .init(.phone)),
        ProfileCursor(id: 12, order: .init(.phone, isDescending: true), value: Array("7876-1241".utf8)),
        ProfileCursor(id: 1, order: .init(.address), value: Array("a.b é\"/\u{0}\n".utf8)),
        ProfileCursor(id: 1, order: .init(.address), value: [0xFF]),
        ProfileCursor(
            id: 3, order: .fields([.init(.address), .init(.phone, isDescending: true), .init(.username)]),
            values: [nil, [0x31], nil]),
    ])
    func `a cursor reads back from its text, which is safe anywhere`(cursor: ProfileCursor) {
        #expect(ProfileCursor(cursor.description) == cursor)
        #expect(cursor.description.wholeMatch(of: /[0-9a-z_.~]+/) != nil)
    }

    @Test(arguments: [
        "", ".", "1.", "-1", "+1", "01", "1.phone", "1.phone.up", "1.phone.ascending.", "1.phone.ascending.6",
        "1.phone.ascending.6G", "1.phone.ascending.61.62", "1.phone.ascending.6A", "1.Phone.ascending", "1..ascending",
        "9223372036854775808", "1.phone.ascending.0x", "1.phone.ascending~", "1.~phone.ascending", "1.9",
        "1.phone.ascending~address", "1.phone.ascending~4",
    ])
    func `a text that is not a cursor is refused`(text: String) { #expect(ProfileCursor(text) == nil) }

    // MARK: Wrong queries

    @Test func `R8: an impossible query is refused with its issues`() async throws {
        try await registerFive()
        func wrong(_ field: String, _ comparison: ProfileQuery.Comparison) async throws -> [ValidationIssue] {
            await issues(ProfileQuery([Condition(try name(field), comparison)]))
        }
        #expect(try await wrong("shoe_size", .equals("42")) == [ValidationIssue(nil, .unknownField("shoe_size"))])
        // A query cannot name a secret field. The hash of a secret is not a field.
        for secret in ["password", "password_hash", "id"] {
            #expect(try await wrong(secret, .isPresent) == [ValidationIssue(nil, .unknownField(secret))])
        }
        #expect(
            await issues(ProfileQuery(order: Order(.password))) == [ValidationIssue(nil, .unknownField("password"))])
        let age = try name("age")
        for comparison in [
            ProfileQuery.Comparison.equals("4 1"), .differs(from: "4 1"), .isLess(than: "4 1"),
            .isAny(of: ["41", "4 1"]),
        ] {
            #expect(
                try await wrong("age", comparison)
                    == [ValidationIssue(age, .badFormat(expected: .integer(.plain)))], "\(comparison)")
        }
        #expect(try await wrong("birthday", .equals("1998-02-30")) == [ValidationIssue(.birthday, .badDate)])
        #expect(try await wrong("member", .equals("yes")).map(\.code) == [.badFormat])
        #expect(try await wrong("seen", .isLess(than: "yesterday")).map(\.code) == [.badFormat])
        for value in ["", " \t"] {
            #expect(try await wrong("age", .equals(value)) == [ValidationIssue(age, .required)])
            #expect(try await wrong("username", .isAny(of: [value])) == [ValidationIssue(.username, .required)])
        }
        // All issues of a query are reported at once.
        let query = ProfileQuery(
            [Condition(age, .equals("x")), Condition(try name("nothing"), .isAbsent)], order: Order(try name("rank")))
        #expect(await issues(query).map(\.code) == [.badFormat, .unknownField, .unknownField])
        await #expect(throws: ProfileStoreError.self) { try await repository.count(query) }
        await #expect(throws: ProfileStoreError.self) { try await repository.plan(of: query) }
        await #expect(throws: ProfileStoreError.self) { for try await _ in repository.all(query) {} }
    }

    @Test func `a value that only breaks the rules of its field can be searched`() async throws {
        #expect(try await names("age", .equals("151")) == [])
        #expect(try await names("birthday", .equals("1800-01-01")) == [])
        #expect(try await names("birthday", .isLess(than: "1800-01-01")) == [])
        #expect(try await names("phone", .equals("1")) == [])
        // Stored forms are accepted too, even if the field does not allow them as input.
        #expect(try await names("score", .equals("1.5")) == [])
    }

    @Test func `a cursor is valid only for its own order, and the size of a query is limited`() async throws {
        let wrong = [ValidationIssue(nil, .badFormat(expected: .cursorOfSameOrder))]
        let cursor = ProfileCursor(id: 1, order: Order(.phone), value: [0x31])
        #expect(await issues(ProfileQuery(after: cursor)) == wrong)
        #expect(await issues(ProfileQuery(order: Order(.address), after: cursor)) == wrong)
        #expect(await issues(ProfileQuery(order: Order(.phone, isDescending: true), after: cursor)) == wrong)
        #expect(await issues(ProfileQuery(order: Order(.phone), after: ProfileCursor(id: 1))) == wrong)
        #expect(await issues(ProfileQuery(order: Order(.phone), isReversed: true, after: cursor)) == [])

        for count in [0, 11] {
            let order = Order.fields(Array(repeating: .init(.phone), count: count))
            let expected = [ValidationIssue(nil, .badFormat(expected: .sortFields(most: 10)))]
            #expect(await issues(ProfileQuery(order: order)) == expected)
        }
        #expect(await issues(ProfileQuery(order: .fields(Array(repeating: .init(.phone), count: 10)))) == [])

        let condition = Condition(.address, .contains("x"))
        #expect(await issues(ProfileQuery(Array(repeating: condition, count: 50), text: "y")) == [])
        #expect(await issues(ProfileQuery(Array(repeating: condition, count: 51))).count == 1)
        let many = { (count: Int) in
            ProfileQuery([Condition(.phone, .isAny(of: Array(repeating: "11112222", count: count)))])
        }
        #expect(await issues(many(500)) == [])
        #expect(await issues(many(501)).count == 1)
        for comparison in [ProfileQuery.Comparison.hasPrefix("x"), .isLess(than: "x"), .isGreater(than: "x")] {
            #expect(await issues(ProfileQuery(Array(repeating: Condition(.address, comparison), count: 50))) == [])
        }
    }

    // MARK: Partial pages

    @Test(arguments: [false, true])
    func `pages that examine only a few profiles each give all results in order`(isReversed: Bool) async throws {
        for index in 0..<30 { try await repository.register("u\(index)", ["note": index % 7 == 3 ? "Wanted" : "x"]) }
        for gone in [4, 5, 6, 10, 29] { try await repository.remove("u\(gone)") }
        let query = ProfileQuery(text: "wanted", isReversed: isReversed, limit: 2)
        let expected = try await names(query)
        #expect(expected.count == 3)
        for ids in [1, 2, 5, 100] as [Int64] {
            var (part, found, pages) = (query, [String](), 0)
            repeat {
                let page = try await repository.page(of: part, lookingAt: ids)
                #expect(page.profiles.count <= min(2, Int(ids)))
                found += page.profiles.map(\.username)
                part.after = page.next
                pages += 1
            } while part.after != nil
            #expect(found == expected, "\(ids)")
            #expect(pages <= 31 / Int(ids) + 4)
        }
        // A page covers two ranges of ids, because both ranges are read at the same time.
        let newest = try #require(try await repository.profile(username: "u28")).id
        let missing = ProfileQuery(text: "missing", isReversed: isReversed)
        #expect(try await repository.page(of: missing, lookingAt: 5).next?.id == (isReversed ? newest - 9 : 10))
        _ = try await repository.remove(matching: ProfileQuery(limit: 100))
        #expect(try await repository.page(of: query, lookingAt: 5).next == nil)
    }

    // MARK: Relevance

    @Test func `N8: the best match comes first, in the order whole value, its start, start of a word, inside`()
        async throws
    {
        for (name, address) in [
            ("inside", "Helmet"), ("word", "12 Elm St"), ("start", "Elm St"), ("whole", "ÉLM"), ("other", "Oak"),
            ("elmwood", "Oak"),
        ] {
            try await repository.register(name, ["note": address])
        }
        var query = ProfileQuery(text: "elm", order: .relevance, limit: 2)
        #expect(try await names(query) == ["whole", "start", "elmwood", "word", "inside"])
        query.isReversed = true
        #expect(try await names(query) == ["inside", "word", "elmwood", "start", "whole"])
        query.isReversed = false
        let page = try await repository.profiles(query)
        #expect(page.next?.description == "3.3" && page.next == query.cursor(at: page.profiles[1]))
        query.after = ProfileCursor("3.3")
        #expect(try await names(query) == ["elmwood", "word", "inside"])
        let other = try #require(try await repository.profile(username: "other"))
        query.after = query.cursor(at: other)
        #expect(try await names(query) == [], "it would come behind all that match")
        #expect(query.after == ProfileCursor("5.0"))
        query.after = ProfileCursor("3.3")
        query.conditions = [Condition(try name("note"), .contains("st"))]
        #expect(try await names(query) == ["word"])
        #expect(try await repository.plan(of: query) == .everything)
        #expect(try await repository.count(query) == 2, "wherever it goes on")
    }

    @Test func `N8: without a text, the order by relevance is refused`() async throws {
        #expect(
            await issues(ProfileQuery(order: .relevance)) == [
                ValidationIssue(nil, .badFormat(expected: .textForRelevance))
            ])
        #expect(await issues(ProfileQuery(text: "", order: .relevance)) == [])
    }

    @Test func `N8: the best match is found among all of many columns`() async throws {
        let fields = (0..<70).map { #"{"name":"f\#($0)"}"# }.joined(separator: ",")
        try await repository.rules.adopt(try People.standard(and: fields))
        try await repository.register("one", ["f0": "an elmo", "f69": "helm"])
        try await repository.register("two", ["f0": "helm", "f69": "elm"])
        #expect(try await names(ProfileQuery(text: "elm", order: .relevance)) == ["two", "one"])
    }

    @Test func `a query finds a field of newly adopted rules at once`() async throws {
        let other = try await store.open()
        try await other.rules.adopt(People.standard(and: #"{"name":"rank"}"#))
        try await other.register("abel", ["rank": "first"])
        #expect(try await names("rank", .equals("first")) == ["abel"])
        #expect(try await repository.count(ProfileQuery([Condition(try name("rank"), .hasPrefix("f"))])) == 1)
    }
}
