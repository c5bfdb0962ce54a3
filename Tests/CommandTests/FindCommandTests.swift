import Foundation
import ProfileCore
import ProfileTesting
import Testing
import Watchdog

/// Looking for a text in all fields.
@Suite(.watched) struct FindCommandTests {
    private let workplace: Workplace

    init() throws {
        workplace = try Workplace(
            schema: """
                {"fields": [
                  {"name": "username", "constraints": {"required": true, "unique": true}},
                  {"name": "city", "title": "City"}, {"name": "note", "title": "Note"}]}
                """)
    }

    private func store(_ rows: [(username: String, city: String, note: String)]) throws {
        let lines = rows.map { "\($0.username),\($0.city),\"\($0.note)\"" }
        try workplace.importRows((["username,city,note"] + lines).map { $0 + "\n" }.joined())
    }

    @Test func `N8: a text is found in every field, whatever its case and accents, the best first`() throws {
        try store([
            ("anna", "Bad Łódź", ""), ("bert", "Gelodze", ""), ("carl", "", "Lodz"), ("dora", "Lodzer Straße", ""),
            ("lodzia", "", ""), ("emil", "Leeds", ""),
        ])
        let outcome = try workplace.profiles("find", "LÓDZ")
        #expect(
            outcome.output == """
                Username  City           Note  Revision
                carl      –              Lodz  1
                dora      Lodzer Straße  –     1
                lodzia    –              –     1
                anna      Bad Łódź       –     1
                bert      Gelodze        –     1

                """)
        #expect(outcome.error == "" && outcome.status == 0)
        let sorted = try workplace.profiles(
            "find", "LODZ", "--sort", "username", "--columns", "username", "--format", "csv")
        #expect(sorted.output == "username\nanna\nbert\ncarl\ndora\nlodzia\n")
        let words = try workplace.profiles("find", "bad", "lodz", "--columns", "username", "--format", "csv")
        #expect(words.output == "username\nanna\n", "words stand there with a space between")
        let some = try workplace.profiles("find", "lodz", "--where", "city!=", "--count")
        #expect(some.output == "3\n")
    }

    @Test func `N8: the pages of a search continue in its order`() throws {
        try store((0..<5).map { ("user\($0)", $0 == 3 ? "Bath" : "In Bath", "") })
        var found: [String] = []
        var after: [String] = []
        for _ in 0..<3 {
            let outcome = try workplace.run(
                [try Workplace.binary(), "find", "bath", "--limit", "2", "--columns", "username", "--format", "csv"]
                    + after, input: "", environment: [:])
            found += outcome.output.split(separator: "\n").dropFirst().map(String.init)
            guard let cursor = outcome.error.split(separator: "--after ").dropFirst().first else { break }
            after = ["--after", String(cursor.split(separator: "\n")[0])]
        }
        #expect(found == ["user3", "user0", "user1", "user2", "user4"])
    }

    @Test func `N8: JSON has the position of each match in code points`() throws {
        try store([("anna", "Łódź", "a👩‍🚀 Straße, strasse")])
        let outcome = try workplace.profiles("find", "STRASSE", "--format", "json")
        guard case .object(let answer) = try JSONValue(parsing: outcome.output),
            case .array(let profiles) = answer[0].value,
            case .object(let members) = profiles[0], let last = members.last
        else {
            Issue.record("\(outcome)")
            return
        }
        #expect(
            last
                == JSONMember(
                    "matches",
                    [["field": "note", "from": 5, "to": 11], ["field": "note", "from": 13, "to": 20]]))
        #expect(
            try workplace.profiles("find", "lod", "--format", "ndjson", "--columns", "username").output
                == #"{"username":"anna","matches":[{"field":"city","from":0,"to":3}]}"# + "\n")
        #expect(
            try workplace.profiles("find", "lod", "--format", "csv").output
                == "username,city,note\nanna,Łódź,\"a👩‍🚀 Straße, strasse\"\n")
    }

    @Test func `N8: finding nothing exits 1 and says so`() throws {
        try store([("anna", "Bath", "")])
        for (arguments, error) in [
            (["find", "xyz"], #"Error: No profile has "xyz" in any field"#),
            (["find", "a\u{1B}"], #"Error: No profile has "a\u{1b}" in any field"#),
            (
                ["find", "bath", "--where", "note!="],
                #"Error: No profile that meets the conditions has "bath" in any field"#
            ),
            (["find", "bath", "--after", "9.1"], #"Error: No further profile has "bath" in any field"#),
        ] {
            let outcome = try workplace.run([try Workplace.binary()] + arguments, input: "", environment: [:])
            #expect(outcome == Workplace.Outcome(status: 1, output: "", error: error + "\n"))
        }
        let json = try workplace.profiles("find", "xyz", "--format", "json")
        #expect(json.output == "{\n  \"profiles\": [],\n  \"next\": null\n}\n" && json.status == 1)
    }

    @Test func `N8: matches are bold on a terminal and visible in long values, and are not marked in a pipe`() throws {
        let note = String(repeating: "some words ", count: 30) + "NEEDLE" + String(repeating: " more words", count: 30)
        try store([("anna", "Bath", note)])
        let terminal = try TerminalDriver(workplace, "find", "needle", size: TerminalSize(columns: 60, rows: 10))
        #expect(try terminal.end() == 0)
        #expect(terminal.screen.style(of: "NEEDLE") == TerminalStyle(.bold))
        #expect(terminal.screen.style(of: "words") == TerminalStyle())
        #expect(terminal.screen.style(of: "anna") == TerminalStyle())
        #expect(terminal.transcript.contains("some words \u{1B}[1mNEEDLE\u{1B}[22m more words"))
        let block = try TerminalDriver(workplace, "find", "bath", "--expanded")
        #expect(try block.end() == 0)
        #expect(block.screen.style(of: "Bath") == TerminalStyle(.bold))
        for environment in [["NO_COLOR": "1"], ["TERM": "dumb"]] {
            let plain = try TerminalDriver(workplace, "find", "needle", environment: environment)
            #expect(try plain.end() == 0)
            #expect(plain.transcript.contains("NEEDLE") && !plain.transcript.contains("\u{1B}"))
        }
        let piped = try workplace.profiles("find", "needle")
        #expect(piped.output.contains("NEEDLE") && !piped.output.contains("\u{1B}"))
    }

    @Test func `N8: columns with matches get room in the table before other columns`() throws {
        try store([("anna", String(repeating: "Bath ", count: 8), "at the very end")])
        let terminal = try TerminalDriver(workplace, "find", "END", size: TerminalSize(columns: 24, rows: 10))
        #expect(try terminal.end() == 0)
        #expect(terminal.screen.rows[0] == "Username  Note")
        #expect(terminal.screen.rows[1] == "anna      … the very end")
        #expect(terminal.transcript.contains("No room for city,"))
    }

    /// Letters that the store folds like Foundation, which computes the expected results.
    private static let letters = Array("abcdeABCDE012 éÉèàÀüÜñçåÅöâ")

    @Test func `N8: a search finds exactly the profiles that a scan with Foundation finds`() throws {
        var random = SeededGenerator(printingSeedOf: "find")
        func text(_ counts: ClosedRange<Int>) -> String {
            let letters = (0..<Int.random(in: counts, using: &random)).compactMap { _ in
                Self.letters.randomElement(using: &random)
            }
            // Files may use either normal form.
            let text = String(letters)
            return Bool.random(using: &random) ? text.decomposedStringWithCanonicalMapping : text
        }
        func plain(_ text: String) -> String {
            text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
        }
        let rows = (0..<300).map { (username: "user\($0)", city: "", note: text(1...40) + ".") }
        try store(rows)
        // The scan uses the stored values, because the store removes white space around a value.
        let stored = Dictionary(
            uniqueKeysWithValues: try workplace.profiles("list", "--format", "ndjson", "--limit", "1000").output
                .split(separator: "\n").compactMap { line -> (String, [String])? in
                    guard case .object(let members) = try JSONValue(parsing: String(line)) else { return nil }
                    let values = members.compactMap { if case .string(let text) = $0.value { text } else { nil } }
                    return (values[0], values.map(plain))
                })
        #expect(stored.count == rows.count)
        for _ in 0..<25 {
            let wanted = text(1...3)
            guard !wanted.allSatisfy({ $0 == " " }) else { continue }
            let folded = plain(wanted)
            let hits = stored.filter { $0.value.contains { $0.contains(folded) } }.map(\.key)
            let outcome = try workplace.profiles(
                "find", wanted, "--columns", "username", "--format", "csv", "--limit", "1000")
            let found = outcome.output.split(separator: "\n").dropFirst().map(String.init)
            #expect(Set(found) == Set(hits) && found.count == hits.count, "\(wanted)")
            #expect(outcome.status == (hits.isEmpty ? 1 : 0))
        }
    }
}
