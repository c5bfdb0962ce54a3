import ProfileCore
import ProfileStore
import ProfileTransfer
import SchemaInference
import StoreFixtures
import Testing
import Watchdog

/// Rows that are known by their number (`--key-by-row`), and hashes in a column of passwords.
@Suite(.watched) struct NumberedRowTests {
    private static let schema = """
        {"name": "rows", "fields": [
          {"name": "username", "constraints": {"required": true, "unique": true}},
          {"name": "name"}, {"name": "age", "type": "integer"}
        ]}
        """

    @Test(
        "I7: rejected rows keep their numbers, so that they have the same keys when they are imported again",
        arguments: [
            "name,age\nAnn,1\nBob,x\nCid,3\nDan,y\n",
            "{\"name\":\"Ann\",\"age\":1}\n{\"name\":\"Bob\",\"age\":\"x\"}\n"
                + "{\"name\":\"Cid\",\"age\":3}\n{\"name\":\"Dan\",\"age\":\"y\"}\n",
        ])
    func rejects(text: String) async throws {
        let folder = try ImportFolder()
        let repository = try await folder.store(schema: ProfileSchema(parsing: Self.schema))
        let options = importOptions {
            $0.format = .automatic
            $0.key = .rowNumber
            $0.duplicates = .update
        }
        let importer = ProfileImporter(repository: repository, options: options)
        let (report, rejects) = try await importer.runKeepingRejects(text)
        #expect(report.outcomes == [2, 0, 0, 2])
        #expect(rejects.hasPrefix("username,name,age,_line,_issues\n2,Bob,x,"), "\(rejects)")
        let mended = rejects.replacing("Bob,x", with: "Bob,22").replacing("Dan,y", with: "Dan,44")
        #expect(try await importer.run(mended).outcomes == [2, 0, 0, 0])
        let names = try await repository.everything().mapValues { $0["name"] }
        #expect(names == ["1": "Ann", "2": "Bob", "3": "Cid", "4": "Dan"])
    }

    @Test func `I13: an object that has the key keeps it, and one that has none gets its number`() async throws {
        let folder = try ImportFolder()
        let repository = try await folder.store(schema: ProfileSchema(parsing: Self.schema))
        let report = try await repository.importing(
            "{\"username\":\"zed\",\"name\":\"Zed\"}\n{\"name\":\"Yan\"}\n"
        ) {
            $0.format = .json
            $0.key = .rowNumber
        }
        #expect(report.outcomes == [2, 0, 0, 0])
        #expect(try await repository.everything().mapValues { $0["name"] } == ["zed": "Zed", "2": "Yan"])
    }

    @Test func `I2: a schema remembers that a column called password holds hashes`() async throws {
        let hash = "$argon2id$v=19$m=64,t=1,p=2$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
        let text = "user,password\nann,\"\(hash)\"\nbob,\"\(hash)\"\n"
        let input = ImportInput(bytes: Array(text.utf8), name: "test.csv")
        let schema = try #require(try await SchemaInferrer().run(input).schema)
        #expect(schema[.password]?.hashColumns == ["password"])
        // The schema is the only setting for the next file.
        let folder = try ImportFolder()
        let repository = try await folder.store(schema: ProfileSchema(parsing: schema.document()))
        let next = try await repository.importing(text.replacing("ann", with: "cid").replacing("bob", with: "dan"))
        #expect(next.outcomes == [2, 0, 0, 0], "\(next.lines)")
        #expect(next.warnings == [])
        // A map can still import the column as passwords, with a warning.
        let mapped = try await validating(text, schema: schema) { $0.columns = ["password": "password"] }
        #expect(mapped.warnings == [.hashesAsPasswords(rows: 2, line: 2)])
    }
}
