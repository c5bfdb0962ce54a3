internal import ArgumentParser
internal import Platform
internal import ProfileCore
internal import ProfileStore
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

            On a terminal, the proposal is first shown in a table. There you can choose the key, types, names and \
            rules, and leave columns out; Return accepts, Esc cancels. --plain only prints the proposal.

              profiles schema infer people.csv
              profiles schema infer people.csv --output schema.json
              profiles import people.csv --schema schema.json
              profiles schema infer next.csv --with-store --output wider.json
              profiles schema adopt wider.json
            """)

    @OptionGroup var input: InferenceInputOptions

    @Option(name: .shortAndLong, help: ArgumentHelp("Write the schema to a file as JSON.", valueName: "file"))
    var output: String?

    @Flag(help: "Start from the rules of the store, loosen those that the file breaks, and add its other columns.")
    var withStore = false

    @Flag(help: "Replace an existing output file.")
    var force = false

    @OptionGroup var asking: AskingOptions
    @OptionGroup var store: StoreOptions
    @OptionGroup var result: ResultOptions

    func validate() throws {
        if !withStore, !input.rules.kept.isEmpty { throw ValidationError("--keep requires --with-store.") }
    }

    var needsAddressSpace: Bool { true }

    func run() async throws {
        let file = try InputFile(input.source.file)
        var spared = FilePlaces()
        spared.insert(descriptor: file.descriptor)
        if let output { try global.requireOutput(output, replacing: force, sparing: spared) }
        // If the output goes to a file or a pipe, it is for a program, so no table is shown.
        let usesTable = global.format == .text && Output.standard.isTerminal && global.asking(asking) == .onScreen
        if withStore { return try await infer(file, sparing: spared) }
        var source = try input.source.input(file)
        // If no column can be the key, the file is read again. The second reading finds the column that is closest to
        // a key, and the row that prevents it.
        if usesTable || file.byteCount != nil {
            source = try source.readableAgain(keptIn: input.options.temporaryFolder)
        }
        var proposal = try await input.options.proposal(for: source, isQuiet: global.quiet)
        var arguments: [String]?
        if usesTable {
            let accepted = try await ProposalEditor(
                source: source, title: "Schema of \(file.path)",
                accepting: output.map { "write \($0.visible)" } ?? "accept"
            ).run(proposal, input.options)
            proposal = accepted.proposal
            arguments = accepted.options.arguments(unasked: "--plain")
        }
        switch global.format {
        case .text: try Output.standard.write(proposal.text)
        case .json: try Output.standard.print(proposal.json.text(indented: true))
        }
        guard let schema = proposal.schema else { throw CommandFailure.noKey(proposal) }
        if let arguments { global.note("The same without questions: \(CommandArguments.line(arguments))") }
        try write(schema, sparing: spared)
    }

    /// Shows rules that both the store's profiles and the file satisfy.
    private func infer(_ file: borrowing InputFile, sparing spared: FilePlaces) async throws {
        let before = try await global.withStore("schema infer") { $0.schema }
        if input.source.keySource != nil {
            throw CommandFailure(
                .usage, "--with-store keeps the key of the store",
                "Leave out --key, --key-by-row and --key-by-content, or make a new store for another key")
        }
        let changed = try input.rules.columnsChanged(in: before)
        try input.rules.requireNewFields(beside: changed, onlyKept: false)
        var options = input.options
        options.store = before
        let source = try input.source.input(file, usual: before.importSettings.layout)
            .readableAgain(keptIn: options.temporaryFolder)
        let proposal = try await options.proposal(for: source, isQuiet: global.quiet)
        let strict = try await options.compared(with: changed).proposal(for: source, isQuiet: global.quiet)
        var importing = input.source.importing
        // With `.column`, the key of the store's rules is used.
        importing.key = .column
        importing.ignoresUnknownColumns = true
        let loosening = try await SchemaLoosening(
            of: changed, by: source, strict, importing, attempting: .proposing)
        let schema = try input.rules.adding(keptOf: proposal, to: loosening.schema).adding(columnsOf: proposal)
        switch global.format {
        case .text:
            if !loosening.broken.isEmpty { try Output.standard.print(loosening.text) }
            try Output.standard.print(loosening.changes(from: before, to: schema))
        case .json: try Output.standard.print(schema.document(indented: true))
        }
        try write(schema, sparing: spared)
    }

    private func write(_ schema: ProfileSchema, sparing spared: FilePlaces) throws {
        guard let output else { return }
        try global.write(schema.document(indented: true) + "\n", to: output, replacing: force, sparing: spared)
        global.note("The schema is in \(output.visible).")
    }
}
