public import ArgumentParser
internal import ProfileCore
internal import ProfileStore
internal import ProfileTransfer

struct ImportCommand: AsynchronousCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import profiles from CSV or JSON.",
        discussion: """
            What separates the cells, how the characters are written, and whether it is compressed with gzip is found \
            out. The first row of CSV names the columns. Every row is stored, or rejected with everything that is wrong \
            with it; exits 1 when any was. Ctrl-C finishes the batch under way and reports what was done so far.

              profiles import people.csv
              profiles import people.csv --rejects rejects.csv --report report.html
              profiles import people.csv.gz --dry-run --map "Mobile=phone" --encoding windows-1252
              curl -s https://example.org/people.ndjson | profiles import - --as ndjson --on-duplicate update
            """)

    @OptionGroup var input: ImportInputOptions

    @Flag(help: "Do everything but write and hash, and report what would be.")
    var dryRun = false

    @Option(help: "What becomes of a row whose profile is there already: reject, skip or update.")
    var onDuplicate = ImportOptions.DuplicatePolicy.reject

    @Flag(help: "Store nothing when any row is rejected.")
    var allOrNothing = false

    @Flag(help: "One transaction, whoever waits.")
    var exclusive = false

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        try input.requireOutputs(sparing: global.storeFiles())
        let file = try InputFile(input.file)
        if dryRun, let rules = try await rulesOfMissingStore() {
            let importer = ProfileImporter(schema: rules, today: Timestamp.now().day ?? .latest, options: options)
            return try await ReportedImport(global: global, input: input).run(importer, file)
        }
        let whenMissing: GlobalOptions.MissingStore = dryRun ? .isAnError : .isMade(.standard)
        try await global.withStore("import", whenMissing: whenMissing) { repository in
            let importer = ProfileImporter(repository: repository, options: options)
            try await ReportedImport(global: global, input: input, spared: global.storeFiles()).run(importer, file)
        }
    }

    private var options: ImportOptions {
        var options = input.options
        options.isDryRun = dryRun
        options.duplicates = onDuplicate
        options.isAllOrNothing = allOrNothing
        options.isExclusive = exclusive
        return options
    }

    /// A dry run makes no store; where there is none it goes by the rules that a new one would have.
    private func rulesOfMissingStore() async throws -> ProfileSchema? {
        do {
            try await global.withStore("import") { _ in }
            return nil
        } catch ProfileStoreError.noStore {
            return .standard
        }
    }
}

extension ImportOptions.DuplicatePolicy: ExpressibleByArgument {}
