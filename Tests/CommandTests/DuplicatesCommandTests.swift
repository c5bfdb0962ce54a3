import ProfileCore
import ProfileTesting
import Testing
import Watchdog

/// What `profiles duplicates` shows.
@Suite(.watched) struct DuplicatesCommandTests {
    private let workplace: Workplace

    init() throws {
        workplace = try Workplace(
            schema: """
                {"fields": [
                  {"name": "username", "constraints": {"required": true, "unique": true}},
                  {"name": "password", "profiles": {"secret": true}},
                  {"name": "full_name", "title": "Name"},
                  {"name": "phone"}]}
                """)
        try workplace.importRows(
            """
            username,full_name,phone
            anna,Anna Smith,7876-1241
            anna2,ANNA SMITH.,7876 1241
            anna3,Anna Smyth,
            bert,Bert Brown,1111
            carl,Carl White,(11) 11

            """)
    }

    @Test func `groups and pairs are shown with the values that are alike`() throws {
        let outcome = try workplace.profiles("duplicates", "--by", "phone")
        #expect(outcome.status == 0 && outcome.error == "")
        #expect(
            outcome.output == """
                2 groups of 4 profiles equal in phone

                  bert  1111
                  carl  (11) 11

                  anna   7876-1241
                  anna2  7876 1241

                2 pairs of profiles with similar names in full_name

                  anna   Anna Smith   anna2  ANNA SMITH.
                  anna2  ANNA SMITH.  anna3  Anna Smyth

                """)
        let all = try workplace.profiles("duplicates", "--similar", "phone", "--limit", "0")
        #expect(
            all.output == """
                1 group of 2 profiles equal in full_name, phone

                1 pair of profiles with similar names in phone

                """, "\(all)")
        let none = try workplace.profiles("duplicates", "--where", "username=bert")
        #expect(
            none.output
                == "No profiles are equal in full_name, phone\n\nNo profiles have similar names in full_name\n")
        #expect(none.status == 0)
    }

    @Test func `duplicates are written as JSON`() throws {
        let outcome = try workplace.profiles("duplicates", "--limit", "1", "--format", "json")
        #expect(outcome.status == 0)
        func profile(_ id: Int, _ key: String, _ name: String, _ phone: String?) -> JSONValue {
            var values = [JSONMember("full_name", .string(name))]
            if let phone { values.append(JSONMember("phone", .string(phone))) }
            return ["id": .number(id), "key": .string(key), "values": .object(values)]
        }
        #expect(
            try JSONValue(parsing: outcome.output) == [
                "fields": ["full_name", "phone"], "name_fields": ["full_name"], "group_count": 1,
                "grouped_profiles": 2,
                "groups": [
                    [
                        "count": 2,
                        "profiles": [
                            profile(1, "anna", "Anna Smith", "7876-1241"),
                            profile(2, "anna2", "ANNA SMITH.", "7876 1241"),
                        ],
                    ]
                ],
                "pair_count": 2,
                "pairs": [
                    [
                        "distance": 0,
                        "profiles": [
                            profile(1, "anna", "Anna Smith", nil), profile(2, "anna2", "ANNA SMITH.", nil),
                        ],
                    ]
                ],
            ], "\(outcome.output)")
    }

    @Test func `a field that cannot be compared is named`() throws {
        for (options, message) in [
            (["--by", "fone"], "There is no field \"fone\". Did you mean \"phone\"?"),
            (["--similar", "password"], "Profiles cannot be compared by a secret"),
            (["--limit", "-1"], "--limit"),
        ] {
            let outcome = try workplace.run(
                [try Workplace.binary(), "duplicates"] + options, input: "", environment: [:])
            #expect(outcome.status == 64 && outcome.error.contains(message), "\(options) \(outcome)")
        }
    }
}
