internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore
internal import ProfileStoreSQLite
internal import ProfileTransfer
internal import SchemaInference

struct ImportCommand: AsynchronousCommand, ResultWriting {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import profiles from CSV or JSON.",
        discussion: """
            What separates the cells, how the characters are written, and whether it is compressed with gzip is found \
            out. The first row of CSV names the columns. Every row is stored, or rejected with everything that is wrong \
            with it; exits 1 when any was. Ctrl-C finishes the batch under way and reports what was done so far.

            Where there is no store one is made: with the built-in rules, or with --infer with those that the file's \
            own values bear out. A store that was made and gets no row is removed again.

              profiles import people.csv --infer
              profiles import people.csv --rejects rejects.csv --report report.html
              profiles import people.csv.gz --dry-run --map "Mobile=phone" --encoding windows-1252
              curl -s https://example.org/people.ndjson | profiles import - --as ndjson --on-duplicate update
            """)

    @OptionGroup var input: ImportInputOptions

    @Flag(help: "Do everything but write and hash, and report what would be.")
    var dryRun = false

    @OptionGroup var onDuplicate: DuplicateOption

    @Flag(help: "Store nothing when any row is rejected.")
    var allOrNothing = false

    @Flag(help: "One transaction, whoever waits.")
    var exclusive = false

    @Flag(help: "Where there is no store, look through the file for rules, show them, and make the store with them.")
    var infer = false

    @Option(
        name: .customLong("columns"),
        help: ArgumentHelp(
            "The only columns that become fields with --infer, with commas between.", valueName: "header,…"))
    var inferredColumns: ColumnList?

    @Flag(help: "Take the rules that --infer finds without asking.")
    var yes = false

    @OptionGroup var creation: CreationOption
    @OptionGroup var store: StoreOptions
    @OptionGroup var result: ResultOptions

    func validate() throws {
        if yes, !infer { throw ValidationError("--yes goes with --infer.") }
        if inferredColumns != nil, !infer { throw ValidationError("--columns goes with --infer.") }
    }

    func run() async throws {
        try input.requireOutputs(global)
        let file = try InputFile(input.file)
        let before = infer || dryRun ? try await schemaInForce() : nil
        var plan = Plan(rules: .standard, options: options, isConfirmed: creation.create)
        if infer { try await look(through: file, before, &plan) }
        if dryRun, before == nil {
            // It makes no store, and goes by the rules that a new one would have.
            let importer = ProfileImporter(
                schema: plan.rules, today: Timestamp.now().day ?? .latest, options: plan.options)
            return try await ReportedImport(global: global, input: input, readBefore: plan.input).run(importer, file)
        }
        let whenMissing: MissingStore = dryRun ? .isAnError : .isMade(plan.rules, isConfirmed: plan.isConfirmed)
        // From before the store is made until an unused one is removed.
        try await Interruption.watching(isQuiet: global.quiet) {
            try await global.withStore("import", whenMissing: whenMissing) { [plan] repository in
                let importer = ProfileImporter(repository: repository, options: plan.options)
                let reported = ReportedImport(
                    global: global, input: input, store: repository, duplicates: onDuplicate.policy, attempt: attempt,
                    goingOn: dryRun ? nil : goingOn, readBefore: plan.input)
                try await reported.run(importer, file)
            }
        }
    }

    /// What an import goes by that may make its store.
    private struct Plan {
        /// Those of a new store.
        var rules: ProfileSchema
        var options: ImportOptions
        /// Whether somebody has said that the store is to be made.
        var isConfirmed: Bool
        /// The input, where it was read before.
        var input: ImportInput?
    }

    /// Looks for rules. A store that is there keeps its own, and is shown beside what was found (N5).
    private func look(
        through file: borrowing InputFile, _ before: ProfileSchema?, _ plan: inout Plan
    ) async throws {
        guard !needsAnswer(before) || global.canAsk else {
            throw CommandFailure(
                .usage, "Nobody can be asked whether the rules are right that --infer finds; nothing was imported",
                "Take them as they are with --yes, or look at them with \"profiles schema infer\"")
        }
        var inference = input.source.inference
        inference.columns = inferredColumns?.headers ?? []
        let source = try ImportInput(descriptor: file.descriptor, name: file.path, byteCount: file.byteCount)
            .readableAgain(keptIn: inference.temporaryFolder)
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

    /// Whether somebody has to say that a store is to be made with the rules that are found.
    private func needsAnswer(_ before: ProfileSchema?) -> Bool { before == nil && !yes && !dryRun }

    /// Shows what the file's values bear out beside the rules of a store, which stay (N5). Columns that it has no field for
    /// are a part of the difference, and are passed over; of those that were chosen none is.
    private func compare(
        _ before: ProfileSchema, with source: ImportInput, _ inference: InferenceOptions, _ plan: inout Plan
    ) async throws {
        if inference.columns.isEmpty { plan.options.ignoresUnknownColumns = true }
        let proposal: SchemaProposal
        do {
            proposal = try await inference.proposal(for: source, isQuiet: global.quiet)
        } catch InferenceError.tooManyColumns(let count, most: _) {
            return global.note(
                "The store keeps its rules. The file's \(count) columns are too many to find others for; those that are no "
                    + "field are passed over.")
        }
        proposal.adapt(&plan.options)
        let difference = proposal.schema.map { SchemaDifference(from: before, to: $0) }
        guard let difference, !difference.isEmpty else { return }
        global.note("The store keeps its rules. The file's values would bear out others:")
        global.note(difference.text)
        let isWider = difference.changes.contains { if case .added = $0 { true } else { false } }
        if isWider, plan.options.ignoresUnknownColumns { global.note("Columns that are no field are passed over.") }
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

    /// What is stored already is to be skipped; what was rejected will be so again, and its file be whole.
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
