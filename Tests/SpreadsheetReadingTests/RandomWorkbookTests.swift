import InputFixtures
import ProfileTesting
import ProfileTransfer
import SpreadsheetReading
import Testing
import Watchdog

@Suite(.watched) struct RandomWorkbookTests {
    private static let pieces = [
        "a", "B7", "é", "😀", " ", "\n", "\r", "\r\n", ",", ";", "\"", "_", "_x000D_", "&", "<", "]]>", "=1", "\t",
    ]

    private func table(_ random: inout SeededGenerator) -> [[String]] {
        let width = Int.random(in: 1...6, using: &random)
        let header = (0..<width).map { "h\($0)" }
        return [header]
            + (0..<Int.random(in: 0...8, using: &random)).map { _ in
                (0..<width).map { _ in
                    (0..<Int.random(in: 0...4, using: &random)).map { _ in
                        Self.pieces.randomElement(using: &random) ?? ""
                    }.joined()
                }
            }
    }

    /// The rows as the reader should write them: no empty cells beyond the header, and blank rows as blank lines.
    private func expected(_ table: [[String]]) -> String {
        var lines = table.map { row in
            row.allSatisfy(\.isEmpty)
                ? "\n"
                : row.map {
                    $0.first == " " || $0.last == " "
                        ? "\"" + $0.replacing("\"", with: "\"\"") + "\"" : CSVText.line([$0])
                }.joined(separator: ",") + "\n"
        }
        while lines.last == "\n" { lines.removeLast() }
        return lines.joined()
    }

    @Test func `random tables come back as they were written`() throws {
        var random = SeededGenerator(printingSeedOf: "tables")
        for _ in 0..<rounds(200) {
            let table = table(&random)
            let text = try SheetText(ExcelFile(rows: table)).text
            #expect(Array(text.utf8) == Array(expected(table).utf8), "\(table)")
        }
    }

    @Test(.alone) func `mutated workbooks are read or refused, and nothing traps or hangs`() throws {
        var random = SeededGenerator(printingSeedOf: "workbooks")
        let names = [
            "openpyxl.xlsx", "libreoffice.ods", "gnumeric.ods", "xlsxwriter-1904.xlsx", "encrypted.xlsx",
        ]
        let files = try names.map { try SheetText.bytes(ofFile: $0) }
        for _ in 0..<rounds(400) {
            var own = SeededGenerator(seed: random.next())
            var bytes = try #require(files.randomElement(using: &own))
            for _ in 0..<Int.random(in: 1...6, using: &own) {
                // Half of the changes hit the directory at the end.
                let first = Bool.random(using: &own) ? 0 : max(0, bytes.count - 1_500)
                let place = Int.random(in: first..<bytes.count, using: &own)
                switch Int.random(in: 0..<8, using: &own) {
                case 0: bytes.removeSubrange(place..<min(bytes.count, place + 7))
                case 1: bytes.insert(contentsOf: own.bytes(1..<5), at: place)
                case 2: bytes.removeSubrange(place...)
                default: bytes[place] = UInt8.random(in: 0...255, using: &own)
                }
                if bytes.isEmpty { bytes = [0x50] }
            }
            _ = try SheetText.refusal(of: bytes)
        }
    }

    @Test func `mutated XML of a sheet is read or refused, and nothing traps or hangs`() throws {
        var random = SeededGenerator(printingSeedOf: "sheets")
        let data = """
            <row r="1" hidden="1"><c r="A1" t="s" s="1"><v>0</v></c><c r="C1" s="2"><f>A1</f><v>45000.5</v></c></row>\
            <row r="3"><c r="B3" t="inlineStr"><is><r><t>x_x000D_</t></r></is></c><c t="e"><v>#N/A</v></c></row>
            """
        let words = [
            "\"9999999999999999999\"", "\"-1\"", "\"\"", "<row>", "</c>", "<v>", "1e999", "r=", "_x", "\u{0}",
            "&#x10FFFF;",
        ]
        for _ in 0..<rounds(300) {
            var own = SeededGenerator(seed: random.next())
            var text = Array(data.utf8)
            for _ in 0..<Int.random(in: 1...5, using: &own) {
                let place = Int.random(in: 0..<text.count, using: &own)
                switch Int.random(in: 0..<3, using: &own) {
                case 0: text.insert(contentsOf: Array((words.randomElement(using: &own) ?? "").utf8), at: place)
                case 1: text[place] = UInt8.random(in: 0x20...0x7E, using: &own)
                default: text.removeSubrange(place..<min(text.count, place + Int.random(in: 1...9, using: &own)))
                }
            }
            var file = ExcelFile(String(decoding: text, as: UTF8.self))
            (file.strings, file.formats) = (["<t>a</t>"], [0, 14, 46])
            _ = try SheetText.refusal(of: file.bytes())
        }
    }
}
