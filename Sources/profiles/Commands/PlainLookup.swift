internal import ProfileCore
internal import ProfileStore

/// The command `profiles lookup NAME`, with or without `--database PATH`. Its arguments are read without
/// argument-parser.
///
/// This is the most frequent command, and scripts run it many times. argument-parser would take longer than the rest of
/// the command, because it asks Swift's runtime for the type of each option of the subcommand. If there is any other
/// argument, argument-parser runs ``LookupCommand``, which has the same output.
struct PlainLookup: StoreUsing {
    let username: String
    let store: StoreOptions

    /// Parses the arguments `lookup NAME`, with or without `--database PATH`. Nil for all other arguments.
    init?(_ arguments: [String]) {
        guard arguments.count == 2 || arguments.count == 4, arguments[0] == "lookup" else { return nil }
        var words = arguments.dropFirst()
        var database: String?
        if let option = words.firstIndex(of: "--database") {
            guard option + 1 < words.endIndex else { return nil }
            database = words[option + 1]
            words.removeSubrange(option...option + 1)
        }
        guard words.count == 1, let name = words.first else { return nil }
        // A word that begins with a hyphen can be an option, and argument-parser refuses an empty path. So
        // argument-parser handles these arguments.
        guard !name.hasPrefix("-"), database != "", !(database ?? "").hasPrefix("-") else { return nil }
        username = name
        store = StoreOptions.plain(database: database)
    }

    func run() async throws {
        try await withStore("lookup", inOneCall: true) { repository in
            let query = ProfileQuery([.init(repository.schema.primaryKey.name, .equals(username))], limit: 1)
            guard let profile = try await found(query, in: repository) else {
                throw CommandFailure(.no, lines: [.noProfile(username)] + repository.impossible(query.conditions))
            }
            try Output.standard.write(profile.text)
        }
    }

    /// Returns the profile. Nil if no profile has the name, or if the store refuses the name, for example a blank one.
    private func found(_ query: ProfileQuery, in repository: ProfileRepository) async throws -> Profile? {
        do throws(ProfileStoreError) {
            return try await repository.profiles(query).profiles.first
        } catch {
            guard error.code == .invalidQuery else { throw error }
            return nil
        }
    }
}
