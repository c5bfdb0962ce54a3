internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore
internal import ProfileTransfer
internal import TextLayout

struct SchemaAdoptCommand: AsynchronousCommand, ResultWriting {
    static let configuration = CommandConfiguration(
        commandName: "adopt",
        abstract: "Put a schema into force, and show which profiles break it.",
        discussion: """
            Shows the changes, and how many stored profiles would be invalid. Profiles keep their values. If a rule \
            becomes stricter, or a profile breaks one, the command asks first on a terminal; elsewhere --yes is \
            required. "profiles schema diff" and "profiles revalidate --schema" show the same and change nothing. A \
            schema that makes a field unique is refused while values of that field repeat. With --number, an earlier \
            schema is put into force again, and its fields have their values again.

            A field with "was" continues the field of that name. A new field is empty, even if a removed field had its \
            name.

            With --convert, values whose stored form changes are rewritten, such as texts that become dates. Profiles \
            that would be invalid keep their values and are listed. An interrupted conversion goes on when the command is \
            repeated.

              profiles schema adopt schema.json
              profiles schema adopt schema.json --convert
              profiles schema adopt --number 1
            """)

    @Argument(help: "The schema file; - is standard input.", completion: .file(extensions: ["json"]))
    var file: String?

    @Option(
        help: ArgumentHelp("Adopt an earlier version again, as the next version.", valueName: "n"),
        completion: CompletedWords.versions)
    var number: Int?

    @Flag(help: "Rewrite values whose stored form changes.")
    var convert = false

    @Flag(help: "Adopt it without asking, even if profiles break it.")
    var yes = false

    @OptionGroup var store: StoreOptions
    @OptionGroup var result: ResultOptions

    private enum Candidate {
        case file(String)
        case version(Int)
    }

    func validate() throws { _ = try candidate() }

    private func candidate() throws(ValidationError) -> Candidate {
        switch (file, number) {
        case (let file?, nil): return .file(file)
        case (nil, let number?): return .version(number)
        case (nil, nil):
            throw ValidationError("Give the schema to adopt: a file, or --number with an earlier version.")
        case (_?, _?): throw ValidationError("Give a file or --number, not both.")
        }
    }

    func run() async throws {
        switch try candidate() {
        case .file(let path):
            let schema = try ProfileSchema(file: path)
            try await global.withStore("schema adopt") { repository in
                try await adopt(schema, repository) { try await repository.rules.adopt(schema) }
            }
        case .version(let number):
            try await global.withStore("schema adopt") { repository in
                let version = try await repository.schemaVersion(number)
                try await adopt(version.schema, repository) { try await repository.rules.adopt(again: version) }
            }
        }
    }

    private func adopt(
        _ candidate: ProfileSchema, _ repository: ProfileRepository, _ putInForce: () async throws -> Int
    ) async throws {
        let difference = SchemaDifference(from: repository.schema, to: candidate)
        guard !difference.isEmpty || !repository.schema.hasColumns(of: candidate) else {
            return try await keep(repository)
        }
        let effects = try await Interruption.cancelling(isQuiet: global.quiet) {
            try await repository.rules.effects(of: candidate)
        }
        try await global.noteUnknownFormerNames(in: candidate, repository)
        if isTold {
            let texts = [difference.text] + effects.map(\.text)
            try Output.standard.write(texts.joined(separator: "\n") + "\n\n")
        }
        let report = try await global.revalidating(repository, by: candidate, all: true, converting: convert)
        guard !report.isCancelled else { throw CommandFailure(.interrupted, "Interrupted; nothing was adopted") }
        if isTold { try Output.standard.print(report.summary(examples: 3)) }
        // Comparing the rules is not enough. A field that continues a removed field gets the values of that field, and
        // these values may be invalid.
        let isDoubtful = difference.mayInvalidate || report.invalid > 0
        if isDoubtful, !yes {
            guard global.canAsk else { throw needsConsent(candidate, difference, report) }
            guard try isConfirmed(candidate, difference, report) else {
                throw CommandFailure(.no, "Nothing was adopted")
            }
        }
        let version = try await putInForce()
        if isTold {
            try Output.standard.print("Adopted the schema \"\(candidate.name.visible)\" as version \(version)")
        }
        try await end(candidate, version, report, difference, effects, repository)
    }

