import Platform
import ProfileTesting
import Testing
import Watchdog

/// A session as people have it every day: a wrong import, equal mistakes, a rename and duplicates.
@Suite(.watched) struct EverydaySessionTests {
    private let workplace: Workplace

    init() throws {
        workplace = try Workplace(
            schema: """
                {"fields": [
                  {"name": "username", "constraints": {"required": true, "unique": true}},
                  {"name": "full_name", "title": "Name"},
                  {"name": "city", "title": "City"},
                  {"name": "birthday", "title": "Birthday", "type": "date"}]}
                """)
    }

    private var history: String {
        get throws { try workplace.profiles("history", "--limit", "5000").output }
    }

    private func write(_ numbers: ClosedRange<Int>, city: String, birthday: String, to file: String) throws {
        let rows = numbers.map { "u\($0),Person \($0),\(city),\(birthday)\n" }
        try workplace.write("username,full_name,city,birthday\n" + rows.joined(), to: file)
    }

    @Test func `D2, D5, D6, N9: a wrong import is undone, mistakes are mended, a field renamed and duplicates merged`()
        throws
    {
        // An import of 1,000 rows with a mistake in a column, which the summary shows.
        try write(1...1_000, city: "Lodnon", birthday: "2000-01-31", to: "people.csv")
        #expect(try workplace.profiles("import", "people.csv").status == 0)
        let summary = try workplace.profiles("summary", "city").output
        #expect(summary.contains("Lodnon") && summary.contains("1,000"), "\(summary)")
        let undo = try TerminalDriver(workplace, "undo", "--import", "1")
        try undo.wait(for: "[y/N]")
        try undo.type("y\n")
        #expect(try undo.end() == 0)
        #expect(undo.transcript.contains("1000 profiles would be removed"), "\(undo.transcript)")
        #expect(try workplace.profiles("list", "--count").output == "0\n")
        try write(1...1_000, city: "London", birthday: "2000-01-31", to: "people.csv")
        #expect(try workplace.profiles("import", "people.csv").status == 0)
        #expect(try workplace.profiles("list", "--where", "city=London", "--count").output == "1000\n")

        // 110 equal mistakes, mended in one step.
        try write(1_001...1_110, city: "Rome", birthday: "1/1/1900", to: "more.csv")
        #expect(try workplace.profiles("import", "more.csv", "--rejects", "rejects.csv").status == 1)
        let mend = try TerminalDriver(workplace, "mend", "rejects.csv")
        try mend.wait(for: "Row 1 of 110")
        try mend.press(.control("u"))
        try mend.type("1900-01-01")
        try mend.press(.control("s"))
        try mend.wait(for: "109 more rows have \"1/1/1900\" in Birthday.")
        try mend.press(.down)
        try mend.press(.enter)
        #expect(try mend.end() == 0)
        #expect(try workplace.profiles("list", "--where", "birthday=1900-01-01", "--count").output == "110\n")

        // A field is renamed, and two duplicates are merged.
        #expect(try workplace.profiles("schema", "rename", "city", "town").status == 0)
        #expect(try workplace.profiles("edit", "u7", "--set", "full_name=PERSON 8", "--set", "town=Bath").status == 0)
        let merge = try TerminalDriver(workplace, "duplicates", "--by", "full_name", "--merge")
        try merge.wait(for: "Merge two profiles")
        #expect(merge.screen.contains("(•) Bath") && merge.screen.contains("( ) London"), "\(merge.screen)")
        try merge.type("\n")
        // Person 1 and Person 10 only have similar names.
        try merge.wait(for: "( ) u10 (id")
        try merge.press(.escape)
        #expect(try merge.end() == 0)
        #expect(try workplace.profiles("list", "--count").output == "1109\n")

        // The history shows all of it, by the new name of the field.
        let history = try history
        #expect(history.contains("Town") && !history.contains("City"), "a renamed field has its new name")
        for text in ["with \"profiles import", "with \"profiles undo", "with \"profiles mend", "with \"profiles edit"] {
            #expect(history.contains(text), "\(text)")
        }
        #expect(history.contains("with \"profiles duplicates"))
        let imports = try workplace.profiles("imports").output
        #expect(imports.contains("people.csv") && imports.contains("rejects.csv"), "\(imports)")
        #expect(try workplace.profiles("check").status == 0)
    }
}
