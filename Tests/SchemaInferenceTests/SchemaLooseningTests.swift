import ProfileCore
import ProfileStore
import ProfileTesting
import ProfileTransfer
import SchemaInference
import StoreFixtures
import Testing
import Watchdog

@Suite(.watched) struct SchemaLooseningTests {
    /// The rules that a second file needs, if a store was made for the first.
    private func loosening(
        of first: String, by second: String, key: KeySource? = nil
    ) async throws -> (ProfileSchema, SchemaLoosening) {
        let schema = try #require(try await inferring(first) { $0.key = key }.schema)
        let loosening = try await SchemaLoosening(
            of: schema, by: ImportInput(bytes: Array(second.utf8), name: "second.csv"),
            proposal: try await inferring(second), today: .latest, options: ImportOptions())
        return (schema, loosening)
    }

    private func report(_ text: String, by schema: ProfileSchema) async throws -> ImportReport {
        var options = ImportOptions()
        options.ignoresUnknownColumns = true
        return try await ProfileImporter(schema: schema, today: .latest, options: options).run(Array(text.utf8))
    }

    /// A column of cells of one kind, with some cells of another kind.
    private struct RandomColumn {
        let kind: Int
        let other: Int

        init(using random: inout SeededGenerator) {
            kind = Int.random(in: 0..<Self.kinds, using: &random)
            other = random.once(in: 3) ? Int.random(in: 0..<Self.kinds, using: &random) : kind
        }

        private static let kinds = 12

        func cell(using random: inout SeededGenerator) -> String {
            switch random.once(in: 8) ? other : kind {
            case 0: "\(Int.random(in: -50...50, using: &random))"
            case 1: "\(Int.random(in: 1...99, using: &random)).\(Int.random(in: 1...99, using: &random))"
            case 2: "\"\(Int.random(in: 1...99, using: &random)),5\""
            case 3: "2024-0\(Int.random(in: 1...9, using: &random))-1\(Int.random(in: 0...9, using: &random))"
            case 4: "1\(Int.random(in: 0...9, using: &random)).0\(Int.random(in: 1...9, using: &random)).2024"
            case 5: random.one(of: ["red", "green", "blue"])
            case 6: random.one(of: ["yes", "no"])
            case 7: random.one(of: ["ja", "nein"])
            case 8: random.one(of: ["NA", "", "-"])
            case 9: "A\(random.digits(4))"
            case 10: "word \(random.digits(2))  of é"
            default: "\(random.digits(2)):\(Int.random(in: 10...59, using: &random))"
            }
        }
    }

    private func file(_ columns: [RandomColumn], from key: Int, using random: inout SeededGenerator) -> String {
        var text = "id," + columns.indices.map { "c\($0)" }.joined(separator: ",") + "\n"
        for row in 0..<Int.random(in: 1...40, using: &random) {
            text += "k\(key + row)," + columns.map { $0.cell(using: &random) }.joined(separator: ",") + "\n"
        }
        return text
    }

    @Test func `N12: numbers in another unit are refused, and loosened rules make the column text`() async throws {
        func file(_ unit: String) -> String {
            "id,price\n" + (1...20).map { "\(unit)\($0),\(unit)\($0)\n" }.joined()
        }
        let (schema, loosening) = try await loosening(of: file("$"), by: file("€"))
        #expect(schema["price"]?.unit == "$")
        #expect(loosening.broken.map(\.field) == ["price"] && loosening.broken.first?.count == 20)
        #expect(loosening.schema["price"]?.type == .string)
        #expect(try await report(file("€"), by: schema).rejected == 20)
        #expect(try await report(file("€"), by: loosening.schema).rejected == 0)
    }

