internal import Platform
package import ProfileCore
package import ProfileStore
internal import ProfileTesting
package import ProfileTransfer
internal import Testing

/// A directory for one test. When the test has ended, the directory and its files are removed.
package final class ImportFolder: Sendable {
    package let path: String
    private let opener = StoreOpener()

    package init() throws {
        var template = Array("/tmp/profile-import.XXXXXX".utf8CString)
        path = try template.withUnsafeMutableBufferPointer { buffer in
            let made = try #require(buffer.baseAddress.flatMap { mkdtemp($0) })
            return String(cString: made)
        }
    }

    deinit {
        for name in names { unlink("\(path)/\(name)") }
        rmdir(path)
    }

    /// The names of the files in it.
    package var names: [String] {
        guard let stream = opendir(path) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                })
        }
        return names.filter { $0 != "." && $0 != ".." }.sorted()
    }

    /// Opens the store with this name, and creates it if it is missing.
    package func store(
        _ name: String = "profiles.sqlite", schema: ProfileSchema = .standard,
        _ change: (inout ProfileRepository.Options) -> Void = { _ in }
    ) async throws -> ProfileRepository {
        var options = ProfileRepository.Options()
        options.createsMissing = true
        options.initialSchema = schema
        options.now = { importTime }
        change(&options)
        return try await opener.open("\(path)/\(name)", options)
    }

    /// The bytes of the file with this name. If it is the file of a store, the store must be closed.
    package func contents(of name: String) -> [UInt8] {
        let descriptor = open("\(path)/\(name)", O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        return importedBytes(of: descriptor)
    }
}

/// 2026-01-01T00:00:00Z, the moment at which the tests import.
package let importTime = Timestamp(millisecondsSince1970: 1_767_225_600_000)

/// A file without a name.
package func unnamedFile(_ bytes: [UInt8] = []) throws -> Int32 {
    var template = Array("/tmp/profile-import-file.XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    if descriptor < 0 { throw ImportError.reading(code: errno) }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    unlink(template)
    var written = 0
    while written < bytes.count {
        let count = bytes.withUnsafeBytes {
            write(descriptor, $0.baseAddress.map { $0 + written }, bytes.count - written)
        }
        if count <= 0 { throw ImportError.reading(code: errno) }
        written += count
    }
    lseek(descriptor, 0, SEEK_SET)
    return descriptor
}

/// All bytes of an open file.
package func importedBytes(of descriptor: Int32) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    lseek(descriptor, 0, SEEK_SET)
    while case let count = read(descriptor, &buffer, buffer.count), count > 0 { bytes += buffer[..<count] }
    return bytes
}

/// Options with some of them changed.
package func importOptions(_ change: (inout ImportOptions) -> Void) -> ImportOptions {
    var options = ImportOptions()
    change(&options)
    return options
}

extension ProfileImporter {
    /// Imports bytes in a file.
    package func run(_ bytes: [UInt8], rejects: Int32? = nil) async throws -> ImportReport {
        let input = try unnamedFile(bytes)
        defer { close(input) }
        return try await run(
            ImportInput(descriptor: input, name: "test.csv", byteCount: UInt64(bytes.count)), rejects: rejects)
    }

    package func run(_ text: String, rejects: Int32? = nil) async throws -> ImportReport {
        try await run(Array(text.utf8), rejects: rejects)
    }

    /// Imports a text. Returns the report, and the contents of the file of rejected rows.
    package func runKeepingRejects(_ text: String) async throws -> (report: ImportReport, rejects: String) {
        let rejects = try unnamedFile()
        defer { close(rejects) }
        let report = try await run(text, rejects: rejects)
        return (report, String(decoding: importedBytes(of: rejects), as: UTF8.self))
    }
}

extension ProfileRepository {
    /// Imports a text with some options changed.
    package func importing(
        _ text: String, _ change: (inout ImportOptions) -> Void = { _ in }
    ) async throws -> ImportReport {
        try await ProfileImporter(repository: self, options: importOptions(change)).run(text)
    }

    /// Every profile's fields, by username.
    package func everything() async throws -> [String: [String: String]] {
        var found: [String: [String: String]] = [:]
        for profile in try await profiles(ProfileQuery(limit: 100_000)).profiles {
            var values: [String: String] = [:]
            for field in profile.fields { values[field.rules.name.text] = field.value }
            found[profile.username] = values
        }
        return found
    }
}

/// Validates a text without a store, and returns the report.
package func validating(
    _ text: String, schema: ProfileSchema = .standard, _ change: (inout ImportOptions) -> Void = { _ in }
) async throws -> ImportReport {
    try await ProfileImporter(
        schema: schema, today: importTime.day ?? .latest, options: importOptions(change)
    ).run(text)
}

/// Returns the error with which the validation of a text fails. Nil if it does not fail.
package func refusal(
    of text: String, schema: ProfileSchema = .standard, _ change: (inout ImportOptions) -> Void = { _ in }
) async -> ImportError? {
    do {
        _ = try await validating(text, schema: schema, change)
        return nil
    } catch {
        return error as? ImportError
    }
}

extension Profile {
    /// The value of a field by its name.
    package subscript(name: String) -> String? { FieldName(name).flatMap { self[$0] } }
}

extension ImportReport {
    /// The four outcomes, to be compared at once.
    package var outcomes: [Int] { [imported, updated, skipped, rejected] }

    /// Each listed issue as `line/record field code`.
    package var lines: [String] {
        issues.listed.map { "\($0.line)/\($0.record) \($0.issue.field ?? "row") \($0.issue.code)" }
    }
}

/// Whether the slow tests are to be run in full.
package let runsLongImportTests = getenv("PROFILES_TEST_LONG").map { String(cString: $0) } == "1"

/// An Argon2id hash that an imported row can contain instead of a password. The tests do not need the password.
package let broughtHash = "$argon2id$v=19$m=64,t=1,p=2$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
package let otherBroughtHash = "$argon2id$v=19$m=64,t=1,p=2$b3RoZXJzYWx0$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"

/// A schema without secrets in which `username` is all that a row must have.
package func schemaOfNames() throws -> ProfileSchema {
    try ProfileSchema(
        parsing: """
            {"name": "names", "fields": [
              {"name": "username", "constraints": {"required": true, "unique": true, "minLength": 2, "maxLength": 20}},
              {"name": "note"}
            ]}
            """)
}

/// A schema with a second unique field, a second required field, and a field that is neither.
package func schemaOfClub() throws -> ProfileSchema {
    try ProfileSchema(
        parsing: """
            {"name": "club", "fields": [
              {"name": "username", "constraints": {"required": true, "unique": true, "minLength": 2, "maxLength": 10},
               "profiles": {"characters": ["ascii-letters", "ascii-digits"]}},
              {"name": "email", "constraints": {"unique": true, "maxLength": 20}},
              {"name": "level", "type": "integer", "constraints": {"required": true, "minimum": 1, "maximum": 9}},
              {"name": "note", "constraints": {"maxLength": 5}}
            ]}
            """)
}

extension ImportFolder {
    /// Writes a file, and returns its path.
    package func file(_ name: String, _ text: String) throws -> String {
        let path = "\(path)/\(name)"
        let file = try #require(fopen(path, "we"))
        defer { fclose(file) }
        var text = text
        #expect(text.withUTF8 { fwrite($0.baseAddress, 1, $0.count, file) } == text.utf8.count)
        return path
    }

    /// Removes the files of a store. The store must be closed.
    package func remove(_ store: String) {
        for end in ["", "-wal", "-shm", "-lock"] { unlink("\(path)/\(store)\(end)") }
    }
}
