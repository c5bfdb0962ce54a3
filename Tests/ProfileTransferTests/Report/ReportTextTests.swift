import ProfileStore
import Testing
import Watchdog

@testable import ProfileTransfer

@Suite(.watched) struct ReportTextTests {
    @Test func `I8: the summary has the totals, the issues by field and code, and the first few examples`() {
        #expect(
            sampleImport().summary(examples: 3) == #"""
                Import of people.csv in 1.235 seconds
                Rules: standard, version 1 (5f3a9c0de1b2)
                2026-01-31 09:15:00 UTC, profiles 0.2.0, store /srv/people.sqlite

                  rows      1,234,567
                  imported  1,234,500  >99.9 %
                  updated           0    0.0 %
                  skipped          63   <0.1 %
                  rejected          4   <0.1 %

                Issues by field and code: 5
                  field     code           count   share
                  phone     too_short          2  40.0 %
                  (row)     bad_row            1  20.0 %
                  password  missing_digit      1  20.0 %
                  username  bad_character      1  20.0 %

                Examples: the first 3 of 5
                  line 12  マーン\u{1b}[2J\n  phone     too_short      "787": Phone should have at least 8 characters
                  line 12  マーン\u{1b}[2J\n  username  bad_character  "マーン\u{1b}[2J\n": Username may hold ASCII letters only
                  line 40  ann                password  missing_digit  Password should have at least one decimal digit

                """#)
    }

    @Test func `R6: a revalidation names profiles where an import names lines`() {
        #expect(
            sampleRevalidation().summary() == """
                Revalidation of the stored profiles in 0.25 seconds
                Rules: stricter (00ff)
                2026-01-31 09:15:00 UTC, profiles 0.2.0, store /srv/people.sqlite
                These rules are not in force, and nothing was marked.

                  checked                           3  100.0 %
                  valid                             2   66.7 %
                  invalid                           1   33.3 %
                  skipped                           0    0.0 %
                  credentials older than the rules  3

                Issues by field and code: 1
                  field    code       count    share
                  address  too_short      1  100.0 %

                Examples
                  skboard  address  too_short  "12 Main": Address should have at least 10 characters

                """)
    }

    @Test func `I8: the text report lists every issue`() {
        let text = sampleImport().rendered(as: .text)
        #expect(text.contains("\nIssues\n"))
        #expect(text.contains(#"  phone     too_short      "</script><script>alert(1)</script>": Phone"#))
        #expect(text.contains("\n  line 77  </script><script>alert(1)</scri…  phone "))
        let few = sampleImport(mostIssues: 2).rendered(as: .text)
        #expect(few.contains("\nIssues: 2 of 5, the first of each field and code\n"), "\(few)")
    }

    @Test func `a report without issues has neither table nor examples`() {
        var report = ImportReport(
            source: "-", schema: SchemaReference(name: "s", version: nil, fingerprint: "ab"), mostIssues: 5,
            isDryRun: true, startedAt: sampleTime, store: nil)
        report.earlyEnd = .cancelled
        #expect(
            report.summary() == """
                Dry run of standard input in 0.0 seconds
                Rules: s (ab)
                2026-01-31 09:15:00 UTC, profiles 0.2.0, no store
                Nothing was written: these are the numbers that an import into an empty store would have.
                Ended early: it was cancelled.

                  rows      0
                  imported  0
                  updated   0
                  skipped   0
                  rejected  0

                """)
    }

    @Test func `I8: nothing of a file reaches the terminal as a control character`() {
        var texts = HostileTexts(seed: 8)
        for _ in 0..<500 {
            var report = ImportReport(
                source: texts.next(), schema: SchemaReference(name: texts.next(), version: 1, fingerprint: "ab"),
                mostIssues: 5, isDryRun: false, startedAt: sampleTime, store: texts.next())
            report.add(1, 1, texts.next(), "unknown_field", texts.next(), texts.next(), key: texts.next())
            for text in [report.summary(), report.rendered(as: .text)] {
                let harmful = text.unicodeScalars.filter { scalar in
                    scalar != "\n" && (scalar.properties.generalCategory == .control || scalar.isTurning)
                }
                #expect(harmful.isEmpty)
                // 5 totals and 11 lines of headings and blanks, whatever line breaks the texts hold.
                #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count == 17)
            }
        }
    }

    @Test func `tables are aligned by the columns that their cells take, not by their characters`() {
        var report = sampleRevalidation()
        let issue = ReportedIssue(field: "address", code: "too_short", message: "…")
        for username in ["漢字", "e\u{301}d"] where report.issues.count(field: "address", code: "too_short") {
            report.issues.list(
                ProfileIssue(key: username, issue: issue, value: nil), field: "address", code: "too_short")
        }
        #expect(
            report.summary().hasSuffix(
                """
                  skboard  address  too_short  "12 Main": Address should have at least 10 characters
                  漢字     address  too_short  …
                  e\u{301}d       address  too_short  …

                """), "\(report.summary())")
    }

    @Test func `a long value is cut in examples`() {
        var report = sampleImport()
        report.issues = IssueTally(limit: 1)
        report.add(2, 1, "note", "too_long", "Note is long", String(repeating: "\"", count: 100))
        #expect(report.summary().contains(String(repeating: #"\""#, count: 60) + "\"…: Note is long"))
        #expect(report.rendered(as: .text).contains(String(repeating: #"\""#, count: 100) + "\": Note is long"))
    }

    @Test(arguments: [
        ("a.txt", ReportFormat.text), ("a.b.JSON", .json), ("/x.d/report.csv", .csv), ("r.Html", .html), ("html", nil),
        ("a.xml", nil), ("a.", nil), ("", nil),
    ])
    func `I8: the file's ending tells the format`(fileName: String, format: ReportFormat?) {
        #expect(ReportFormat(fileName: fileName) == format)
    }
}

extension Unicode.Scalar {
    fileprivate var isTurning: Bool { (0x2028...0x202E).contains(value) || (0x2066...0x2069).contains(value) }
}
