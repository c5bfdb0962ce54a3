import Platform
import ProfileCore
import ProfileStore
import ProfileTransfer
import StoreFixtures
import Testing
import Watchdog

/// N9: one correction for all rejected rows that have the same wrong value.
@Suite(.watched) struct RejectedRowCorrectionTests {
    private let store: TemporaryStore
    private let schema: ProfileSchema
    private static let day: FieldName = "day"
    private static let town: FieldName = "town"
    private static let correction = RejectedRowFile.Correction(day, from: "1/1/1900", to: "1900-01-01")

    init() throws {
        store = try TemporaryStore()
        schema = try ProfileSchema(
            parsing: """
                {"fields": [
                  {"name": "username", "constraints": {"required": true, "unique": true}},
                  {"name": "day", "type": "date"},
                  {"name": "town", "constraints": {"maxLength": 5}},
                  {"name": "password", "profiles": {"secret": true}}]}
                """)
    }

    private static let text = """
        username;day;town;password;_line;_issues
        ann; 1/1/1900 ;Rome;;2;day: bad_format (x)
        bob;1/1/1900;Lisbon;;3;"day: bad_format (x); town: too_long (x)"
        cid;1/1/1901;1/1/1900;;4;"day: bad_format (x); town: too_long (x)"
        dan;1/1/1900;"a
        b";;5;day: bad_format (x)
        eve;1/1/1900;Rome;Sesame0pen;7;day: bad_format (x)
        fay;1/1/1900;Rome;;8;"password: too_short (x); day: bad_format (x)"
        gus;1/1/1900;9;day: bad_format (x)
        hal;1/1/1900;Rome;;10;day: bad_format (x)

        """

    private func opened<Value>(
        _ text: String, _ options: ImportOptions = ImportOptions(), _ body: (RejectedRowFile) async throws -> Value
    ) async throws -> Value {
        let input = ImportInput(bytes: Array(text.utf8), name: "rejects.csv")
        return try await body(RejectedRowFile(input, schema: schema, options: options))
    }

    private func copy(_ file: RejectedRowFile, without dropped: RangeSet<Int> = RangeSet()) async throws -> String {
        let gathered = GatheredBytes()
        _ = try await file.copy(to: gathered.sink, without: dropped)
        return gathered.text
    }

    @Test func `N9: only the cells of the field that have the wrong value change`() async throws {
        try await opened(Self.text) { file async throws in
            #expect(try await file.count(of: Self.correction, without: RangeSet()) == 6)
            #expect(try await file.count(of: Self.correction, without: RangeSet(1..<3)) == 4)
            #expect(try await file.count(of: .init(Self.day, from: "1/1/190", to: "x"), without: RangeSet()) == 0)
            #expect(try await file.count(of: .init(.password, from: "Sesame0pen", to: "x"), without: RangeSet()) == 0)
            #expect(try await file.count(of: .init("other", from: "1/1/1900", to: "x"), without: RangeSet()) == 0)
            let corrected = file.correcting(Self.correction)
            let expected = Self.text.replacing(" 1/1/1900 ;Rome", with: "1900-01-01;Rome")
                .replacing(/(bob|dan|eve|fay|hal);1\/1\/1900/) { "\($0.output.1);1900-01-01" }
            #expect(try await copy(corrected) == expected)
            // Without a correction the cells stay as they are.
            let unchanged = Self.text.replacing(" 1/1/1900 ", with: "\" 1/1/1900 \"")
            #expect(try await copy(file) == unchanged)
            let rows = try await corrected.rows()
            #expect(try await rows.next()?.values[Self.day] == "1900-01-01")
            // A row that was read before gets the same value.
            let row = try #require(try await file.rows().next())
            #expect(row.correcting(corrected.corrections).values[Self.day] == "1900-01-01")
            #expect(row.correcting([.init(Self.day, from: "1/1/1900", to: "")]).values[Self.day] == .some(nil))
        }
    }

