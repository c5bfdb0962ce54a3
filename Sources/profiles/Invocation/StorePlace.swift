internal import ArgumentParser
internal import ProfileStore
#if Postgres
    internal import ProfileStorePostgres
#endif
internal import ProfileStoreSQLite

/// The place of a store: the path of a file, or the URI of a PostgreSQL database.
enum StorePlace {
    /// Returns the place of the store: the value of `--database`, or else the value of the variable
    /// `PROFILES_DATABASE`. If neither is given, the store is in the user's data folder (XDG Base Directory
    /// Specification).
    static func path(_ database: String?) throws(CommandFailure) -> String {
        var place = database
        if place == nil { place = try Environment.path("PROFILES_DATABASE") }
        if let place {
            try refuseOtherURI(place)
            return place
        }
        // The specification says to ignore a relative path.
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

    /// Whether the place is a database on a server, not a file.
    static func isDatabase(_ place: String) -> Bool {
        place.hasPrefix("postgresql://") || place.hasPrefix("postgres://")
    }

    /// Completes files. The URI of a database is not completed.
    static let completion = CompletionKind.file(extensions: ["sqlite", "sqlite3", "db"])

    /// Refuses a place that looks like an address but is not the URI of a database, such as `POSTGRESQL://…`. As a path, it
    /// would make the command create folders, and messages would repeat a password in it (P12).
    static func refuseOtherURI(_ place: String) throws(CommandFailure) {
        guard isOtherURI(place) else { return }
        throw CommandFailure(
            .usage, "The place of the store looks like an address, but does not begin with postgresql://",
            "If it is the path of a file, put ./ before it")
    }

    /// Refuses a URI where the path of a file is wanted. The message does not repeat the URI (P12).
    static func requirePath(_ place: String, as name: String) throws(CommandFailure) {
        guard isDatabase(place) || isOtherURI(place) else { return }
        throw CommandFailure(.usage, "\(name) is a URI, and should be a path", "If it is a path, put ./ before it")
    }

    static func open(_ place: String, _ options: ProfileRepository.Options) async throws -> ProfileRepository {
        try refuseOtherURI(place)
        guard isDatabase(place) else { return try await ProfileRepository.open(at: place, options: options) }
        #if Postgres
            return try await ProfileRepository.open(postgres: place, options: options)
        #else
            throw CommandFailure.noPostgres
        #endif
    }

    /// Whether the place looks like an address with a password, but is not the URI of a database: `mysql://…`,
    /// `postgres:user:password@…`, `host=… password=…`. False for every path that begins with a dot or a slash.
    private static func isOtherURI(_ place: String) -> Bool {
        guard !isDatabase(place), !place.hasPrefix("."), !place.hasPrefix("/") else { return false }
        let beginning = place.prefix { $0 != "/" }
        let afterColon = beginning.drop { $0 != ":" }
        return afterColon == ":" && beginning.count < place.count || afterColon.contains("@") || place.contains("://")
            || place.contains("password=")
    }

    /// Throws if the place is a database, because the operation only works with a file.
    static func requireFile(_ place: String, for operation: String, _ advice: String) throws(CommandFailure) {
        guard isDatabase(place) else { return }
        throw CommandFailure(.usage, "\(operation) is for stores in a file", advice)
    }
}

extension CommandFailure {
    /// The failure of a build without support for PostgreSQL.
    static let noPostgres = CommandFailure(
        .badConfiguration, "This build of profiles does not support PostgreSQL",
        "Build it with \"swift build -c release --product profiles --traits Postgres\"")
}
