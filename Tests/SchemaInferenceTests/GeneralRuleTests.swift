import ProfileCore
import ProfileTesting
import ProfileStore
import ProfileTransfer
import SchemaInference
import StoreFixtures
import Testing
import Watchdog

/// Rules that are proposed from a part of a file hold for the rest of it.
@Suite(.watched) struct GeneralRuleTests {
    /// The rules that a person gets with the default options.
    private static func general(_ bytes: [UInt8]) async throws -> SchemaProposal {
        try await inferring(bytes) { $0.isStrict = false }
    }

    private static func general(_ cells: [String], named name: String = "x") async throws -> ColumnProposal {
        try await column(of: cells, named: name, isStrict: false)
    }

    // MARK: The measure

    /// The share of the later rows that the rules from the first rows refuse, apart from repeated keys.
    private func refused(_ file: SortedFile, after count: Int) async throws -> Double {
        let proposal = try await Self.general(file.first(count))
        let report = try await proposal.validating(file.rest(after: count))
        #expect(report.issues.listed.count == report.issues.total, "all are listed")
        let lines = Set(report.issues.listed.filter { $0.issue.code != "duplicate" }.map(\.line))
        return Double(lines.count) / Double(file.rows.count - count)
    }

    @Test(arguments: [(20, 0.02, 0.15), (100, 0.01, 0.1), (nil, 0.005, 0.05)])
    func `N10: rules from a part of a file hold for the rest of the file`(
        rows: Int?, median: Double, worst: Double
    ) async throws {
        var shares: [(share: Double, name: String)] = []
        for file in SortedFile.all {
            shares.append((try await refused(file, after: rows ?? file.rows.count / 2), file.name))
        }
        shares.sort { $0.share < $1.share }
        #expect((shares[4].share + shares[5].share) / 2 <= median, "\(shares)")
        #expect(try #require(shares.last).share <= worst, "\(shares)")
    }

    @Test func `N10: of the tightest rules of a file, at least 60 of 100 are found in its first half`() async throws {
        var all = 0
        var found = 0
        for file in SortedFile.all {
            let half = try await Self.general(file.first(file.rows.count / 2))
            let whole = try await inferring(file.first(file.rows.count))
            for column in whole.columns {
                let kinds = column.kindsOfRules
                all += kinds.count
                found += kinds.intersection(half[column.header]?.kindsOfRules ?? []).count
            }
        }
        #expect(found * 100 >= all * 60, "\(found) of \(all)")
    }

    @Test(arguments: SortedFile.all) func `N10: a part of a file shows the type of each column`(
        file: SortedFile
    ) async throws {
        let whole = try await inferring(file.first(file.rows.count))
        for count in [20, 100, file.rows.count / 2] {
            let part = try await Self.general(file.first(count))
            // A column with fewer than two examples does not show its type yet.
            for column in whole.columns where part[column.header].map({ $0.examples.count > 1 }) ?? false {
                let found = part[column.header]?.rules?.type
                let mayBe: [FieldType?] = column.rules?.type == .number ? [.number, .integer] : [column.rules?.type]
                #expect(mayBe.contains(found), "\(column.header) after \(count) rows")
            }
        }
    }

    // MARK: Single rules

    private static let words = ["F", "M"]

    @Test func `N10: the values M and F in twenty rows prove no rule, and a doubt says so`() async throws {
        let few = try await Self.general((0..<20).map { Self.words[$0 * 7 % 5 % 2] })
        #expect(few.rules?.allowedValues == [] && few.rules?.isRequired == false)
        #expect(few.doubts == [.withheld([.values(2), .length(1), .characters, .required], .fewValues)])
        var random = SeededGenerator(seed: 5)
        let many = try await Self.general((0..<600).map { _ in random.one(of: Self.words) })
        #expect(many.rules?.allowedValues == Self.words && many.rules?.isRequired == true)
        #expect(many.doubts == [])
    }

    @Test func `N10: a sorted column proves nothing, however long it is`() async throws {
        let grouped = try await Self.general((0..<3_000).map { ["a", "b", "c"][$0 / 1_000] })
        #expect(grouped.rules?.allowedValues == [] && grouped.rules?.isRequired == false)
        guard case .withheld(let rules, .sortedRows)? = grouped.doubts.last else {
            Issue.record("\(grouped.doubts)")
            return
        }
        #expect(rules.contains(.values(3)) && rules.contains(.required))
        let rising = try await Self.general((0..<3_000).map { "n\($0)" })
        #expect(rising.rules?.maximumLength == nil && rising.rules?.characters == nil)
    }

    @Test func `N10: unsorted values that are too few for a rule are not reported as sorted`() async throws {
        func reason(_ cells: [String]) async throws -> WithheldRule.Reason? {
            for case .withheld(_, let reason) in try await Self.general(cells).doubts { return reason }
            return nil
        }
        let rising = (0..<200).map { "n\(1_000 + $0)" }
        #expect(try await reason(rising) == .sortedRows)
        #expect(try await reason((0..<200).map { rising[$0 * 77 % 200] }) == .fewValues)
    }