    /// Rewrites the values whose stored form has changed, in batches. After Ctrl-C, each batch is converted completely
    /// or not at all.
    private func converting(_ repository: ProfileRepository) async throws -> EditReport {
        do {
            return try await Interruption.cancelling(isQuiet: global.quiet) { try await repository.rules.convert() }
        } catch let stopped as StoppedWrite<EditReport> {
            let count = stopped.report.edited.counted("profile")
            global.note("The schema is adopted. \(count) converted; the same command converts the rest.")
            throw stopped.error
        }
    }

    private func show(_ converted: EditReport, _ schema: ProfileSchema) throws {
        if !global.quiet { try Output.standard.print("Converted \(converted.edited.counted("profile"))") }
        for line in converted.refusals(of: schema) { try Output.standard.print(line) }
    }

    /// Whether standard output gets the differences and the report as text.
    private var isTold: Bool { global.format == .text && !global.quiet }

    /// Reports that the rules are in force already. Goes on with a conversion that was interrupted.
    private func keep(_ repository: ProfileRepository) async throws {
        let number = repository.rules.inForce.number
        if isTold { try Output.standard.print("These rules are in force already, as version \(number)") }
        let same = SchemaDifference(from: repository.schema, to: repository.schema)
        try await end(repository.schema, number, nil, same, [], repository)
    }

    /// Converts the values if `--convert` is given. Then reports the result, and how many profiles must still be
    /// validated.
    private func end(
        _ schema: ProfileSchema, _ version: Int, _ report: RevalidationReport?, _ difference: SchemaDifference,
        _ effects: [FieldEffect], _ repository: ProfileRepository
    ) async throws {
        let converted = convert ? try await converting(repository) : nil
        let unjudged = try await repository.rules.countUnjudged()
        switch global.format {
        case .text:
            if let converted { try show(converted, schema) }
            if unjudged > 0 { global.note(unjudged.unjudgedProfiles) }
        case .json: try print(schema, version, report, unjudged: unjudged, difference, effects, converted)
        }
        if let converted, converted.leftCount > 0 { throw CommandFailure(.no, lines: []) }
    }

    private func print(
        _ schema: ProfileSchema, _ version: Int, _ report: RevalidationReport?, unjudged: Int,
        _ difference: SchemaDifference, _ effects: [FieldEffect], _ converted: EditReport?
    ) throws {
        try Output.standard.print([
            "name": .string(schema.name), "version": .number(version), "checked": .number(report?.checked ?? 0),
            "invalid": .number(report?.invalid ?? 0), "unjudged": .number(unjudged), "changes": difference.json,
            "effects": .array(effects.map(\.json)), "converted": converted?.json(isPreview: false) ?? .null,
        ])
    }

    private func isConfirmed(
        _ candidate: ProfileSchema, _ difference: SchemaDifference, _ report: RevalidationReport
    ) throws -> Bool {
        if !isTold { Output.error.note(difference.text) }
        return try LinePrompt.isConfirmed("Adopt \(consequence(of: candidate, report))")
    }

    /// Makes the failure for a command that needs confirmation: the new rules could make stored profiles invalid, the
    /// user cannot be asked, and `--yes` is not given.
    private func needsConsent(
        _ candidate: ProfileSchema, _ difference: SchemaDifference, _ report: RevalidationReport
    ) -> CommandFailure {
        if !isTold { Output.error.note(difference.text) }
        return CommandFailure(
            .usage, "There is no terminal to ask on; give --yes to adopt \(consequence(of: candidate, report))",
            "Nothing was adopted")
    }

    private func consequence(of candidate: ProfileSchema, _ report: RevalidationReport) -> String {
        "the schema \"\(candidate.name.visible)\", which \(report.invalid.grouped) of \(report.checked.grouped) profiles break"
    }
}
