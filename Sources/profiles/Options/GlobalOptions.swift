internal import ArgumentParser
internal import ProfileCore
internal import TextLayout

/// A subcommand that comes to the store and writes a result, as nearly every one does.
///
/// Its groups of options stand side by side: in a debug build the parser looks at a group within a group many times over.
protocol ResultWriting: StoreUsing {
    var result: ResultOptions { get }
}

extension ResultWriting {
    var global: GlobalOptions { GlobalOptions(store: store, format: result.format) }
}

/// How a result is written.
struct ResultOptions: ParsableArguments {
    @Option(help: "How results are written: text or json.")
    var format = OutputFormat.text
}

/// What nearly every subcommand goes by.
struct GlobalOptions: StoreUsing {
    let store: StoreOptions
    let format: OutputFormat

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
