internal import ProfileTesting
internal import Testing

/// A file with one defect, as real files have. The defects are those of the Pollock benchmark (Vitagliano, Hameed,
/// Jiang, Reisener, Wu and Naumann, "Pollock: A Data Loading Benchmark", 2023) and more.
package struct PollutedFile: Sendable, CustomTestStringConvertible {
    /// The defect.
    package let name: String
    package let bytes: [UInt8]
    /// The rows that a correct import stores.
    package var rows = CleanTable.rows
    /// The expected outcome of an import, in the notation of `PollutedFileTests`.
    package let expected: String

    package var testDescription: String { name }
}

/// The table that polluted files are made of.
package enum CleanTable {
    package static let header = ["username", "full_name", "phone", "birthday", "level", "city"]

    package static let schema = """
        {"name": "polluted", "fields": [
          {"name": "username", "constraints": {"required": true, "unique": true, "pattern": "u[0-9]{4}"}},
          {"name": "full_name", "constraints": {"required": true}},
          {"name": "phone", "constraints": {"required": true}, "profiles": {"mask": "###-###-####"}},
          {"name": "birthday", "type": "date"},
          {"name": "level", "type": "integer"},
          {"name": "city"}
        ]}
        """

    /// The same fields, which take any text.
    package static let permissiveSchema = """
        {"name": "permissive", "fields": [
          {"name": "username", "constraints": {"required": true, "unique": true}}, {"name": "full_name"},
          {"name": "phone"}, {"name": "birthday"}, {"name": "level"}, {"name": "city"}
        ]}
        """

    /// Thirty rows; every third has an accent, every fifth a quoted comma, every tenth quotes, every seventh no birthday.
    package static let rows: [[String]] = {
        var random = SeededGenerator(seed: 23)
        let names = ["Ann Lee", "Bo Smith", "Cy Young", "Di Ng"]
        return (1...30).map { number in
            let digits = String(Int.random(in: 1_000_000_000...9_999_999_999, using: &random))
            let phone = "\(digits.prefix(3))-\(digits.dropFirst(3).prefix(3))-\(digits.suffix(4))"
            let name = (number % 3 == 0 ? "Zoë " : "") + (names.randomElement(using: &random) ?? "")
            let birthday = number % 7 == 0 ? "" : "19\(60 + number)-0\(number % 9 + 1)-11"
            let city = number % 5 == 0 ? "Porto, Norte" : number % 2 == 0 ? "Oslo" : "Rome"
            return [
                "u\(1000 + number)", number % 10 == 0 ? "\(name) \"Red\" X." : name, phone, birthday, String(number),
                city,
            ]
        }
    }()

    package static var records: [[String]] { [header] + rows }
}

extension PollutedFile {
    private init(_ name: String, _ text: String, _ expected: String) {
        self.init(name: name, bytes: Array(text.utf8), expected: expected)
    }

    /// The clean file with another city in one row. The expected rows contain this city.
    private init(_ name: String, city: String, inRow number: Int, written: String? = nil, _ expected: String) {
        var rows = CleanTable.rows
        rows[number - 1][5] = city
        var lines = ([CleanTable.header] + rows).map { CSVText.line($0) }
        if let written { lines[number] = CSVText.line(Array(rows[number - 1][..<5])) + "," + written }
        self.init(name: name, bytes: Array(lines.map { $0 + "\n" }.joined().utf8), rows: rows, expected: expected)
    }

    private static let all30 = "30 right"
    private static let clean = CSVText.lines(CleanTable.records)

    /// The text of the clean file after `change` has changed its lines.
    private static func lines(_ change: (inout [String]) -> Void) -> String {
        var lines = CleanTable.records.map { CSVText.line($0) }
        change(&lines)
        return lines.map { $0 + "\n" }.joined()
    }

    /// The clean file with one row's cells changed.
    private static func row(_ number: Int, _ change: (inout [String]) -> Void) -> String {
        var records = CleanTable.records
        change(&records[number])
        return CSVText.lines(records)
    }

    package static let all = delimiters + quotes + rowEnds + encodings + headers + rows + tables + otherForms

    // MARK: Delimiters

