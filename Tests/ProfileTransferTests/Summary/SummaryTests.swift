import Platform
import ProfileCore
import ProfileStore
import ProfileTesting
import Testing
import Watchdog

@testable import ProfileTransfer

/// Summaries, compared with what the test computes from the values that it stores.
@Suite(.watched) struct SummaryTests {
    private static let schema = """
        {"fields": [
          {"name": "username", "constraints": {"required": true, "unique": true}},
          {"name": "city"},
          {"name": "parcel"},
          {"name": "age", "type": "integer"},
          {"name": "fee", "type": "number"},
          {"name": "born", "type": "date"},
          {"name": "member", "type": "boolean"},
          {"name": "unused"}
        ]}
        """

    private static func rows(_ random: inout SeededGenerator, count: Int) -> [[String: String]] {
        (0..<count).map { number in
            var values = ["username": "user\(number)"]
            if !random.once(in: 4) { values["city"] = ["Łódź", "Bath", "é", "york"].randomElement(using: &random) }
            // The summary compares the first eight bytes at first, which are equal here.
            if !random.once(in: 4) { values["parcel"] = "shipment \(Int.random(in: 0...300, using: &random))" }
            if !random.once(in: 5) { values["age"] = String(Int.random(in: -50...50, using: &random)) }
            if !random.once(in: 5) { values["fee"] = String(Double(Int.random(in: -800...800, using: &random)) / 8) }
            if !random.once(in: 3) { values["born"] = "19\(Int.random(in: 10...99, using: &random))-02-03" }
            if !random.once(in: 3) { values["member"] = random.once(in: 3) ? "true" : "false" }
            return values
        }
    }

    /// The summary of a column of texts, computed in the simplest way.
    private struct Expected {
        let filled: Int
        let counts: [(value: String, count: Int)]
        let lengths: [Int]

        init(_ name: String, _ rows: [[String: String]]) {
            let values = rows.compactMap { $0[name] }.map { Double($0).map(NumberText.canonical) ?? $0 }
            filled = values.count
            counts = Dictionary(grouping: values) { Array($0.utf8) }
                .map { (String(decoding: $0, as: UTF8.self), $1.count) }
            lengths = values.map(\.count)
        }
    }

    @Test func `a summary agrees with the stored values`() async throws {
        var random = SeededGenerator(printingSeedOf: "summaries")
        for round in 0..<rounds(3) {
            let store = try await ExportedStore(schema: Self.schema)
            let rows = Self.rows(&random, count: [0, 1, 400][round % 3])
            for row in rows { try await store.register(row) }
            let summary = try await store.repository.summary(mostValues: 3)
            #expect(summary.profiles == rows.count)
            #expect(summary.fields.map(\.rules.name.text) == store.repository.schema.openFields.map(\.name.text))
            for field in summary.fields {
                let name = field.rules.name.text
                let expected = Expected(name, rows)
                #expect(field.filled == expected.filled, "\(name)")
                #expect(field.distinct.count == expected.counts.count && field.distinct.isExact, "\(name)")
                #expect(field.shortest == expected.lengths.min() && field.longest == expected.lengths.max(), "\(name)")
                let meanLength = Double(expected.lengths.reduce(0, +)) / Double(expected.filled)
                #expect(field.meanLength == (expected.filled > 0 ? meanLength : nil), "\(name)")
                let order = ValueOrder(field.rules)
                let sorted = expected.counts.sorted {
                    $0.count != $1.count
                        ? $0.count > $1.count : order.compare($0.value.utf8Span.span, $1.value.utf8Span.span) < 0
                }
                if name == "username" {
                    #expect(field.frequentValues.isEmpty)
                } else {
                    #expect(field.frequentValues.map(\.value) == sorted.prefix(3).map(\.value), "\(name)")
                    #expect(field.frequentValues.map(\.count) == sorted.prefix(3).map(\.count), "\(name)")
                }
                switch name {
                case "age", "fee":
                    let numbers = rows.compactMap { $0[name].flatMap { Double($0) } }
                    #expect(field.minimum.flatMap { Double($0) } == numbers.min())
                    #expect(field.maximum.flatMap { Double($0) } == numbers.max())
                    // Sums of eighths are exact.
                    #expect(field.mean == (numbers.isEmpty ? nil : numbers.reduce(0, +) / Double(numbers.count)))
                case "member": #expect(field.minimum == nil && field.mean == nil)
                default:
                    let values = expected.counts.map(\.value).sorted {
                        Array($0.utf8).lexicographicallyPrecedes($1.utf8)
                    }
                    #expect(field.minimum == values.first && field.maximum == values.last && field.mean == nil)
                }
            }
        }
    }

