internal import Glibc
internal import ProfileStore
internal import ProfileStoreSQLite
#if Postgres
    internal import ProfileStorePostgres
#endif

/// The place of a store: the path of a file, or the URI of a PostgreSQL database.
struct StorePlace {
    let text: String

    /// Finds the place of the store: the value of `--database`, or else the value of the variable `PROFILES_DATABASE`.
    /// If neither is given, the store is in the user's data folder (XDG Base Directory Specification). The command
    /// `profiles` finds it in the same way.
    init(_ database: String?) throws(ServerFailure) {
        if let database {
            text = database
        } else if let path = try Self.variable("PROFILES_DATABASE") {
            text = path
        } else if let folder = try Self.variable("XDG_DATA_HOME"), folder.hasPrefix("/") {
            // The specification says to ignore a relative path.
            text = folder + "/profiles/profiles.sqlite"
        } else if let home = try Self.variable("HOME") {
            text = home + "/.local/share/profiles/profiles.sqlite"
        } else {
            throw ServerFailure(
                .badConfiguration, "There is no place for the store: neither PROFILES_DATABASE nor HOME is set",
                "Name a file with --database PATH")
        }
        // If an address of another form were used as a path, messages would repeat it, possibly with a password.
        guard isOtherURI else { return }
        throw ServerFailure(
            .usage, "The place of the store looks like an address, but does not begin with postgresql://",
            "If it is the path of a file, put ./ before it")
    }

    private static func variable(_ name: String) throws(ServerFailure) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        guard let text = String(validatingCString: value) else {
            throw ServerFailure(
                .badConfiguration, "The path in the environment variable \(name) is not UTF-8 text",
                "Name the store with --database PATH, from within its folder if necessary")
        }
        return text
    }

    /// Whether the place looks like an address with a password, but is not the URI of a database: `mysql://…`,
    /// `postgres:user:password@…`, `host=… password=…`. A path that begins with a point or a slash never does.
    private var isOtherURI: Bool {
        guard !isDatabase, !text.hasPrefix("."), !text.hasPrefix("/") else { return false }
        let beginning = text.prefix { $0 != "/" }
        let afterColon = beginning.drop { $0 != ":" }
        return afterColon == ":" && beginning.count < text.count || afterColon.contains("@") || text.contains("://")
            || text.contains("password=")
    }

    private var isDatabase: Bool { text.hasPrefix("postgresql://") || text.hasPrefix("postgres://") }

    /// Opens the store. A missing store is an error.
    func open(_ options: ProfileRepository.Options) async throws(ServerFailure) -> ProfileRepository {
        #if !Postgres
            guard !isDatabase else {
                throw ServerFailure(
                    .badConfiguration, "This build of profiles-server does not support PostgreSQL",
                    "Build it with \"make server TRAITS=Postgres\"")
            }
        #endif
        do throws(ProfileStoreError) {
            #if Postgres
                if isDatabase { return try await ProfileRepository.open(postgres: text, options: options) }
            #endif
            return try await ProfileRepository.open(at: text, options: options)
        } catch {
            throw ServerFailure(error)
        }
    }
}
