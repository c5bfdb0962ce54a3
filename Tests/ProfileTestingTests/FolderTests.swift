import ProfileTesting
import Testing
import Watchdog

/// The compiler forbids circular dependencies between modules. These tests forbid them between the folders of a module.
@Suite(.watched) struct FolderTests {
    private static let sources = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/") + "/Sources"

    @Test(arguments: SmallFile.names(in: sources))
    func `the folders of a module depend on each other in one direction`(room: String) throws {
        let files = try Self.files(in: "\(Self.sources)/\(room)")
        var folderOfType: [String: String] = [:]
        for file in files {
            for type in file.types where !file.isNested(type) { folderOfType[type] = file.folder }
        }
        var arrows: [String: Set<String>] = [:]
        for file in files {
            for word in file.words.subtracting(file.types) {
                guard let other = folderOfType[word], other != file.folder else { continue }
                arrows[file.folder, default: []].insert(other)
            }
        }
        #expect(!files.isEmpty)
        for folder in arrows.keys { #expect(!Self.reaches(folder, from: folder, by: arrows), "\(folder): \(arrows)") }
    }

    /// Whether the arrows lead from `start` to `goal`, over one or more steps.
    private static func reaches(_ goal: String, from start: String, by arrows: [String: Set<String>]) -> Bool {
        var seen: Set<String> = []
        var next = arrows[start] ?? []
        while let folder = next.popFirst() {
            if folder == goal { return true }
            if seen.insert(folder).inserted { next.formUnion(arrows[folder] ?? []) }
        }
        return false
    }

    private struct SourceFile {
        let folder: String
        let types: Set<String>
        let words: Set<String>
        private let nestedTypes: Set<String>

        init(_ text: String, folder: String) {
            self.folder = folder
            var types: Set<String> = []
            var nestedTypes: Set<String> = []
            var words: Set<String> = []
            for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
                let all = line.split { !$0.isOfWord }.map { String(decoding: $0, as: UTF8.self) }
                guard !line.drop(while: { $0 == UInt8(ascii: " ") }).starts(with: "//".utf8) else { continue }
                words.formUnion(all)
                for (word, name) in zip(all, all.dropFirst()) where Self.declaring.contains(word) {
                    types.insert(name)
                    if line.first == UInt8(ascii: " ") { nestedTypes.insert(name) }
                }
            }
            self.types = types
            self.nestedTypes = nestedTypes
            self.words = words
        }

        private static let declaring: Set = ["struct", "class", "enum", "protocol", "actor", "typealias"]

        func isNested(_ type: String) -> Bool { nestedTypes.contains(type) }
    }

    private static func files(in room: String, folder: String = "") throws -> [SourceFile] {
        var files: [SourceFile] = []
        for name in SmallFile.names(in: "\(room)/\(folder)") {
            if name.hasSuffix(".swift") {
                let bytes = try #require(SmallFile.bytes(of: "\(room)/\(folder)/\(name)"))
                files.append(SourceFile(String(decoding: bytes, as: UTF8.self), folder: folder))
            } else if folder.isEmpty, !name.contains(".") {
                files += try Self.files(in: room, folder: name)
            }
        }
        return files
    }
}

extension UInt8 {
    /// Whether the byte is an ASCII letter, a digit or an underscore.
    fileprivate var isOfWord: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
