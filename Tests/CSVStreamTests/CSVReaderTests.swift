import CSVStream
import Platform
import Testing
import Watchdog

@Suite("I1: what a CSV input may look like", .watched)
struct CSVReaderTests {
    struct Shape: CustomTestStringConvertible, Sendable {
        let name: String
        let text: String
        let rows: [[String]]
        let lines: [Int]
        var testDescription: String { name }
    }

    static let shapes = [
        Shape(name: "LF", text: "a,b\n1,2\n", rows: [["a", "b"], ["1", "2"]], lines: [1, 2]),
        Shape(name: "CR LF", text: "a,b\r\n1,2\r\n", rows: [["a", "b"], ["1", "2"]], lines: [1, 2]),
        Shape(name: "CR", text: "a,b\r1,2\r", rows: [["a", "b"], ["1", "2"]], lines: [1, 2]),
        Shape(
            name: "all line ends mixed", text: "a\r\nb\rc\nd", rows: [["a"], ["b"], ["c"], ["d"]],
            lines: [1, 2, 3, 4]),
        Shape(name: "LF CR is two", text: "a\n\rb", rows: [["a"], ["b"]], lines: [1, 3]),
        Shape(name: "no last line end", text: "a,b\n1,2", rows: [["a", "b"], ["1", "2"]], lines: [1, 2]),
        Shape(name: "byte order mark", text: "\u{FEFF}a,b\n", rows: [["a", "b"]], lines: [1]),
        Shape(name: "byte order mark before a quote", text: "\u{FEFF}\"a\",b", rows: [["a", "b"]], lines: [1]),
        Shape(name: "blank lines", text: "\n\r\na\n\n\rb\n\n", rows: [["a"], ["b"]], lines: [3, 6]),
        Shape(name: "a line of spaces", text: "a\n  \nb", rows: [["a"], ["  "], ["b"]], lines: [1, 2, 3]),
        Shape(name: "a line of a quoted nothing", text: "a\n\"\"\nb", rows: [["a"], [""], ["b"]], lines: [1, 2, 3]),
        Shape(name: "empty cells", text: ",\n,,\na,", rows: [["", ""], ["", "", ""], ["a", ""]], lines: [1, 2, 3]),
        Shape(name: "quoted delimiter", text: "\"a,b\",c", rows: [["a,b", "c"]], lines: [1]),
        Shape(
            name: "quoted line ends", text: "\"1\n2\r\n3\r4\",x\ny",
            rows: [["1\n2\r\n3\r4", "x"], ["y"]], lines: [1, 5]),
        Shape(name: "a quoted CR at the end", text: "\"1\r\"\ny", rows: [["1\r"], ["y"]], lines: [1, 3]),
        Shape(
            name: "doubled quotes", text: "\"say \"\"hi\"\"\",\"\"\"\",\"\"\"\"\"\"",
            rows: [["say \"hi\"", "\"", "\"\""]], lines: [1]),
        Shape(
            name: "a quote inside is a character", text: "5\" pipe, \"x\"",
            rows: [["5\" pipe", " \"x\""]], lines: [1]),
        Shape(name: "spaces are kept", text: " a , b ", rows: [[" a ", " b "]], lines: [1]),
        Shape(name: "Unicode", text: "naïve,日本,👩🏽‍🚀\n", rows: [["naïve", "日本", "👩🏽‍🚀"]], lines: [1]),
        Shape(name: "nothing", text: "", rows: [], lines: []),
        Shape(name: "a mark and nothing", text: "\u{FEFF}", rows: [], lines: []),
        Shape(name: "line ends alone", text: "\n\r\n\r", rows: [], lines: []),
        Shape(
            name: "cells around a vector's width",
            text: (14...18).map { String(repeating: "x", count: $0) }.joined(separator: ","),
            rows: [(14...18).map { String(repeating: "x", count: $0) }], lines: [1]),
    ]

    @Test func `line breaks in cells are not counted if each record counts as one line`() throws {
        let options = CSVOptions(isLinePerRecord: true)
        let rows = try readAll("a\n\"1\n2\r\n3\"\n\n\"x\n\ny\n", options: options)
        #expect(rows.map(\.line) == [1, 2, 4, 6])
    }

    @Test("I1: line ends, quotes and blank lines, however the bytes arrive", arguments: shapes)
    func shape(_ shape: Shape) throws {
        for chunk in [1, 2, 3, 7, .max] {
            for batchBytes in [1, 5, 1 << 20] {
                let rows = try readAll(shape.text, options: CSVOptions(batchBytes: batchBytes), chunk: chunk)
                #expect(rows.map(\.texts) == shape.rows, "chunk \(chunk), batch \(batchBytes)")
                #expect(rows.map(\.line) == shape.lines, "chunk \(chunk), batch \(batchBytes)")
                #expect(rows.map(\.number) == Array(0..<shape.rows.count))
                #expect(rows.allSatisfy { $0.fault == nil })
            }
        }
    }

