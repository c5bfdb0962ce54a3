import ProfileCore
import ProfileTransfer
import SchemaInference
import StoreFixtures
import Testing
import Watchdog

/// Numbers with a unit, types that a person chooses, and doubts about values that do not fit.
@Suite(.watched) struct UnitTests {
    @Test(
        "numbers with one unit are numbers, and the unit is kept",
        arguments: [
            (["$85,000", "$1,250", "-$12"], "$", ".,", ["85000", "1250", "-12"]),
            (["$85000", "$1,250", "-$12"], "$", ".,", ["85000", "1250", "-12"]),
            (["$85000", "$0,250", "-$12"], "$", ",", ["85000", "0.25", "-12"]),
            (["85000 €", "1.250 €"], "€", ",.", ["85000", "1250"]),
            (["85000 €", "1.250 €", "2.5 €"], "€", ".", ["85000", "1.25", "2.5"]),
            (["$1234,567", "$1,250"], "$", ",", ["1234.567", "1.25"]),
            (["1.234,50 €", "-45,67 €", "0,99\u{A0}€"], "€", ",.", ["1234.50", "-45.67", "0.99"]),
            (["EUR -3", "EUR 4", "EUR -5.5"], "EUR", ".", ["-3", "4", "-5.5"]),
            (["80 %", "7.5%", "100\u{202F}%", "9\u{2009}%"], "%", ".", ["80", "7.5", "100", "9"]),
            (["12 kg", "1250 kg", "-3 kg"], "kg", ".", ["12", "1250", "-3"]),
            (["12km", "13km"], "km", ".", ["12", "13"]),
            (["1 Stück", "2 Stück", "3 Stück", "4 Stück", "5 Stück"], "Stück", ".", ["1", "2", "3", "4", "5"]),
        ])
    func oneUnit(cells: [String], unit: String, format: String, stored: [String]) async throws {
        let text = "id;x\n" + cells.enumerated().map { "\($0);\($1)\n" }.joined()
        let proposal = try await inferring(text)
        let rules = try #require(proposal["x"]?.rules)
        #expect(rules.type == .number && rules.unit == unit && !rules.numberFormat.isBare)
        #expect(
            "\(rules.numberFormat.decimalCharacter)\(rules.numberFormat.groupCharacter.map(String.init) ?? "")"
                == format)
        #expect(try await proposal.validating(Array(text.utf8)).outcomes == [cells.count, 0, 0, 0])
        let validator = ProfileValidator(try #require(proposal.schema))
        let values = try cells.map { cell in
            try validator.validate(ProfileDraft(["id": "1", "x": cell]), on: .latest)["x"].flatMap(Double.init)
        }
        #expect(values == stored.map(Double.init))
    }

    @Test(
        "what only looks like a number with a unit stays text",
        arguments: [
            ["A12", "A13", "A14", "A15", "A16"], ["12a", "13a", "14a", "15a", "16a"],
            ["Team 1", "Team 2", "Team 3", "Team 4", "Team 5"], ["1 May", "2 May", "3 May", "4 May", "5 May"],
            ["3 PM", "4 PM", "5 PM", "6 PM", "7 PM"], ["45-", "46-", "47-", "48-", "49-"],
            ["(4) €", "(5) €", "(6) €", "(7) €", "(8) €"], ["12 Elm", "13 Elm"],
            ["5 kg netto", "6 kg netto", "7 kg netto", "8 kg netto", "9 kg netto"],
        ])
    func codes(cells: [String]) async throws {
        let found = try await column(of: cells)
        #expect(found.rules?.type == .string && found.rules?.unit == nil, "\(found.label)")
    }

    @Test func `different units are reported, and the column stays text`() async throws {
        let mixed = try await column(of: ["12 kg", "13 lb", "14 kg"])
        #expect(mixed.rules?.type == .string && mixed.doubts.contains(.mixedUnits(["kg", "lb"])))
        let partly = try await column(of: ["$12", "13", "$14"])
        #expect(partly.rules?.type == .string && partly.doubts.contains(.mixedUnits(["$", ""])))
    }

    @Test func `a unit does not hide that a sign may separate a fraction or thousands`() async throws {
        let weights = try await column(of: ["5,239 kg", "1,234 kg"])
        #expect(weights.rules?.type == .string && weights.doubts.contains(.fractionOrThousands))
        let proposal = try await inferring("id;x;y\na;5,239 kg;1,5\nb;1,234 kg;2,5\n")
        #expect(proposal["x"]?.rules?.numberFormat.decimalCharacter == ",")
        // An amount of money proves the sign for the others.
        let money = try await inferring("id;x;y\na;5,239;1,50 €\nb;1,234;2,50 €\n")
        #expect(money["x"]?.rules?.numberFormat.decimalCharacter == ",")
    }

