import ProfileCore
import ProfileStore
import ProfileTransfer
import StoreFixtures
import Testing
import Watchdog

@Suite(.watched) struct ImportColumnsTests {
    private static let row = "ann,78761241,12 Main St,12345,1998.01.15,\"\(broughtHash)\"\n"

    @Test(
        "I2: a header's name matches a field whatever its case, spaces, hyphens and underscores",
        arguments: [
            "username,phone,address,postal_code,birthday,password_hash",
            "USERNAME,Phone,aDDress,Postal Code,Birthday,Password Hash",
            "Username,PHONE,Address,Postal-Code,birth-day,passwordHash",
            " user name ,phone\t,Address,postalCode,BIRTHDAY,password-hash",
            "\u{FEFF}username,phone,address,postal_code,birthday,password_hash",
        ])
    func names(header: String) async throws {
        let report = try await validating(header + "\n" + Self.row)
        #expect(report.outcomes == [1, 0, 0, 0], "\(report.lines)")
    }

    @Test func `I2: a column is mapped to a field`() async throws {
        let schema = try schemaOfNames()
        let report = try await validating("Login,Remark\nann,x\n", schema: schema) {
            $0.columns = ["Login": "username", "Remark": "Note"]
        }
        #expect(report.outcomes == [1, 0, 0, 0])
    }

    @Test func `I2: a column is mapped by its name without the white space around it, whatever it holds`() async throws
    {
        let schema = try schemaOfNames()
        let spaced = try await validating("username, Mobile \nann,1\n", schema: schema) {
            $0.columns = ["Mobile": "note"]
        }
        #expect(spaced.outcomes == [1, 0, 0, 0])
        let odd = try await validating("a;b\nann\n", schema: schema) {
            $0.format = .csv(delimiter: UInt8(ascii: ","))
            $0.columns = ["a;b": "username"]
        }
        #expect(odd.outcomes == [1, 0, 0, 0])
        // A header with several names is not taken for a header with another delimiter.
        let mismatch = await refusal(of: "a;b,username\n1,ann\n", schema: schema) {
            $0.format = .csv(delimiter: UInt8(ascii: ","))
        }
        #expect(mismatch?.mismatch?.unknownColumns == ["a;b"])
    }

    @Test(arguments: [
        "username,Shoe Size,remark\nann,42,x\n", #"{"username":"ann","Shoe Size":42,"remark":"x"}"#,
    ])
    func `I2: options name a column regardless of case, spaces and hyphens`(text: String) async throws {
        let report = try await validating(text, schema: schemaOfNames()) {
            $0.format = .automatic
            $0.columns = ["Remark": "note"]
            $0.ignoredColumns = ["shoe-size"]
        }
        #expect(report.outcomes == [1, 0, 0, 0], "\(report.lines)")
    }