    @Test("I1: UTF-16 with a byte order mark reads like UTF-8", arguments: shapes, [false, true])
    func utf16Shape(_ shape: Shape, bigEndian: Bool) throws {
        let text = shape.text.hasPrefix("\u{FEFF}") ? String(shape.text.unicodeScalars.dropFirst()) : shape.text
        for chunk in [1, 3, .max] {
            let rows = try readAll(utf16(text, bigEndian: bigEndian), chunk: chunk)
            #expect(rows.map(\.texts) == shape.rows)
            #expect(rows.map(\.line) == shape.lines)
        }
    }

    @Test("I1: the delimiter is comma, semicolon, tab or bar", arguments: [",", ";", "\t", "|"] as [Character])
    func delimiter(_ delimiter: Character) throws {
        let text = "a\(delimiter)b\n\"1\(delimiter)2\"\(delimiter)3"
        let rows = try readAll(text, options: .separated(by: delimiter))
        #expect(rows.map(\.texts) == [["a", "b"], ["1\(delimiter)2", "3"]])
    }

    @Test(
        "I1: the delimiter is inferred from the first records, and delimiters within quotes do not count",
        arguments: [
            ("a,b,c\n1;2;3;4;5", ","), ("a;b;c\n", ";"), ("a\tb\n", "\t"), ("a|b|c,d", "|"),
            ("\n\r\n\"x,y,z\";b\n", ";"), ("\"a\nb,c,d\"|e", "|"), ("alone\n1,2", ","), ("", ","),
            // If the header could be split by two delimiters, the records decide.
            ("a, b, c;d\n1;2\n3;4\n", ";"), ("a,b;c\n1,2\n", ","), ("a,b\n1;2,3;4\n5;6,7\n", ","),
            // Of two equally good delimiters, the one that is rarer in texts and numbers is chosen.
            ("id;Price, EUR\n1;2,50\n2;3,75\n", ";"), ("name, first\tage\nx, y\t1\n", "\t"),
            // A header that no delimiter splits is one column, even if its values contain delimiters.
            ("full name\nDoe; John\nRoe; Jane\n", ","),
            // Rows that are ragged, broken or one cell longer than the header do not decide.
            ("a,b,c\n1,2,3,\n4,5,6,\n", ","), ("a;b;c\n\"x\"y;1\n1;2;3\ntotal: 5, 6\n", ";"),
            ("\"a;b\",\"c\"\n\"1;2\",\"3\"\n", ","),
        ])
    func automaticDelimiter(_ text: String, _ expected: Character) throws {
        for chunk in [1, .max] {
            var reader = CSVReader(
                options: CSVOptions(delimiter: .automatic(), batchBytes: 4),
                source: .bytes(Array(text.utf8), chunk: chunk))
            var batch = RecordBatch()
            _ = try reader.header(into: &batch)
            #expect(reader.delimiter.byte == expected.asciiValue)
        }
    }

    @Test func `I1: a first line can declare the delimiter in the notation of Excel, and is no record`() throws {
        for end in ["\n", "\r\n", "\r"] {
            let rows = try readAll("sep=;\(end)a,b;c\(end)1;2", options: CSVOptions(delimiter: .automatic()))
            #expect(rows.map(\.texts) == [["a,b", "c"], ["1", "2"]])
            #expect(rows.map(\.line) == [2, 3])
        }
        // The line is no header, even if the options name another delimiter.
        let told = try readAll("sep=;\na,b\n1,2", options: CSVOptions(delimiter: .character(.comma)))
        #expect(told.map(\.texts) == [["a", "b"], ["1", "2"]])
        let plain = try readAll("sep=x,b\n1,2", options: CSVOptions(delimiter: .automatic()))
        #expect(plain.map(\.texts) == [["sep=x", "b"], ["1", "2"]])
    }

    @Test func `a delimiter is an ASCII character without another meaning`() {
        let refused = (UInt8.min...UInt8.max).filter { CSVDelimiter($0) == nil }
        #expect(refused == [0, 10, 13, 34] + Array(0x80...0xFF))
    }

    @Test func `the header is read alone, and the records after it begin with number 1`() throws {
        var reader = CSVReader(source: .bytes(Array("\nname,age\nx,1\ny,2\n".utf8)))
        var batch = RecordBatch()
        #expect(try reader.header(into: &batch))
        #expect(batch.rows == [Row(line: 2, number: 0, cells: [Array("name".utf8), Array("age".utf8)])])
        #expect(try reader.next(into: &batch))
        #expect(batch.rows.map(\.number) == [1, 2])
        #expect(batch.rows.map(\.line) == [3, 4])
        #expect(try !reader.next(into: &batch))
        #expect(batch.records.isEmpty)
        #expect(try !reader.next(into: &batch))
    }

    @Test func `an input without records has no header`() throws {
        var reader = CSVReader(source: .bytes(Array("\n\n".utf8)))
        var batch = RecordBatch()
        #expect(try !reader.header(into: &batch))
        #expect(reader.bytesRead == 2)
    }

