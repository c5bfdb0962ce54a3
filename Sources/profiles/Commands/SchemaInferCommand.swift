internal import ArgumentParser
internal import Platform
internal import ProfileCore
internal import ProfileStoreSQLite
internal import ProfileTransfer
internal import SchemaInference
internal import TextLayout

struct SchemaInferCommand: AsynchronousCommand, ResultWriting {
    static let configuration = CommandConfiguration(
        commandName: "infer",
        abstract: "Propose a schema for a file.",
        discussion: """
            Reads the whole file, and shows for each column its type, the number of values, two examples, and what is \
            doubtful. Every row of the file is valid by the schema, except rows that no schema could accept; these are \
            counted. Columns of passwords and hashes are proposed as such, and their values are never shown.

              profiles schema infer people.csv
              profiles schema infer people.csv --output schema.json
              profiles init --schema schema.json && profiles import people.csv
            """)

    @OptionGroup var input: InferenceInputOptions

    @Option(name: .shortAndLong, help: ArgumentHelp("Write the schema to a file as JSON.", valueName: "file"))
    var output: String?

    @Flag(help: "Replace an existing output file.")
    var force = false

    @OptionGroup var store: StoreOptions
    @OptionGroup var result: ResultOptions

    var needsAddressSpace: Bool { true }

    func run() async throws {
        let file = try InputFile(input.source.file)
        var spared = FilePlaces()
        spared.insert(descriptor: file.descriptor)
        if let output { try global.requireOutput(output, replacing: force, sparing: spared) }
        var source = ImportInput(descriptor: file.descriptor, name: file.path, byteCount: file.byteCount)
        // A file is read again if no column can be the key, to show the value that keeps a column from being one.
        if file.byteCount != nil { source = try source.readableAgain(keptIn: input.options.temporaryFolder) }
        let proposal = try await input.options.proposal(for: source, isQuiet: global.quiet)
        switch global.format {
        case .text: try Output.standard.write(proposal.text(isImported: false))
        case .json: try Output.standard.print(proposal.json.text(indented: true))
        }
        guard let schema = proposal.schema else { throw CommandFailure.noKey(proposal) }
        guard let output else { return }
        try global.write(schema.document(indented: true) + "\n", to: output, replacing: force, sparing: spared)
        global.note("The schema is in \(output.visible).")
    }
}
