import Dispatch
import Platform
import ProfileCore
import ProfileStore
import ProfileTransfer
import Testing
import Watchdog

@Suite(.watched) struct ExportTests {
    static let full = [
        "username": "skboard", "password_hash": ExportedStore.hash, "note": "say \"hi\",\nthen go", "age": "42",
        "score": "1.50", "member": "1", "since": "31/01/2024",
    ]

    @Test func `I13: CSV holds the schema's fields, dates as they may be typed, and hashes only when asked for`()
        async throws
    {
        let store = try await ExportedStore()
        try await store.register(Self.full)
        try await store.register(["username": "ann"])
        #expect(
            try await store.export(as: .csv) == """
                username,note,age,score,member,since
                skboard,"say ""hi"",\nthen go",42,1.5,true,31/01/2024
                ann,,,,,

                """)
        #expect(
            try await store.export(as: .csv, includingHashes: true) == """
                username,note,age,score,member,since,password_hash
                skboard,"say ""hi"",\nthen go",42,1.5,true,31/01/2024,"\(ExportedStore.hash)"
                ann,,,,,,

                """)
    }

    @Test func `I13: JSON is an array of profiles, NDJSON a profile a line, with values of their types`() async throws {
        let store = try await ExportedStore()
        #expect(try await store.export(as: .json) == "[]\n")
        #expect(try await store.export(as: .ndjson) == "")
        try await store.register(Self.full)
        try await store.register(["username": "ann"])
        let first =
            #"{"username":"skboard","note":"say \"hi\",\nthen go","age":42,"score":1.5,"member":true,"since":"31/01/2024""#
        let second = #"{"username":"ann","note":null,"age":null,"score":null,"member":null,"since":null"#
        #expect(try await store.export(as: .json) == "[\n\(first)},\n\(second)}\n]\n")
        #expect(try await store.export(as: .ndjson) == "\(first)}\n\(second)}\n")
        #expect(
            try await store.export(as: .ndjson, includingHashes: true)
                == "\(first),\"password_hash\":\"\(ExportedStore.hash)\"}\n\(second),\"password_hash\":null}\n")
    }

    @Test func `I13: a schema without a password exports no hashes, asked for or not`() async throws {
        let store = try await ExportedStore(
            schema: #"{"fields": [{"name": "username", "constraints": {"required": true, "unique": true}}]}"#)
        try await store.register(["username": "ann"])
        #expect(try await store.export(as: .csv, includingHashes: true) == "username\nann\n")
    }

    @Test func `I13: cells that a spreadsheet would run are prefixed when that is asked for, and then only`()
        async throws
    {
        let store = try await ExportedStore()
        try await store.register(["username": "ann", "note": "=1+1", "age": "-5"])
        #expect(try await store.export(as: .csv, spreadsheetSafe: true).hasSuffix("\nann,'=1+1,'-5,,,\n"))
        #expect(try await store.export(as: .csv).hasSuffix("\nann,=1+1,-5,,,\n"))
    }

    @Test func `I13: each format reads back to the stored values, whatever they are, over several pages`() async throws
    {
        let store = try await ExportedStore()
        var texts = HostileTexts(seed: 13, pieces: HostileTexts.printable)
        var notes: [String: String] = [:]
        for number in 0..<40 {
            // Stored values have no white space around them; every tenth fills a page by itself.
            let note = "'" + texts.next() + String(repeating: "é", count: number % 10 == 9 ? 150_000 : 0) + "."
            notes["user\(number)"] = note
            try await store.register(["username": "user\(number)", "note": note])
        }

        let rows = try cells(of: try await store.export(as: .csv)).dropFirst()
        #expect(rows.map { $0[0] } == (0..<40).map { "user\($0)" })
        #expect(rows.allSatisfy { notes[$0[0]]?.utf8.elementsEqual($0[1].utf8) == true })

        let lines = try await store.export(as: .ndjson).split(separator: "\n").map {
            try JSONValue(parsing: String($0))
        }
        guard case .array(let elements) = try JSONValue(parsing: try await store.export(as: .json)) else {
            Issue.record("no array")
            return
        }
        #expect(lines == elements)
        #expect(lines.count == 40)
        for (number, line) in lines.enumerated() {
            #expect(line["note"] == notes["user\(number)"].map(JSONValue.string))
        }
    }

    @Test func `a descriptor that takes nothing ends the export with the system's error`() async throws {
        let store = try await ExportedStore()
        try await store.register(["username": "ann"])
        let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
        defer { close(full) }
        for format in ExportFormat.allCases {
            await #expect(throws: ExportError.writing(code: ENOSPC)) {
                try await store.repository.export(as: format, to: full)
            }
            await #expect(throws: ExportError.writing(code: EBADF)) {
                try await store.repository.export(as: format, to: -1)
            }
        }
    }

    @Test func `a cancelled export ends`() async throws {
        let store = try await ExportedStore()
        try await store.register(["username": "ann"])
        let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
        defer { close(null) }
        let task = Task {
            await waitUntilCancelled()
            try await store.repository.export(as: .csv, to: null)
        }
        task.cancel()
        await #expect(throws: ExportError.store(.cancelled)) { try await task.value }
    }

    @Test func `an export that waits for its reader holds no read transaction, so it sees what is committed meanwhile`()
        async throws
    {
        let store = try await ExportedStore()
        let note = String(repeating: "n", count: 400_000)
        for number in 0..<4 { try await store.register(["username": "user\(number)", "note": note]) }
        var ends: [Int32] = [0, 0]
        pipe(&ends)
        // A process that another test starts meanwhile would keep the writing end open.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let (reading, writing) = (ends[0], ends[1])
        defer { close(reading) }
        let export = Task {
            defer { close(writing) }
            return try await store.repository.export(as: .csv, to: writing)
        }
        // The first bytes are in the pipe. The pipe holds 64 KiB of a page of 400 KiB, so from now on the export waits
        // for this reader.
        #expect(await Self.byteCount(of: reading, atMost: 1) == 1)
        try await store.register(["username": "late"])
        while await Self.byteCount(of: reading, atMost: 1 << 16) > 0 {}
        #expect(try await export.value == 5)
    }

    /// Reads on a thread that may block. Tasks share few threads, and the export needs one of them.
    private static func byteCount(of descriptor: Int32, atMost most: Int) async -> Int {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                var buffer = [UInt8](repeating: 0, count: most)
                continuation.resume(returning: read(descriptor, &buffer, most))
            }
        }
    }
}
