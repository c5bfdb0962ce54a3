internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore
internal import TextLayout

/// The options that every subcommand takes.
struct GlobalOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The store's file. (default: $PROFILES_DATABASE, else $XDG_DATA_HOME/profiles/profiles.sqlite)",
            valueName: "path"))
    var database: String?

    @Option(help: "How results are written: text or json.")
    var format = OutputFormat.text

    @Flag(name: .shortAndLong, help: "Write results and errors only: no progress, no notes.")
    var quiet = false

    @Flag(name: .customLong("no-input"), help: "Never ask; what is missing is an error.")
    var noInput = false

    @Option(help: ArgumentHelp("How long to wait while others write to the store.", valueName: "seconds"))
    var wait = 30.0

    func validate() throws {
        guard wait >= 0, wait <= 86_400 else { throw ValidationError("--wait takes 0 to 86400 seconds.") }
        guard database != "" else { throw ValidationError("--database takes the path of a file.") }
    }

    /// Whether a person can be asked.
    var canAsk: Bool { !noInput && SecretPrompt.isPossible }

    /// Tells a person something that is no result.
    func note(_ text: String) {
        if !quiet { Output.error.note(text) }
    }

    /// Says that something was done, in the format that was asked for.
    func confirm(_ text: String, _ json: JSONValue) throws(CommandFailure) {
        switch format {
        case .text: if !quiet { try Output.standard.print(text.visible) }
        case .json: try Output.standard.print(json.text(indented: true))
        }
    }
}

/// How results are written.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
    case text, json
}
