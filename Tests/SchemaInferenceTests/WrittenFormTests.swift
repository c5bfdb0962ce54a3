import ProfileCore
import ProfileStore
import ProfileTesting
import ProfileTransfer
import SchemaInference
import StoreFixtures
import Testing
import Watchdog

/// A file and its export that is like the original (N13): values come out as they were written.
@Suite(.watched) struct WrittenFormTests {
    /// Imports a file by the schema that is inferred from it, and exports it again.
    private func exported(
        _ text: String, _ change: (inout InferenceOptions) -> Void = { _ in }
    ) async throws -> (text: String, schema: ProfileSchema) {
        let proposal = try await inferring(text, change)
        var options = ProfileRepository.Options()
        let schema = try #require(proposal.schema)
        options.initialSchema = schema
        let repository = try await ProfileRepository.openInMemory(options: options)
        var importOptions = ImportOptions()
        importOptions.format = .automatic
        proposal.adapt(&importOptions)
        let report = try await ProfileImporter(repository: repository, options: importOptions).run(Array(text.utf8))
        #expect(report.rejected == 0, "\(report.lines)")
        var bytes: [UInt8] = []
        for try await chunk in repository.export(as: .csv, original: true) { bytes += chunk }
        return (String(decoding: bytes, as: UTF8.self), schema)
    }

    /// The texts of a column, as an export writes them.
    private func exported(column cells: [String]) async throws -> [String] {
        let text = "id;x\n" + cells.enumerated().map { "k\($0);\($1)\n" }.joined()
        return try await exported(text).text.split(separator: "\n").dropFirst()
            .map { String($0.split(separator: ";", omittingEmptySubsequences: false)[1]) }
    }

