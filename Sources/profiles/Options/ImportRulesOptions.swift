internal import ArgumentParser

/// The options that choose the rules of an import.
struct ImportRulesOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("If there is no store, create it with the rules of a schema file.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var schema: String?

    @Flag(help: "If there is no store, infer rules from the file, show them, and create the store with them.")
    var infer = false

    @Flag(help: "Accept the rules that --infer finds without asking.")
    var yes = false

    @Flag(help: "If the file breaks rules of the store, loosen these rules without asking.")
    var loosen = false

    func validate() throws {
        if yes, !infer { throw ValidationError("--yes requires --infer.") }
        if loosen, !infer { throw ValidationError("--loosen requires --infer.") }
        if schema != nil, infer { throw ValidationError("--schema and --infer exclude each other.") }
    }
}
