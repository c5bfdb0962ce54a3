import ProfileTesting
import Testing
import Watchdog

/// `Tests/BEHAVIOURS.md` explains the ids that tests and comments name.
@Suite(.watched) struct BehaviourTests {
    private static let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")

    private let explained: Set<String>

    init() throws {
        let text = try #require(SmallFile.text(of: Self.root + "/Tests/BEHAVIOURS.md"))
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("- ") }
        explained = Set(rows.compactMap { $0.firstMatch(of: /^- ([A-Z][0-9]+)\b/).map { String($0.output.1) } })
        // If no id were found, the tests would pass by mistake.
        try #require(explained.count > 60)
    }

    @Test func `every id that code and tests name is explained`() throws {
        for folder in ["Sources", "Tests", "Migrations", "Examples", "Benchmarks"] {
            for path in try files(below: Self.root + "/" + folder) {
                let unexplained = try ids(in: path).subtracting(explained)
                #expect(unexplained.isEmpty, "\(path)")
            }
        }
    }

    @Test func `every id that is explained is named by a test`() throws {
        var named: Set<String> = []
        for path in try files(below: Self.root + "/Tests") where path.hasSuffix(".swift") {
            named.formUnion(try ids(in: path))
        }
        #expect(explained.subtracting(named).sorted() == [])
    }

    /// The ids of a file, ranges such as P1–P3 included.
    private func ids(in path: String) throws -> Set<String> {
        // A pattern takes seconds to search all code, so it searches only the lines that have a letter before a digit.
        let text = String(decoding: try linesWithIDs(of: path), as: UTF8.self)
        // Only letters with which ids begin match, because hexadecimal numbers look like ids. A match before a brace is
        // the number of an escaped character.
        var ids = Set(text.matches(of: /\b(?:[SRPIFLTNHE][0-9]{1,2}|D[1-7])\b(?!})/).map { String($0.output) })
        for range in text.matches(of: /\b([SRPIFLTNHE])([0-9]{1,2})–\1([0-9]{1,2})\b/) {
            guard let first = Int(range.output.2), let last = Int(range.output.3), first <= last else { continue }
            ids.formUnion((first...last).map { "\(range.output.1)\($0)" })
        }
        return ids
    }

    private func linesWithIDs(of path: String) throws -> [UInt8] {
        let bytes = try #require(SmallFile.bytes(of: path), "\(path)")
        return bytes.withUnsafeBufferPointer { bytes in
            var lines: [UInt8] = []
            var start = 0
            var hasID = false
            for index in bytes.indices {
                let byte = bytes[index]
                if byte == 0x0A {
                    if hasID { lines += bytes[start...index] }
                    (start, hasID) = (index + 1, false)
                } else if byte >= 0x30, byte <= 0x39, index > start, bytes[index - 1] >= 0x41, bytes[index - 1] <= 0x5A
                {
                    hasID = true
                }
            }
            if hasID { lines += bytes[start...] }
            return lines
        }
    }

    private func files(below folder: String) throws -> [String] {
        try SmallFile.names(in: folder).filter { !$0.hasPrefix(".") }.flatMap { name -> [String] in
            let path = "\(folder)/\(name)"
            if [".swift", ".md", ".sql", ".c"].contains(where: name.hasSuffix) { return [path] }
            return name.contains(".") && !name.hasSuffix(".docc") ? [] : try files(below: path)
        }
    }
}