    @Test func `N9: corrections follow each other, and each counts only its own rows`() async throws {
        try await opened(Self.text) { file async throws in
            let corrected = file.correcting(Self.correction)
            #expect(try await corrected.count(of: Self.correction, without: RangeSet()) == 0)
            let town = RejectedRowFile.Correction(Self.town, from: "Rome", to: "")
            #expect(try await corrected.count(of: town, without: RangeSet()) == 4)
            let next = RejectedRowFile.Correction(Self.day, from: "1900-01-01", to: "1901-01-01")
            #expect(try await corrected.count(of: next, without: RangeSet()) == 6)
            let both = try await copy(corrected.correcting(town).correcting(next))
            #expect(both.contains("\nann;1901-01-01;;;2;") && both.contains("\nbob;1901-01-01;Lisbon;;3;"))
        }
    }

    @Test func `N9: the rows that are valid after a correction are stored, except those that need a password`()
        async throws
    {
        let repository = try await store.open(schema: schema)
        _ = try await repository.register(ProfileDraft(["username": "hal"]))
        try await opened(Self.text) { file async throws in
            let stored = await file.store(Self.correction, without: RangeSet(), in: repository)
            #expect(stored.failure == nil && stored.stored == 2 && stored.skipped == 0)
            // ann and dan.
            #expect(stored.numbers == RangeSet([1..<2, 4..<5]))
            #expect(try await repository.usernames() == ["hal", "ann", "dan"])
            #expect(try await repository.profile(username: "dan")?[Self.town] == "a\nb")
        }
        var options = ImportOptions()
        options.duplicates = .skip
        try await opened(Self.text, options) { file async throws in
            let stored = await file.store(Self.correction, without: RangeSet(), in: repository)
            #expect((stored.stored, stored.skipped) == (0, 3))
            #expect(stored.numbers == RangeSet([1..<2, 4..<5, 8..<9]))
        }
        options.duplicates = .update
        try await opened(Self.text, options) { file async throws in
            let stored = await file.store(Self.correction, without: RangeSet(1..<2), in: repository)
            #expect((stored.stored, stored.skipped) == (1, 1))
            #expect(try await repository.profile(username: "hal")?[Self.day] == "1900-01-01")
        }
        await repository.close()
    }

    @Test func `N9: without a required column, no row is stored, and an error of the store is reported`() async throws {
        let repository = try await store.open(schema: .standard)
        let text = "username;birthday;_line;_issues\nann;x;2;birthday: bad_date (x)\n"
        let file = try RejectedRowFile(
            ImportInput(bytes: Array(text.utf8), name: "rejects.csv"), schema: .standard, options: ImportOptions())
        let correction = RejectedRowFile.Correction(.birthday, from: "x", to: "1990-01-01")
        #expect(try await file.count(of: correction, without: RangeSet()) == 1)
        let stored = await file.store(correction, without: RangeSet(), in: repository)
        #expect(stored.failure == nil && stored.numbers.isEmpty && stored.stored == 0)
        await repository.close()
        let other = try TemporaryStore()
        let closed = try await other.open(schema: schema)
        await closed.close()
        try await opened(Self.text) { file async throws in
            let stored = await file.store(Self.correction, without: RangeSet(), in: closed)
            #expect(stored.failure == .store(.closed))
            #expect(stored.numbers.isEmpty && stored.stored == 0)
        }
    }

    @Test func `N9: 100,000 rows are stored in one pass, and the other rows stay in the file`() async throws {
        let repository = try await store.open(schema: schema)
        let rows = (1...100_000).map { "u\($0);1/1/1900;\($0 % 1_000 == 0 ? "Lisbon" : "Rome");;\($0);\n" }
        let text = "username;day;town;password;_line;_issues\n" + rows.joined()
        try await opened(text) { file async throws in
            let stored = await file.store(Self.correction, without: RangeSet(1..<2), in: repository)
            #expect(stored.failure == nil && stored.stored == 99_899)
            let kept = [1, 1_000, 99_999].map { stored.numbers.contains($0) }
            #expect(kept == [false, false, true])
            let left = try await copy(file.correcting(Self.correction), without: stored.numbers)
            #expect(left.split(separator: "\n").count == 1 + 1 + 100)
        }
        #expect(try await repository.count() == 99_899)
        await repository.close()
    }
}
