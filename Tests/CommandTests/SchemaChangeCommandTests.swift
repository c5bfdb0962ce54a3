import Platform
import ProfileTesting
import Testing
import Watchdog

/// `schema rename`, `schema adopt --convert`, and what `schema diff` reports about stored values.
@Suite(.watched) struct SchemaChangeCommandTests {
    private let workplace: Workplace

    init() throws {
        workplace = try Workplace(schema: Self.schema(#"{"name": "city"}"#, #"{"name": "born"}"#))
    }

    private static func schema(_ fields: String...) -> String {
        """
        {"name": "people", "fields": [{"name": "username", "constraints": {"required": true, "unique": true}},
          \(fields.joined(separator: ", "))]}
        """
    }

    private static let date = #"{"name": "born", "type": "date", "format": "%d.%m.%Y"}"#

    // MARK: Renaming

    @Test func `D6: a renamed field is shown by its new name, and files with the old header still fit`() throws {
        try workplace.importRows("username,city\nabel,Ulm\n")
        let rename = try workplace.profiles("schema", "rename", "city", "town")
        #expect(rename.status == 0)
        #expect(rename.output == "Renamed city to town, as version 2\n")
        #expect(rename.error.contains("run \"profiles revalidate\""))
        try workplace.importRows("username,city\nbert,Bonn\n")
        let export = try workplace.profiles("export", "--columns", "username,town", "-")
        #expect(export.output == "username,town\nabel,Ulm\nbert,Bonn\n")
        let back = try workplace.profiles("schema", "rename", "town", "city", "--format", "json")
        #expect(back.output.contains("\"renamed\": {\n    \"town\": \"city\"\n  }"), "\(back)")
        let quiet = try workplace.profiles("schema", "rename", "city", "town", "born", "city", "--quiet")
        #expect(quiet.output.isEmpty && quiet.status == 0)
        let document = try workplace.profiles("schema", "show", "--format", "json").output
        #expect(try workplace.profiles("schema", "check", "-", input: document).status == 0)
    }

    @Test(arguments: [
        (["city"], "Give each field with its new name: profiles schema rename city town"),
        (["town", "x"], #"There is no field "town""#),
        (["city", "born"], "city cannot be renamed to born: there is a field born already"),
        (["city", "City"], #""City" cannot be the name of a field"#),
        (["city", "city"], "The field city has this name already"),
        (["city", "town", "city", "place"], "The field city is given twice"),
        (["_id", "x"], #""_id" is kept by the store, and has no other name"#),
        (["city", "password_hash"], "is reserved"),
        (["city", "username"], "there is a field username already"),
    ])
    func `D6: a name that cannot be given is refused, and nothing changes`(words: [String], error: String) throws {
        try workplace.importRows("username,city\nabel,Ulm\n")
        let rename = try workplace.run(
            [try Workplace.binary(), "schema", "rename"] + words, input: "", environment: [:])
        #expect(rename.status != 0)
        #expect(rename.error.contains(error), "\(rename)")
        #expect(try workplace.profiles("schema", "log", "--format", "json").output.contains("\"version\": 1,"))
        #expect(try !workplace.profiles("schema", "log", "--format", "json").output.contains("\"version\": 2,"))
    }

    // MARK: Differences

    @Test func `D6, D7: diff shows renames, values that are no longer read, and values that do not convert`() throws {
        try workplace.importRows("username,city,born\nabel,Ulm,03.02.1999\nbert,,soon\n")
        try workplace.write(
            Self.schema(#"{"name": "day", "type": "date", "format": "%d.%m.%Y", "profiles": {"was": "born"}}"#),
            to: "new.json")
        let diff = try workplace.profiles("schema", "diff", "new.json")
        #expect(
            diff.output == """
                - city
                ~ born → day
                ~ day: title Born → Day
                ~ day: type string → date (may be stricter)
                ~ day: formats none → %d.%m.%Y (written differently)
                1 value of "city" would be kept, but not read any more
                1 of 2 values of "day" can be converted (schema adopt --convert); 1 cannot, such as "soon"

                """)
        let json = try workplace.profiles("schema", "diff", "new.json", "--format", "json").output
        #expect(json.contains("\"change\": \"renamed\"") && json.contains("\"effect\": \"unread\""), "\(json)")
        #expect(json.contains("\"failing\": 1") && json.contains("\"example\": \"soon\""))
    }

    @Test func `D6: a former name that the store never had is reported, with the nearest name`() throws {
        try workplace.importRows("username,city\nabel,Ulm\n")
        let born = #"{"name": "born"}"#
        try workplace.write(Self.schema(#"{"name": "town", "profiles": {"was": "cty"}}"#, born), to: "new.json")
        let told = #""was" of "town" names the field "cty", which the store does not have. Did you mean "city"?"#
        let diff = try workplace.profiles("schema", "diff", "new.json")
        #expect(
            diff.output == """
                - city
                + town: string, any text
                1 value of "city" would be kept, but not read any more

                """)
        #expect(diff.error == told + "\n")
        for format in ["json", "text"] {
            let adopt = try workplace.profiles("schema", "adopt", "new.json", "--yes", "--format", format)
            #expect(adopt.status == 0 && adopt.error.contains(told + "\n") == (format == "json"), "\(adopt)")
        }
        // The store had this field before, so a new field can continue it.
        try workplace.write(Self.schema(#"{"name": "place", "profiles": {"was": "city"}}"#, born), to: "new.json")
        let back = try workplace.profiles("schema", "diff", "new.json")
        #expect(back.output.contains("+ place") && !back.error.contains("does not have"), "\(back)")
    }

    // MARK: Converting

    @Test func `D7: adopt --convert rewrites values, and lists those that stay`() throws {
        try workplace.importRows("username,city,born\nabel,Ulm,03.02.1999\nbert,,soon\n")
        try workplace.write(Self.schema(#"{"name": "city"}"#, Self.date), to: "new.json")
        let unasked = try workplace.profiles("schema", "adopt", "new.json", "--convert")
        #expect(unasked.status == 64)
        #expect(unasked.error.contains("which 1 of 2 profiles break"), "\(unasked)")
        let adopt = try workplace.profiles("schema", "adopt", "new.json", "--convert", "--yes")
        #expect(adopt.status == 1)
        #expect(
            adopt.output.hasSuffix(
                """
                Adopted the schema "people" as version 2
                Converted 1 profile
                  bert stays: Born must be a date written as %d.%m.%Y or yyyy-MM-dd

                """) || adopt.output.contains("Converted 1 profile\n  bert stays: Born"), "\(adopt)")
        #expect(try workplace.profiles("list", "--where", "born=1999-02-03", "--count").output.hasPrefix("1"))
        // After the value is corrected by hand, the same command has nothing left to convert.
        #expect(try workplace.profiles("edit", "bert", "--set", "born=05.06.2000").status == 0)
        let again = try workplace.profiles("schema", "adopt", "new.json", "--convert")
        #expect(again.status == 0)
        #expect(again.output.hasSuffix("as version 2\nConverted 0 profiles\n"), "\(again)")
        let undo = try workplace.profiles("undo", "1", "--yes")
        #expect(undo.status != 64, "\(undo)")
    }

    @Test func `D7: a killed conversion leaves whole batches, and the same command completes it`() throws {
        let rows = 12_000
        let days = (1...rows).map { "u\($0),\($0 % 28 + 1 < 10 ? "0" : "")\($0 % 28 + 1).02.1999\n" }
        try workplace.importRows("username,born\n" + days.joined())
        try workplace.write(Self.schema(#"{"name": "city"}"#, Self.date), to: "new.json")
        let words = ["schema", "adopt", "new.json", "--convert", "--yes"]
        let process = try ChildProcess(
            [try Workplace.binary()] + words, environment: workplace.environment, folder: workplace.folder,
            streams: [1: .file("/dev/null", flags: O_WRONLY), 2: .file("/dev/null", flags: O_WRONLY)])
        func converted() throws -> Int {
            // A text such as 28.02.1999 is before or after all of these.
            let list = try workplace.profiles(
                "list", "--where", "born>=1999-01-01", "--where", "born<=1999-12-31", "--count"
            ).output
            return try #require(Int(list.filter(\.isNumber)))
        }
        // The kill comes when some values are converted. On a very slow machine, all of them may be.
        while try converted() == 0, !process.hasEnded {}
        process.send(SIGKILL)
        _ = process.wait()
        let done = try converted()
        #expect(done % 1_000 == 0, "\(done) are converted")
        #expect(try workplace.profiles("check").status == 0)
        let again = try workplace.run([try Workplace.binary()] + words, input: "", environment: [:])
        #expect(again.status == 0, "\(again)")
        #expect(try converted() == rows)
    }

    @Test func `D6: a field of many profiles is renamed, and its values are found under the new name`() throws {
        try workplace.importRows("username,city\n" + (1...3_000).map { "u\($0),c\($0)\n" }.joined())
        #expect(try workplace.profiles("schema", "rename", "city", "town").status == 0)
        #expect(try workplace.profiles("list", "--where", "town=c77", "--count").output.hasPrefix("1"))
        let revalidate = try workplace.profiles("revalidate")
        #expect(revalidate.status == 0 && revalidate.output.contains("3,000"), "\(revalidate)")
    }
}
