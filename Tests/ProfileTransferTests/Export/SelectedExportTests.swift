import CSVStream
import Platform
import ProfileCore
import ProfileStore
import ProfileTesting
import Testing
import Watchdog

@testable import ProfileTransfer

/// Exports of chosen profiles and columns. What an engine finds with the same query is the expected result.
@Suite(.watched) struct SelectedExportTests {
    static let schema = """
        {"fields": [
          {"name": "username", "constraints": {"required": true, "unique": true}},
          {"name": "city", "profiles": {"indexed": true}},
          {"name": "age", "type": "integer"},
          {"name": "fee", "type": "number"},
          {"name": "born", "type": "date"},
          {"name": "seen", "type": "datetime"},
          {"name": "member", "type": "boolean"}
        ]}
        """

    private static func filled(_ random: inout SeededGenerator, count: Int) async throws -> ExportedStore {
        let store = try await ExportedStore(schema: schema)
        for number in 0..<count {
            var values = ["username": "\(["ann", "Bob", "éva"].randomElement(using: &random) ?? "")\(number)"]
            if !random.once(in: 4) {
                values["city"] = ["Łódź", "lodz", "Bath", "a|b", "two\nlines", "42"].randomElement(using: &random)
            }
            if !random.once(in: 4) { values["age"] = String(Int.random(in: -20...20, using: &random)) }
            if !random.once(in: 4) {
                values["fee"] = ["1.5", "-0.25", "1e300", "12", "3", "0"].randomElement(using: &random)
            }
            if !random.once(in: 3) { values["born"] = "19\(Int.random(in: 10...99, using: &random))-02-03" }
            if !random.once(in: 3) {
                let time = "10:00:00" + (random.once(in: 2) ? "Z" : "")
                values["seen"] = "2024-01-0\(Int.random(in: 1...9, using: &random))T\(time)"
            }
            if !random.once(in: 3) { values["member"] = random.once(in: 2) ? "true" : "false" }
            try await store.register(values)
        }
        return store
    }

    private static let values: [String: [String]] = [
        "username": ["ann3", "ANN3", "b", "éva1"], "city": ["lodz", "Bath", "a", "5"], "age": ["3", "-4", "0"],
        "fee": ["1.5", "0", "13"], "born": ["1950-02-03", "1999-01-01"], "seen": ["2024-01-05T10:00:00"],
        "member": ["true"], "_id": ["7", "30"], "_created_at": ["2026-01-01", "2020-01-01"], "_status": ["valid"],
        "_revision": ["1"],
    ]

