internal import Platform
internal import ProfileCore
internal import ProfileStore
internal import ProfileStoreSQLite

// How a command comes to the store, and leaves it.
extension GlobalOptions {
    /// What happens where there is no store.
    enum MissingStore {
        /// Exit 66, with a text that says how to make one.
        case isAnError
        case isMade(ProfileSchema)
    }

    /// Opens the store, and closes it however the work ends. Those who wait for its write lock meanwhile get to know
    /// which subcommand holds it.
    func withStore<Value>(
        _ command: String, whenMissing: MissingStore = .isAnError, _ work: (ProfileRepository) async throws -> Value
    ) async throws -> Value {
        var options = repositoryOptions(command)
        if case .isMade(let schema) = whenMissing {
            options.createsMissing = true
            options.initialSchema = schema
        }
        let repository = try await ProfileRepository.open(at: databasePath(), options: options)
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

    func repositoryOptions(_ command: String) -> ProfileRepository.Options {
        var options = ProfileRepository.Options()
        options.command = "profiles \(command)"
        options.waitLimit = .milliseconds(Int64(wait * 1_000))
        return options
    }

    /// Where the store is: as told, as the environment says, or in the user's data folder (XDG Base Directory
    /// Specification).
    func databasePath() throws(CommandFailure) -> String {
        if let database { return database }
        if let path = try Environment.path("PROFILES_DATABASE") { return path }
        // A relative path there is to be ignored, says the specification.
        if let folder = try Environment.path("XDG_DATA_HOME"), folder.hasPrefix("/") {
            return folder + "/profiles/profiles.sqlite"
        }
        guard let home = try Environment.path("HOME") else {
            throw CommandFailure(
                .badConfiguration, "There is no place for the store: neither PROFILES_DATABASE nor HOME is set",
                "Name a file with --database PATH")
        }
        return home + "/.local/share/profiles/profiles.sqlite"
    }

    /// The store's own files, which no output may replace, nor take the name of.
    func storeFiles() throws(CommandFailure) -> FilePlaces { FilePlaces(ofStore: try databasePath()) }
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
                throw CommandFailure(error, of: path)
            }
        }
    }
}
