internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore
internal import ProfileStoreSQLite
internal import ProfileTransfer
internal import SchemaInference

struct ImportCommand: AsynchronousCommand, ResultWriting {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import profiles from CSV, JSON or a workbook.",
        discussion: """
            The delimiter, the encoding, and compression with gzip are detected. The first row of CSV names the \
            columns. A workbook (.xlsx, .ods) is read like CSV, and a line is a row of its sheet. Every row is stored, or rejected with all its issues. Exits 1 if any row was rejected. Ctrl-C \
            finishes the current batch and reports what was done so far.

            If there is no store, one is created: with the built-in rules, or with --infer with the rules that are \
            inferred from the file. A new file that gets no row is removed again; new tables in a database stay.

              profiles import people.csv --infer
              profiles import people.csv --rejects rejects.csv --report report.html
              profiles import people.csv.gz --dry-run --map "Mobile=phone" --encoding windows-1252
              profiles import people.xlsx --sheet Members
              curl -s https://example.org/people.ndjson | profiles import - --as ndjson --on-duplicate update
            """)

    @OptionGroup var input: ImportInputOptions

    @Flag(help: "Do everything except writing and hashing, and report the result.")
    var dryRun = false

    @OptionGroup var onDuplicate: DuplicateOption

    @Flag(help: "Store nothing if any row is rejected.")
    var allOrNothing = false

    @Flag(help: "Import in a single transaction. Other writers wait until it ends.")
    var exclusive = false

    @Option(
        help: ArgumentHelp("If there is no store, create it with the rules of a schema file.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var schema: String?

    @Flag(help: "If there is no store, infer rules from the file, show them, and create the store with them.")
    var infer = false

    @OptionGroup var inferred: InferredRulesOptions

    @Flag(help: "Accept the rules that --infer finds without asking.")
    var yes = false

    @OptionGroup var creation: CreationOption
    @OptionGroup var store: StoreOptions
    @OptionGroup var result: ResultOptions

    func validate() throws {
        if yes, !infer { throw ValidationError("--yes requires --infer.") }
        if schema != nil, infer { throw ValidationError("--schema and --infer exclude each other.") }
        if let option = inferred.given, !infer { throw ValidationError("\(option) requires --infer.") }
        try inferred.validate(with: input.source)
        if input.source.keyByRow, onDuplicate.policy != .reject {
            throw ValidationError(
                "--on-duplicate skip and update need a key: a row has another number in the next file (--key-by-row).")
        }
    }

    var needsAddressSpace: Bool { true }

    func run() async throws {
        try input.requireOutputs(global)
        let file = try InputFile(input.file)
        let before = infer || dryRun ? try await schemaInForce() : nil
        let rules = try schema.map { path throws(CommandFailure) in try ProfileSchema(file: path) }
        var plan = Plan(rules: rules ?? .standard, options: options, isConfirmed: creation.create)
        if infer { try await look(through: file, before, &plan) }
        if dryRun, before == nil {
            // A dry run creates no store. The dry run uses the rules that a new store would have.
            let importer = ProfileImporter(
                schema: plan.rules, today: Timestamp.now().day ?? .latest, options: plan.options)
            return try await ReportedImport(global: global, input: input, readBefore: plan.input).run(importer, file)
        }
        let whenMissing: MissingStore = dryRun ? .isAnError : .isMade(plan.rules, isConfirmed: plan.isConfirmed)
        // Ctrl-C is caught during the whole import, including the creation of the store and the removal of an unused
        // store.
        try await Interruption.watching(isQuiet: global.quiet) {
            try await global.withStore("import", whenMissing: whenMissing) { [plan] repository in
                if let rules, !SchemaDifference(from: repository.schema, to: rules).isEmpty {
                    throw CommandFailure(
                        .cannotCreate, "\(repository.place) has other rules than the schema file; nothing was imported",
                        "Leave out --schema to import by the rules of the store",
                        "Or put the rules of the file into force with \"profiles schema adopt\"")
                }
                let importer = ProfileImporter(repository: repository, options: plan.options)
                let reported = ReportedImport(
                    global: global, input: input, store: repository, duplicates: onDuplicate.policy, attempt: attempt,
                    goingOn: dryRun || input.source.keyByRow ? nil : goingOn, readBefore: plan.input)
                try await reported.run(importer, file)
            }
        }
    }

    /// The rules and options of an import. The import may create the store.
    private struct Plan {
        /// The rules of a new store.
        var rules: ProfileSchema
        var options: ImportOptions
        /// Whether the user has confirmed the creation of the store.
        var isConfirmed: Bool
        /// The input, if the command has already read it.
        var input: ImportInput?
    }

    /// Infers rules from the file. If the store exists, it keeps its own rules, and the differences are shown (N5).
    private func look(
        through file: borrowing InputFile, _ before: ProfileSchema?, _ plan: inout Plan
    ) async throws {
        guard !needsAnswer(before) || global.canAsk else {
            throw CommandFailure(
                .usage, "There is no terminal to ask whether the inferred rules are right; nothing was imported",
                "Accept the rules with --yes, or look at them with \"profiles schema infer\"")
        }
        let inference = inferred.inference(from: input.source)
        let source = try input.source.input(file).readableAgain(keptIn: inference.temporaryFolder)
        plan.input = source
        if let before { return try await compare(before, with: source, inference, &plan) }
        let proposal = try await inference.proposal(for: source, isQuiet: global.quiet)
        if !yes || !global.quiet { Output.error.note(proposal.text(isImported: true)) }
        guard let found = proposal.schema else { throw CommandFailure.noKey(proposal) }
        let path = try global.databasePath()
        guard try !needsAnswer(before) || LinePrompt.isConfirmed("Make a store at \(path) with these rules, and import")
        else {
            throw CommandFailure(.no, "Nothing was stored")
        }
        proposal.adapt(&plan.options)
        plan.rules = found
        plan.isConfirmed = true
    }

    /// Whether the user has to confirm that a store is created with the inferred rules.
    private func needsAnswer(_ before: ProfileSchema?) -> Bool { before == nil && !yes && !dryRun }

    /// Shows how the rules inferred from the file differ from the rules of a store. The store's rules stay in force
    /// (N5). If the user has not chosen the columns, the import ignores columns that match no field of the store. The
    /// shown difference always contains these columns.
    private func compare(
        _ before: ProfileSchema, with source: ImportInput, _ inference: InferenceOptions, _ plan: inout Plan
    ) async throws {
        if inference.columns.isEmpty { plan.options.ignoresUnknownColumns = true }
        // Rules that are only left out of a proposal are no difference.
        var inference = inference
        inference.isStrict = true
        let proposal: SchemaProposal
        do {
            proposal = try await inference.proposal(for: source, isQuiet: global.quiet)
        } catch InferenceError.tooManyColumns(let count, most: _) {
            return global.note(
                "The store keeps its rules. The file has too many columns (\(count)) to infer others; columns that "
                    + "match no field are ignored.")
        }
        proposal.adapt(&plan.options)
        let difference = proposal.schema.map { SchemaDifference(from: before, to: $0) }
        guard let difference, !difference.isEmpty else { return }
        global.note("The store keeps its rules. The rules inferred from the file differ:")
        global.note(difference.text)
        let isWider = difference.changes.contains { if case .added = $0 { true } else { false } }
        if isWider, plan.options.ignoresUnknownColumns { global.note("Columns that match no field are ignored.") }
        global.note("")
    }

    private func schemaInForce() async throws -> ProfileSchema? {
        do {
            return try await global.withStore("import") { $0.schema }
        } catch let error as ProfileStoreError where error.code == .noStore {
            return nil
        }
    }

    private var attempt: ImportAttempt { dryRun ? .judging : infer ? .inferring : .importing }

    /// The shell command that continues this import. By default, that command skips rows that are stored already. The
    /// command also rejects the same rows as this import, so its file of rejected rows is complete.
    private var goingOn: String {
        let skips = onDuplicate.policy == .reject && !allOrNothing
        return CommandArguments.line(
            CommandLine.arguments, setting: skips ? ("--on-duplicate", "skip") : nil,
            adding: input.rejects != nil || input.report != nil ? "--force" : nil)
    }

    private var options: ImportOptions {
        var options = input.options
        options.isDryRun = dryRun
        options.duplicates = onDuplicate.policy
        options.isAllOrNothing = allOrNothing
        options.isExclusive = exclusive
        return options
    }
}