    private static func query(_ random: inout SeededGenerator) throws -> ProfileQuery {
        func name(_ text: String) throws -> FieldName { try #require(FieldName.inQuery(text)) }
        var conditions: [ProfileQuery.Condition] = []
        for _ in 0..<Int.random(in: 0...2, using: &random) {
            let field = values.keys.sorted().randomElement(using: &random) ?? ""
            let value = values[field]?.randomElement(using: &random) ?? ""
            let comparisons: [ProfileQuery.Comparison] = [
                .equals(value), .differs(from: value), .isLess(than: value), .isAtMost(value),
                .isGreater(than: value), .isAtLeast(value), .isAny(of: values[field] ?? []), .isAbsent, .isPresent,
                .contains(value), .hasPrefix(value),
            ]
            conditions.append(
                ProfileQuery.Condition(try name(field), comparisons.randomElement(using: &random) ?? .isPresent))
        }
        let text = random.once(in: 4) ? ["od", "1", "ann", "o"].randomElement(using: &random) : nil
        var order: ProfileQuery.Order?
        if text != nil, random.once(in: 2) {
            order = .relevance
        } else if !random.once(in: 3) {
            order = .fields(
                try values.keys.sorted().shuffled(using: &random).prefix(Int.random(in: 1...3, using: &random)).map {
                    ProfileQuery.SortField(try name($0), isDescending: random.once(in: 2))
                })
        }
        return ProfileQuery(
            conditions, joinsByOr: random.once(in: 3), text: text, order: order, isReversed: random.once(in: 5))
    }

    @Test func `R8: an export of a query has what the query finds, in its order`() async throws {
        var random = SeededGenerator(printingSeedOf: "exports of queries")
        let store = try await Self.filled(&random, count: 80)
        let names = Self.values.keys.sorted().filter { $0 != "_schema_version" }
        for _ in 0..<rounds(60) {
            let query = try Self.query(&random)
            var columns = names.shuffled(using: &random)
            columns.removeLast(Int.random(in: 0..<columns.count, using: &random))
            let fields = try columns.map { try #require(FieldName.inQuery($0)) }
            var expected = [columns]
            for try await profile in store.repository.all(query) {
                expected.append(fields.map { profile.text(of: $0) ?? "" })
            }
            let export = store.repository.export(matching: query, columns: fields, as: .csv)
            let text = String(decoding: try await gather(export).joined(), as: UTF8.self)
            #expect(try cells(of: text) == expected, "\(query) \(columns)")
        }
    }

    @Test func `R8: the ids of a query are those of its profiles, and an export of ids has these profiles`()
        async throws
    {
        var random = SeededGenerator(printingSeedOf: "ids of queries")
        let store = try await Self.filled(&random, count: 80)
        for _ in 0..<rounds(40) {
            var query = try Self.query(&random)
            var found: [Profile] = []
            for try await profile in store.repository.all(query) { found.append(profile) }
            let ids = try await store.repository.ids(matching: query, atMost: 80)
            #expect(ids == Set(found.map(\.id)), "\(query)")
            if found.count > 3 {
                #expect(try await store.repository.ids(matching: query, atMost: found.count - 1) == nil)
            }
            let chosen = Set(found.map(\.id).shuffled(using: &random).prefix(found.count / 2))
            query.conditions = []
            let path = store.directory + "/export"
            let descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
            defer { close(descriptor) }
            let count = try await store.repository.export(
                matching: query, ids: chosen, columns: [#require(FieldName.inQuery("_id"))], as: .csv, to: descriptor)
            #expect(count == chosen.count)
            let lines = String(decoding: bytes(of: descriptor), as: UTF8.self).split(separator: "\n").dropFirst()
            #expect(lines.compactMap { Int64($0) } == found.map(\.id).filter(chosen.contains), "\(query)")
        }
    }

    @Test func `a sorted export that does not fit into memory is merged from sorted runs`() throws {
        var random = SeededGenerator(printingSeedOf: "sorted runs")
        for memory in [1, 300, 5_000, 1 << 20] {
            let sorter = RecordSorter(in: "/tmp", memory: memory)
            var records: [[UInt8]] = []
            for number in 0..<400 {
                let key = random.bytes(0..<12) + Array("\(number)".utf8)
                records.append(key)
                try sorter.add(key: key, Array("of \(key)".utf8))
            }
            try sorter.finish()
            var sorted: [[UInt8]] = []
            while let record = try sorter.next() {
                sorted.append(record.key)
                #expect(record.contents == Array("of \(record.key)".utf8))
            }
            #expect(sorted == records.sorted { $0.lexicographicallyPrecedes($1) }, "\(memory) bytes")
            #expect(try sorter.next() == nil)
        }
    }

    @Test func `a folder in which no temporary file can be made is an error`() throws {
        let sorter = RecordSorter(in: "/nonexistent", memory: 100)
        let error = #expect(throws: ByteStreamError.self) {
            for _ in 0..<100 { try sorter.add(key: [1], [2]) }
        }
        #expect(error?.code == ENOENT)
    }

    @Test func `an export of chosen columns and hashes imports back`() async throws {
        let store = try await ExportedStore()
        try await store.register(ExportTests.full)
        try await store.register(["username": "ann", "note": "b"])
        let columns = ["username", "note"].compactMap { FieldName($0) }
        for query in [ProfileQuery(), ProfileQuery(order: .init(columns[1], isDescending: true))] {
            let export = store.repository.export(matching: query, columns: columns, as: .tsv, includingHashes: true)
            let text = String(decoding: try await gather(export).joined(), as: UTF8.self)
            #expect(
                text == """
                    username\tnote\tpassword_hash
                    skboard\t"say ""hi"",\nthen go"\t\(ExportedStore.hash)
                    ann\tb\t

                    """)
        }
    }

    @Test func `a Markdown table shows each value unchanged, and has a line for each profile`() async throws {
        let store = try await ExportedStore()
        try await store.register(["username": "a_b_", "note": "x | *y*\n<b> \\ `z` _u_", "age": "-3"])
        try await store.register(["username": "ann"])
        let columns = ["username", "age", "note", "_id"].compactMap { FieldName.inQuery($0) }
        let export = store.repository.export(matching: ProfileQuery(), columns: columns, as: .markdown)
        let text = String(decoding: try await gather(export).joined(), as: UTF8.self)
        #expect(
            text == #"""
                | username | age | note | \_id |
                | --- | ---: | --- | ---: |
                | a_b\_ | -3 | x \| \*y\*<br>\<b\> \\ \`z\` \_u\_ | 1 |
                | ann |  |  | 2 |

                """#)
    }

    @Test func `a query or a column that the rules do not know is refused before the first chunk`() async throws {
        let store = try await ExportedStore()
        let unknown = FieldName("nosuch")
        let secret = FieldName("password")
        for columns in [[unknown], [secret]] {
            let error = await #expect(throws: ProfileStoreError.self) {
                try await gather(store.repository.export(matching: ProfileQuery(), columns: columns, as: .csv))
            }
            #expect(error?.code == .invalidQuery)
        }
        let query = ProfileQuery([ProfileQuery.Condition(unknown, .isPresent)])
        let error = await #expect(throws: ProfileStoreError.self) {
            try await gather(store.repository.export(matching: query, as: .csv))
        }
        #expect(error?.code == .invalidQuery)
    }
}
