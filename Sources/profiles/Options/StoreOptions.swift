internal import ArgumentParser

/// Which store a subcommand works on, and how it does so.
struct StoreOptions: ParsableArguments, StoreUsing {
    @Option(
        help: ArgumentHelp(
            """
            The store's file, or the URI of a PostgreSQL database. \
            (default: $PROFILES_DATABASE, else $XDG_DATA_HOME/profiles/profiles.sqlite)
            """,
            valueName: "path"),
        completion: StorePlace.completion)
    var database: String?

    @Flag(name: .shortAndLong, help: "Write results and errors only: no progress, no notes.")
    var quiet = false

    @Flag(name: .customLong("no-input"), help: "Never ask; what is missing is an error.")
    var noInput = false

    @Option(help: ArgumentHelp("How long to wait while others write to the store.", valueName: "seconds"))
    var wait = 30.0

    func validate() throws {
        guard wait >= 0, wait <= 86_400 else { throw ValidationError("--wait takes 0 to 86400 seconds.") }
        guard database != "" else { throw ValidationError("--database takes the path of a file or a URI.") }
    }

    var store: StoreOptions { self }
}

extension StoreOptions {
    /// The options where nothing is given but the store's path, without the parser.
    static func plain(database path: String?) -> StoreOptions {
        // Not in an initializer: there the parser's wrappers take a value for a default that is yet to be parsed.
        var options = StoreOptions()
        options.database = path
        options.quiet = false
        options.noInput = false
        options.wait = 30
        return options
    }
}

/// Options with which a subcommand comes to the store; see StoreAccess.swift.
protocol StoreUsing {
    var store: StoreOptions { get }
}

extension StoreUsing {
    /// Whether a person can be asked.
    var canAsk: Bool { !store.noInput && SecretPrompt.isPossible }

    /// Tells a person something that is no result.
    func note(_ text: String) {
        if !store.quiet { Output.error.note(text) }
    }
}
