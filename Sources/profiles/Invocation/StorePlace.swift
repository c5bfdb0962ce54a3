/// Where a store is.
enum StorePlace {
    /// As told, as the environment says, or in the user's data folder (XDG Base Directory Specification).
    static func path(_ database: String?) throws(CommandFailure) -> String {
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
}
