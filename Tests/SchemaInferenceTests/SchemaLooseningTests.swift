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
    private func loosening(of first: String, by second: String) async throws -> (ProfileSchema, SchemaLoosening) {
        let schema = try #require(try await inferring(first).schema)
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

    /// Cells of one kind, as a column of a file has them, and some of another.
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

    @Test func `N12: what is loosened accepts the stored rows and the file, and is never stricter`() async throws {
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
