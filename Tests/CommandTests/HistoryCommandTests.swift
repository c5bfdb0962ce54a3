import ProfileTesting
import Testing
import Watchdog

/// `history`, `imports`, and what `init` and `remove` say of the history.
@Suite(.watched) struct HistoryCommandTests {
    /// Returns the text with `TIME` in place of each time, and `DAY` in place of each remaining date.
    private func reproducible(_ text: String) -> String {
        text.replacing(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/, with: "TIME").replacing(/20\d\d-\d\d-\d\d/, with: "DAY")
    }

    @Test func `D1: history shows the values before and after, newest first`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        #expect(try workplace.profiles("edit", "anna", "--address", "2 Side St", "--postal-code", "89761").status == 0)
        let history = try workplace.profiles("history", "anna")
        #expect(
            reproducible(history.output) == """
                TIME  edited      revision 2  with "profiles edit", change 2
                  Address      12 Main St → 2 Side St
                  Postal code  – → 89761
                TIME  registered  revision 1  with "profiles register", change 1

                """)
        let all = try workplace.profiles("history", "--limit", "1")
        #expect(reproducible(all.output).hasPrefix("TIME  edited      id 1  revision 2  with"))
        #expect(all.error == "There are older changes: show them with a greater --limit.\n")
        let since = try workplace.profiles("history", "--since", "2001-01-01")
        #expect(since.output == (try workplace.profiles("history")).output)
        let none = try workplace.profiles("history", "anna", "--since", "2999-01-01")
        #expect(none.output == "" && none.error == "There are no changes since 2999-01-01 00:00:00 UTC.\n", "\(none)")
        #expect(try workplace.profiles("history", "--since", "2001-13-01").status == 64)
        #expect(try workplace.profiles("history", "--since", "1h").output.contains("registered"))
        let missing = try workplace.profiles("history", "bert")
        #expect(missing.status == 1)
        #expect(
            missing.error == """
                Error: The history has no profile "bert"
                  "profiles history" shows all changes of the last 90 days

                """)
    }

    @Test func `D1: history --at shows a profile as it was, and a removed profile is found`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        let removed = try workplace.profiles("remove", "anna", "--yes")
        #expect(removed.output == "Removed anna\n")
        #expect(
            reproducible(removed.error)
                == "The history keeps its values until DAY; \"profiles remove --erase --id 1\" removes them.\n")
        let history = try workplace.profiles("history", "anna").output
        #expect(
            reproducible(history).hasPrefix("TIME  removed     id 1  revision 1  with \"profiles remove\", change 2\n"))
        #expect(history.contains("  Phone"))
        #expect(try workplace.profiles("history", "--id", "1").output == history)
        let past = try workplace.profiles("history", "anna", "--at", "2001-01-01")
        #expect(past.status == 1)
        #expect(past.error == "Error: There was no profile \"anna\" at 2001-01-01 00:00:00 UTC\n")
    }

    @Test func `D4: remove --erase leaves nothing, also by id after a removal`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        try workplace.register("bert")
        let erased = try workplace.profiles("remove", "anna", "--yes", "--erase")
        #expect(erased == Workplace.Outcome(status: 0, output: "Removed anna\n", error: ""))
        #expect(try workplace.profiles("history", "anna").status == 1)
        #expect(try workplace.profiles("remove", "bert", "--yes", "--quiet").error == "")
        let removed = try workplace.profiles("remove", "bert", "--erase", "--yes")
        #expect(
            removed.error == """
                Error: There is no profile "bert"
                  It was removed: erase the rest with "profiles remove --erase --id 2"

                """)
        #expect(try workplace.profiles("remove", "--id", "2", "--yes").status == 64)
        #expect(
            try workplace.profiles("remove", "--id", "2", "--yes", "--erase").output
                == "Erased the profile with the id 2\n")
        #expect(try workplace.profiles("history").output == "")
        let again = try workplace.profiles("remove", "--id", "2", "--yes", "--erase")
        #expect(again.status == 1)
        #expect(again.error == "Error: The store has nothing of a profile with the id 2\n")
    }

    @Test func `D1: imports lists the files with their counts`() throws {
        let workplace = try Workplace()
        try workplace.write("username,phone,address,password\nanna,78761241,1 Main St,aK8oio\n", to: "people.csv")
        #expect(try workplace.profiles("import", "people.csv").status == 0)
        #expect(try workplace.profiles("import", "people.csv", "--on-duplicate", "skip").status == 0)
        let imports = try workplace.profiles("imports")
        #expect(
            reproducible(imports.output) == """
                Change  Time                     File        By  Added  Updated
                1       TIME  people.csv  –   1      0

                """)
        #expect(try workplace.profiles("imports", "--format", "json").output.contains("\"file\": \"people.csv\""))
    }

    @Test func `D1: a store without history keeps none, and says so`() throws {
        let workplace = try Workplace()
        #expect(
            try workplace.profiles("init", "--history", "none").output.hasSuffix(
                "with the schema \"standard\"; it keeps no history\n"))
        let again = try workplace.profiles("init", "--history", "5")
        #expect(again.status == 73 && again.error.contains("\n  Change the time of its history with "), "\(again)")
        try workplace.register("anna")
        #expect(try workplace.profiles("remove", "anna", "--yes").error == "")
        #expect(try workplace.profiles("history").error == "There are no changes in the history.\n")
        let missing = try workplace.profiles("history", "bert")
        #expect(missing.error.contains("\n  The store keeps no history; "), "\(missing)")
        #expect(
            try workplace.profiles("history", "--keep", "30").output == "The store keeps its history for 30 days\n")
        let outside = try workplace.profiles("history", "--keep", "0")
        #expect(outside.status == 64 && outside.error.contains("1 to 36500 days"), "\(outside)")
        #expect(try workplace.profiles("history", "anna", "--keep", "3").status == 64)
        #expect(
            try workplace.profiles("history", "--keep", "none").output
                == "The history is removed, and the store keeps none from now on\n")
    }
}