    @Test func `N10: values that occur once, or that came late, are no closed list`() async throws {
        var random = SeededGenerator(seed: 6)
        let cells = (0..<2_000).map { _ in random.one(of: ["red", "green", "blue"]) }
        #expect(try await Self.general(cells).rules?.allowedValues == ["blue", "green", "red"])
        #expect(try await Self.general(cells + ["lilac"] + cells).rules?.allowedValues == [])
        let late = try await Self.general(cells + ["lilac", "red", "lilac"])
        #expect(late.rules?.allowedValues == [])
        #expect(late.doubts == [.withheld([.values(4), .characters], .newValues)])
    }

    @Test(arguments: [100, 11_990]) func `N10: a late value counts as late in whichever batch it comes`(
        row: Int
    ) async throws {
        var random = SeededGenerator(seed: 9)
        var cells = (0..<12_000).map { _ in random.one(of: ["red", "green", "blue"]) }
        for place in [row, row + 3, row + 6] { cells[place] = "lilac" }
        #expect(try await Self.general(cells).rules?.allowedValues.count == (row == 100 ? 4 : 0))
        // A file that is sorted across its batches is sorted.
        #expect(try await Self.general(cells.sorted()).rules?.allowedValues == [])
    }

    @Test func `N10: rising times or links count as sorted, whatever their equal beginnings and ends`() async throws {
        let times = (0..<900).map { "2024-01-\($0 / 60 + 10) 11:\($0 % 60 / 10)\($0 % 10):00Z with a note" }
        #expect(try await Self.general(times).rules?.maximumLength == nil)
        let links = (1_000..<1_900).map { "https://www.example.org/items/\($0)" }
        #expect(try await Self.general(links).rules?.maximumLength == nil)
    }

    @Test func `N10: one repeated value proves no list of values, and a doubt says so`() async throws {
        let constant = try await Self.general(Array(repeating: "EUR", count: 1_000))
        #expect(constant.rules?.isRequired == false)
        #expect(constant.doubts == [.withheld([.maximumLength, .required], .oneValue)])
    }

    @Test func `N10: another column with the name of a key is unique after enough rows only`() async throws {
        func rules(_ count: Int) async throws -> FieldRules? {
            let rows = (0..<count).map { "\($0),c\(($0 * 7_919) % 10_007)\n" }.joined()
            return try await Self.general(Array("id,customer_id\n\(rows)".utf8))["customer_id"]?.rules
        }
        #expect(try await rules(20)?.isUnique == false)
        #expect(try await rules(400)?.isUnique == true)
    }

    @Test func `N10: a maximum length leaves room unless all values have the same length`() async throws {
        var random = SeededGenerator(seed: 7)
        let names = (0..<300).map { _ in random.letters(random.number(2...9)) + " & Co" }
        #expect(try await Self.general(names).rules?.maximumLength == 50)
        let codes = try await Self.general((0..<300).map { _ in random.letters(5) })
        #expect(codes.rules?.minimumLength == 5 && codes.rules?.maximumLength == 5)
    }

    @Test func `N10: a schema from few rows accepts the usual words for missing values in later files`() async throws {
        let few = try await Self.general(["1", "2", "3"])
        #expect(few.rules?.type == .integer && few.rules?.missingValues == ["NA", "N/A", "NULL", "null", "NaN"])
        var random = SeededGenerator(seed: 8)
        let many = try await Self.general((0..<600).map { _ in random.digits(3).replacing("0", with: "1") })
        #expect(many.rules?.isRequired == true && many.rules?.missingValues == [])
    }

    @Test func `N10: a few whole percentages may have fractions in the next file`() async throws {
        #expect(try await Self.general(["12", "40"], named: "share_pct").rules?.type == .number)
        #expect(try await Self.general(["12", "40"], named: "age").rules?.type == .integer)
        #expect(try await column(of: ["12", "40"], named: "share_pct").rules?.type == .integer, "strict")
    }

    @Test func `N10: months that happen to have two digits may have one in the next file`() async throws {
        #expect(try await Self.general(["10/13/2024", "11/28/2024"]).label == "date %m/%d/%Y")
        #expect(try await column(of: ["10/13/2024", "11/28/2024"]).label == "date MM/dd/yyyy", "strict")
    }

    @Test func `N2: with dots the day is first`() async throws {
        #expect(try await column(of: ["03.04.2020", "12.11.2020"]).label == "date dd.MM.yyyy")
        #expect(try await column(of: ["3.4.2020", "12.11.2020"]).label == "date %d.%m.%Y")
        #expect(try await column(of: ["03.24.2020", "12.11.2020"]).label == "date MM.dd.yyyy", "only this fits")
        #expect(try await column(of: ["03/04/2020", "12/11/2020"]).rules?.type == .string)
    }
}

extension ColumnProposal {
    /// The kinds of rules of the field besides its type. A list, a mask or a fixed length also limits the length.
    fileprivate var kindsOfRules: Set<String> {
        guard let rules else { return [] }
        var kinds: Set<String> = []
        if rules.isRequired { kinds.insert("required") }
        if !rules.allowedValues.isEmpty { kinds.formUnion(["values", "length", "characters"]) }
        if rules.mask != nil { kinds.formUnion(["mask", "length", "characters"]) }
        if rules.maximumLength != nil { kinds.insert("length") }
        if rules.characters != nil { kinds.insert("characters") }
        return kinds
    }
}