    @Test(
        "N13: numbers come out with their unit, their decimals and their groups",
        arguments: [
            ["$85,000.00", "$1.50", "-$3.10"], ["$-3.10", "$85.00"], ["1.234,50 €", "-45,67 €"],
            ["0,99\u{A0}€", "7,00\u{A0}€"],
            ["80%", "-7%"], ["12 kg", "1250 kg"], ["EUR 3.5", "-EUR 4.0"], ["EUR -3.5", "EUR 4.0"],
            ["1.50", "2.00", "10.25"],
            ["1.5", "2.0", "10.0", "3.25"], ["1.5", "2", "10.25"], ["0.00001", "0.5"], ["1,5", "2,0"],
            ["12,345", "1,000,000", "7"],
            ["3.5 %", "4.0 %"], ["0", "-1"], ["1 234,50", "-7,25"], ["1'234.5", "10.0"],
        ])
    func numbers(cells: [String]) async throws { #expect(try await exported(column: cells) == cells) }

    @Test(
        "N13: days and times come out with their padding and case",
        arguments: [
            ["1/2/2024", "12/31/2024"], ["01/02/2024", "12/31/2024"], ["1.2.2024", "31.12.2024"],
            ["5 Jan 2024", "31 Dec 2024"],
            ["05-JAN-2024", "31-DEC-2024"], ["05 January 2024", "31 May 2024"], ["2024/1/2", "2024/12/31"],
            ["1/2/99", "12/31/03"],
            ["9:05", "10:00"], ["09:05", "10:00"], ["9:05 am", "12:30 pm"], ["09:05 AM", "12:30 PM"],
            ["2024-01-02 03:04:05", "2024-12-31 00:00:00"], ["2024-01-02T03:04:05Z", "2024-12-31T00:00:00Z"],
            ["2024-01-02 03:04", "2024-12-31 00:00"], ["2024-01-02T03:04:05.120Z", "2024-12-31T00:00:00.000Z"],
            ["2024-01-02 03:04:05.120", "2024-12-31 00:00:00.000"], ["1.2.2024 9:05", "31.12.2024 10:00"],
            ["2024-01-02 03:04:05Z", "2024-12-31 00:00:00Z"], ["12:30:15.50", "07:00:00.00"],
        ])
    func moments(cells: [String]) async throws { #expect(try await exported(column: cells) == cells) }

    @Test(
        "N13: the text for missing values comes out if a column has one",
        arguments: [
            (["1.5", "NA", "2.5"], ["1.5", "NA", "2.5"]), (["1.5", "", "2.5"], ["1.5", "", "2.5"]),
            (["Y", "-", "N"], ["Y", "-", "N"]), (["NA", "NA"], ["NA", "NA"]),
            // The most frequent text comes out if it is more frequent than empty cells.
            (["1.5", "NA", "", "2.5"], ["1.5", "", "", "2.5"]),
            (["1.5", "NA", "-", "NA"], ["1.5", "NA", "NA", "NA"]),
        ])
    func missing(cells: [String], expected: [String]) async throws {
        #expect(try await exported(column: cells) == expected)
    }

    @Test(
        "values that are not written alike come out as most of them are written",
        arguments: [
            (["1.50", "2.50", "3.5"], ["1.50", "2.50", "3.50"]),
            (["1.25", "2.25", "3", "4.50"], ["1.25", "2.25", "3", "4.5"]),
            (["5 %", "6 %", "7%"], ["5 %", "6 %", "7 %"]),
            (["1/2/2024", "3/4/2024", "12/05/2024", "1/31/2024"], ["1/2/2024", "3/4/2024", "12/5/2024", "1/31/2024"]),
            (["no", "No", "No", "yes"], ["No", "No", "No", "yes"]),
        ])
    func mixed(cells: [String], expected: [String]) async throws {
        #expect(try await exported(column: cells) == expected)
    }

    @Test func `a notation refuses no value, and stays when rules are loosened`() async throws {
        let first = try await exported("id;price;n\na;$1.50;1,000\nb;$2.00;2,500\n")
        let price = try #require(first.schema["price"])
        #expect(price.written?.text == "$0.00" && price.unit == "$")
        let second = "id;price;n\nc;$-3.125;3\nd;4;5.5\n"
        let loosening = try await SchemaLoosening(
            of: first.schema, by: ImportInput(bytes: Array(second.utf8), name: "second.csv"),
            proposal: try await inferring(second), today: .latest, options: ImportOptions())
        #expect(!loosening.broken.contains { $0.field.text == "price" })
        #expect(loosening.schema["price"]?.written == price.written)
        #expect(price.originalForm(of: "-3.125") == "-$3.125" && price.originalForm(of: "4") == "$4.00")
    }

    /// A column of values in one notation.
    private struct RandomColumn {
        let kind: Int
        let missing: String?

        static let kinds = 30

        init(using random: inout SeededGenerator) {
            kind = random.number(0...Self.kinds)
            missing = random.one(of: [nil, nil, "", "NA", "-", "N/A"])
        }

        func cell(using random: inout SeededGenerator) -> String {
            if let missing, random.once(in: 5) { return missing }
            let isNegative = random.once(in: 6)
            let minus = isNegative ? "-" : ""
            // Minus zero is stored as zero.
            let whole = random.once(in: 3) ? random.number(1_000...999_999) : random.number((isNegative ? 1 : 0)...999)
            let day = random.number(1...31)
            let month = random.number(1...12)
            let date = "\(month)/\(min(day, 28))/\(random.number(1970...2030))"
            let name = random.one(of: ["Jan", "Apr", "Nov", "May"])
            return switch kind {
            case 0: "\(minus)$\(grouped(whole, ",")).\(random.digits(2))"
            case 1: "$\(minus)\(grouped(whole, ",")).\(random.digits(2))"
            case 2: "\(minus)\(grouped(whole, ".")),\(random.digits(2)) €"
            case 3: "\(minus)\(whole),\(random.digits(1))\u{A0}€"
            case 4: "\(minus)\(whole)%"
            case 5: "\(whole).\(random.digits(1)) kg"
            case 6: "\(minus)\(whole).\(random.digits(2))"
            case 7: "\(Double(random.number(-999...9_999)) / 8)"
            case 8: "\(minus)\(whole + 1)" + (random.once(in: 2) ? ".\(random.number(1...9))" : "")
            case 9: "0.0000\(random.number(1...9))"
            // A comma would be a decimal sign if another column proves that.
            case 10: grouped(whole, "'")
            case 11: "\(minus)\(whole + 1)"
            case 12: date
            case 13: "\(min(day, 28)).\(month).\(random.number(1900...2030))"
            case 14: random.day(in: .dayFirst)
            case 15: random.day(in: .dotted)
            case 16: "\(min(day, 28)) \(name) 2024"
            case 17: "\(random.number(10...28))-\(name.uppercased())-2024"
            case 18: "\(random.number(0...23)):\(random.number(10...59))"
            case 19: "\(random.number(1...12)):\(random.number(10...59)) \(random.one(of: ["am", "pm"]))"
            case 20: "\(random.day(in: .iso)) \(random.time())"
            case 21: "\(random.day(in: .iso))T\(random.time()).\(random.digits(3))Z"
            case 22: random.one(of: ["Y", "N"])
            case 23: random.one(of: ["TRUE", "FALSE"])
            case 24: "\(random.letters(4))@Example.\(random.one(of: ["org", "COM"]))"
            case 25: random.uuid().uppercased()
            case 26: "\(random.digits(3))-\(random.digits(4))"
            case 27: random.one(of: ["Zoe\u{301}", "Zoé", "O'Brien", "a  b", "ＡＢ"]) + random.letters(3)
            case 28: "0\(random.digits(4))"
            case 29: "1.\(random.digits(3))E+\(random.number(10...20))x"
            default: "https://Example.org/\(random.letters(3))"
            }
        }

        private func grouped(_ number: Int, _ sign: String) -> String {
            number < 1_000 ? "\(number)" : "\(number / 1_000)\(sign)\(String(number % 1_000 + 1_000).dropFirst())"
        }
    }

    @Test func `N13: any file in which each column has one notation comes out as it went in`() async throws {
        var seeds = SeededGenerator(printingSeedOf: "written forms")
        for _ in 0..<rounds(200) {
            let seed = seeds.next()
            var random = SeededGenerator(seed: seed)
            let columns = (0..<random.number(1...6)).map { _ in RandomColumn(using: &random) }
            var table = [["id"] + columns.indices.map { "c\($0)" }]
            for row in 0..<(random.once(in: 4) ? random.number(200...300) : random.number(1...20)) {
                table.append(["k\(row)"] + columns.map { $0.cell(using: &random) })
            }
            let text = table.map { $0.joined(separator: ";") + "\n" }.joined()
            // In a short table, each line might have the same number of tabs: a tab would be as good a delimiter.
            let end = table.count > 6 ? "\t" : " "
            let spaced = table.map { $0.map { random.once(in: 9) ? " \($0)\(end)" : $0 }.joined(separator: ";") + "\n" }
            let isStrict = random.once(in: 2)
            let found = try await exported(spaced.joined()) { $0.isStrict = isStrict }
            if found.text != text {
                let lines = zip(text.split(separator: "\n"), found.text.split(separator: "\n")).filter { $0 != $1 }
                Issue.record(
                    "seed \(seed), kinds \(columns.map(\.kind)): \(lines.prefix(3)) \(found.schema.document())")
            }
        }
    }

    @Test(
        "N13: files of the world come out as they went in",
        arguments: [FilesOfTheWorld.stops, FilesOfTheWorld.films, FilesOfTheWorld.airports, FilesOfTheWorld.voters])
    func worldFile(_ file: FileOfTheWorld) async throws {
        let text = String(decoding: file.bytes, as: UTF8.self)
        let found = try await exported(text).text
        #expect(Self.lines(of: found) == Self.lines(of: text))
    }

    /// The lines without quotes, because an export quotes a cell only if it has to.
    private static func lines(of text: String) -> [Substring] {
        let unquoted = text.replacing("\u{FEFF}", with: "").replacing("\"", with: "")
        return unquoted.replacing("\r\n", with: "\n").split(separator: "\n")
    }
}
