import Platform
import ProfileCore
import ProfileStore
import ProfileTransfer
import StoreFixtures
import Testing
import Watchdog

/// Files of rejected rows: reading them, and writing the rows that remain.
@Suite(.watched) struct RejectedRowFileTests {
    private let schema: ProfileSchema

    init() throws {
        schema = try ProfileSchema(
            parsing: """
                {"fields": [
                  {"name": "username", "constraints": {"required": true, "unique": true}},
                  {"name": "fee", "type": "number", "decimalChar": ","},
                  {"name": "password", "profiles": {"secret": true}}]}
                """)
    }

    /// A file with a byte order mark, a column that is not a field, empty cells, and a row with too few cells.
    private static let text = """
        \u{FEFF}Login;fee;password;hobby;_line;_issues
        ann;x;;chess;7;"fee: bad_format (Fee should be a number); password: too_short (Too short)"
        "b;b";;;;9;
        cid;1

        """

    private let options = importOptions {
        $0.columns = ["Login": "username"]
        $0.ignoresUnknownColumns = true
    }

    @discardableResult
    private func opened<Value>(
        _ text: String, _ body: (RejectedRowFile) async throws -> Value
    ) async throws -> Value {
        let descriptor = try unnamedFile(Array(text.utf8))
        defer { close(descriptor) }
        let input = ImportInput(descriptor: descriptor, name: "rejects.csv", byteCount: UInt64(text.utf8.count))
        return try await body(RejectedRowFile(input, schema: schema, options: options))
    }

    private func copy(
        _ file: RejectedRowFile, without dropped: RangeSet<Int> = RangeSet(),
        corrected: RejectedRowFile.CorrectedRow? = nil
    ) async throws -> (count: Int, text: String) {
        let rest = try unnamedFile()
        defer { close(rest) }
        let count = try await file.copy(to: rest, without: dropped, corrected: corrected)
        return (count, String(decoding: importedBytes(of: rest), as: UTF8.self))
    }

    @Test func `N9: a rejected row has its values, its original line and the reason for its rejection`() async throws {
        try await opened(Self.text) { file async throws in
            #expect(try await file.count() == 3)
            let rows = try await file.rows()
            let fee: FieldName = "fee"
            let ann = try #require(try await rows.next())
            #expect((ann.number, ann.line) == (1, 7))
            #expect(ann.values == [.username: "ann", fee: "x"])
            #expect(ann.wasRejected(for: fee) && ann.wasRejected(for: .password) && !ann.wasRejected(for: .username))
            let bob = try #require(try await rows.next())
            #expect(bob.values == [.username: "b;b", fee: nil])
            #expect(bob.line == 9 && bob.reason == "" && !bob.isUnreadable)
            let cid = try #require(try await rows.next())
            #expect(cid.isUnreadable && cid.values.isEmpty && cid.line == 4)
            #expect(try await rows.next() == nil)
        }
    }

