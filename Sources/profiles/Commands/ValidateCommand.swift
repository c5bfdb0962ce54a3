internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore
internal import ProfileTransfer

struct ValidateCommand: AsynchronousCommand, ResultWriting {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract: "Validate a file as an import would, without a store.",
        discussion: """
            No store is opened. The rules are the built-in ones or those of --schema, and duplicates are those within \
            the file. Exits 1 if any row is invalid.

              profiles validate people.csv
              profiles validate people.csv --schema team-schema.json --report report.html
            """)

    @OptionGroup var input: ImportInputOptions

    @Option(
        help: ArgumentHelp("Use the rules of a schema file.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var schema: String?

    @OptionGroup var store: StoreOptions
    @OptionGroup var result: ResultOptions

    var needsAddressSpace: Bool { true }

    func run() async throws {
        try input.requireOutputs(global)
        let rules = try schema.map { path throws(CommandFailure) in try ProfileSchema(file: path) } ?? .standard
        let file = try InputFile(input.file)
        let importer = ProfileImporter(
            schema: rules, today: Timestamp.now().day ?? .latest, options: input.options)
        try await ReportedImport(global: global, input: input, settings: rules.importSettings).run(importer, file)
    }
}
