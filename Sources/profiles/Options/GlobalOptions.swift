internal import ArgumentParser
internal import ProfileCore
internal import TextLayout

/// A subcommand that uses the store and writes a result. Nearly every subcommand conforms to this protocol.
///
/// The option groups of a subcommand are not nested, because in a debug build argument-parser visits a nested group
/// many times.
protocol ResultWriting: StoreUsing {
    var result: ResultOptions { get }
}

extension ResultWriting {
    var global: GlobalOptions { GlobalOptions(store: store, format: result.format) }
}

/// The option for the format of results.
struct ResultOptions: ParsableArguments {
    @Option(help: "Write results as text or json.")
    var format = OutputFormat.text
}

/// The options that nearly every subcommand has.
struct GlobalOptions: StoreUsing {
    let store: StoreOptions
    let format: OutputFormat

    var quiet: Bool { store.quiet }

    /// Reports a completed action in the chosen format. In the text format, `--quiet` suppresses the report.
    func confirm(_ text: String, _ json: JSONValue) throws(CommandFailure) {
        switch format {
        case .text: if !quiet { try Output.standard.print(text.visible) }
        case .json: try Output.standard.print(json.text(indented: true))
        }
    }
}

/// The formats of results.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
    case text, json
}
