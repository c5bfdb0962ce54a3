import ProfileCore
import ProfileStore
import ProfileTesting
import ProfileTransfer
import Testing
import Watchdog

/// Comparisons of two sides that the test makes from one set of rows by known changes.
@Suite(.watched) struct ProfileComparisonTests {
    private static let schema = """
        {"fields": [
          {"name": "username", "constraints": {"required": true, "unique": true}},
          {"name": "password", "profiles": {"secret": true}},
          {"name": "city"},
          {"name": "age", "type": "integer"},
          {"name": "fee", "type": "number", "decimalChar": ","},
          {"name": "since", "type": "date", "profiles": {"formats": ["dd/MM/yyyy"]}}
        ]}
        """
    private static let fields = ["city", "age", "fee", "since"]

    /// The values of a field: the stored form, and the form in which a file has it.
    private static let values: [String: [(stored: String, typed: String)]] = [
        "city": [("Łódź", "Łódź"), ("a, b", "\"a, b\""), ("say \"hi\"", "\"say \"\"hi\"\"\""), ("x\ny", "\"x\ny\"")],
        "age": [("3", "003"), ("-40", "-40"), ("7", " 7 ")],
        "fee": [("1.5", "\"1,50\""), ("2", "\"2,0\""), ("-0.25", "\"-0,25\"")],
        "since": [("2024-02-29", "29/02/2024"), ("1999-12-01", "01/12/1999")],
    ]

    /// For each key, the position of the value of each field; nil without a value.
    private typealias Rows = [String: [Int?]]

    private static func row(_ random: inout SeededGenerator) -> [Int?] {
        fields.map { name in
            random.once(in: 4) ? nil : Int.random(in: 0..<(values[name]?.count ?? 1), using: &random)
        }
    }

    private static func file(_ rows: Rows, shuffledBy random: inout SeededGenerator) -> ImportInput {
        var columns = ["username"] + fields
        columns.shuffle(using: &random)
        var text = columns.joined(separator: ",") + "\n"
        for (key, row) in rows.sorted(by: { $0.key < $1.key }).shuffled(using: &random) {
            let cells = columns.map { column in
                guard let field = fields.firstIndex(of: column) else { return key }
                return row[field].flatMap { values[column]?[$0].typed } ?? ""
            }
            text += cells.joined(separator: ",") + "\n"
        }
        return ImportInput(bytes: Array(text.utf8), name: "rows.csv")
    }

    private static func store(_ rows: Rows) async throws -> ExportedStore {
        let store = try await ExportedStore(schema: schema)
        for (key, row) in rows.sorted(by: { $0.key < $1.key }) {
            var draft = ["username": key]
            for (field, value) in zip(fields, row) {
                draft[field] = value.flatMap { values[field]?[$0].stored }
            }
            draft["since"] = row[3].flatMap { values["since"]?[$0].typed }
            draft["fee"] = draft["fee"]?.replacing(".", with: ",")
            try await store.register(draft)
        }
        return store
    }

    private static func changes(from old: [Int?]?, to new: [Int?]?) -> [String] {
        fields.indices.compactMap { index in
            func text(_ row: [Int?]?) -> String? { row?[index].flatMap { values[fields[index]]?[$0].stored } }
            return text(old) == text(new) ? nil : "\(fields[index]): \(text(old) ?? "nil") to \(text(new) ?? "nil")"
        }
    }

    private static func lines(of comparison: ProfileComparison) throws -> [String] {
        var lines: [String] = []
        while let difference = try comparison.next() {
            let values = difference.values.map { "\($0.field): \($0.before ?? "nil") to \($0.after ?? "nil")" }
            lines.append("\(difference.kind.rawValue) \(difference.key) \(values)")
        }
        return lines
    }

    @Test func `a comparison finds exactly the changes that were made, in files and in stores`() async throws {
        var random = SeededGenerator(printingSeedOf: "comparisons")
        for _ in 0..<rounds(6) {
            var first: Rows = [:]
            for number in 0..<Int.random(in: 0...60, using: &random) { first["user\(number)"] = Self.row(&random) }
            var second = first
            for key in first.keys.sorted() where random.once(in: 4) {
                second[key] = random.once(in: 3) ? nil : Self.row(&random)
            }
            for number in 0..<Int.random(in: 0...5, using: &random) { second["new\(number)"] = Self.row(&random) }
            var expected: [String] = []
            for key in Set(first.keys).union(second.keys).sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
                let changes = Self.changes(from: first[key], to: second[key])
                switch (first[key], second[key]) {
                case (nil, _): expected.append("added \(key) \(changes)")
                case (_, nil): expected.append("removed \(key) \(changes)")
                default: if !changes.isEmpty { expected.append("changed \(key) \(changes)") }
                }
            }
            let one = try await Self.store(first)
            let other = try await Self.store(second)
            let rules = one.repository.schema
            for (left, right) in [
                (.store(one.repository), .store(other.repository)),
                (.store(one.repository), .file(Self.file(second, shuffledBy: &random), rules: rules)),
                (.file(Self.file(first, shuffledBy: &random), rules: rules), .store(other.repository)),
                (
                    .file(Self.file(first, shuffledBy: &random), rules: rules),
                    .file(Self.file(second, shuffledBy: &random), rules: rules)
                ),
            ] as [(ProfileComparison.Source, ProfileComparison.Source)] {
                let comparison = try await ProfileComparison(left, right)
                #expect(try Self.lines(of: comparison) == expected)
                #expect(comparison.counts.differences == expected.count)
                #expect(comparison.counts.added + comparison.counts.changed + comparison.counts.equal == second.count)
                #expect(comparison.first.unreadRows == 0 && comparison.second.repeatedKeys == 0)
            }
        }
    }

    @Test func `a value that breaks the rules is compared as it is written`() async throws {
        let store = try await ExportedStore(schema: Self.schema)
        try await store.register(["username": "ann", "age": "5", "city": "Bath"])
        try await store.register(["username": "bob", "age": "6"])
        let text = "username,age,city,password,shoe\nANN,five,Bath,x,43\nbob,06,,y,44\nbob,7,,z,1\n,8,,,\neve,9\n"
        let comparison = try await ProfileComparison(
            .store(store.repository),
            .file(ImportInput(bytes: Array(text.utf8), name: "f"), rules: store.repository.schema))
        #expect(try Self.lines(of: comparison) == ["changed ANN [\"age: 5 to five\"]"])
        #expect(comparison.fields.map(\.text) == ["city", "age"])
        #expect(comparison.first.otherFields.map(\.text) == ["fee", "since"])
        #expect(comparison.second.ignoredColumns == ["password", "shoe"])
        #expect(comparison.second.repeatedKeys == 1)
        #expect(comparison.second.unreadRows == 2 && comparison.second.unreadLines == [5, 6])
        #expect(comparison.counts.equal == 1)
    }
}