    @Test func `a summary of a query and of chosen fields and facts reads only these`() async throws {
        var random = SeededGenerator(printingSeedOf: "summaries of queries")
        let store = try await ExportedStore(schema: Self.schema)
        let rows = Self.rows(&random, count: 60)
        for row in rows { try await store.register(row) }
        let age = FieldName("age")
        let revision = try #require(FieldName.inQuery("_revision"))
        let query = ProfileQuery(
            [ProfileQuery.Condition(age, .isAtLeast("10"))], order: .init(age, isDescending: true))
        let summary = try await store.repository.summary(of: [revision, age], matching: query)
        let found = rows.compactMap { $0["age"].flatMap { Int($0) } }.filter { $0 >= 10 }
        #expect(summary.profiles == found.count)
        #expect(summary.fields.map(\.filled) == [found.count, found.count])
        #expect(summary.fields[0].minimum == (found.isEmpty ? nil : "1"))
        #expect(summary.fields[1].minimum == found.min().map(String.init))
        let error = await #expect(throws: ProfileStoreError.self) {
            try await store.repository.summary(of: [FieldName("nosuch")])
        }
        #expect(error?.code == .invalidQuery)
    }

    @Test func `a table that is full keeps the frequent values, and says what it may have missed`() {
        var random = SeededGenerator(printingSeedOf: "a full table of values")
        var counts: [String: Int] = [:]
        var table = ValueTable(mostEntries: 100, mostBytes: 1 << 20)
        for number in 0..<20_000 {
            // Late values become frequent too: a table that kept the first values would miss them.
            let frequent = number / 5_000 + Int.random(in: 0...1, using: &random)
            let value = random.once(in: 3) ? "frequent \(frequent)" : "\(number)"
            counts[value, default: 0] += 1
            table.add(value)
        }
        #expect(!table.distinct.isExact && table.distinct.count == 100)
        let frequent = table.mostFrequent(5) { ValueOrder.bytes.compare($0, $1) }
        #expect(Set(frequent.map(\.value)) == Set((0...4).map { "frequent \($0)" }))
        for value in frequent {
            let count = counts[value.value] ?? 0
            #expect(value.count <= count && count <= value.count + value.mostMissed, "\(value)")
        }
    }

    @Test func `values that do not fit into the table make the number of distinct values inexact`() {
        var table = ValueTable(mostEntries: 100, mostBytes: 8_192)
        for _ in 0..<3 { table.add(String(repeating: "x", count: 9_000)) }
        table.add("a")
        #expect(!table.distinct.isExact)
        #expect(table.mostFrequent(5) { ValueOrder.bytes.compare($0, $1) }.isEmpty)
    }

    @Test(arguments: [ValueDigest.Key(), .ofEqualHashes])
    func `a table tells apart values that differ in one byte or in their length`(key: ValueDigest.Key) {
        var random = SeededGenerator(printingSeedOf: "similar values")
        var counts: [[UInt8]: Int] = [:]
        for length in 0...40 {
            let value = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
            counts[value, default: 0] += 1
            counts[Array(repeating: 0, count: length), default: 0] += 1
            for index in value.indices {
                var other = value
                other[index] ^= 1 << UInt8.random(in: 0...7, using: &random)
                counts[other, default: 0] += Int.random(in: 1...3, using: &random)
            }
        }
        let values = counts.flatMap { Array(repeating: $0, count: $1) }.shuffled(using: &random)
        var table = ValueTable(mostEntries: 10_000, mostBytes: 1 << 20, key: key)
        for first in stride(from: 0, to: values.count, by: 100) {
            var digests = (first..<min(first + 100, values.count)).map { row in
                let value = values[row]
                return ValueDigest(value.span, row: row, key: key)
            }
            let isASCII = digests.map(\.isASCII)
            #expect(isASCII == digests.map { values[$0.row].allSatisfy { $0 < 0x80 } })
            table.countKnown(&digests)
            for digest in digests {
                let value = values[digest.row]
                table.add(value.span, digest)
            }
        }
        #expect(table.distinct.count == counts.count && table.distinct.isExact)
        let frequent = table.mostFrequent(.max) { ValueOrder.bytes.compare($0, $1) }
        #expect(frequent.map(\.count) == counts.values.sorted(by: >))
        #expect(frequent.map(\.count).reduce(0, +) == values.count)
    }

    @Test func `the hashes of values spread over all slots`() {
        let key = ValueDigest.Key()
        var slots = Array(repeating: 0, count: 1 << 12)
        var parts: Set<UInt64> = []
        for number in 0..<4 << 12 {
            let hash = ValueDigest("user\(number)".utf8Span.span, row: 0, key: key).hash
            slots[Int(hash & 0xFFF)] += 1
            parts.insert(hash >> 49)
        }
        // On average, a slot has 4. For 6,000 keys, the most in a slot were 21, and the fewest parts were 12,743.
        #expect(slots.allSatisfy { $0 < 40 })
        #expect(parts.count > 10_000)
    }
}

extension ValueTable {
    fileprivate mutating func add(_ value: String) {
        add(value.utf8Span.span, ValueDigest(value.utf8Span.span, row: 0, key: key))
    }
}
