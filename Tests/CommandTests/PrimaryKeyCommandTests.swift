import Testing
import Watchdog

/// Stores whose profiles are known by a field of their own.
@Suite(.watched) struct PrimaryKeyCommandTests {
    private let workplace: Workplace

    init() throws {
        workplace = try Workplace()
        try workplace.write(
            """
            {"primaryKey": "member_no", "missingValues": ["NA"], "fields": [
              {"name": "member_no", "title": "Member", "constraints": {"maxLength": 6}},
              {"name": "phone", "profiles": {"columns": ["Mobile"]}},
              {"name": "joined", "type": "date", "format": "%d/%m/%Y"}
            ]}
            """, to: "club.json")
        try workplace.write("Member No,Mobile,joined\na17,0301,5/3/2024\nb2,NA,NA\n", to: "club.csv")
        #expect(try workplace.profiles("init", "--schema", "club.json", "--quiet").status == 0)
        #expect(try workplace.profiles("import", "club.csv", "--quiet").status == 0)
    }

    @Test func `S6: the command shows the primary key under its own name, and takes it for the username`() throws {
        #expect(try workplace.profiles("lookup", "A17").output.contains("Member "))
        #expect(try workplace.profiles("list").output.contains("Member "))
        #expect(try workplace.profiles("lookup", "--where", "member_no=b2").status == 0)
        #expect(try workplace.profiles("lookup", "--where", "username=b2").status == 0)
        #expect(
            try workplace.profiles("export", "--as", "csv").output
                == "member_no,phone,joined\na17,0301,05/03/2024\nb2,,\n")
        #expect(try workplace.profiles("register", "--username", "c3", "--quiet").status == 0)
        let taken = try workplace.profiles("register", "--set", "member_no=C3")
        #expect(taken.status == 1)
        #expect(taken.error.contains("Member is taken"), "\(taken.error)")
        #expect(try workplace.profiles("edit", "c3", "--username", "d4", "--quiet").status == 0)
        #expect(try workplace.profiles("lookup", "d4", "--format", "json").output.contains(#""member_no": "d4""#))
        for field in ["username", "member_no"] {
            let cleared = try workplace.profiles("edit", "d4", "--clear", field)
            #expect(cleared.status == 1 && cleared.error.contains("Member is required"), "\(cleared)")
        }
        #expect(try workplace.profiles("remove", "d4", "--yes").status == 0)
        #expect(try workplace.profiles("schema", "show").output.contains("primary key"))
    }

    @Test func `S6: a schema with another primary key is refused while there are profiles`() throws {
        try workplace.write(#"{"primaryKey": "phone", "fields": [{"name": "phone"}]}"#, to: "other.json")
        let refused = try workplace.profiles("schema", "adopt", "other.json")
        #expect(refused.status == 1)
        #expect(
            refused.error.hasPrefix(
                "Error: The schema is not adopted: its primary key is phone, and the store's profiles are known by "
                    + "member_no\n"), "\(refused.error)")
    }
}
