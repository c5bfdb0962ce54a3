internal import Platform
internal import ProfileStore
internal import ProfileStoreSQLite
internal import ProfileTesting
internal import RawSQLite

/// The contents of the files of a folder: every row of a database (`NAME.sqlite`), and the bytes of any other file.
package struct FolderContents: Hashable, Sendable {
    /// By name. A file that is not there has no entry.
    package private(set) var parts: [String: String] = [:]

    package struct Unsound: Error, CustomStringConvertible { package let description: String }

    /// Opens each store of the folder with the library, checks it, and reads everything.
    ///
    /// - Throws: ``Unsound`` and the errors of the library if a store cannot be opened, or if its check finds anything.
    package init(of folder: String) async throws {
        try await add(folder, "")
    }

    private mutating func add(_ folder: String, _ prefix: String) async throws {
        for name in SmallFile.names(in: folder) {
            let path = "\(folder)/\(name)"
            let isBesideStore = name.contains(".sqlite-")
            let ending = ["-journal", "-wal", "-shm"].first(where: name.hasSuffix) ?? ""
            let isUnfinishedBackup =
                name.contains(".sqlite.") && Self.isTemporary(String(name.dropLast(ending.count)))
            if isBesideStore || isUnfinishedBackup { continue }
            if name.hasSuffix(".sqlite") {
                parts[prefix + name] = try await Self.database(path)
            } else if let bytes = SmallFile.bytes(of: path) {
                parts[prefix + name] = String(decoding: bytes, as: UTF8.self)
            } else {
                try await add(path, "\(prefix)\(name)/")
            }
        }
    }

    /// The text for a file in which there is no store, because none was made completely.
    package static let empty = "no store"

    private static func database(_ path: String) async throws -> String {
        do {
            let repository = try await ProfileRepository.open(at: path)
            let check: StoreCheck
            do {
                check = try await repository.check()
            } catch {
                await repository.close()
                throw error
            }
            await repository.close()
            guard check.integrity.isEmpty, check.wrongCounts.isEmpty, check.danglingRows.isEmpty,
                check.settings.allSatisfy(\.isAsWanted),
                check.writeLockIsOn
            else { throw Unsound(description: "\(check)") }
        } catch let error as ProfileStoreError where error.code == .noStore {
            return empty
        } catch let error as ProfileStoreError where error.code == .olderStore {
            // The library opens it only to migrate it.
        }
        return try rows(of: path)
    }

    /// Returns every row of every table, read by SQLite without the library.
    private static func rows(of path: String) throws -> String {
        let database = try RawDatabase(path)
        // The folder is temporary, so nothing in it needs to be durable.
        try database.execute("PRAGMA synchronous = OFF")
        guard try database.rows("PRAGMA integrity_check") == [["ok"]] else {
            throw Unsound(description: "\(path) is damaged")
        }
        var text = ""
        for table in try database.rows("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name") {
            let name = table[0] ?? ""
            // Random values are ignored when the rows are sorted, because they differ between two runs.
            let rows = try database.rows("SELECT * FROM \(name) ORDER BY 1")
                .map { row in row.map { $0 ?? "NULL" }.joined(separator: "|") }
                .map { (text: $0, comparable: comparable($0)) }
                .sorted { $0.comparable < $1.comparable }
            text += "\(name):\n" + rows.map { $0.text + "\n" }.joined()
        }
        return text
    }
}

extension FolderContents {
    /// Returns a text without its random values: hashes of tokens (64 hexadecimal digits), keys of changes (19 digits)
    /// and Argon2id hashes.
    package static func comparable(_ text: String) -> String {
        var result: [UInt8] = []
        var rest = Array(text.utf8)[...]
        let hash = Array("$argon2id$".utf8)
        while let first = rest.first {
            if first == UInt8(ascii: "$"), rest.starts(with: hash) {
                rest = rest.drop { $0 != UInt8(ascii: "|") && $0 != UInt8(ascii: "\n") }
                result.append(UInt8(ascii: "$"))
                continue
            }
            let digits = rest.prefix { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
            if digits.isEmpty {
                result.append(first)
                rest = rest.dropFirst()
            } else {
                if digits.count == 64 || digits.count == 19 {
                    result.append(UInt8(ascii: "#"))
                } else {
                    result += digits
                }
                rest = rest[digits.endIndex...]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Whether this is the name of a temporary file, which may be incomplete. Such a name ends in a dot and 12
    /// lower-case letters or digits.
    package static func isTemporary(_ name: String) -> Bool {
        guard let dot = name.lastIndex(of: ".") else { return false }
        let ending = name[name.index(after: dot)...]
        return ending.count == 12 && ending.allSatisfy { $0.isLowercase || $0.isNumber }
    }
}
