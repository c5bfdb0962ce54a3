internal import Platform
internal import ProfileCore
internal import ProfileStore
internal import ProfileStoreSQLite
internal import TextLayout
internal import Threads

// Opens, uses and closes the store of a command.
extension StoreUsing {
    /// Opens the store, runs the work, and closes the store even if the work throws. If other processes wait for the
    /// write lock meanwhile, they can see the name of this subcommand.
    ///
    /// - Parameters:
    ///   - command: The name of the subcommand.
    ///   - whenMissing: What happens if there is no store.
    ///   - observer: Is called with each operation on the store.
    ///   - inOneCall: Whether `--wait` limits the total time of opening the store and of all calls in the work. If
    ///     false, `--wait` limits each call separately. Pass true only if the work does not ask the user anything and
    ///     does not write several pages of results.
    ///   - work: Uses the store.
    /// - Returns: The value that the work returns.
    /// - Throws: The error of opening the store or of the work.
    func withStore<Value>(
        _ command: String, whenMissing: MissingStore = .isAnError, observedBy observer: StoreObserver? = nil,
        inOneCall: Bool = false, _ work: (ProfileRepository) async throws -> Value
    ) async throws -> Value {
        var options = repositoryOptions(command)
        options.observer = observer
        let path = try databasePath()
        var isNoteworthy = false
        if case .isMade(let schema, let isConfirmed) = whenMissing {
            options.initialSchema = schema
            // Other processes do not read a new store until its first load has ended. This makes the load faster.
            options.isUnreadUntilLoaded = true
            // A mistyped URI must not create tables in a database.
            options.createsMissing = isConfirmed || !StorePlace.isDatabase(path)
            isNoteworthy = try !isConfirmed && mayBeMistyped(path)
        }
        let deadline = inOneCall ? CallDeadline.fromNow(options.waitLimit) : nil
        let repository = try await CallDeadline.at(deadline) { try await opening(path, options) }
        if isNoteworthy { note("Made a store at \(path.visible)") }
        let value: Value
        do {
            value = try await CallDeadline.at(deadline) { try await work(repository) }
        } catch {
            await repository.close()
            throw error
        }
        await repository.close()
        return value
    }

    /// Opens the store. If the command catches Ctrl-C during its whole run, the signal cancels the opening. In other
    /// commands, the signal ends the process, because the code that runs after the opening would not notice a
    /// cancellation.
    private func opening(
        _ path: String, _ options: ProfileRepository.Options
    ) async throws -> ProfileRepository {
        guard Interruption.isWatching else { return try await StorePlace.open(path, options) }
        return try await Interruption.cancelling(isQuiet: store.quiet) { try await StorePlace.open(path, options) }
    }

    /// Returns whether the path may be mistyped: the user typed the path, there is no store at the path, and the user
    /// cannot be asked. If the user can be asked, this method asks the user instead.
    ///
    /// - Throws: ``ProfileStoreError/noStore(path:)`` if the user declines.
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

    /// Returns the place of the store.
    func databasePath() throws(CommandFailure) -> String { try StorePlace.path(store.database) }

    /// Creates an output file of a command; see ``requireOutput(_:replacing:sparing:)``.
    func outputFile(
        _ path: String, replacing: Bool, sparing others: FilePlaces = FilePlaces()
    ) throws(CommandFailure) -> PrivateFile {
        try PrivateFile(path, replacing: replacing, sparing: spared(others))
    }

    /// Writes a text to an output file, with the same rules as ``outputFile(_:replacing:sparing:)``.
    func write(
        _ text: String, to path: String, replacing: Bool, sparing others: FilePlaces = FilePlaces()
    ) throws(CommandFailure) {
        try PrivateFile.write(text, to: path, replacing: replacing, sparing: spared(others))
    }

    /// Refuses an output file that would replace one of the store's own files, or one of the spared files, such as the
    /// input. This also protects the store in commands that do not open it.
    func requireOutput(
        _ path: String, replacing: Bool, sparing others: FilePlaces = FilePlaces()
    ) throws(CommandFailure) {
        try PrivateFile.requireName(path, replacing: replacing, sparing: spared(others))
    }

    private func spared(_ others: FilePlaces) -> FilePlaces {
        // If the store has no path or is a database, it has no files to protect.
        guard let path = try? databasePath(), !StorePlace.isDatabase(path) else { return others }
        return others.union(FilePlaces(ofStore: path))
    }
}

/// The action if there is no store.
enum MissingStore {
    /// The command exits with 66 and a message that says how to create a store.
    case isAnError
    /// The store is created with these rules. If the user typed the path but has not confirmed the creation, the
    /// command asks the user on a terminal.
    case isMade(ProfileSchema, isConfirmed: Bool)
}

extension ProfileSchema {
    /// Reads a schema file. If the file does not contain a name for the schema, the schema gets the name of the file.
    init(file path: String) throws(CommandFailure) {
        let file = try InputFile(path)
        // The file's name up to the first dot. It is empty for standard input and for hidden files.
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
