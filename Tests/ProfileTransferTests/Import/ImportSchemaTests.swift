import ProfileCore
import ProfileStore
import ProfileTransfer
import StoreFixtures
import Testing
import Watchdog

/// Files that are read by a schema which describes their format.
@Suite(.watched) struct ImportSchemaTests {
    /// A schema with a primary key of its own, and every way to write a value.
    private static let document = """
        {"name": "club", "primaryKey": "member_no", "missingValues": ["NA", "-"], "fields": [
          {"name": "member_no", "title": "Member", "profiles": {"columns": ["Mitgliedsnummer", "Nr."]}},
          {"name": "phone", "profiles": {"columns": ["Mobil", "Tel. (privat)"], "indexed": true}},
          {"name": "joined", "type": "date", "format": "%d.%m.%Y"},
          {"name": "seen", "type": "datetime", "format": "%d.%m.%Y %H:%M"},
          {"name": "fee", "type": "number", "decimalChar": ",", "groupChar": ".", "bareNumber": false},
          {"name": "active", "type": "boolean", "trueValues": ["ja"], "falseValues": ["nein"]},
          {"name": "password", "profiles": {"secret": true, "hashColumns": ["Kennwort-Hash"]}}
        ]}
        """
    private let schema: ProfileSchema

    init() throws { schema = try ProfileSchema(parsing: Self.document) }

    private static let file = """
        Nr.;MOBIL;joined;seen;fee;active;Kennwort_Hash
        a17;0301;5.3.2024;5.3.2024 7:05;1.234,50 €;ja;\(broughtHash)
        A17;0302;1.1.2024;;;;
        b2;NA;-;;NA;nein;
        NA;1;;;;;
        c3;;30.2.2024;;1.5;yes;

        """

    @Test func `I2: a schema says which columns of a file mean a field, and which one the hash`() async throws {
        let folder = try ImportFolder()
        let repository = try await folder.store(schema: schema)
        let report = try await repository.importing(Self.file) { $0.format = .csv(delimiter: UInt8(ascii: ";")) }
        #expect(report.outcomes == [2, 0, 0, 3])
        #expect(
            report.lines == [
                "3/2 member_no duplicate", "5/4 member_no required", "6/5 joined bad_date", "6/5 fee bad_format",
                "6/5 active bad_format",
            ])
        let stored = try await repository.everything()
        #expect(
            stored["a17"] == [
                "member_no": "a17", "phone": "0301", "joined": "2024-03-05", "seen": "2024-03-05T07:05:00",
                "fee": "1234.5", "active": "true",
            ])
        #expect(stored["b2"] == ["member_no": "b2", "active": "false"])
        #expect(try await repository.profile(username: "a17")?.hasPassword == true)
    }

    @Test func `S6: numbers of JSON are taken as JSON writes them, whatever the fields' own notation`() async throws {
        let schema = try ProfileSchema(
            parsing: """
                {"fields": [
                    {"name": "username", "constraints": {"required": true, "unique": true}},
                    {"name": "fee", "type": "number", "decimalChar": ",", "groupChar": "."},
                    {"name": "seats", "type": "integer", "groupChar": "."}
                ]}
                """)
        let folder = try ImportFolder()
        let repository = try await folder.store(schema: schema)
        let first = try await repository.importing(
            """
            {"username": "ann", "fee": 1.234, "seats": 1234}
            {"username": "bob", "fee": "1.234", "seats": "1.234"}
            {"username": "cid", "seats": 1.234}

            """)
        #expect(first.lines == ["3/3 seats bad_format"])
        // The values that an update leaves are judged again with those that it brings.
        let update = try await repository.importing(#"{"username": "ann", "seats": 5}"#) { $0.duplicates = .update }
        #expect(update.lines == [])
        let stored = try await repository.everything()
        #expect(stored["ann"] == ["username": "ann", "fee": "1.234", "seats": "5"])
        #expect(stored["bob"] == ["username": "bob", "fee": "1234", "seats": "1234"])
    }

    @Test func `I2: a map overrides the column names of a schema, and two columns for one field are refused`()
        async throws
    {
        let report = try await validating("Login,Mobil\na,1\n", schema: schema) { $0.columns = ["Login": "Nr."] }
        #expect(report.outcomes == [1, 0, 0, 0])
        let named = try await validating("User Name,Login\na,1\n", schema: schema) { $0.columns = ["Login": "phone"] }
        #expect(named.outcomes == [1, 0, 0, 0])
        let claimed = try ProfileSchema(
            parsing: #"{"primaryKey":"no","fields":[{"name":"no"},{"name":"n","profiles":{"columns":["username"]}}]}"#)
        guard case .columnMismatch(let unkeyed) = await refusal(of: "username\na\n", schema: claimed) else {
            return #expect(Bool(false), "a key without a column")
        }
        #expect(unkeyed.missingFields == ["no"])
        #expect(
            await refusal(of: "Nr.,Mobil,phone\na,1,2\n", schema: schema)
                == .columnTwice("phone", columns: ["Mobil", "phone"]))
        #expect(
            await refusal(of: "Nr.,member no\na,1\n", schema: schema)
                == .columnTwice("member_no", columns: ["Nr.", "member no"]))
        guard case .columnMismatch(let mismatch) = await refusal(of: "Mobil,joined\n1,\n", schema: schema) else {
            Issue.record("a file without keys was taken")
            return
        }
        #expect(mismatch.missingFields == ["member_no"])
    }

    @Test func `I4: the primary key decides whether a profile is already stored`() async throws {
        let folder = try ImportFolder()
        let repository = try await folder.store(schema: schema)
        _ = try await repository.importing("Nr.,Mobil,active\na17,1,ja\n")
        #expect(try await repository.importing("Nr.,Mobil\nA17,2\n").lines == ["2/1 member_no duplicate"])
        let skipped = try await repository.importing("Nr.,Mobil\nA17,2\n") { $0.duplicates = .skip }
        #expect(skipped.outcomes == [0, 0, 1, 0])
        let updated = try await repository.importing("Nr.,Mobil,active\na17,-,nein\n") { $0.duplicates = .update }
        #expect(updated.outcomes == [0, 1, 0, 0])
        #expect(try await repository.everything() == ["a17": ["member_no": "a17", "active": "false"]])
    }

    @Test(arguments: [ExportFormat.csv, .ndjson])
    func `I13: an export is written in the notation of the schema, and imports back`(format: ExportFormat) async throws
    {
        let store = try await ExportedStore(schema: Self.document)
        _ = try await store.repository.importing(Self.file) { $0.format = .csv(delimiter: UInt8(ascii: ";")) }
        let exported = try await store.export(as: format, includingHashes: true)
        switch format {
        case .csv:
            #expect(
                try cells(of: exported).prefix(2) == [
                    ["member_no", "phone", "joined", "seen", "fee", "active", "password_hash"],
                    ["a17", "0301", "05.03.2024", "05.03.2024 07:05", "1234,5", "ja", broughtHash],
                ])
        default:
            #expect(
                exported.hasPrefix(
                    #"{"member_no":"a17","phone":"0301","joined":"05.03.2024","seen":"05.03.2024 07:05","fee":1234.5,"#
                        + #""active":true,"#), "\(exported)")
        }
        let folder = try ImportFolder()
        let copy = try await folder.store(schema: schema)
        let report = try await copy.importing(exported) { if format == .ndjson { $0.format = .json } }
        #expect(report.outcomes == [2, 0, 0, 0], "\(report.lines)")
        #expect(try await copy.everything() == (try await store.repository.everything()))
    }
}