    private static let delimiters: [PollutedFile] = {
        var files = [";", "\t", "|"].map { separated(by: $0, all30) }
        files += [" ", ":", "~", "::"].map { separated(by: $0, "refused: no known columns") }
        files.append(separated(by: "||", "refused: unknown columns"))
        let spaced = CleanTable.records.map { $0.map { CSVText.line([$0]) }.joined(separator: ", ") + "\n" }.joined()
        files.append(
            PollutedFile(
                "a space after every comma", spaced, "24 right, 6 rejected: bad_row 6; stray_quotes 6 in line 6"))
        let declared = "sep=;\n" + CSVText.lines(CleanTable.records, separator: ";")
        files.append(PollutedFile("a line that names the delimiter", declared, all30))
        return files
    }()

    private static func separated(by mark: String, _ expected: String) -> PollutedFile {
        let text = CSVText.lines(CleanTable.records, separator: mark)
        return PollutedFile("cells separated by \(mark.debugDescription)", text, expected)
    }

    // MARK: Quotes and escapes

    private static let quotes: [PollutedFile] = [
        PollutedFile("every cell in quotes", CSVText.lines(CleanTable.records, quotesAll: true), all30),
        PollutedFile(
            "apostrophes for quotes",
            CleanTable.records.map { $0.map { "'\($0)'" }.joined(separator: ",") + "\n" }.joined(),
            "refused: no known columns"),
        PollutedFile(
            "apostrophes for quotes under a plain header",
            lines { lines in
                lines = [lines[0]] + CleanTable.rows.map { $0.map { "'\($0)'" }.joined(separator: ",") }
            },
            "0 right, 30 rejected: bad_format 24, bad_format 24, bad_format 24, pattern_mismatch 24, bad_row 6; "
                + "stray_quotes 3 in line 11; other_quotes 6 in line 2"),
        PollutedFile(
            "quotes escaped by a backslash",
            CleanTable.records.map { record in
                record.map { "\"\($0.replacing("\"", with: "\\\""))\"" }.joined(separator: ",") + "\n"
            }.joined(), "27 right, 3 rejected: bad_row 3"),
        PollutedFile(
            "commas escaped by a backslash",
            CleanTable.records.map { record in
                record.map { $0.replacing(",", with: "\\,").replacing("\"", with: "'") }.joined(separator: ",") + "\n"
            }.joined(), "24 right, 6 rejected: bad_row 6"),
        PollutedFile(
            "quotes that are not doubled", lines { $0[10] = $0[10].replacing("\"\"", with: "\"") },
            "29 right, 1 rejected: bad_row 1"),
        PollutedFile("a quote that is never closed", lines { $0[4] = "\"" + $0[4] }, "29 right, 1 rejected: bad_row 1"),
        PollutedFile(
            "a quote too many behind a cell", lines { $0[5] = $0[5] + "\"" }, "29 right, 1 rejected: bad_row 1"),
        PollutedFile(
            "a quote inside a cell", city: "5\" Oslo", inRow: 4, written: "5\" Oslo",
            "30 right; stray_quotes 1 in line 5"),
        PollutedFile(
            "no comma before a quoted cell", lines { $0[5] = $0[5].replacing(",\"Porto", with: "\"Porto") },
            "29 right, 1 rejected: bad_format 1; stray_quotes 1 in line 6"),
        PollutedFile(
            "cells as a spreadsheet's formulas", lines { $0[3] = $0[3].replacing("u1003", with: "=\"u1003\"") },
            "29 right, 1 rejected: pattern_mismatch 1; stray_quotes 1 in line 4"),
        PollutedFile("line ends inside quotes", city: "New\nYork\r\n\nCity", inRow: 2, all30),
    ]

    // MARK: Ends of rows

    private static let rowEnds: [PollutedFile] = [
        PollutedFile("rows that end with CR LF", CSVText.lines(CleanTable.records, lineEnd: "\r\n"), all30),
        PollutedFile("rows that end with CR", CSVText.lines(CleanTable.records, lineEnd: "\r"), all30),
        PollutedFile(
            "rows that end with CR CR LF", CSVText.lines(CleanTable.records, lineEnd: "\r\r\n"),
            "30 right; blank_lines 29 in line 4"),
        PollutedFile(
            "rows that end with LF CR", CSVText.lines(CleanTable.records, lineEnd: "\n\r"),
            "30 right; blank_lines 29 in line 4"),
        PollutedFile("no end of the last row", String(clean.dropLast()), all30),
        PollutedFile("two ends of the last row", clean + "\n", all30),
        PollutedFile("many blank lines around", "\n\r\n" + clean + "\n\n\n", all30),
        PollutedFile("a blank line between rows", lines { $0.insert("", at: 7) }, "30 right; blank_lines 1 in line 8"),
        PollutedFile("a row that does not end", lines { $0[3] += $0.remove(at: 4) }, "28 right, 1 rejected: bad_row 1"),
        PollutedFile("a Ctrl-Z at the end, as of DOS", clean + "\u{1A}", "30 right, 1 rejected: bad_row 1"),
        PollutedFile(
            "a file cut in the middle of a row", String(clean.dropLast(12)), "29 right, 1 rejected: unclosed_quote 1"),
        PollutedFile(
            "vertical tabs and form feeds", row(2) { $0[5] = "Os\u{0B}l\u{0C}o" },
            "29 right, 1 rejected: bad_character 1"),
    ]

    // MARK: Encodings

    private static let encodings: [PollutedFile] = [
        PollutedFile("a byte order mark", "\u{FEFF}" + clean, all30),
        PollutedFile(name: "UTF-16 with a mark", bytes: utf16([0xFEFF] + Array(clean.utf16)), expected: all30),
        PollutedFile(
            name: "UTF-32 with a mark", bytes: utf32(littleEndian: true, "\u{FEFF}" + clean), expected: all30),
        PollutedFile(
            name: "UTF-32 with a mark, the high byte first", bytes: utf32(littleEndian: false, "\u{FEFF}" + clean),
            expected: all30),
        PollutedFile(
            name: "UTF-16 without a mark", bytes: utf16(Array(clean.utf16)), expected: "refused: looks like utf16_le"),
        PollutedFile(name: "Latin-1", bytes: latin1(clean), expected: "30 right; guessed_encoding windows-1252"),
        PollutedFile(
            name: "UTF-8 with one row of Latin-1", bytes: mixed(2), expected: "29 right, 1 rejected: bad_encoding 1"),
        PollutedFile(
            name: "a NUL in a cell", bytes: Array(row(2) { $0[5] = "Os\0lo" }.utf8),
            expected: "29 right, 1 rejected: bad_row 1"),
        PollutedFile(
            "two files joined, both with a mark", "\u{FEFF}" + lines { $0[11] = "\u{FEFF}" + $0[0] },
            "29 right, 1 rejected: bad_row 1"),
    ]

    private static func utf32(littleEndian: Bool, _ text: String) -> [UInt8] {
        text.unicodeScalars.flatMap { scalar in
            let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: scalar.value >> $0) }
            return littleEndian ? bytes.reversed() : bytes
        }
    }

    private static func utf16(_ units: [UInt16]) -> [UInt8] {
        units.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
    }

    private static func latin1(_ text: String) -> [UInt8] {
        text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    }

    /// One row with an accent in Latin-1, the others in UTF-8.
    private static func mixed(_ row: Int) -> [UInt8] {
        CleanTable.records.enumerated().flatMap { index, record in
            let line = CSVText.line(index == row ? [record[0], "Bjö"] + record[2...] : record) + "\n"
            return index == row ? latin1(line) : Array(line.utf8)
        }
    }

    // MARK: Headers

    private static let headers: [PollutedFile] = [
        PollutedFile("no header", lines { $0.removeFirst() }, "refused: no known columns"),
        PollutedFile("a header and nothing else", lines { $0.removeSubrange(1...) }, "0 right"),
        PollutedFile("a header and one row", lines { $0.removeSubrange(2...) }, "1 right"),
        PollutedFile("the header twice", lines { $0.insert($0[0], at: 1) }, "30 right, 1 rejected: bad_row 1"),
        PollutedFile(
            "the header again further on", lines { $0.insert($0[0], at: 12) }, "30 right, 1 rejected: bad_row 1"),
        PollutedFile(
            "a header over two lines", lines { $0.insert("(key),(given and family),(US),(ISO),,", at: 1) },
            "30 right, 1 rejected: bad_format 1, bad_format 1, pattern_mismatch 1; unlike_first_rows 1 in line 2"),
        PollutedFile(
            "a header over three lines",
            lines { $0.insert(contentsOf: ["key,,,,,", "(id),both,(US),ISO,0 to 30,EU"], at: 1) },
            "30 right, 2 rejected: pattern_mismatch 2, bad_format 1, required 1, bad_format 1, bad_format 1, required 1; "
                + "unlike_first_rows 2 in line 2"),
        PollutedFile(
            "groups of columns above the header", lines { $0.insert("Person,,Contact,,,", at: 0) },
            "30 right; lines_above_header 2"),
        PollutedFile(
            "a line end in a header's cell", lines { $0[0] = $0[0].replacing("city", with: "\"ci\nty\"") },
            "refused: unknown columns"),
        PollutedFile(
            "a column without a name", lines { $0[0] = $0[0].replacing("city", with: "") }, "refused: unknown columns"),
        PollutedFile(
            "two columns of one name", lines { $0[0] = $0[0].replacing("city", with: "level") }, "refused: column twice"
        ),
        PollutedFile(
            "a header that lacks a column", lines { $0[0] = $0[0].replacing(",city", with: "") },
            "0 right, 30 rejected: bad_row 30"),
        PollutedFile(
            "a header in capitals, with spaces", lines { $0[0] = " User Name ,FULL NAME,Phone, Birthday,LEVEL,City " },
            all30),
        PollutedFile("a header in quotes", lines { $0[0] = CSVText.line(CleanTable.header, quotesAll: true) }, all30),
    ]

    // MARK: Rows

    private static let rows: [PollutedFile] = [
        PollutedFile("a row with a cell less", row(6) { $0.removeLast() }, "29 right, 1 rejected: bad_row 1"),
        PollutedFile("a row with a cell more", row(6) { $0.append("x") }, "29 right, 1 rejected: bad_row 1"),
        PollutedFile(
            "a comma behind every row", lines { for index in 1..<$0.count { $0[index] += "," } },
            "0 right, 30 rejected: bad_row 30"),
        PollutedFile(
            "a row of commas", lines { $0.insert(",,,,,", at: 9) },
            "30 right, 1 rejected: required 1, required 1, required 1"),
        PollutedFile(
            "a comment", lines { $0.insert("# checked until here", at: 9) }, "30 right, 1 rejected: bad_row 1"),
        PollutedFile("zeros before a number", row(6) { $0[4] = "006" }, "30 right; leading_zeros level 1 in line 7"),
        PollutedFile("a row twice", lines { $0.append($0[3]) }, "30 right, 1 rejected: duplicate 1"),
    ]

    // MARK: Tables

    private static let tables: [PollutedFile] = [
        PollutedFile(
            "a title above the table", lines { $0.insert(contentsOf: ["Members of 2024", ""], at: 0) },
            "30 right; lines_above_header 3"),
        PollutedFile(
            "a title above a table with semicolons",
            "Members of 2024\n" + CSVText.lines(CleanTable.records, separator: ";"),
            "30 right; lines_above_header 2"),
        PollutedFile(
            "three lines above the table",
            lines { $0.insert(contentsOf: ["Members", "Year,2024", "By,\"X, Y\""], at: 0) },
            "30 right; lines_above_header 4"),
        PollutedFile(
            "a title as wide as the table", lines { $0.insert("Members of 2024,,,,,", at: 0) },
            "30 right; lines_above_header 2"),
        PollutedFile(
            "comments above the table", lines { $0.insert("# exported by X, on a day", at: 0) },
            "30 right; lines_above_header 2"),
        PollutedFile(
            "a total below the table", lines { $0.append("Total,,,,30,") },
            "30 right, 1 rejected: required 1, required 1, pattern_mismatch 1; totals in line 32"),
        PollutedFile(
            "a note below the table", lines { $0 += ["", "(30 rows)"] },
            "30 right, 1 rejected: bad_row 1; blank_lines 1 in line 32"),
        PollutedFile(
            "the same table twice", lines { $0 += [""] + $0 },
            "30 right, 31 rejected: duplicate 30, bad_row 1; blank_lines 1 in line 32"),
        PollutedFile(
            "a table with fewer columns below", lines { $0 += ["", "city,country", "Oslo,Norway", "Rome,Italy"] },
            "30 right, 3 rejected: bad_row 3; blank_lines 1 in line 32"),
        PollutedFile(
            "a table of as many other columns below", lines { $0 += ["", "a,b,c,d,e,f", "1,2,3,4,5,6"] },
            "30 right, 2 rejected: bad_format 2, pattern_mismatch 2, bad_format 1, bad_format 1, too_short 1; blank_lines 1 in line 32; "
                + "unlike_last_rows in line 33"),
        PollutedFile(
            "a table of as many other columns right below",
            lines { $0 += ["a,b,c,d,e,f", "1,2,3,4,5,6", "2,3,4,5,6,7"] },
            "30 right, 3 rejected: bad_format 3, pattern_mismatch 3, too_short 2, bad_format 1, bad_format 1; "
                + "unlike_last_rows in line 32"),
        PollutedFile("nothing at all", "", "refused: no header"),
        PollutedFile("blank lines alone", "\n\n\r\n", "refused: no header"),
    ]

    // MARK: Other forms

    private static let otherForms: [PollutedFile] = [
        PollutedFile("an array of objects", "[\n" + objects.joined(separator: ",\n") + "\n]\n", all30),
        PollutedFile("an object a line", objects.joined(separator: "\n"), all30),
        PollutedFile(
            "an array that is cut off", "[\n" + objects.joined(separator: ",\n"), "30 right, 1 rejected: bad_row 1"),
        PollutedFile(
            "one object over lines", "{\n\"rows\": [" + objects.joined(separator: ",\n") + "]\n}",
            "refused: looks like json_object"),
        PollutedFile(
            "a page that asks to log in", "\n<!DOCTYPE html>\n<html><head><title>Log in</title></head></html>",
            "refused: looks like html"),
        PollutedFile("XML", "<?xml version=\"1.0\"?><rows><row/></rows>", "refused: looks like xml"),
        PollutedFile("a PDF document", "%PDF-1.7\n%x\n", "refused: looks like pdf"),
        PollutedFile(
            name: "a workbook",
            bytes: [0x50, 0x4B, 3, 4] + [UInt8](repeating: 0, count: 26) + Array("xl/workbook.xml".utf8),
            expected: "refused: looks like spreadsheet"),
        PollutedFile(
            name: "a ZIP archive",
            bytes: [0x50, 0x4B, 3, 4] + [UInt8](repeating: 0, count: 26) + Array("people.csv".utf8),
            expected: "refused: looks like zip"),
        PollutedFile(
            name: "an old workbook", bytes: [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1, 0, 0],
            expected: "refused: looks like old_office"),
        PollutedFile(
            name: "Zstandard", bytes: [0x28, 0xB5, 0x2F, 0xFD, 4, 0, 0x41], expected: "refused: looks like zstd"),
        PollutedFile(name: "xz", bytes: [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0, 0, 4], expected: "refused: looks like xz"),
        PollutedFile(name: "bzip2", bytes: Array("BZh91AY&SY".utf8), expected: "refused: looks like bzip2"),
        PollutedFile(
            name: "an SQLite database", bytes: Array("SQLite format 3\0".utf8) + [0x10, 0],
            expected: "refused: looks like sqlite"),
        PollutedFile(
            name: "Parquet", bytes: Array("PAR1".utf8) + [0x15, 0, 0x15], expected: "refused: looks like parquet"),
        PollutedFile(
            name: "a tar archive",
            bytes: Array("people.csv".utf8) + [UInt8](repeating: 0, count: 247) + Array("ustar\0".utf8),
            expected: "refused: looks like tar"),
        PollutedFile(
            name: "a program", bytes: [0x7F] + Array("ELF".utf8) + [2, 1, 1] + [UInt8](repeating: 0, count: 60),
            expected: "refused: looks like binary"),
    ]

    private static var objects: [String] {
        CleanTable.rows.map { row in
            let members = zip(CleanTable.header, row).map { name, value in
                "\"\(name)\": \"\(value.replacing("\"", with: "\\\""))\""
            }
            return "{\(members.joined(separator: ", "))}"
        }
    }
}
