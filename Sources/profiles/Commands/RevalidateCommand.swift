internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore
internal import ProfileTransfer
internal import TextLayout

struct RevalidateCommand: AsynchronousCommand, ResultWriting {
    static let configuration = CommandConfiguration(
        commandName: "revalidate",
        abstract: "Validate the stored profiles by the schema in force, or by a candidate schema.",
        discussion: """
            Changes no profile. Profiles that break the rules are marked, and "profiles lookup --invalid" finds them. \
            Profiles that were judged by the same rules before are skipped unless --all is given. With --schema \
            nothing is marked. Exits 1 if any profile is invalid.

              profiles revalidate
              profiles revalidate --schema stricter-schema.json --report report.html
            """)

    @Option(
        help: ArgumentHelp("Judge by the rules of a schema file that is not in force.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var schema: String?

    @Flag(help: "Judge every profile, also those that were judged by the same rules before.")
    var all = false

    @Option(
        help: ArgumentHelp("Write the whole report to a file: .json, .csv, .html or .txt.", valueName: "file"),
        completion: ReportFile.completion)
    var report: String?

    @Flag(help: "Replace an existing report file.")
    var force = false

    @OptionGroup var store: StoreOptions
    @OptionGroup var result: ResultOptions

    func validate() throws { try ReportFile.validate(report) }

    func run() async throws {
        if let path = report { try global.requireOutput(path, replacing: force) }
        let candidate = try schema.map { path throws(CommandFailure) in try ProfileSchema(file: path) }
        let result = try await global.withStore("revalidate") { repository in
            try await global.revalidating(repository, by: candidate, all: all)
        }
        if let path = report {
            try global.write(result.rendered(as: ReportFile.format(path)), to: path, replacing: force)
        }
        switch global.format {
        case .json: try Output.standard.print(result.rendered(as: .json))
        // A run with a candidate marks no profile as invalid. So its report is printed even with --quiet.
        case .text where global.quiet && candidate == nil && result.invalid == 0 && !result.isCancelled: break
        case .text:
            try Output.standard.print(result.summary(examples: 3))
            if let path = report { global.note("The whole report is in \(path.visible).") }
        }
        if result.isCancelled { throw CommandFailure(.interrupted, lines: []) }
        if result.invalid > 0 { throw CommandFailure(.no, lines: []) }
    }
}

extension GlobalOptions {
    /// Judges the stored profiles. Shows progress on a terminal. Ctrl-C cancels the run.
    func revalidating(
        _ repository: ProfileRepository, by candidate: ProfileSchema?, all: Bool, converting: Bool = false
    ) async throws -> RevalidationReport {
        let bar = ProgressBar(isQuiet: quiet)
        defer { bar?.end() }
        return try await Interruption.cancelling(isQuiet: quiet) {
            try await repository.rules.revalidate(candidate: candidate, converting: converting, all: all) {
                bar?.update(checked: $0)
            }
        }
    }
}
