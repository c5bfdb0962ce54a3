import ProfileCore
import ProfileStore
import ProfileTesting
import Testing
import Watchdog

@testable import ProfileTransfer

/// Groups and pairs of duplicates in known rows, compared with a simple computation.
@Suite(.watched) struct ProfileDuplicatesTests {
    private static let schema = """
        {"fields": [
          {"name": "username", "constraints": {"required": true, "unique": true}},
          {"name": "password", "profiles": {"secret": true}},
          {"name": "first_name"},
          {"name": "last_name"},
          {"name": "phone"},
          {"name": "age", "type": "integer"}
        ]}
        """

    private static func names(_ texts: String...) -> [FieldName] { texts.compactMap { FieldName($0) } }

    private static func groups(of duplicates: ProfileDuplicates) throws -> [[String]] {
        var groups: [[String]] = []
        while let group = try duplicates.nextGroup() {
            #expect(group.count == group.members.count)
            groups.append(group.members.map(\.key))
        }
        return groups
    }

    private static func pairs(of duplicates: ProfileDuplicates) throws -> [String] {
        var pairs: [String] = []
        while let pair = try duplicates.nextPair() {
            pairs.append("\(pair.first.key) \(pair.second.key) \(pair.distance)")
        }
        return pairs
    }

    @Test func `groups are equal apart from case, accents, spaces and punctuation`() async throws {
        let store = try await ExportedStore(schema: Self.schema)
        for (name, phone, age) in [
            ("Łódź", "7876-1241", "5"), ("LODZ", "78761241", "5"), ("lo dz.", "7876 1241", "6"),
            ("Bath", "7876-1242", nil),
            ("ba-th", "(7876) 1242", nil), ("York", nil, "-5"), ("york", nil, "5"), ("-", "-", nil), ("!", "?", nil),
        ] as [(String, String?, String?)] {
            let number = try await store.repository.count() + 1
            var values = ["username": "u\(number)", "last_name": name]
            values["phone"] = phone
            values["age"] = age
            try await store.register(values)
        }
        let repository = store.repository
        #expect(
            try Self.groups(of: await repository.duplicates(by: Self.names("phone"))) == [
                ["u1", "u2", "u3"], ["u4", "u5"],
            ])
        #expect(
            try Self.groups(of: await repository.duplicates(by: Self.names("phone", "age"))) == [["u1", "u2"]])
        #expect(try Self.groups(of: await repository.duplicates()) == [["u4", "u5"], ["u1", "u2"]])
        let age = FieldName("age")
        let young = ProfileQuery([ProfileQuery.Condition(age, .isAtMost("5"))], order: .init(age, isDescending: true))
        #expect(
            try Self.groups(of: await repository.duplicates(by: Self.names("phone"), matching: young)) == [
                ["u1", "u2"]
            ])
        let none = try await repository.duplicates(by: [])
        #expect(try none.nextGroup() == nil && none.nextPair() == nil)
        let error = await #expect(throws: ComparisonError.self) {
            try await repository.duplicates(by: Self.names("password"))
        }
        guard case .store(let refusal, _)? = error else { throw UnreadableRecord(line: 0) }
        #expect(refusal.code == .invalidQuery)
    }

    @Test func `groups are those that a dictionary of the plain values has`() async throws {
        var random = SeededGenerator(printingSeedOf: "groups of duplicates")
        let store = try await ExportedStore(schema: Self.schema)
        var expected: [String: [String]] = [:]
        for number in 0..<150 {
            let letters = (0..<2).map { _ in String("aáÁbB".randomElement(using: &random) ?? "a") }
            let phone = letters.joined(separator: ["", " ", "-", "’"].randomElement(using: &random) ?? "")
            try await store.register(["username": "u\(number)", "phone": phone])
            let plain = letters.joined().lowercased().replacing("á", with: "a")
            expected[plain, default: []].append("u\(number)")
        }
        let found = try Self.groups(of: await store.repository.duplicates(by: Self.names("phone")))
        #expect(found == expected.sorted { $0.key < $1.key }.map(\.value).filter { $0.count > 1 })
    }

    @Test func `names with a typing error, exchanged words or other accents are pairs`() async throws {
        let store = try await ExportedStore(schema: Self.schema)
        for (first, last) in [
            ("Anna", "Smith"), ("Anna", "Smyth"), ("Smith", "ANNA"), ("Jan", "Li"), ("Jon", "Li"), ("Al", "Li"),
            ("Ed", "Li"),
            ("Zoë", "O’Neil"), ("Zoe", "Oneil"), ("Bertolt", "Brechtmann"), ("Betrolt", "Brechtman"),
            ("Other", "Person"),
        ] {
            let number = try await store.repository.count() + 1
            try await store.register(["username": "u\(number)", "first_name": first, "last_name": last])
        }
        let duplicates = try await store.repository.duplicates(
            by: [], similarNames: Self.names("first_name", "last_name"))
        #expect(
            try Self.pairs(of: duplicates) == [
                "u1 u3 0", "u2 u3 1", "u4 u5 1", "u8 u9 0", "u10 u11 2",
            ])
    }

    @Test func `pairs among many names are really similar, and most typing errors are found`() async throws {
        var random = SeededGenerator(printingSeedOf: "similar names")
        let store = try await ExportedStore(schema: Self.schema)
        let letters = Array("abcdefghijklmnopqrstuvwxyz")
        var names: [String: String] = [:]
        var mistyped: Set<String> = []
        func register(_ name: String) async throws -> String {
            let key = "u\(names.count)"
            names[key] = name
            try await store.register(["username": key, "last_name": name])
            return key
        }
        for number in 0..<300 {
            var name = (0..<10).map { _ in letters.randomElement(using: &random) ?? "x" }
            let key = try await register(String(name))
            guard number % 10 == 0 else { continue }
            let place = Int.random(in: 0..<name.count, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: name.remove(at: place)
            case 1: name.insert(letters.randomElement(using: &random) ?? "x", at: place)
            case 2: name[place] = letters.randomElement(using: &random) ?? "x"
            default: name.swapAt(place, max(0, place - 1))
            }
            mistyped.insert("\(key) \(try await register(String(name)))")
        }
        let duplicates = try await store.repository.duplicates(by: [], similarNames: Self.names("last_name"))
        var found: Set<String> = []
        while let pair = try duplicates.nextPair() {
            let distance = Self.distance(names[pair.first.key] ?? "", names[pair.second.key] ?? "")
            #expect(distance == pair.distance && distance <= 1, "\(pair)")
            found.insert("\(pair.first.key) \(pair.second.key)")
        }
        // An error in the middle may be missed if many names are alike around it.
        #expect(found.intersection(mistyped).count >= mistyped.count - 1, "\(mistyped.subtracting(found))")
    }

    /// The edit distance, computed from its definition with a full table.
    private static func distance(_ one: String, _ other: String) -> Int {
        let (one, other) = (Array(one), Array(other))
        var table = Array(repeating: Array(repeating: 0, count: other.count + 1), count: one.count + 1)
        for row in 0...one.count { table[row][0] = row }
        for column in 0...other.count { table[0][column] = column }
        guard !one.isEmpty, !other.isEmpty else { return max(one.count, other.count) }
        for row in 1...one.count {
            for column in 1...other.count {
                let isSame = one[row - 1] == other[column - 1]
                var distance = min(
                    table[row - 1][column] + 1, table[row][column - 1] + 1,
                    table[row - 1][column - 1] + (isSame ? 0 : 1))
                if row > 1, column > 1, one[row - 1] == other[column - 2], one[row - 2] == other[column - 1] {
                    distance = min(distance, table[row - 2][column - 2] + 1)
                }
                table[row][column] = distance
            }
        }
        return table[one.count][other.count]
    }

    @Test func `an edit distance equals the one from its definition, or is nil above the limit`() {
        var random = SeededGenerator(printingSeedOf: "edit distances")
        var distances = EditDistance()
        for _ in 0..<rounds(3_000) {
            let texts = (0..<2).map { _ in
                String(
                    (0..<Int.random(in: 0...7, using: &random)).map { _ in "abc".randomElement(using: &random) ?? "a" })
            }
            let expected = Self.distance(texts[0], texts[1])
            for limit in 0...4 {
                let scalars = texts.map { $0.unicodeScalars.map(\.value) }
                #expect(
                    distances.between(scalars[0], scalars[1], atMost: limit) == (expected <= limit ? expected : nil),
                    "\(texts) \(limit)")
            }
        }
    }
}
