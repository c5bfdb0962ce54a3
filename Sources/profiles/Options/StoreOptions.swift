internal import ArgumentParser

/// The options that select the store of a subcommand and control how it is used.
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

    @Flag(
        name: .shortAndLong,
        help: "Write nothing on success but what was asked for: no confirmation, report, progress or note.")
    var quiet = false

    @Flag(name: .customLong("no-input"), help: "Never ask; missing input is an error.")
    var noInput = false

    @Option(
        help: ArgumentHelp(
            """
            Wait at most this long for the store, such as while other processes write to it. In imports, exports, \
            forms and other long work, the limit applies to each step.
            """,
            valueName: "seconds"))
    var wait = 30.0

    func validate() throws {
        guard wait >= 0, wait <= 86_400 else { throw ValidationError("--wait takes 0 to 86400 seconds.") }
        guard database != "" else { throw ValidationError("--database takes the path of a file or a URI.") }
    }

    var store: StoreOptions { self }
}

extension StoreOptions {
    /// Returns options that contain only the path of the store. This function does not use the argument parser.
    static func plain(database path: String?) -> StoreOptions {
        // This is not an initializer. In an initializer, the property wrappers would treat an assigned value as a
        // default value and parse it later.
        var options = StoreOptions()
        options.database = path
        options.quiet = false
        options.noInput = false
        options.wait = 30
        return options
    }
}

/// A command that selects a store by options; see StoreAccess.swift.
protocol StoreUsing {
    var store: StoreOptions { get }
}

extension StoreUsing {
    /// Whether the user can be asked: standard input is a terminal, and `--no-input` is not given.
    var canAsk: Bool { !store.noInput && SecretPrompt.isPossible }

    /// Requires that the user can be asked.
    ///
    /// - Parameter instead: What the user can give instead of an answer, for the message.
    /// - Throws: A usage error if the user cannot be asked.
    func requireTerminal(orGive instead: String) throws(CommandFailure) {
        guard canAsk else { throw CommandFailure(.usage, "There is no terminal to ask on; give \(instead)") }
    }

    /// Writes a note for the user to standard error. A note is not part of the result. With `--quiet`, the method
    /// writes nothing.
    func note(_ text: String) {
        if !store.quiet { Output.error.note(text) }
    }
}