    // MARK: Chosen types

    @Test func `a type that is chosen is taken, and the rows that do not fit are refused`() async throws {
        let cells = (0..<50).map { $0 % 10 == 3 ? "n.v." : "\($0),5" }
        let text = "id;Age\n" + cells.enumerated().map { "r\($0);\($1)\n" }.joined()
        let proposal = try await inferring(text) { $0.types = ["age": .number] }
        #expect(proposal["Age"]?.rules?.type == .number && proposal["Age"]?.values == 45)
        #expect(proposal["Age"]?.rules?.numberFormat.decimalCharacter == ",")
        #expect(proposal.refused.map(\.reason) == [.unfitValue])
        #expect(proposal.refused.first?.rows.lines == [5, 15, 25, 35, 45])
        #expect(try await proposal.validating(Array(text.utf8)).outcomes == [45, 0, 0, 5])
    }

    @Test(
        "every type can be chosen, with the format that fits most values",
        arguments: [
            (FieldType.string, ["1", "2"], "string", 0), (.integer, ["007", "1,234", "x"], "integer", 1),
            (.number, ["$5", "$6.5", "$7"], "number", 0), (.number, ["5 kg", "6 lb"], "number", 2),
            (.boolean, ["Ja", "nein", "vielleicht"], "boolean", 1), (.boolean, ["1", "0"], "boolean", 0),
            (.year, ["1999", "99"], "year", 1), (.date, ["13/02/2020", "01/02/2020", "30/30/2020"], "date", 1),
            (.dateTime, ["01.02.2020 10:11", "now"], "datetime", 1), (.time, ["10:11", "25:00"], "time", 1),
            (.integer, [], "integer", 0),
        ])
    func chosen(type: FieldType, cells: [String], name: String, refused: Int) async throws {
        let rows = cells.isEmpty ? [""] : cells
        let text = "id;x\n" + rows.enumerated().map { "r\($0);\($1)\n" }.joined()
        let proposal = try await inferring(text) { $0.types = ["x": type] }
        #expect(proposal["x"]?.rules?.type.rawValue == name)
        #expect(proposal.refusedRows == refused)
        let report = try await proposal.validating(Array(text.utf8))
        #expect(report.rejected == refused, "\(report.lines)")
    }

    @Test func `a type for the key, or for a column that is secret or missing, is an error`() async throws {
        let text = "id,x,password\n1,2,3\n"
        for name in ["y", "password"] {
            await #expect(throws: InferenceError.unknownTyped(name)) {
                try await inferring(text) { $0.types = [name: .integer] }
            }
        }
        await #expect(throws: InferenceError.keyOfType("id", .integer)) {
            try await inferring(text) { $0.types = ["id": .integer] }
        }
    }

    // MARK: Doubts

    @Test(
        "a type is named if at most one value in a hundred does not fit, however many these are",
        arguments: [(9_900, 100, true), (9_900, 101, false), (30_000, 300, true)])
    func nearly(numbers: Int, words: Int, isTold: Bool) async throws {
        let share = (numbers + words) / words
        let cells = (0..<numbers + words).map { $0 % share == 0 && $0 / share < words ? "unknown" : "\($0)" }
        let found = try await column(of: cells)
        #expect(found.rules?.type == .string)
        let lines = found.doubts.compactMap { if case .nearly(.integer, let lines) = $0 { lines } else { nil } }
        #expect(lines.map(\.count) == (isTold ? [words] : []))
        #expect(lines.first.map { $0.lines.prefix(2) == [2, 2 + share] } ?? !isTold)
    }

    // MARK: Keys

    @Test func `without a key, the closest column is reported with its first repeated value`() async throws {
        let text = "a,b,password\nx,1,p\ny,2,q\nX,3,r\nz,\"Ada \",s\nw,ADA,t\n"
        let closest = try #require(try await inferring(text).closestKey)
        #expect(closest.header == "b" && closest.line == 6 && closest.isRepeated)
        // The input of these tests is an open file, which is not read twice.
        #expect(closest.value == nil)
        let again = try await SchemaInferrer().run(ImportInput(bytes: Array(text.utf8), name: "x"))
        #expect(again.closestKey?.value == "ADA" && again.closestKey?.earlierLine == 5)
        let empty = try await inferring("a,b\nx,1\nx,2\ny,\n").closestKey
        #expect(empty?.header == "b" && empty?.line == 4 && empty?.isRepeated == false)
        #expect(try await inferring("id\n1\n").closestKey == nil)
    }
}
