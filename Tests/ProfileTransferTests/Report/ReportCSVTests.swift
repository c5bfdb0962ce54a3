import ProfileStore
import ProfileTransfer
import Testing
import Watchdog

@Suite(.watched) struct ReportCSVTests {
    /// The last columns of each record: the start time, the program and its version, and the store.
    private static let origin = ",2026-01-31T09:15:00.250Z,profiles 0.2.0,/srv/people.sqlite"

    @Test func `I8: the CSV report has one record per issue and no totals`() {
        #expect(
            sampleImport().rendered(as: .csv) == """
                line,record,field,code,message,value,key,started_at,program,database
                12,11,phone,too_short,Phone should have at least 8 characters,787,"マーン\u{1b}[2J\n"\(Self.origin)
                12,11,username,bad_character,Username may hold ASCII letters only,"マーン\u{1b}[2J\n","マーン\u{1b}[2J\n"\(Self.origin)
                40,38,password,missing_digit,Password should have at least one decimal digit,,ann\(Self.origin)
                41,39,,bad_row,The row has 7 cells where the header has 6,,\(Self.origin)
                77,75,phone,too_short,Phone should have at least 8 characters,</script><script>alert(1)</script>,</script><script>alert(1)</script>\(Self.origin)

                """)
        #expect(
            sampleRevalidation().rendered(as: .csv) == """
                field,code,message,value,key,started_at,program,database
                address,too_short,Address should have at least 10 characters,12 Main,skboard\(Self.origin)

                """)
    }

    @Test func `I8: a spreadsheet does not run a formula from the CSV report`() {
        var report = sampleImport(mostIssues: 0)
        report.issues = IssueTally(limit: 1)
        report.add(2, 1, "phone", "bad_format", "Phone", "=HYPERLINK(\"x\")")
        #expect(report.rendered(as: .csv).hasSuffix("Phone,\"'=HYPERLINK(\"\"x\"\")\",\(Self.origin)\n"))
    }
}