    @Test func `N9: a row with a wrong number of cells shows all its cells, unless one may be a secret`() async throws {
        let text = "Login;fee;_line;_issues\nann;1;2;3;7;row: bad_row (x)\nbob;8;row: bad_row (y)\n"
        try await opened(text) { file async throws in
            let rows = try await file.rows()
            let ann = try #require(try await rows.next())
            #expect(ann.isUnreadable && ann.values.isEmpty && ann.cells == ["ann", "1", "2", "3"])
            #expect(ann.line == 7 && ann.reason == "row: bad_row (x)")
            #expect(try await rows.next()?.cells == ["bob"])
            let profile = try ProfileValidator(schema).validate(
                ProfileDraft(["username": "ann"]), on: .latest)
            #expect(
                try await copy(file, corrected: .init(number: 1, profile: profile)).text.contains("\nann;;7;\n"))
        }
        try await opened("Login;password;_line;_issues\nann;Sesame0pen;x;7;row: bad_row (x)\n") {
            file async throws in
            let ann = try #require(try await file.rows().next())
            #expect(ann.isUnreadable && ann.cells.isEmpty && ann.line == 7)
        }
    }

    @Test func `N9: the remaining rows are written unchanged, however often the file is read`() async throws {
        try await opened(Self.text) { file async throws in
            let rows = try await file.rows()
            _ = try await rows.next()
            #expect(try await copy(file) == (3, Self.text))
            var dropped = RangeSet<Int>()
            dropped.insert(contentsOf: 1..<2)
            dropped.insert(contentsOf: 3..<4)
            let lines = Self.text.split(separator: "\n")
            #expect(try await copy(file, without: dropped) == (1, "\(lines[0])\n\(lines[2])\n"))
            // The iteration that had begun continues with its next row.
            #expect(try await rows.next()?.number == 2)
        }
    }

    @Test(arguments: [false, true])
    func `N9: a file that another program shortens between two readings keeps its rows`(
        wasReadableAgain: Bool
    ) async throws {
        let descriptor = try unnamedFile(Array(Self.text.utf8))
        defer { close(descriptor) }
        var input = ImportInput(descriptor: descriptor, name: "rejects.csv", byteCount: UInt64(Self.text.utf8.count))
        if wasReadableAgain { input = try input.readableAgain(keptIn: "/tmp") }
        let file = try RejectedRowFile(input, schema: schema, options: options)
        #expect(try await file.count() == 3)
        #expect(ftruncate(descriptor, 20) == 0)
        #expect(try await copy(file).count == 3)
    }

    @Test(
        "N9: a file that could not be written back unchanged is refused",
        arguments: [
            ("Login;fee\nann;1\n", .noIssues), ("Login;fee;_line\nann;1;2\n", .noIssues),
            ("Login;_line;_issues\nann;1;\n\"b\"b;2;\n", .unreadable(line: 3)),
            ("Login;_line;_issues\nann;1;\n\(String(repeating: "b", count: 3 << 20));2;\n", .unreadable(line: 3)),
        ] as [(String, RejectedRowFault)])
    func refused(text: String, fault: RejectedRowFault) async throws {
        try await opened(text) { file async throws in
            await #expect(throws: ImportError.notRejectedRows(fault)) { try await file.count() }
        }
    }

    @Test func `N9: a row near the size limit of a record is read although its issues exceed the limit`() async throws {
        let hobby = String(repeating: "b", count: (1 << 20) - 10)
        try await opened("Login;hobby;_line;_issues\nann;\(hobby);2;fee: bad_format (Fee should be a number)\n") {
            file async throws in
            #expect(try await file.count() == 1)
            #expect(try await copy(file).text.utf8.count > 1 << 20)
        }
    }

    @Test func `N9: a corrected row is written with the typed values, without the secret`() async throws {
        let draft = ProfileDraft(["username": "a;nn", "fee": "1,50", "password": "aK8oio"])
        let profile = try ProfileValidator(schema).validate(draft, on: .latest)
        try await opened(Self.text) { file async throws in
            let lines = Self.text.split(separator: "\n")
            #expect(try await file.rows().next()?.holdsSecret == false)
            let typed = try await copy(file, corrected: .init(number: 1, profile: profile)).text.split(separator: "\n")
            let issues = "fee: bad_format (Fee should be a number); password: too_short (Too short)"
            #expect(typed == [lines[0], "\"a;nn\";1,5;;chess;7;\"\(issues)\"", lines[2], lines[3]])
            // The row has too few cells, so their columns are unknown, and no cell is kept.
            #expect(
                try await copy(file, corrected: .init(number: 3, profile: profile)).text.split(separator: "\n").last
                    == "\"a;nn\";1,5;;;4;")
        }
        let brought = Self.text.replacing("ann;x;;", with: "ann;x;Sesame0pen;")
        try await opened(brought) { file async throws in
            #expect(try await file.rows().next()?.holdsSecret == true)
            #expect(try await !copy(file, corrected: .init(number: 1, profile: profile)).text.contains("Sesame0pen"))
        }
    }

    @Test func `N9: rejected rows are read from a sequence and written to a sink`() async throws {
        let source = ChunkSource(Array(Self.text.utf8), sizes: Array(repeating: 7, count: 20))
        let file = try RejectedRowFile(ImportInput(source.chunks, name: "x"), schema: schema, options: options)
        let rows = try await file.rows()
        #expect(try await rows.next()?.number == 1)
        #expect(try await file.count() == 3)
        let gathered = GatheredBytes()
        #expect(try await file.copy(to: gathered.sink, without: RangeSet()) == 3)
        #expect(gathered.text == Self.text)
        // The iteration that had begun continues with its next row.
        #expect(try await rows.next()?.number == 2)
        #expect(source.iterators == 1)
        let error = await #expect(throws: ImportError.self) {
            try await file.copy(to: ChunkSink { _ in throw StreamBroke() }, without: RangeSet())
        }
        guard case .writingToSink = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `N9: reading from a silent sequence waits until the task is cancelled`() async throws {
        let (nothing, giving) = AsyncStream.makeStream(of: [UInt8].self)
        let file = try RejectedRowFile(ImportInput(nothing, name: "x"), schema: schema, options: ImportOptions())
        let task = Task { try await file.count() }
        task.cancel()
        await #expect(throws: ImportError.store(.cancelled)) { try await task.value }
        giving.finish()
    }
}
