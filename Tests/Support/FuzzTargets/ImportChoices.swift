internal import ProfileCore
internal import ProfileStore
internal import ProfileStoreSQLite
internal import ProfileTesting
internal import ProfileTransfer

/// The options of one import, chosen by the first bytes of an input.
struct ImportChoices {
    var options = ImportOptions()
    /// Whether the store has some profiles before the import.
    let isUsed: Bool
    /// Whether a dry run comes first.
    let hasDryRun: Bool
    /// Whether the same input is imported a second time.
    let isRepeated: Bool
    /// The number of bytes that arrive at once; nil for an input in one piece.
    let chunk: Int?
    /// The rules of the store.
    let schema: ProfileSchema
    /// Whether the store is a file of SQLite. Otherwise it is in memory, which is much faster.
    let isFile: Bool

    init(_ choices: inout Choices) {
        options.duplicates = choices.flag() ? .update : choices.flag() ? .skip : .reject
        // The policies `skip` and `reject` have used two bits. So `update` uses a second bit too, and each later bit
        // has the same meaning for every policy.
        if options.duplicates == .update { _ = choices.flag() }
        if choices.flag() { options.key = .rowNumber }
        options.ignoresUnknownColumns = choices.flag()
        options.isAllOrNothing = choices.flag()
        isUsed = choices.flag()
        hasDryRun = choices.flag()
        isRepeated = choices.flag()
        let more = choices.byte()
        chunk = more & 3 == 3 ? Int(more >> 2 & 7) + 1 : nil
        isFile = more & 0xE0 == 0xE0
        if more & 0xE0 == 0x20 { options.columns = ["Nickname": "username"] }
        if more & 0xE0 == 0x40 { options.ignoredColumns = ["note"] }
        let hasSecret = more & 0xD8 == 0x88
        // An import of passwords in one transaction reads its input twice.
        if hasSecret, more & 0x20 != 0 { options.isExclusive = true }
        schema = hasSecret ? Self.schemaWithPassword : Self.schemaWithoutSecret
        options.mostIssues = 1_000_000
    }

    private static let schemaWithoutSecret = ProfileSchema.of(document(#"{"name": "note"}"#))
    private static let schemaWithPassword = ProfileSchema.of(
        document(
            """
            {"name": "password", "constraints": {"minLength": 6, "maxLength": 20},
             "profiles": {"secret": true, "requires": ["digit"]}}, {"name": "note"}
            """))

    /// Returns a schema document whose last fields are `fields`.
    private static func document(_ fields: String) -> String {
        """
        {"name": "fuzz", "fields": [
          {"name": "username", "constraints": {"required": true, "unique": true, "minLength": 2, "maxLength": 12}},
          {"name": "email", "constraints": {"unique": true, "maxLength": 20}},
          {"name": "level", "type": "integer", "constraints": {"minimum": -9, "maximum": 99}},
          {"name": "joined", "type": "date"},
          \(fields)
        ]}
        """
    }

    /// Changes the import to a dry run if it would hash more than a few passwords, because one hash takes 30 ms.
    mutating func limitHashing(of bytes: [UInt8]) {
        if schema.hasPassword, bytes.count(where: { $0 == 0x0A || $0 == 0x0D || $0 == 0x7D }) > 4 {
            options.isDryRun = true
        }
    }

    /// Whether the reference does not know the outcome, because it compares no passwords.
    var isUncertain: Bool { schema.hasPassword && options.duplicates == .update }

    /// 2026-01-01T00:00:00Z, the time of every import.
    static let time = Timestamp(millisecondsSince1970: 1_767_225_600_000)
    static let today = time.day ?? .latest

    func input(_ bytes: [UInt8]) -> ImportInput {
        guard let least = chunk else { return ImportInput(bytes: bytes, name: "input") }
        // A large input in chunks of one byte would take far more memory here than in the import.
        let chunk = max(least, bytes.count / 65_536)
        let chunks = stride(from: 0, to: bytes.count, by: chunk).map { Array(bytes[$0..<min($0 + chunk, bytes.count)]) }
        return ImportInput(
            AsyncStream { stream in
                for chunk in chunks { stream.yield(chunk) }
                stream.finish()
            }, name: "input")
    }

    /// Runs a body with a new store. If ``isUsed``, the store has ``ReferenceStore/used``.
    func withStore(_ body: (ProfileRepository) async throws -> Void) async throws {
        var options = ProfileRepository.Options()
        options.createsMissing = true
        options.initialSchema = schema
        options.now = { Self.time }
        let folder = isFile ? try TemporaryFolder("profiles-fuzz") : nil
        let repository =
            if let folder {
                try await ProfileRepository.open(at: folder.path + "/store.sqlite", options: options)
            } else {
                try await ProfileRepository.openInMemory(options: options)
            }
        let outcome: Result<Void, any Error>
        do {
            if isUsed {
                for values in ReferenceStore.used { _ = try await repository.register(ProfileDraft(values)) }
            }
            outcome = .success(try await body(repository))
        } catch {
            outcome = .failure(error)
        }
        await repository.close()
        try withExtendedLifetime(folder) { try outcome.get() }
    }
}

extension ProfileSchema {
    /// Parses a schema document of this package. Ends the process if the document is not valid.
    static func of(_ document: String) -> ProfileSchema {
        do throws(SchemaFailure) { return try ProfileSchema(parsing: document) } catch { fatalError("\(error)") }
    }
}
