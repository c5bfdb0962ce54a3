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

    @Test func `I2: what is wrong with a map is said`() async throws {
        let schema = try schemaOfNames()
        #expect(
            await refusal(of: "username\nann\n", schema: schema) { $0.columns = ["Mobile": "note"] }
                == .mappedColumnMissing("Mobile"))
        #expect(
            await refusal(of: "username,Mobile\nann,1\n", schema: schema) { $0.columns = ["Mobile": "fone"] }
                == .unknownField("fone"))
        #expect(
            await refusal(of: "username,Mobile,Mobile\nann,1,2\n", schema: schema) { $0.columns = ["Mobile": "note"] }
                == .columnTwice("note"))
        #expect(
            await refusal(of: "username,note,Mobile\nann,1,2\n", schema: schema) { $0.columns = ["Mobile": "note"] }
                == .columnTwice("note"))
    }

    @Test func `I2: an unknown column stops the import before anything is written, naming it`() async throws {
        let folder = try ImportFolder()
        let repository = try await folder.store(schema: schemaOfNames())
        let before = try await repository.statistics()
        await #expect(throws: ImportError.unknownColumns(["shoe size", "column 3, which has no name"])) {
            try await repository.importing("username,shoe size,\nann,42,\n")
        }
        #expect(try await repository.statistics() == before)
        let report = try await repository.importing("username,shoe size,\nann,42,x\n") {
            $0.ignoresUnknownColumns = true
        }
        #expect(report.outcomes == [1, 0, 0, 0])
        #expect(try await repository.everything() == ["ann": ["username": "ann"]])
    }

    @Test(
        "P12: where no column is a field the first row may be data, and is not repeated",
        arguments: [
            "skboard,aK8oio,78761241,12 Main St\n", "aK8oio\n", "skboard\tS3cret\t78761241\n", ",,\n",
            "_line,_issues,x\n",
        ])
    func noHeader(text: String) async throws {
        #expect(await refusal(of: text) == .noKnownColumns)
        #expect(await refusal(of: text) { $0.columns = ["User": "username"] } == .noKnownColumns)
        #expect(await refusal(of: text) { $0.ignoresUnknownColumns = true } == .noUsernameColumn)
        let mapped = await refusal(of: "Login,Hobby\nann,x\n") { $0.columns = ["Login": "username"] }
        #expect(mapped == .unknownColumns(["Hobby"]))
    }

    @Test func `I11: a header has ten thousand columns at the most`() async throws {
        let schema = try schemaOfNames()
        func header(_ count: Int) -> String { "username" + String(repeating: ",", count: count - 1) + "\n" }
        #expect(await refusal(of: header(1_000_000), schema: schema) == .tooManyColumns(1_000_000, most: 10_000))
        #expect(await refusal(of: header(10_001), schema: schema) == .tooManyColumns(10_001, most: 10_000))
        #expect(await refusal(of: header(10_000), schema: schema) { $0.ignoresUnknownColumns = true } == nil)
    }

    @Test func `I2: a field that two columns go to is refused`() async throws {
        let schema = try schemaOfNames()
        #expect(await refusal(of: "username,note,NOTE\n", schema: schema) == .columnTwice("note"))
        #expect(
            await refusal(of: "username,note,NOTE\n", schema: schema) { $0.ignoresUnknownColumns = true }
                == .columnTwice("note"))
        #expect(await refusal(of: "username,password_hash,PasswordHash\n") == .columnTwice("password_hash"))
    }

    @Test func `I2: an input without a header, or without usernames, is refused`() async throws {
        #expect(await refusal(of: "") == .noHeader)
        #expect(await refusal(of: "\u{FEFF}") == .noHeader)
        #expect(await refusal(of: "\n\r\n\n") == .noHeader)
        #expect(await refusal(of: "phone,address\n") == .noUsernameColumn)
        #expect(await refusal(of: "\n\"username\n") == .unreadableHeader(line: 2))
        #expect(await refusal(of: "user\0name\n") == .unreadableHeader(line: 1))
    }

    @Test func `I2: a header alone is an import of nothing`() async throws {
        for text in ["username,phone", "username,phone\n", "\r\nusername,phone\r\n\r\n"] {
            let report = try await validating(text)
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
            await refusal(of: "username,password_hash\n", schema: names)
                == .unknownColumns(["password_hash"]))
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
