import Foundation
import ProfileCore
import ProfileStore
import ProfileTransfer
import Testing
import Watchdog

@Suite(.watched) struct ReportJSONTests {
    @Test func `I8: the import report's JSON`() throws {
        let json = try JSONValue(parsing: sampleImport(mostIssues: 4).rendered(as: .json))
        let expected = """
            {"source":"people.csv",\
            "schema":{"name":"standard","version":1,"fingerprint":"5f3a9c0de1b24477"},\
            "rows":1234567,"imported":1234500,"updated":0,"skipped":63,"rejected":4,\
            "issue_counts":[{"field":"phone","code":"too_short","count":2},{"field":null,"code":"bad_row","count":1},\
            {"field":"password","code":"missing_digit","count":1},{"field":"username","code":"bad_character","count":1}],\
            "issues":[{"line":12,"record":11,"field":"phone","code":"too_short",\
            "message":"Phone should have at least 8 characters","value":"787","key":"マーン\\u001b[2J\\n"},\
            {"line":12,"record":11,"field":"username","code":"bad_character",\
            "message":"Username may hold ASCII letters only","value":"マーン\\u001b[2J\\n",\
            "key":"マーン\\u001b[2J\\n"},\
            {"line":40,"record":38,"field":"password","code":"missing_digit",\
            "message":"Password should have at least one decimal digit","key":"ann"},\
            {"line":41,"record":39,"field":null,"code":"bad_row",\
            "message":"The row has 7 cells where the header has 6"}],\
            "issues_truncated":true,"seconds":1.235,"dry_run":false,"early_end":null,"warnings":[],\
            "started_at":"2026-01-31T09:15:00.250Z","program":"profiles 0.2.0","database":"/srv/people.sqlite"}
            """
        #expect(json.text() == expected)
    }

    @Test func `R6: the revalidation report's JSON`() throws {
        let json = try JSONValue(parsing: sampleRevalidation().rendered(as: .json))
        let expected = """
            {"schema":{"name":"stricter","version":null,"fingerprint":"00ff"},\
            "checked":3,"valid":2,"invalid":1,"skipped":0,"credentials_predating":3,\
            "issue_counts":[{"field":"address","code":"too_short","count":1}],\
            "issues":[{"field":"address","code":"too_short",\
            "message":"Address should have at least 10 characters","value":"12 Main","key":"skboard"}],\
            "issues_truncated":false,"seconds":0.25,"candidate":true,"cancelled":false,\
            "started_at":"2026-01-31T09:15:00.250Z","program":"profiles 0.2.0","database":"/srv/people.sqlite"}
            """
        #expect(json.text() == expected)
    }

    @Test func `I8, R6: an encoder gets what the command prints, without the path of the store`() throws {
        var report = sampleImport(mostIssues: 4)
        report.warnings = [.strayQuotes(rows: 3, line: 7), .headerLikeRows]
        let encoder = JSONEncoder()
        for (value, text) in [
            (report as any Encodable, report.rendered(as: .json)),
            (sampleRevalidation() as any Encodable, sampleRevalidation().rendered(as: .json)),
        ] {
            let encoded = try JSONSerialization.jsonObject(with: encoder.encode(value)) as? NSDictionary
            let printed = try JSONSerialization.jsonObject(with: Data(text.utf8), options: .mutableContainers)
            let expected = try #require(printed as? NSMutableDictionary)
            #expect(expected["database"] as? String == "/srv/people.sqlite")
            expected.removeObject(forKey: "database")
            #expect(encoded == expected)
            #expect(encoded?["schema"] != nil)
        }
    }

    @Test func `I8: an encoded import report has the name of the file, and no folder of the server`() throws {
        let schema = SchemaReference(name: "standard", version: 1, fingerprint: "00ff")
        for (source, name) in [("/srv/uploads/people.csv", "people.csv"), ("-", "-"), ("people.csv", "people.csv")] {
            let report = ImportReport(
                source: source, schema: schema, mostIssues: 1, isDryRun: false, startedAt: sampleTime,
                store: "/srv/people.sqlite")
            let text = String(decoding: try JSONEncoder().encode(report), as: UTF8.self)
            #expect(!text.contains("srv"))
            #expect(try JSONValue(parsing: text)["source"] == .string(name))
            #expect(try JSONValue(parsing: report.rendered(as: .json))["source"] == .string(source))
        }
    }

    @Test(arguments: [
        (ImportReport.EarlyEnd.cancelled, "cancelled"), (.tooManyRejects, "too_many_rejects"),
        (.nothingStored, "nothing_stored"),
    ])
    func `an early end is named`(end: ImportReport.EarlyEnd, name: String) throws {
        var report = sampleImport()
        report.earlyEnd = end
        #expect(try JSONValue(parsing: report.rendered(as: .json))["early_end"] == .string(name))
    }

    @Test(arguments: [Double.infinity, .nan, 1e300])
    func `seconds are a JSON number even if they are infinite, not a number or very large`(seconds: Double) throws {
        var report = sampleRevalidation()
        report.seconds = seconds
        guard case .number = try JSONValue(parsing: report.rendered(as: .json))["seconds"] else {
            Issue.record("not a number")
            return
        }
    }

    @Test func `I8: the JSON of a report parses back to the same values, in a file and in the page`() throws {
        var texts = HostileTexts(seed: 2)
        for _ in 0..<300 {
            let (source, name, field, message, value) = (
                texts.next(), texts.next(), texts.next(), texts.next(), texts.next()
            )
            var report = ImportReport(
                source: source, schema: SchemaReference(name: name, version: 1, fingerprint: "ab"), mostIssues: 5,
                isDryRun: true, startedAt: sampleTime, store: source)
            report.add(3, 2, field, "bad_format", message, value, key: name)
            let expected: JSONValue = [
                "line": 3, "record": 2, "field": .string(field), "code": "bad_format", "message": .string(message),
                "value": .string(value), "key": .string(name),
            ]
            for text in [report.rendered(as: .json), try pageData(of: report.rendered(as: .html))] {
                let json = try JSONValue(parsing: text)
                #expect(json["source"] == .string(source))
                #expect(json["database"] == .string(source))
                #expect(json["issues"] == .array([expected]))
            }
        }
    }
}
