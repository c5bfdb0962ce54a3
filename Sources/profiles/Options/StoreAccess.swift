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
        _ command: String, whenMissing: MissingStore = .isAnError, observedBy observer: StoreObserver? = nil,
        _ work: (ProfileRepository) async throws -> Value
    ) async throws -> Value {
        var options = repositoryOptions(command)
        options.observer = observer
        let path = try databasePath()
        var isNoteworthy = false
        if case .isMade(let schema, let isConfirmed) = whenMissing {
            options.initialSchema = schema
            // Nobody gets tables in a database by a slip of the hand.
            options.createsMissing = isConfirmed || !StorePlace.isDatabase(path)
            isNoteworthy = try !isConfirmed && mayBeMistyped(path)
        }
        let repository = try await opening(path, options)
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

    /// Opens the store. In a command that catches Ctrl-C throughout, the signal also ends the wait for a store to be made. In
    /// others it ends the process, as ever: nothing after the opening would notice it.
    private func opening(
        _ path: String, _ options: ProfileRepository.Options
    ) async throws -> ProfileRepository {
        guard Interruption.isWatching else { return try await StorePlace.open(path, options) }
        return try await Interruption.cancelling(isQuiet: store.quiet) { try await StorePlace.open(path, options) }
    }

    /// Whether a store would be made at a path that was given by hand, and nobody can be asked whether it is the right one.
    private func mayBeMistyped(_ path: String) throws -> Bool {
        guard store.database != nil, !StorePlace.isDatabase(path), access(path, F_OK) != 0 else { return false }
        guard canAsk else { return true }
        guard try LinePrompt.isConfirmed("There is no store at \(path); make one") else {
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

    /// Begins a file that a command writes besides the store; see ``requireOutput(_:replacing:sparing:)``.
    func outputFile(
        _ path: String, replacing: Bool, sparing others: FilePlaces = FilePlaces()
    ) throws(CommandFailure) -> PrivateFile {
        try PrivateFile(path, replacing: replacing, sparing: spared(others))
    }

    /// Writes a text to such a file.
    func write(
        _ text: String, to path: String, replacing: Bool, sparing others: FilePlaces = FilePlaces()
    ) throws(CommandFailure) {
        try PrivateFile.write(text, to: path, replacing: replacing, sparing: spared(others))
    }

    /// Refuses the name of a file that is to be written where it is one of the store's own files, also of a command that
    /// does not open the store, or one of others that are spared, such as the input.
    func requireOutput(
        _ path: String, replacing: Bool, sparing others: FilePlaces = FilePlaces()
    ) throws(CommandFailure) {
        try PrivateFile.requireName(path, replacing: replacing, sparing: spared(others))
    }

    private func spared(_ others: FilePlaces) -> FilePlaces {
        // Where nothing says where the store is, there is none.
        guard let path = try? databasePath(), !StorePlace.isDatabase(path) else { return others }
        return others.union(FilePlaces(ofStore: path))
    }
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
        // Up to the first dot; neither standard input nor a hidden file has such a name.
        let name = path == "-" ? "" : String(path.split(separator: "/").last?.prefix { $0 != "." } ?? "")
        self = try file.withContents(limit: 1 << 20) { bytes throws(CommandFailure) in
            do throws(SchemaFailure) {
                return try ProfileSchema(parsing: bytes, defaultName: name.isEmpty ? "custom" : name)
            } catch {
                throw CommandFailure(error, of: CommandFailure.named(path))
            }
        }
    }
}
