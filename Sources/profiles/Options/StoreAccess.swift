internal import Platform
internal import ProfileCore
internal import ProfileStore
internal import ProfileStoreSQLite
internal import TextLayout

// How a command comes to the store, and leaves it.
extension StoreUsing {
    /// Opens the store, and closes it however the work ends. Those who wait for its write lock meanwhile get to know
    /// which subcommand holds it.
    func withStore<Value>(
        _ command: String, whenMissing: MissingStore = .isAnError, _ work: (ProfileRepository) async throws -> Value
    ) async throws -> Value {
        var options = repositoryOptions(command)
        let path = try databasePath()
        var isNoteworthy = false
        if case .isMade(let schema, let isConfirmed) = whenMissing {
            options.createsMissing = true
            options.initialSchema = schema
            isNoteworthy = try !isConfirmed && mayBeMistyped(path)
        }
        let repository = try await ProfileRepository.open(at: path, options: options)
        if isNoteworthy { note("Made a store at \(path.visible)") }
        let value: Value
        do {
            value = try await work(repository)
        } catch {
            await repository.close()
            throw error
        }
        await repository.close()
        return value
    }

    /// Whether a store would be made at a path that was given by hand, and nobody can be asked whether it is the right one.
    private func mayBeMistyped(_ path: String) throws -> Bool {
        guard store.database != nil, access(path, F_OK) != 0 else { return false }
        guard canAsk else { return true }
        guard LinePrompt.isConfirmed("There is no store at \(path); make one") else {
            throw ProfileStoreError.noStore(path: path)
        }
        return false
    }

    func repositoryOptions(_ command: String) -> ProfileRepository.Options {
        var options = ProfileRepository.Options()
        options.command = "profiles \(command)"
        options.waitLimit = .milliseconds(Int64(store.wait * 1_000))
        return options
    }

    /// Where the store is.
    func databasePath() throws(CommandFailure) -> String { try StorePlace.path(store.database) }

    /// The store's own files, which no output may replace, nor take the name of.
    func storeFiles() throws(CommandFailure) -> FilePlaces { FilePlaces(ofStore: try databasePath()) }
}

/// What happens where there is no store.
enum MissingStore {
    /// Exit 66, with a text that says how to make one.
    case isAnError
    /// It is made, with these rules. Where nobody has said that it should be, a person is asked about a path that was
    /// given by hand.
    case isMade(ProfileSchema, isConfirmed: Bool)
}

extension ProfileSchema {
    /// Reads a schema file; its name is the schema's where the file does not say.
    init(file path: String) throws(CommandFailure) {
        let file = try InputFile(path)
        let name = path.split(separator: "/").last.flatMap { $0.split(separator: ".").first }.map(String.init)
        self = try file.withContents(limit: 1 << 20) { bytes throws(CommandFailure) in
            do throws(SchemaFailure) {
                return try ProfileSchema(parsing: bytes, defaultName: name ?? "custom")
            } catch {
                throw CommandFailure(error, of: CommandFailure.named(path))
            }
        }
    }
}