    @Test func `a batch holds about as many bytes as asked for, and whole records`() throws {
        let text = (0..<1000).map { "row\($0),x\n" }.joined()
        var reader = CSVReader(options: CSVOptions(batchBytes: 256), source: .bytes(Array(text.utf8)))
        var batch = RecordBatch()
        var total = 0
        while try reader.next(into: &batch) {
            #expect(batch.byteCount <= 256)
            #expect(batch.cellCount == 2 * batch.records.count)
            total += batch.records.count
        }
        #expect(total == 1000)
        #expect(reader.bytesRead == UInt64(text.utf8.count))
    }

    @Test func `a file descriptor is read to its end, and a failed read throws an error with errno`() throws {
        var ends: [CInt] = [0, 0]
        #expect(pipe(&ends) == 0)
        // Otherwise, a process that another test starts would keep the writing end open.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let text = Array("a,b\n1,2\n".utf8)
        #expect(write(ends[1], text, text.count) == text.count)
        close(ends[1])
        #expect(try readAll(.descriptor(ends[0])).map(\.texts) == [["a", "b"], ["1", "2"]])
        close(ends[0])
        #expect(throws: ByteStreamError(operation: .read, code: EBADF)) { try readAll(.descriptor(-1)) }
    }

    @Test func `a reader whose source failed loses no record when it is called again`() throws {
        let text = Array("\u{FEFF}name,age\nxxxx,1\nyyyy,2\n".utf8)
        let whole = try readAll(text)
        let flaky = FlakySource(bytes: text)
        var reader = CSVReader(
            options: CSVOptions(batchBytes: 12),
            source: ByteSource { buffer throws(ByteStreamError) in try flaky.read(into: buffer) })
        var batch = RecordBatch()
        var rows: [Row] = []
        var failures = 0
        var isDone = false
        while !isDone {
            do {
                isDone = try !reader.next(into: &batch)
                rows += batch.rows
            } catch {
                #expect(error.code == EIO)
                #expect(batch.records.isEmpty)
                failures += 1
            }
        }
        #expect(rows == whole)
        #expect(failures == text.count + 1)
    }

    @Test func `I1: a quote inside a cell that is not quoted stands for itself, and its rows are counted`() throws {
        let text = """
            name,note
            ann,"a ""quoted"" word"
            5" pipe,"x"
            "a
            b",y
            ann,"x","y"z"
            6" pipe,7" pipe
            bob, "spaced"
            """
        for chunk in [1, 7, .max] {
            for batchBytes in [1, 40, 1 << 20] {
                let stray = try oddities(text, CSVOptions(batchBytes: batchBytes), chunk: chunk).strayQuotes
                #expect(stray.count == 3 && stray.firstLine == 3, "chunk \(chunk), batch \(batchBytes): \(stray)")
            }
        }
        // The cell is longer than the blocks in which quotes are counted, and has more quotes than one byte can count.
        let many = String(repeating: "\"", count: 9_000)
        #expect(try oddities("a,b\n\"\(many)\",y\n").strayQuotes.count == 0)
        #expect(try oddities("a,b\nx\(many),y\n").strayQuotes.count == 1)
        for length in 0..<40 {
            let cell = String(repeating: "x", count: length)
            #expect(try oddities("a,b\n\(cell),\"\"\n\"z\",\"\"\n").strayQuotes.count == 0)
            #expect(try oddities("a,b\nx\(cell)\",\"z\"\n\"\"\n").strayQuotes.count == 1)
        }
        let long = String(repeating: "x", count: 5_000)
        #expect(try oddities("a,b\n\(long)\"\(long),y\n").strayQuotes.count == 1)
        #expect(try oddities("a,b\n\"\(long)\"\"\(long)\",y\n").strayQuotes.count == 0)
        // The separator before a quoted cell is missing.
        #expect(try oddities("a,b\nx\"y, z\"\n").strayQuotes == oddities("a,b\nx\"\n").strayQuotes)
    }

    @Test func `I1: blank lines are counted between rows, but not before the first or after the last`() throws {
        for chunk in [1, .max] {
            let clean = try oddities("\n\na,b\n\n1,2\n3,4\n\n\n", chunk: chunk)
            #expect(clean.blankLines.count == 0)
            let odd = try oddities("a,b\n1,2\n\r\n\n3,4\n\"x\n\ny\",1\n\n5,6", CSVOptions(batchBytes: 4), chunk: chunk)
            #expect(odd.blankLines.count == 3 && odd.blankLines.firstLine == 3)
        }
    }

    private func oddities(
        _ text: String, _ options: CSVOptions = CSVOptions(), chunk: Int = .max
    ) throws -> (strayQuotes: Occurrences, blankLines: Occurrences) {
        var reader = CSVReader(options: options, source: .bytes(Array(text.utf8), chunk: chunk))
        var batch = RecordBatch()
        var found = (strayQuotes: Occurrences(), blankLines: Occurrences())
        while try reader.next(into: &batch) {
            found.strayQuotes += batch.strayQuotes
            found.blankLines += batch.blankLines
        }
        return found
    }
}
