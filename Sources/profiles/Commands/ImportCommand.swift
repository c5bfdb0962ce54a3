internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore
internal import ProfileStoreSQLite
internal import ProfileTransfer
internal import SchemaInference
internal import TextLayout

struct ImportCommand: AsynchronousCommand, ResultWriting {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import profiles from CSV, JSON or a workbook.",
        discussion: """
            The delimiter, the encoding, and compression with gzip are detected. The first row of CSV names the \
            columns. A workbook (.xlsx, .ods) is read like CSV, and a line is a row of its sheet. Every row is stored, or rejected with all its issues. Exits 1 if any row was rejected. Ctrl-C \
            finishes the current batch and reports what was done so far.

            If there is no store, one is created: with the built-in rules, or with --infer with the rules that are \
            inferred from the file. On a terminal, --infer shows these rules in a table. There you can choose the key, \
            types, names and rules, and leave columns out; Return imports, Esc cancels. A new store file that gets no \
            row is removed again; new tables in a database stay.

              profiles import people.csv --infer
              profiles import people.csv --rejects rejects.csv --report report.html
              profiles import people.csv.gz --dry-run --encoding windows-1252
              profiles import people.csv --map "Mobile=phone" --on-duplicate update
              profiles import people.xlsx --sheet Members
              gunzip -c people.ndjson.gz | profiles import - --as ndjson --quiet
            """)

    @OptionGroup var input: ImportInputOptions
    @OptionGroup(title: "Storing") var storing: StoringOptions
    @OptionGroup(title: "Storing") var onDuplicate: DuplicateOption
    @OptionGroup(title: "Rules") var rules: ImportRulesOptions
    @OptionGroup(title: "Inferred rules") var inferred: InferredRulesOptions
    @OptionGroup var asking: AskingOptions

    @OptionGroup var creation: CreationOption
    @OptionGroup var store: StoreOptions
    @OptionGroup var result: ResultOptions

    func validate() throws {
        if let option = inferred.given, !rules.infer { throw ValidationError("\(option) requires --infer.") }
        if let fault = keyFault(input.source.keySource) { throw ValidationError(fault) }
    }

    /// The reason why a key does not fit the action for rows whose keys are stored; nil if it fits.
    private func keyFault(_ key: KeySource?) -> String? {
        switch (key, onDuplicate.policy) {
        case (.rowNumber, .skip), (.rowNumber, .update):
            "--on-duplicate skip and update need a key: a row has another number in the next file (--key-by-row). "
                + "If a column holds the keys, as in an export, name it with --key."
        default: nil
        }
    }

    var needsAddressSpace: Bool { true }

    func run() async throws {
        try input.requireOutputs(global)
        let file = try InputFile(input.file)
        let before = rules.infer || dryRun ? try await schemaInForce() : nil
        let given = try rules.schema.map { path throws(CommandFailure) in try ProfileSchema(file: path) }
        var plan = Plan(rules: given ?? .standard, options: options, isConfirmed: creation.create)
        if rules.infer { try await look(through: file, before, &plan) }
        if dryRun, before == nil || plan.newRules != nil {
            // A dry run neither creates a store nor changes rules. It uses the rules that the store would have.
            if before != nil {
                global.note("The rows are not compared with the stored profiles, because the rules would change.")
            }
            let importer = ProfileImporter(
                schema: plan.newRules?.after ?? plan.rules, today: Timestamp.now().day ?? .latest,
                options: plan.options)
            return try await ReportedImport(
                global: global, input: input, settings: plan.rules.importSettings, readBefore: plan.input
            ).run(importer, file)
        }
        let whenMissing: MissingStore = dryRun ? .isAnError : .isMade(plan.rules, isConfirmed: plan.isConfirmed)
        // Ctrl-C is caught during the whole import, including the creation of the store and the removal of an unused
        // store.
        try await Interruption.watching(isQuiet: global.quiet) {
            try await global.withStore("import", whenMissing: whenMissing) { [plan] repository in
                if let given, !SchemaDifference(from: repository.schema, to: given).isEmpty {
                    throw CommandFailure(
                        .cannotCreate, "\(repository.place) has other rules than the schema file; nothing was imported",
                        "Leave out --schema to import by the rules of the store",
                        "Or put the rules of the file into force with \"profiles schema adopt\"")
                }
                let key = input.source.keySource ?? repository.schema.importSettings.key
                if key == .rowNumber, let fault = keyFault(key) { throw CommandFailure(.usage, fault) }
                try input.source.requireKey(of: repository.schema, plan.options)
                if let rules = plan.newRules { try await adopt(rules, repository) }
                let importer = ProfileImporter(repository: repository, options: plan.options)
                let reported = ReportedImport(
                    global: global, input: input, settings: repository.schema.importSettings, store: repository,
                    duplicates: onDuplicate.policy, attempt: attempt,
                    goingOn: dryRun || key == .rowNumber ? nil : goingOn(plan.arguments), readBefore: plan.input)
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
        /// The rules of an existing store, and other rules that are put in force before the import; nil to keep the
        /// rules.
        var newRules: (before: ProfileSchema, after: ProfileSchema)?
        /// The input, if the command has already read it.
        var input: ImportInput?
        /// The arguments that repeat this import. If the user has accepted a proposal in the table, they contain the
        /// user's choices and `--yes`.
        var arguments = CommandLine.arguments
    }

    /// Infers rules from the file for a new store. If the store exists, shows which of its rules the file breaks. The
    /// store keeps its rules unless the user loosens them or adds fields (N5).
    private func look(
        through file: borrowing InputFile, _ before: ProfileSchema?, _ plan: inout Plan
    ) async throws {
        guard !needsAnswer(before) || global.canAsk else {
            throw CommandFailure(
                .usage, "There is no terminal to ask whether the inferred rules are right; nothing was imported",
                "Accept the rules with --yes, or look at them with \"profiles schema infer\"")
        }
        if before == nil, !inferred.kept.isEmpty {
            throw CommandFailure(.usage, "--keep is for a store that exists; nothing was imported", "Leave out --keep")
        }
        let inference = inferred.inference(from: input.source)
        let source = try input.source.input(
            file, usual: before?.importSettings.layout ?? TableLayout()
        ).readableAgain(keptIn: inference.temporaryFolder)
        plan.input = source
        if let before { return try await compare(before, with: source, inference, &plan) }
        var proposal = try await inference.proposal(for: source, isQuiet: global.quiet)
        let path = try global.databasePath()
        let usesTable = needsAnswer(before) && global.format == .text && global.asking(asking) == .onScreen
        if usesTable {
            let accepted = try await ProposalEditor(
                source: source, title: "Import \(file.path)", accepting: "import",
                note: "Return makes a store at \(path.visible)", computedKeys: computedKeys
            ).run(proposal, inference)
            proposal = accepted.proposal
            plan.arguments = accepted.options.arguments(unasked: "--yes")
        }
        if !rules.yes || !global.quiet { Output.error.note(proposal.text) }
        guard let found = proposal.schema else { throw CommandFailure.noKey(proposal) }
        if usesTable {
            Output.error.note("The same without questions: \(CommandArguments.line(plan.arguments))\n")
        } else if needsAnswer(before),
            try !LinePrompt.isConfirmed("Make a store at \(path) with these rules, and import")
        {
            throw CommandFailure(.no, "Nothing was stored")
        }
        proposal.adapt(&plan.options)
        plan.rules = found
        plan.isConfirmed = true
    }

    /// The sources of keys, other than columns, that fit `--on-duplicate`. The row number fits only `reject`, because a
    /// row may have a different number in the next file.
    private var computedKeys: [KeySource] {
        onDuplicate.policy == .reject ? [.rowNumber, .content] : [.content]
    }

    /// Whether the user has to confirm that a store is created with the inferred rules.
    private func needsAnswer(_ before: ProfileSchema?) -> Bool { before == nil && !rules.yes && !dryRun }

    /// Shows which rules of a store the file breaks, and offers to loosen these rules (N12). No rule becomes stricter
    /// (N5). If the user has not chosen the columns, the import ignores columns that match no field of the store, except
    /// those of `--keep`.
    private func compare(
        _ before: ProfileSchema, with source: ImportInput, _ inference: InferenceOptions, _ plan: inout Plan
    ) async throws {
        let changed = try inferred.columnsChanged(in: before)
        try inferred.requireNewFields(beside: changed, onlyKept: true)
        try input.source.requireKey(of: before, plan.options)
        if inference.columns.isEmpty { plan.options.ignoresUnknownColumns = true }
        let proposal: SchemaProposal
        do {
            proposal = try await inference.compared(with: changed).proposal(for: source, isQuiet: global.quiet)
        } catch InferenceError.tooManyColumns(let count, most: _) {
            return global.note(
                "The store keeps its rules. The file has too many columns (\(count)) to infer others; columns that "
                    + "match no field are ignored.")
        }
        proposal.adapt(&plan.options)
        // `compared(with:)` infers the tightest rules. New fields need the rules of a new store, which a second
        // inference finds.
        var added = changed
        if !inferred.kept.isEmpty {
            let loose = try await inference.proposal(for: source, isQuiet: global.quiet)
            added = try inferred.adding(keptOf: loose, to: changed)
        }
        if added != before {
            global.note("Changes by --keep and --omit:")
            global.note(SchemaDifference(from: before, to: added).text + "\n")
            plan.newRules = (before, added)
        }
        let kept = added == before ? "The store keeps its rules." : "The store keeps its other rules."
        if plan.options.ignoresUnknownColumns { noteUnknownColumns(of: proposal, added, plan.options) }
        let loosening = try await SchemaLoosening(of: added, by: source, proposal, plan.options, attempting: attempt)
        guard !loosening.broken.isEmpty else {
            return global.note("\(kept) The file breaks none of them.\n")
        }
        // With `--loosen`, the user is not asked, so `--quiet` suppresses this text.
        if !rules.loosen || !global.quiet { Output.error.note(loosening.text) }
        guard loosening.schema != added else {
            return global.note("\(kept) None of them can be loosened for this file.\n")
        }
        if !rules.loosen || !global.quiet {
            Output.error.note("Looser rules that all rows satisfy:")
            Output.error.note(loosening.changes(from: added) + "\n")
        }
        if try mayLoosen() {
            plan.newRules = (before, loosening.schema)
        } else {
            global.note("\(kept) Rows that break them are rejected.\n")
        }
    }

    private func noteUnknownColumns(of proposal: SchemaProposal, _ schema: ProfileSchema, _ options: ImportOptions) {
        let uses = ColumnUses(schema, options)
        let unknown = proposal.columns.map(\.header).filter { uses.use(of: $0) == .unknown }
        guard !unknown.isEmpty else { return }
        let names = unknown.prefix(Self.mostNamedColumns).map { $0.quoted(longest: 32) }.joined(separator: ", ")
        let others = unknown.count > Self.mostNamedColumns ? ", …" : ""
        global.note("Columns that match no field are ignored: \(names)\(others)")
    }

    private static let mostNamedColumns = 20

    /// Whether the rules that the file breaks are loosened. True with `--loosen`. Otherwise the user decides; the
    /// result is false in a dry run, or if there is no terminal to ask.
    private func mayLoosen() throws -> Bool {
        if rules.loosen { return true }
        guard global.canAsk, !dryRun else {
            global.note("Loosen these rules with --loosen.")
            return false
        }
        return try LinePrompt.isConfirmed("Loosen these rules of the store")
    }

    /// Puts the rules `after` in force, if the rules of the store are still `before`.
    private func adopt(_ rules: (before: ProfileSchema, after: ProfileSchema), _ repository: ProfileRepository)
        async throws
    {
        guard repository.schema == rules.before else {
            throw CommandFailure(
                .tryAgain, "The rules of the store changed in the meantime; nothing was imported",
                "Import the file again")
        }
        let version = try await repository.rules.adopt(rules.after)
        global.note("The changed rules are in force as version \(version) of the schema.\n")
    }

    private func schemaInForce() async throws -> ProfileSchema? {
        do {
            return try await global.withStore("import") { $0.schema }
        } catch let error as ProfileStoreError where error.code == .noStore {
            return nil
        }
    }

    private var dryRun: Bool { storing.dryRun }

    private var attempt: ImportAttempt { dryRun ? .judging : rules.infer ? .inferring : .importing }

    /// The shell command that continues this import. By default, that command skips rows that are stored already. The
    /// command also rejects the same rows as this import, so its file of rejected rows is complete.
    private func goingOn(_ arguments: [String]) -> String {
        let skips = onDuplicate.policy == .reject && !storing.allOrNothing
        return CommandArguments.line(
            arguments, setting: skips ? ("--on-duplicate", "skip") : nil,
            adding: input.rejects != nil || input.report != nil ? "--force" : nil)
    }

    private var options: ImportOptions {
        var options = input.options
        options.isDryRun = dryRun
        options.duplicates = onDuplicate.policy
        options.isAllOrNothing = storing.allOrNothing
        options.isExclusive = storing.exclusive
        return options
    }
}
