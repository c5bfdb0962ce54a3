import ProfileCore
import ProfileStore
import ProfileTesting
import StoreFixtures
import Testing
import Watchdog

/// The answers to random queries are compared with those of filters and sorts in plain Swift.
@Suite(.watched(for: .seconds(300))) struct QueryPropertyTests {
    private typealias Comparison = ProfileQuery.Comparison

    private static let fields = [
        #"{"name":"email","constraints":{"unique":true}}"#, #"{"name":"note","profiles":{"indexed":true}}"#,
        #"{"name":"city"}"#, #"{"name":"age","type":"integer","profiles":{"indexed":true}}"#,
        #"{"name":"score","type":"number"}"#, #"{"name":"joined","type":"date","profiles":{"indexed":true}}"#,
        #"{"name":"seen","type":"datetime"}"#, #"{"name":"wakes","type":"time"}"#,
        #"{"name":"member","type":"boolean"}"#,
        #"{"name":"class","type":"year"}"#,
    ]

    @Test func `R8: all pages together equal a filter and a sort in plain Swift, in both directions`() async throws {
        let seeds = SeededGenerator(printingSeedOf: "queries")
        for round in 0..<rounds(3) {
            let seed = seeds.seed &+ UInt64(round)
            var random = SeededGenerator(seed: seed)
            let store = try TemporaryStore()
            // The fields are texts at first, so that the store has values which do not match the later types.
            let texts = Self.fields.map { $0.replacing(/"type":"[a-z]*"/, with: #""type":"string""#) }
            let repository = try await store.open(schema: Self.schema(texts))
            var isBroken = true
            for number in 0..<80 {
                if number == 25 {
                    try await repository.rules.adopt(Self.schema(Self.fields))
                    if random.once(in: 2) { _ = try await repository.rules.revalidate() }
                    isBroken = false
                }
                var draft = ProfileDraft([
                    "username": "\(["a", "B", "bo", "Z"].randomElement(using: &random) ?? "")\(number)"
                ])
                draft["email"] =
                    random.once(in: 2) ? nil : "\(["x", "X", "é"].randomElement(using: &random) ?? "")\(number)"
                for field in repository.schema.fields.dropFirst(2) where !random.once(in: 4) {
                    draft[field.name.text] =
                        isBroken && random.once(in: 3) ? "~\(number % 3)" : Self.value(field.name, &random)
                }
                let valid = try repository.judged(draft)
                _ = try await repository.register(valid)
            }
            var everyone: [Profile] = []
            for try await profile in repository.all() { everyone.append(profile) }
            try #require(everyone.count == 80)
            for step in 0..<250 {
                let query = Self.query(repository.schema, everyone, &random)
                let expected = Self.answer(query, everyone, repository)
                var pages = query
                var found: [Int64] = []
                repeat {
                    let page = try await repository.profiles(pages)
                    try #require(page.profiles.count <= query.limit && (page.next == nil || !page.profiles.isEmpty))
                    found += page.profiles.map(\.id)
                    pages.after = try page.next.map { try #require(ProfileCursor($0.description)) }
                } while pages.after != nil
                try #require(found == expected, "PROFILES_TEST_SEED=\(seed), step \(step): \(query)")
                let count = try await repository.count(query)
                try #require(
                    count == Self.answer(query, from: nil, everyone, repository).count,
                    "PROFILES_TEST_SEED=\(seed), step \(step): count of \(query)")
            }
            await repository.close()
        }
    }

    private static func schema(_ fields: [String]) throws -> ProfileSchema {
        try ProfileSchema(
            parsing: """
                {"name": "people", "fields": [
                {"name": "username", "constraints": {"required": true, "unique": true}}, \(fields.joined(separator: ", "))]}
                """)
    }

    // MARK: Random queries

    private static func value(_ field: FieldName, _ random: inout SeededGenerator) -> String {
        func any(_ values: String...) -> String { values.randomElement(using: &random) ?? "" }
        return switch field.text {
        case "note": any("a", "B", "Ab", "É", "e", "é", "eb", "ß", "SS", "zz")
        case "city": any("Ab É", "aB", "ÉÉ", "bße", "ss B", "e")
        case "age": any("-5", "0", "7", "41", "041", "100", "9223372036854775807")
        case "score": any("-0.5", "1e3", "999", "1.5", "-1e-3", "1000.0", "0")
        case "joined": any("1998-01-15", "0999-12-31", "2024-02-29")
        case "seen": any("2024-02-29T12:00:00Z", "2024-02-29T12:00:00.5Z", "2024-02-29T12:00:00", "2023-01-01T00:00:01")
        case "wakes": any("06:00:00", "06:00:00.25", "06:00:00Z", "23:59:59")
        case "member": any("true", "false")
        case "class": any("0007", "1998", "2024")
        default: any("a1", "B", "bo", "x", "Z9", "é")
        }
    }

    private static func query(
        _ schema: ProfileSchema, _ everyone: [Profile], _ random: inout SeededGenerator
    ) -> ProfileQuery {
        func field() -> FieldName { schema.openFields.randomElement(using: &random)?.name ?? .username }
        var query = ProfileQuery(limit: random.once(in: 4) ? 1_000 : Int.random(in: 1...20, using: &random))
        for _ in 0..<(random.once(in: 3) ? 0 : Int.random(in: 1...2, using: &random)) {
            let field = field()
            let stored = everyone.randomElement(using: &random)?[field]
            let value = stored.flatMap { $0.hasPrefix("~") ? nil : $0 } ?? value(field, &random)
            let part = String(value.dropFirst(Int.random(in: 0...1, using: &random)).prefix(2))
            let comparisons: [Comparison] = [
                .equals(value), .differs(from: value), .hasPrefix(String(value.prefix(1))), .contains(part),
                .contains("~"),
                .contains(["É", "e", "SS", "ß", "B", "b0"].randomElement(using: &random) ?? ""), .isLess(than: value),
                .isAtMost(value), .isGreater(than: value), .isAtLeast(value), .isAbsent, .isPresent,
                .isAny(of: [value, self.value(field, &random)]),
            ]
            query.conditions.append(.init(field, comparisons.randomElement(using: &random) ?? .isPresent))
        }
        if random.once(in: 5) { query.text = ["é", "B", "00", "ss", "1"].randomElement(using: &random) }
        if random.once(in: 5) { query.status = random.once(in: 2) ? .invalid : .unjudged }
        if !random.once(in: 4) {
            // The sort field is often that of a condition, because its index has this order too.
            let name = random.once(in: 3) ? query.conditions.first?.field ?? field() : field()
            var fields = [ProfileQuery.SortField(name, isDescending: random.once(in: 2))]
            while random.once(in: 3) { fields.append(.init(field(), isDescending: random.once(in: 2))) }
            query.order = .fields(Array(fields.prefix(10)))
            if query.text != nil, random.once(in: 2) { query.order = .relevance }
        }
        query.joinsByOr = random.once(in: 3)
        query.isReversed = random.once(in: 2)
        if random.once(in: 3), let profile = everyone.randomElement(using: &random) {
            query.after = query.cursor(at: profile)
        }
        return query
    }

    // MARK: Expected answers

    private static func answer(
        _ query: ProfileQuery, _ everyone: [Profile], _ repository: ProfileRepository
    ) -> [Int64] {
        answer(
            query, from: query.after.flatMap { after in everyone.first { query.cursor(at: $0) == after } }, everyone,
            repository)
    }

    /// The ids of the profiles that a query finds after `start`, or of all of them without `start`.
    private static func answer(
        _ query: ProfileQuery, from start: Profile?, _ everyone: [Profile], _ repository: ProfileRepository
    ) -> [Int64] {
        var sorted = everyone.filter { meets($0, query, repository) || $0.id == start?.id }
            .sorted { isBefore($0, $1, query) }
        if query.isReversed { sorted.reverse() }
        if let start { sorted.removeSubrange(0...(sorted.firstIndex { $0.id == start.id } ?? 0)) }
        return sorted.map(\.id)
    }

    private static func isBefore(_ one: Profile, _ other: Profile, _ query: ProfileQuery) -> Bool {
        var isDescending = false
        switch query.order {
        case nil: return one.id < other.id
        case .relevance:
            let (left, right) = (match(one, query.text ?? ""), match(other, query.text ?? ""))
            return left != right ? left > right : one.id < other.id
        case .fields(let fields):
            for sort in fields {
                isDescending = sort.isDescending
                let rules = one.schema[sort.field]
                switch (one[sort.field], other[sort.field]) {
                case (nil, _?): return false
                case (_?, nil): return true
                case (nil, nil): break
                case (let left?, let right?):
                    let (low, high) = (key(left, rules), key(right, rules))
                    if low != high { return low < high ? !isDescending : isDescending }
                }
            }
        }
        return isDescending ? one.id > other.id : one.id < other.id
    }

    /// The rank of the best value: 4 if it equals the text, 3 if it starts with the text, 2 if a word starts with it, 1
    /// if it contains the text, and 0 otherwise.
    private static func match(_ profile: Profile, _ text: String) -> Int {
        let text = Array(plain(text))
        return profile.fields.map { field in
            let value = Array(plain(field.value ?? ""))
            if value == text { return 4 }
            if value.starts(with: text) { return 3 }
            let places = value.indices.filter { value[$0...].starts(with: text) }
            if places.isEmpty { return 0 }
            func isOfWord(_ index: Int) -> Bool { value[index].isLetter || value[index].isNumber }
            return places.contains { isOfWord($0) && !isOfWord($0 - 1) } ? 2 : 1
        }.max() ?? 0
    }

    /// The sort key of a value. Texts that are not numbers come after the numbers in a field of numbers; then the
    /// number counts, and then the bytes.
    private struct Key: Comparable {
        let isOther: Bool
        let number: Double
        let bytes: [UInt8]

        static func < (left: Key, right: Key) -> Bool {
            if left.isOther != right.isOther { return right.isOther }
            if left.number != right.number { return left.number < right.number }
            return left.bytes.lexicographicallyPrecedes(right.bytes)
        }
    }

    private static func key(_ text: String, _ rules: FieldRules?) -> Key {
        switch rules?.type {
        case .integer, .number:
            let number = Double(text)
            return Key(isOther: number == nil, number: number ?? 0, bytes: number == nil ? Array(text.utf8) : [])
        case .dateTime, .time:
            return Key(
                isOther: false, number: 0, bytes: Array(text.utf8.last == 0x5A ? text.dropLast().utf8 : text.utf8[...]))
        default:
            let isKey = rules?.isPrimaryKey ?? false
            return Key(isOther: false, number: 0, bytes: Array((isKey ? text.lowercased() : text).utf8))
        }
    }

    private static func meets(_ profile: Profile, _ query: ProfileQuery, _ repository: ProfileRepository) -> Bool {
        switch query.status {
        case .invalid where profile.status == .valid: return false
        // The first version had other rules.
        case .unjudged where profile.schemaVersion == repository.rules.inForce.number: return false
        default: break
        }
        if let text = query.text, !profile.fields.contains(where: { contains($0.value, text) }) { return false }
        func isMet(_ condition: ProfileQuery.Condition) -> Bool {
            let rules = profile.schema[condition.field]
            let value = profile[condition.field]
            func order(_ bound: String) -> Int? {
                guard let value, !value.hasPrefix("~") || rules?.type == .string else { return nil }
                let stored = repository.validator.storedForm(of: bound, in: condition.field) ?? bound
                let (left, right) = (key(value, rules), key(stored, rules))
                return left < right ? -1 : right < left ? 1 : 0
            }
            func same(_ wanted: String) -> Bool {
                let stored = repository.validator.storedForm(of: wanted, in: condition.field) ?? wanted
                guard let value else { return false }
                return rules?.isPrimaryKey ?? false
                    ? key(value, rules) == key(stored, rules) : Array(value.utf8) == Array(stored.utf8)
            }
            switch condition.comparison {
            case .equals(let wanted): return same(wanted)
            case .differs(let wanted): return !same(wanted)
            case .isAny(let values): return values.contains(where: same)
            case .hasPrefix(let prefix):
                guard let value else { return false }
                return rules?.isPrimaryKey ?? false
                    ? value.lowercased().hasPrefix(prefix.lowercased()) : value.utf8.starts(with: prefix.utf8)
            case .contains(let text): return contains(value, text)
            case .isLess(let bound): return order(bound).map { $0 < 0 } ?? false
            case .isAtMost(let bound): return order(bound).map { $0 <= 0 } ?? false
            case .isGreater(let bound): return order(bound).map { $0 > 0 } ?? false
            case .isAtLeast(let bound): return order(bound).map { $0 >= 0 } ?? false
            case .isAbsent: return value == nil
            case .isPresent: return value != nil
            }
        }
        guard query.joinsByOr, !query.conditions.isEmpty else { return query.conditions.allSatisfy(isMet) }
        return query.conditions.contains(where: isMet)
    }

    /// Compares without case and accents. `plain` folds only the letters that occur in these profiles.
    private static func contains(_ value: String?, _ text: String) -> Bool {
        value.map { plain($0).contains(plain(text)) } ?? false
    }

    private static func plain(_ text: String) -> String {
        text.lowercased().map { ["é": "e", "ß": "ss"][$0] ?? String($0) }.joined()
    }
}
