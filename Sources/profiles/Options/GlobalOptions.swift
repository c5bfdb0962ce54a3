internal import ArgumentParser
internal import ProfileCore
internal import TextLayout

/// The options that nearly every subcommand takes.
struct GlobalOptions: ParsableArguments, StoreUsing {
    @OptionGroup var store: StoreOptions

    @Option(help: "How results are written: text or json.")
    var format = OutputFormat.text

    var quiet: Bool { store.quiet }

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