    @Test(
        "N12: values that keys are made of keep their stored form",
        arguments: [KeySource.columns(["site", "price"]), .content])
    func keys(of key: KeySource) async throws {
        let first = "site,price,count,note\nrome,1.50 €,1,a\noslo,2.00 €,2,b\nbonn,3.00 €,3,c\n"
        let second = "site,price,count,note\noslo,7 $,2,b\nrome,1.50 €,1,a\nparis,4.00 €,1.5,a longer note\n"
        let (schema, loosening) = try await loosening(of: first, by: second, key: key)
        #expect(loosening.schema["price"] == schema["price"] && schema["price"]?.type == .number)
        #expect(loosening.broken.filter(\.isOfKey).map(\.field) == ["price"], "\(loosening.broken)")
        // Other rules are loosened. A number has the same stored form as the integer that it replaces.
        #expect(schema["count"]?.type == .integer && loosening.schema["count"]?.type == .number)
        #expect(loosening.keptForms == [])
        var options = ProfileRepository.Options()
        options.initialSchema = schema
        let repository = try await ProfileRepository.openInMemory(options: options)
        _ = try await ProfileImporter(repository: repository).run(Array(first.utf8))
        try await repository.rules.adopt(loosening.schema)
        var skipping = ImportOptions()
        skipping.duplicates = .skip
        let again = try await ProfileImporter(repository: repository, options: skipping).run(Array(first.utf8))
        #expect(again.outcomes == [0, 0, 3, 0])
    }

    @Test func `N12: a mask of a key stays, and a row without a key breaks a rule that stays`() async throws {
        let schema = try ProfileSchema(
            parsing: """
                {"profiles": {"key": ["phone", "day"]}, "fields": [
                  {"name": "username", "constraints": {"required": true, "unique": true}},
                  {"name": "phone", "profiles": {"mask": "####-####"}}, {"name": "day"}
                ]}
                """)
        let text = "phone,day\n7876-1241,a\n787612,b\n,c\n7876-1241,a\n"
        let loosening = try await SchemaLoosening(
            of: schema, by: ImportInput(bytes: Array(text.utf8), name: "second.csv"),
            proposal: try await inferring(text) { $0.key = .rowNumber }, today: .latest, options: ImportOptions())
        #expect(loosening.schema == schema)
        #expect(loosening.broken.allSatisfy { $0.isOfKey })
        #expect(
            Set(loosening.broken.map { "\($0.field) \($0.code.rawValue)" })
                == ["phone too_short", "phone required", "username duplicate"], "\(loosening.broken)")
    }

    @Test func `N12: for a field that becomes text, the result names a value that keeps its stored form`()
        async throws
    {
        let (_, loosening) = try await loosening(
            of: "id,area\na,\"85,5 m²\"\nb,\"70,0 m²\"\nc,\"60,5 m²\"\n", by: "id,area\nd,\"85,5 m²\"\ne,large\n")
        #expect(loosening.schema["area"]?.type == .string)
        let form = try #require(loosening.keptForms.first)
        #expect(loosening.keptForms.count == 1 && form.field == "area")
        #expect(form.written == "85,5 m²" && form.stored == "85.5")
    }

    @Test func `N12: loosened rules accept the stored rows and the file, and are never stricter`() async throws {
        var seeds = SeededGenerator(printingSeedOf: "loosening")
        var loosened = 0
        for _ in 0..<rounds(200) {
            let seed = seeds.next()
            var random = SeededGenerator(seed: seed)
            let first = file((0..<3).map { _ in RandomColumn(using: &random) }, from: 10_000, using: &random)
            let second = file((0..<3).map { _ in RandomColumn(using: &random) }, from: 20_000, using: &random)
            let comment: Comment = "seed \(seed)\n\(first)\n\(second)"
            let (schema, loosening) = try await loosening(of: first, by: second)
            let document = loosening.schema.document()
            #expect(try ProfileSchema(parsing: document) == loosening.schema, comment)
            #expect(loosening.schema.primaryKey.name == schema.primaryKey.name, comment)
            let accepted = try await report(second, by: loosening.schema)
            #expect(accepted.rejected == 0, "\(accepted.lines.prefix(3)) \(document) \(comment)")
            var options = ProfileRepository.Options()
            options.initialSchema = schema
            let repository = try await ProfileRepository.openInMemory(options: options)
            _ = try await ProfileImporter(repository: repository).run(Array(first.utf8))
            try await repository.rules.adopt(loosening.schema)
            #expect(try await repository.rules.revalidate(all: true).invalid == 0, "\(document) \(comment)")
            if loosening.schema != schema { loosened += 1 } else { #expect(loosening.broken.isEmpty, comment) }
        }
        #expect(loosened > 50)
    }
}
