internal import ArgumentParser

/// The options that choose the rules of an import.
struct ImportRulesOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("If there is no store, create it with the rules of a schema file.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var schema: String?

    @Flag(
        help: """
            Infer rules from the file. If there is no store, create it with them; if there is one, show which of its \
            rules the file breaks.
            """)
    var infer = false

    @Flag(help: "Accept the rules that --infer finds without asking.")
    var yes = false

    @Flag(help: "With --infer: loosen the rules of the store that the file breaks, without asking.")
    var loosen = false

    func validate() throws {
        if yes, !infer { throw ValidationError("--yes requires --infer.") }
        if loosen, !infer { throw ValidationError("--loosen requires --infer.") }
        if schema != nil, infer { throw ValidationError("--schema and --infer exclude each other.") }
    }
}
