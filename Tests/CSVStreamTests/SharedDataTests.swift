import CSVStream
import Platform
import Testing
import Watchdog

/// Real files that are not part of the project: `PROFILES_SHARED_DATA` says where, or they are looked for in `shared/data`
/// beside the repository and in the folders above it.
enum SharedData {
    static let legislators = path(of: "legislators-current.csv")

    private static func path(of name: String) -> String? {
        if let folder = getenv("PROFILES_SHARED_DATA") { return readable("\(String(cString: folder))/\(name)") }
        var folder = Substring(#filePath)
        while let slash = folder.lastIndex(of: "/") {
            folder = folder[..<slash]
            if let path = readable("\(folder)/shared/data/\(name)") { return path }
        }
        return nil
    }

    private static func readable(_ path: String) -> String? { access(path, R_OK) == 0 ? path : nil }
}

@Suite("A real file", .watched)
struct SharedDataTests {
    @Test(
        "I1: the legislators' file has 537 records of 36 cells",
        .enabled(
            if: SharedData.legislators != nil,
            "shared/data/legislators-current.csv is not there; set PROFILES_SHARED_DATA"))
    func legislators() throws {
        let descriptor = try open(#require(SharedData.legislators), O_RDONLY)
        defer { close(descriptor) }
        let rows = try readAll(.descriptor(descriptor), options: CSVOptions(batchBytes: 10_000))
        #expect(rows.count == 538)
        #expect(rows.allSatisfy { $0.fault == nil && $0.cells.count == 36 })
        #expect(rows.first?.texts.first == "last_name" && rows.first?.texts.last == "wikipedia_id")
        #expect(Set(rows.dropFirst().map { $0.texts[24] }).count == 537, "bioguide_id is unique")

        let records = rows.map(\.cells)
        #expect(try readAll(written(records)).map(\.cells) == records)
    }
}
