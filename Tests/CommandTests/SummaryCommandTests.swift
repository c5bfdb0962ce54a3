import ProfileCore
import ProfileTesting
import Testing
import Watchdog

/// What `profiles summary` shows.
@Suite(.watched) struct SummaryCommandTests {
    private let workplace: Workplace

    init() throws {
        workplace = try Workplace(
            schema: """
                {"fields": [
                  {"name": "username", "constraints": {"required": true, "unique": true}},
                  {"name": "password", "profiles": {"secret": true}},
                  {"name": "city", "title": "Home town"},
                  {"name": "age", "type": "integer"},
                  {"name": "note"}]}
                """)
        try workplace.importRows(
            """
            username,city,age
            anna,Leeds,30
            bert,Leeds,12
            carl,Łódź,
            dora,Bath,30
            ed,,-1

            """)
    }

    @Test func `a summary shows the number, range, length and most frequent values of each field`() throws {
        let outcome = try workplace.profiles("summary")
        #expect(outcome.status == 0 && outcome.error == "")
        #expect(
            outcome.output == """
                5 profiles

                username, Username (string)
                  5 filled; all different; anna to ed; 2 to 4 characters, mean 3.6

                city, Home town (string)
                  4 filled (80.0 %); 3 different; Bath to Łódź; 4 to 5 characters, mean 4.5
                    Leeds  2  50.0 %
                    Bath   1  25.0 %
                    Łódź   1  25.0 %

                age, Age (integer)
                  4 filled (80.0 %); 3 different; -1 to 30; mean 17.75
                    30  2  50.0 %
                    -1  1  25.0 %
                    12  1  25.0 %

                note, Note (string)
                  no values

                """)
    }

    @Test func `a summary takes fields, conditions and a number of values`() throws {
        let outcome = try workplace.profiles(
            "summary", "Home town", "_revision", "--values", "1", "--where", "age>0", "--format", "json")
        #expect(outcome.status == 0)
        let summary = try JSONValue(parsing: outcome.output)
        #expect(
            summary == [
                "profiles": 3,
                "fields": [
                    [
                        "field": "city", "title": "Home town", "type": "string", "filled": 3, "distinct": 2,
                        "distinct_is_exact": true, "minimum": "Bath", "maximum": "Leeds", "mean": nil, "shortest": 4,
                        "longest": 5, "mean_length": .number("4.666666666666667"),
                        "values": [["value": "Leeds", "count": 2, "most_missed": 0]],
                    ],
                    [
                        "field": "_revision", "title": "Revision", "type": "integer", "filled": 3, "distinct": 1,
                        "distinct_is_exact": true, "minimum": 1, "maximum": 1, "mean": 1, "shortest": 1, "longest": 1,
                        "mean_length": 1, "values": [["value": 1, "count": 3, "most_missed": 0]],
                    ],
                ],
            ], "\(outcome.output)")
        for (field, message) in [("nosuch", "There is no field \"nosuch\""), ("password", "A secret is never shown")] {
            let refused = try workplace.profiles("summary", field)
            #expect(refused.status == 64 && refused.error.contains(message), "\(refused)")
        }
    }

    @Test func `bars show the shares on a terminal`() throws {
        let terminal = try TerminalDriver(workplace, "summary", "city")
        try terminal.wait(for: "Leeds  2  50.0 %  ████████████████████")
        try terminal.wait(for: "Bath   1  25.0 %  ██████████")
        #expect(try terminal.end() == 0)
    }
}
