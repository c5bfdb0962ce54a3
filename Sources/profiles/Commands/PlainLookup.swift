internal import ProfileCore
internal import ProfileStore

/// `profiles lookup NAME`, with `--database PATH` or without: read from the arguments as they stand.
///
/// It is what is asked most, and by scripts many times over. The argument parser would take longer for it than all else
/// together, since it asks Swift's runtime about the type of each option of the subcommand. Any other argument goes through
/// the parser, to ``LookupCommand``, which does and says the same.
struct PlainLookup: StoreUsing {
    let username: String
    let store: StoreOptions

    /// Nil unless there is nothing but a name and the store's path.
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
        // An empty path is refused, and what begins like an option may be one.
        guard !name.hasPrefix("-"), database != "", !(database ?? "").hasPrefix("-") else { return nil }
        username = name
        store = StoreOptions.plain(database: database)
    }

    func run() async throws {
        try await withStore("lookup") { repository in
            let query = ProfileQuery([.init(repository.schema.primaryKey.name, .equals(username))], limit: 1)
            guard let profile = try await found(query, in: repository) else {
                throw CommandFailure(.no, lines: [.noProfile(username)] + repository.impossible(query.conditions))
            }
            try Output.standard.write(profile.text)
        }
    }

    /// Nil also where no profile can have such a name.
    private func found(_ query: ProfileQuery, in repository: ProfileRepository) async throws -> Profile? {
        do throws(ProfileStoreError) {
            return try await repository.profiles(query).profiles.first
        } catch {
            guard error.code == .invalidQuery else { throw error }
            return nil
        }
    }
}
