internal import Platform
internal import ProfileStore
internal import ProfileStoreSQLite
internal import ProfileTesting
internal import RawSQLite

/// What the files of a folder hold: of a database (`NAME.sqlite`), every row; of any other file, its bytes.
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
            if name.contains(".sqlite-") { continue }
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
            guard check.integrity.isEmpty, check.foreignKeys.isEmpty, check.settings.allSatisfy(\.isAsWanted),
                check.writeLockIsOn
            else { throw Unsound(description: "\(check)") }
        } catch let error as ProfileStoreError where error.code == .noStore {
            return empty
        } catch let error as ProfileStoreError where error.code == .olderStore {
            // The library opens it only to migrate it.
        }
        return try rows(of: path)
    }

    /// Every row of every table, past the library.
    private static func rows(of path: String) throws -> String {
        let database = try RawDatabase(path)
        // The image is thrown away.
        try database.execute("PRAGMA synchronous = OFF")
        guard try database.rows("PRAGMA integrity_check") == [["ok"]] else {
            throw Unsound(description: "\(path) is damaged")
        }
        var text = ""
        for table in try database.rows("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name") {
            let name = table[0] ?? ""
            text += "\(name):\n"
            for row in try database.rows("SELECT * FROM \(name) ORDER BY 1") {
                text += row.map { $0 ?? "NULL" }.joined(separator: "|") + "\n"
            }
        }
        return text
    }
}

extension FolderContents {
    /// The contents without what is random: hashes and tokens.
    package var comparable: FolderContents {
        var contents = self
        contents.parts = parts.mapValues {
            $0.replacing(/[0-9a-f]{64}|\$argon2id\$[^|]+/, with: "RANDOM")
        }
        return contents
    }
}
