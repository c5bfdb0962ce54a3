import InputFixtures
import Platform
import ProfileCore
import ProfileStore
import ProfileTransfer
import StoreFixtures
import Testing
import Watchdog

@Suite(.watched) struct MemberImportTests {
    private static let schema = """
        {"name": "legislators", "fields": [
          {"name": "username", "constraints": {"required": true, "unique": true, "pattern": "[A-Z][0-9]{6}"}},
          {"name": "full_name", "constraints": {"maxLength": 60}},
          {"name": "phone", "constraints": {"required": true}, "profiles": {"mask": "###-###-####"}},
          {"name": "address", "constraints": {"maxLength": 120}},
          {"name": "birthday", "type": "date", "constraints": {"minimum": "1900-01-01", "maximum": "today"}},
          {"name": "party", "constraints": {"enum": ["Democrat", "Republican", "Independent"]}},
          {"name": "state", "constraints": {"required": true, "pattern": "[A-Z]{2}"}}
        ]}
        """

    private func imported(
        _ descriptor: Int32, into folder: ImportFolder
    ) async throws -> (report: ImportReport, repository: ProfileRepository) {
        let repository = try await folder.store(schema: ProfileSchema(parsing: Self.schema))
        let importer = ProfileImporter(
            repository: repository,
            options: importOptions {
                $0.columns = ["bioguide_id": "username"]
                $0.ignoresUnknownColumns = true
            })
        let report = try await importer.run(ImportInput(descriptor: descriptor, name: "members", byteCount: nil))
        #expect(report.rows == 537)
        #expect(report.outcomes == [536, 0, 0, 1], "\(report.lines)")
        #expect(report.issues.issueCounts.map { "\($0.field ?? "") \($0.code) \($0.count)" } == ["phone required 1"])
        #expect(report.warnings == [])
        return (report, repository)
    }

    @Test func `I1: 537 members with a custom schema, one of them without a phone, are stored as they are`()
        async throws
    {
        let register = MemberRegister()
        let descriptor = try unnamedFile(register.bytes)
        defer { close(descriptor) }
        let folder = try ImportFolder()
        let (report, repository) = try await imported(descriptor, into: folder)
        let stored = try await repository.everything()
        let columns = ["full_name", "phone", "address", "birthday", "party", "state"]
        var expected: [String: [String: String]] = [:]
        for (row, id) in register.values(of: "bioguide_id").enumerated() {
            var fields = ["username": id]
            for column in columns where !register.values(of: column)[row].isEmpty {
                fields[column] = register.values(of: column)[row]
            }
            if fields["phone"] != nil { expected[id] = fields }
        }
        #expect(stored == expected)
        let line = register.values(of: "phone").firstIndex(of: "").map { $0 + 2 }
        #expect(report.issues.listed.first?.line == line)
    }

    @Test("a real file: 537 legislators by the same schema", SharedData.isThere(SharedData.legislators))
    func legislators() async throws {
        let descriptor = try open(#require(SharedData.legislators), O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        let folder = try ImportFolder()
        let (_, repository) = try await imported(descriptor, into: folder)
        let cantwell = try #require(try await repository.profile(username: "c000127"))
        #expect(cantwell.username == "C000127" && cantwell["full_name"] == "Maria Cantwell")
        #expect(cantwell["phone"] == "202-224-3441" && cantwell["birthday"] == "1958-10-13")
        #expect(cantwell["party"] == "Democrat" && cantwell["state"] == "WA")
        let names = try await repository.everything().values.compactMap { $0["full_name"] }
        let accented = names.filter { name in name.unicodeScalars.contains { !$0.isASCII } }
        #expect(accented.count == 7)
        let bytes = importedBytes(of: descriptor)
        let file = String(decoding: bytes, as: UTF8.self)
        // As the file writes them: a quote within a cell is doubled.
        let written = accented.map {
            $0.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
        }
        #expect(written.allSatisfy { file.contains($0) } && !file.contains("\u{FFFD}"))
        #expect(
            try await repository.profiles(ProfileQuery([.init("state", .equals("WA"))]))
                .profiles.count
                == 12)
    }
}
