import Platform
import ProfileCore
import ProfileStore
import ProfileTransfer
import StoreFixtures
import Testing
import Watchdog

@Suite(.watched) struct LegislatorsTests {
    /// `PROFILES_SHARED_DATA` says where it is, or it is looked for in `shared/data` in the folders above this file.
    static let path: String? = {
        if let folder = getenv("PROFILES_SHARED_DATA") {
            let path = String(cString: folder) + "/legislators-current.csv"
            return access(path, R_OK) == 0 ? path : nil
        }
        var folder = Substring(#filePath)
        while let slash = folder.lastIndex(of: "/") {
            folder = folder[..<slash]
            let path = "\(folder)/shared/data/legislators-current.csv"
            if access(path, R_OK) == 0 { return path }
        }
        return nil
    }()

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

    @Test(
        "a real file: 537 legislators by a schema of one's own, one of them without a phone",
        .enabled(
            if: LegislatorsTests.path != nil,
            "shared/data/legislators-current.csv is not there; set PROFILES_SHARED_DATA"))
    func legislators() async throws {
        let descriptor = try open(#require(Self.path), O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        let folder = try ImportFolder()
        let repository = try await folder.store(schema: ProfileSchema(parsing: Self.schema))
        let importer = ProfileImporter(
            repository: repository,
            options: importOptions {
                $0.columns = ["bioguide_id": "username"]
                $0.ignoresUnknownColumns = true
            })
        let report = try await importer.run(ImportInput(descriptor: descriptor, name: "legislators", byteCount: nil))
        #expect(report.rows == 537)
        #expect(report.outcomes == [536, 0, 0, 1], "\(report.lines)")
        #expect(report.issues.issueCounts.map { "\($0.field ?? "") \($0.code) \($0.count)" } == ["phone required 1"])
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
            try await repository.profiles(ProfileQuery([.init(FieldName("state") ?? .username, "WA")])).profiles.count
                == 12)
    }
}
