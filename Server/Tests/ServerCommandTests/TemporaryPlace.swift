import Glibc
import ProfileCore
import ProfileStore
import ProfileStoreSQLite
import Testing

#if Postgres
    import ProfileStorePostgres
#endif

/// A temporary folder with a store in it. It is removed with the last reference to it.
final class TemporaryPlace {
    let path: String
    private var names = 0
    /// An access token of the store with the scope `read`.
    private(set) var token = ""

    /// Words that no log may contain: the name, the password and a value of the profile, and a word of a request's
    /// query.
    static let canaries = ["canary-name", "canary-Passw0rd", "canary value", "canary-query"]

    /// The path of the store, or its URI in a database.
    let store: String

    /// Makes the folder.
    ///
    /// - Parameter database: The URI of the store; nil for a file in the folder.
    /// - Throws: The error of `mkdtemp`.
    init(database: String? = nil) throws {
        var template = Array("/tmp/profiles-server-tests.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemFailure(code: errno, action: "mkdtemp") }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        store = database ?? "\(path)/store.sqlite"
    }

    /// Makes a store with one profile and an access token.
    static func withStore(database: String? = nil) async throws -> TemporaryPlace {
        let place = try TemporaryPlace(database: database)
        var options = ProfileRepository.Options()
        options.createsMissing = true
        options.initialSchema = try ProfileSchema(
            parsing: """
                {"name": "people", "primaryKey": "username", "fields": [
                    {"name": "username", "constraints": {"required": true}},
                    {"name": "password", "profiles": {"secret": true}, "constraints": {"minLength": 3}},
                    {"name": "city"}
                ]}
                """)
        let repository = try await place.openStore(options)
        _ = try await repository.register(
            ProfileDraft(["username": canaries[0], "password": canaries[1], "city": canaries[2]]))
        let name = try #require(AccountLabel("tests"))
        place.token = try await repository.tokens.create(name, scopes: [.read]).text
        await repository.close()
        return place
    }

    deinit {
        // The folder has no folders in it.
        if let stream = opendir(path) {
            while let entry = readdir(stream) {
                let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                    String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                }
                unlink("\(path)/\(name)")
            }
            closedir(stream)
        }
        rmdir(path)
    }

    private func openStore(_ options: ProfileRepository.Options) async throws -> ProfileRepository {
        #if Postgres
            if store.hasPrefix("postgresql://") {
                return try await ProfileRepository.open(postgres: store, options: options)
            }
        #endif
        return try await ProfileRepository.open(at: store, options: options)
    }

    /// The path of a file that is not there yet.
    func newName(_ word: String) -> String {
        names += 1
        return "\(path)/\(word)-\(names)"
    }

    func write(_ text: String, to name: String, mode: mode_t = 0o600) throws {
        let descriptor = open("\(path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC, mode)
        guard descriptor >= 0 else { throw SystemFailure(code: errno, action: "open \(name)") }
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
            throw SystemFailure(code: errno, action: "write \(name)")
        }
    }

    /// Returns a whole file; empty if it cannot be read.
    static func read(_ path: String) -> String {
        let descriptor = open(path, O_RDONLY)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += chunk[..<count]
        }
    }
}
