import ProfileTesting
import Testing
import Watchdog

/// `Tests/ENGINES.md` lists the tests that run on SQLite alone.
@Suite(.watched) struct EnginesTests {
    private static let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")

    @Test func `E1: every test that is only for SQLite is listed with its reason, and no other`() throws {
        let list = try #require(SmallFile.text(of: Self.root + "/Tests/ENGINES.md"))
        let lists = try #require(list.firstRange(of: "\n## ")).lowerBound
        let listed = list[lists...].split(separator: "\n").filter { $0.hasPrefix("- ") }.map { String($0.dropFirst(2)) }
        let modules = ["ProfileStoreTests", "ProfileTransferTests", "SchemaInferenceTests", "ProfileLoginTests"]
        let marked = try modules.flatMap { try marks(below: "\(Self.root)/Tests/\($0)") }
        #expect(Set(marked).subtracting(listed).sorted() == [], "not listed")
        #expect(Set(listed).subtracting(marked).sorted() == [], "not marked")
        #expect(listed.count == marked.count)
    }

    /// Returns the expected line of the list for each marked test and suite in the files of a folder.
    private func marks(below folder: String) throws -> [String] {
        try SmallFile.names(in: folder).sorted().flatMap { name -> [String] in
            let path = "\(folder)/\(name)"
            guard name.hasSuffix(".swift") else { return name.contains(".") ? [] : try marks(below: path) }
            let text = try #require(SmallFile.text(of: path), "\(path)")
            // If a test has a display name, the name stands before the traits.
            let mark =
                #/@(Suite|Test)\(\s*(?:"([^"]+)",\s*)?\.onlyOnSQLite\("([^"]+)"\)[^`]*?(?:struct |func `?)([^`({\n]+)/#
            let found = text.matches(of: mark).map(\.output)
            #expect(found.count == text.split(separator: ".onlyOnSQLite(").count - 1, "\(path)")
            let suite = name.dropLast(".swift".count)
            return found.map {
                $0.1 == "Suite" ? "\(suite): the suite \($0.3)" : "\(suite), \($0.2 ?? $0.4): the test \($0.3)"
            }
        }
    }
}