    @Test(arguments: ["username,Note,note\nann,x,y\n", #"{"username":"ann","Note":"y","note":"x"}"#])
    func `I2: an option that names one column exactly applies to no other column`(text: String) async throws {
        let folder = try ImportFolder()
        let repository = try await folder.store(schema: schemaOfNames())
        _ = try await repository.importing(text) {
            $0.format = .automatic
            $0.ignoredColumns = [text.hasPrefix("{") ? "Note" : "note"]
        }
        #expect(try await repository.everything()["ann"] == ["username": "ann", "note": "x"])
    }

    @Test func `I2: an option that ignores a column which the input does not have is an error`() async throws {
        let schema = try schemaOfNames()
        #expect(
            await refusal(of: "username,note\nann,x\n", schema: schema) { $0.ignoredColumns = ["remark"] }
                == .ignoredColumnMissing("remark"))
        // The file of rejected rows lacks the column.
        let importer = ProfileImporter(
            schema: schema, today: .latest, options: importOptions { $0.ignoredColumns = ["remark"] })
        let (report, rejects) = try await importer.runKeepingRejects("username,remark\n,x\n")
        #expect(report.rejected == 1 && !rejects.contains("remark"))
        #expect(try await importer.run(rejects).outcomes == [0, 0, 0, 1])
        let settings = try ProfileSchema(
            parsing: """
                {"fields": [{"name": "username", "constraints": {"required": true, "unique": true}}],
                 "profiles": {"ignoredColumns": ["remark"]}}
                """)
        #expect(try await validating("username\nann\n", schema: settings).outcomes == [1, 0, 0, 0])
    }

    @Test func `I2, P12: a header with hashes is no row of data`() async throws {
        let found = await refusal(of: "Password Hash,shoe size\n")
        #expect(found?.mismatch?.mayBeData == false && found?.mismatch?.unknownColumns == ["shoe size"])
    }

    @Test func `I2: a wrong map is refused with the reason`() async throws {
        let schema = try schemaOfNames()
        #expect(
            await refusal(of: "username\nann\n", schema: schema) { $0.columns = ["Mobile": "note"] }
                == .mappedColumnMissing("Mobile"))
        #expect(
            await refusal(of: "username,Mobile\nann,1\n", schema: schema) { $0.columns = ["Mobile": "fone"] }
                == .unknownField("fone", fields: schema.fields.map(\.name.text)))
        #expect(
            await refusal(of: "username,Mobile,Mobile\nann,1,2\n", schema: schema) { $0.columns = ["Mobile": "note"] }
                == .columnTwice("note", columns: ["Mobile", "Mobile_2"]))
        #expect(
            await refusal(of: "username,note,Mobile\nann,1,2\n", schema: schema) { $0.columns = ["Mobile": "note"] }
                == .columnTwice("note", columns: ["note", "Mobile"]))
    }

    @Test func `I2: an unknown column stops the import before anything is written, naming it`() async throws {
        let folder = try ImportFolder()
        let repository = try await folder.store(schema: schemaOfNames())
        let before = try await repository.statistics()
        let text = "username,shoe size,\nann,42,\n"
        let error = await #expect(throws: ImportError.self) { try await repository.importing(text) }
        #expect(error?.mismatch?.unknownColumns == ["shoe size", "column 3, which has no name"])
        #expect(error?.mismatch?.fields == ["username", "note"])
        #expect(error?.mismatch?.missingFields == [])
        #expect(try await repository.statistics() == before)
        let report = try await repository.importing("username,shoe size,\nann,42,x\n") {
            $0.ignoresUnknownColumns = true
        }
        #expect(report.outcomes == [1, 0, 0, 0])
        #expect(try await repository.everything() == ["ann": ["username": "ann"]])
    }

    @Test(
        "I2: a required field without a column stops the import before anything is written",
        arguments: [
            ("phone,address,password", ["username"]), ("username,phone", ["password", "address"]),
            ("username,password_hash,birthday", ["phone", "address"]),
            ("username,password_hash,phone,address", []), ("username,password,phone,address", []),
        ] as [(String, [String])])
    func missingFields(header: String, missing: [String]) async throws {
        let folder = try ImportFolder()
        let repository = try await folder.store()
        let before = try await repository.statistics()
        for ignoresUnknown in [false, true] {
            do {
                let report = try await repository.importing(header + "\n") { $0.ignoresUnknownColumns = ignoresUnknown }
                #expect(missing == [] && report.outcomes == [0, 0, 0, 0])
            } catch let error as ImportError {
                #expect(error.mismatch?.missingFields == missing && !missing.isEmpty)
                #expect(error.mismatch?.unknownColumns == [])
                #expect(try await repository.statistics() == before)
            }
        }
        // Stored profiles have these values already.
        let updated = try? await repository.importing(header + "\n") { $0.duplicates = .update }
        #expect(updated?.outcomes == (missing.contains("username") ? nil : [0, 0, 0, 0]))
    }

    @Test(
        "I2: for an unknown column, the field that it may mean is suggested",
        arguments: [
            ("username,Mobil,Adress,pasword", ["Mobil=phone", "Adress=address", "pasword=password"]),
            // Each field is suggested once, and never if it has a column.
            ("username,phone,Handy,Strasse,Straße", ["Strasse=address"]),
            ("user name,telephone number,Kennwort", ["telephone number=phone", "Kennwort=password"]),
            ("username,pw_hash,password-digest", ["password-digest=password_hash"]),
            // A name with a meaning of its own is not taken for a typing error.
            ("phone,surname,first name,hobby", []),
            ("phone,member_id,id", ["id=username"]), ("phone,email,id", ["id=username"]),
            ("phone,e-mail", ["e-mail=username"]),
            // A map cannot distinguish columns with the same name or without a name.
            ("username,Mobil,Mobil", []), ("username,,", []), ("username, Mobil ", ["Mobil=phone"]),
            ("username,zip,dob", ["zip=postal_code", "dob=birthday"]), ("username,Handy 2", ["Handy 2=phone"]),
            // Known names come first, then similar names, and then names that may be the key.
            ("username,phon,Handy", ["Handy=phone"]), ("id,usernam,phone", ["usernam=username"]),
            ("phone,password_id", []),
        ] as [(String, [String])])
    func suggestions(header: String, maps: [String]) async {
        for ignoresUnknown in [false, true] {
            let found = await refusal(of: header + "\n") { $0.ignoresUnknownColumns = ignoresUnknown }
            #expect(found?.mismatch?.maps == maps)
        }
        let numbered = await refusal(of: header + "\n") { $0.key = .rowNumber }
        #expect(numbered?.mismatch?.maps == maps.filter { !$0.hasSuffix("=username") })
    }

    @Test func `I2: suggestions also use the title and the other names of a field`() async throws {
        let schema = try ProfileSchema(
            parsing: """
                {"name": "club", "fields": [
                  {"name": "username", "title": "Mitglied", "constraints": {"required": true, "unique": true}},
                  {"name": "a", "title": "電話"}, {"name": "b", "profiles": {"columns": ["Beitrag"]}},
                  {"name": "c", "profiles": {"contentType": "tel"}}]}
                """)
        #expect(await refusal(of: "MITGLIED,電話,Beitrg,Mobil,x\n", schema: schema)?.mismatch?.mayBeData == true)
        let known = await refusal(of: "username,電話,Beitrg,Mobil,x\n", schema: schema)
        #expect(known?.mismatch?.maps == ["電話=a", "Beitrg=b", "Mobil=c"])
        #expect(await refusal(of: "Mitglied,b\n", schema: schema)?.mismatch?.maps == ["Mitglied=username"])
    }

    @Test func `I2, I11: of ten thousand columns the first are compared, and a long name takes no time`() async throws {
        let long = String(repeating: "x", count: 5_000)
        let header = "username," + (0..<9_998).map { "\(long.prefix(60))\($0)" }.joined(separator: ",") + ",Mobil"
        let found = await refusal(of: header + "\n")
        #expect(found?.mismatch?.unknownColumns.count == 9_999)
        #expect(found?.mismatch?.maps == [])
        #expect(await refusal(of: "username,\(long),Mobil\n")?.mismatch?.maps == ["Mobil=phone"])
    }

    @Test(
        "P12: if no column is a field, the first row may be data and is not repeated",
        arguments: [
            "skboard,aK8oio,78761241,12 Main St\n", "aK8oio\n", "skboard S3cret 78761241\n", ",,\n",
            "_line,_issues,x\n", "anna,Phone11,78761241\n", "anna,Mobil,Sesame0pen\n", "anna,Kennwort,Passwort\n",
            "anna,my cell phone,my home address\n", "anna,Mobil1!,Adresse-2\n",
        ])
    func noHeader(text: String) async throws {
        for change: (inout ImportOptions) -> Void in [
            { _ in }, { $0.columns = ["User": "username"] }, { $0.ignoresUnknownColumns = true },
        ] {
            let mismatch = try #require(await refusal(of: text, change)?.mismatch)
            #expect(mismatch.mayBeData && mismatch.unknownColumns == [] && mismatch.suggestions == [])
            #expect(mismatch.missingFields == ["username", "password", "phone", "address"])
        }
        let mapped = await refusal(of: "Login,Hobby\nann,x\n") { $0.columns = ["Login": "username"] }
        #expect(mapped?.mismatch?.unknownColumns == ["Hobby"])
        #expect(mapped?.mismatch?.mayBeData == false)
    }

    @Test func `I2, P12: if the first row may be data, the refusal repeats only common names`() async throws {
        let mismatch = try #require(await refusal(of: "Nr.,Kennwort,Mobil,Strasse,S3cret\n")?.mismatch)
        #expect(mismatch.mayBeData && mismatch.unknownColumns == [])
        #expect(mismatch.maps == ["Mobil=phone", "Strasse=address"])
        for row in ["myPhone,herBirthday", "my phone,her birthday", "phone2,zip"] {
            #expect(try #require(await refusal(of: row + ",S3cret\n")?.mismatch).maps == [])
        }
    }

    @Test(
        "P12: another delimiter is reported, and no cell is repeated",
        arguments: [";", "\t", "|"])
    func otherDelimiter(delimiter: String) async throws {
        let byte = try #require(delimiter.utf8.first)
        for row in [["skboard", "S3cret", "78761241"], ["username", "phone"]] {
            for ignoresUnknown in [false, true] {
                let found = await refusal(of: row.joined(separator: delimiter) + "\n") {
                    $0.format = .csv(delimiter: UInt8(ascii: ","))
                    $0.ignoresUnknownColumns = ignoresUnknown
                }
                #expect(found == .otherDelimiter(byte))
            }
        }
    }

    @Test func `I11: a header has ten thousand columns at the most`() async throws {
        let schema = try schemaOfNames()
        func header(_ count: Int) -> String { "username" + String(repeating: ",", count: count - 1) + "\n" }
        #expect(await refusal(of: header(1_000_000), schema: schema) == .tooManyColumns(1_000_000, most: 10_000))
        #expect(await refusal(of: header(10_001), schema: schema) == .tooManyColumns(10_001, most: 10_000))
        #expect(await refusal(of: header(10_000), schema: schema) { $0.ignoresUnknownColumns = true } == nil)
    }

    @Test func `I2: two columns for one field are refused`() async throws {
        let schema = try schemaOfNames()
        #expect(
            await refusal(of: "username,note,NOTE\n", schema: schema)
                == .columnTwice("note", columns: ["note", "NOTE"]))
        #expect(
            await refusal(of: "username,note,NOTE\n", schema: schema) { $0.ignoresUnknownColumns = true }
                == .columnTwice("note", columns: ["note", "NOTE"]))
        #expect(
            await refusal(of: "username,password_hash,PasswordHash\n")
                == .columnTwice("password_hash", columns: ["password_hash", "PasswordHash"]))
        // The number of the later column is 3, because the file has a column note_2.
        #expect(
            await refusal(of: "username,note,note,note_2\n", schema: schema)
                == .columnTwice("note", columns: ["note", "note_3"]))
    }

    @Test func `I2: an input without a header, or without usernames, is refused`() async throws {
        #expect(await refusal(of: "") == .noHeader)
        #expect(await refusal(of: "\u{FEFF}") == .noHeader)
        #expect(await refusal(of: "\n\r\n\n") == .noHeader)
        #expect(await refusal(of: "phone,address\n")?.mismatch?.missingFields == ["username", "password"])
        #expect(await refusal(of: "\n\"username\n") == .unreadableHeader(line: 2))
        #expect(await refusal(of: "user\0name\n") == .unreadableHeader(line: 1))
    }

    @Test func `I2: a header alone is an import of nothing`() async throws {
        for text in ["username,note", "username,note\n", "\r\nusername,note\r\n\r\n"] {
            let report = try await validating(text, schema: schemaOfNames())
            #expect(report.rows == 0)
            #expect(report.outcomes == [0, 0, 0, 0])
        }
    }

    @Test func `I7: the columns that a rejects file adds are passed over`() async throws {
        let report = try await validating("_line,username,_issues\n7,ann,\"note: bad\"\n", schema: schemaOfNames())
        #expect(report.outcomes == [1, 0, 0, 0])
    }

    @Test func `I2: hashes are no column of a schema without a password`() async throws {
        let names = try schemaOfNames()
        #expect(
            await refusal(of: "username,password_hash\n", schema: names)?.mismatch?.unknownColumns
                == ["password_hash"])
    }

    @Test func `I1: the delimiter is the one that is asked for, or found out`() async throws {
        for (text, delimiter) in [("a;note", UInt8(ascii: ";")), ("a|note", nil), ("a\tnote", nil), ("a,note", nil)] {
            let separator = text[text.index(after: text.startIndex)]
            let report = try await validating(
                "username\(separator)note\nann\(separator)\"x\(separator)y\"\n", schema: schemaOfNames()
            ) { $0.format = .csv(delimiter: delimiter) }
            #expect(report.outcomes == [1, 0, 0, 0])
        }
    }
}

extension ImportError {
    fileprivate var mismatch: ColumnMismatch? {
        if case .columnMismatch(let mismatch) = self { mismatch } else { nil }
    }
}

extension ColumnMismatch {
    /// Each suggestion as `--map` takes it.
    fileprivate var maps: [String] { suggestions.map { "\($0.column)=\($0.field)" } }
}
