internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore
internal import ProfileTransfer
internal import TextLayout

struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Propose, show, check, compare and adopt the rules that profiles follow.",
        discussion: """
              profiles schema infer people.csv --output schema.json
              profiles schema show --format json > schema.json
              profiles schema check schema.json
              profiles schema diff schema.json
              profiles schema adopt schema.json
              profiles schema log
            """,
        subcommands: [
            SchemaInferCommand.self, SchemaShowCommand.self, SchemaCheckCommand.self, SchemaDiffCommand.self,
            SchemaAdoptCommand.self, SchemaLogCommand.self,
        ])
}

struct SchemaShowCommand: AsynchronousCommand, ResultWriting {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show the schema in force, or an earlier one.",
        discussion: """
            With --format json, shows the schema document itself, which you can change and adopt.

              profiles schema show
              profiles schema show --number 1
              profiles schema show --format json > schema.json
            """)

    @Option(
        help: ArgumentHelp("Show this version. (default: the one in force)", valueName: "n"),
        completion: CompletedWords.versions)
    var number: Int?

    @OptionGroup var store: StoreOptions
    @OptionGroup var result: ResultOptions

    func run() async throws {
        try await global.withStore("schema show") { repository in
            let version = if let number { try await repository.schemaVersion(number) } else { repository.rules.inForce }
            let schema = version.schema
            guard global.format == .text else { return try Output.standard.print(schema.document(indented: true)) }
            var block = TextBlock()
            block.add("Schema", schema.name)
            block.add("Version", String(version.number))
            block.add("Adopted", version.adoptedAt.text)
            block.add("Fingerprint", version.fingerprint)
            try Output.standard.write(block.text + "\n" + schema.table)
        }
    }
}

struct SchemaCheckCommand: AsynchronousCommand, ResultWriting {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check whether a schema file is valid.",
        discussion: """
            If it is not, exits 78 and names the place in the file and the reason.

              profiles schema check schema.json
            """)

    @Argument(help: "The schema file; - is standard input.", completion: .file(extensions: ["json"]))
    var file: String

    @OptionGroup var store: StoreOptions
    @OptionGroup var result: ResultOptions

    func run() async throws {
        let schema = try ProfileSchema(file: file)
        switch global.format {
        case .text: try Output.standard.write("The schema \"\(schema.name.visible)\" is valid\n\n" + schema.table)
        case .json: try Output.standard.print(schema.document(indented: true))
        }
    }
}

struct SchemaDiffCommand: AsynchronousCommand, ResultWriting {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Show how a schema file differs from the schema in force.",
        discussion: """
              profiles schema diff schema.json
            """)

    @Argument(help: "The schema file; - is standard input.", completion: .file(extensions: ["json"]))
    var file: String

    @OptionGroup var store: StoreOptions
    @OptionGroup var result: ResultOptions

    func run() async throws {
        let candidate = try ProfileSchema(file: file)
        let difference = try await global.withStore("schema diff") { repository in
            SchemaDifference(from: repository.schema, to: candidate)
        }
        switch global.format {
        case .text: try Output.standard.print(difference.text)
        case .json: try Output.standard.print(["changes": difference.json])
        }
    }
}

struct SchemaAdoptCommand: AsynchronousCommand, ResultWriting {
    static let configuration = CommandConfiguration(
        commandName: "adopt",
        abstract: "Put a schema into force, and show which profiles break it.",
        discussion: """
            Shows the changes, and how many stored profiles would be invalid. Profiles keep their values. If a rule \
            becomes stricter, or a profile breaks one, it asks first on a terminal; elsewhere --yes is required. \
            "profiles schema diff" and "profiles revalidate --schema" show the same and change nothing. A schema that \
            makes a field unique is refused while values of that field repeat. With --number, an earlier schema is put \
            into force again.

              profiles schema adopt schema.json
              profiles schema adopt --number 1
            """)

    @Argument(help: "The schema file; - is standard input.", completion: .file(extensions: ["json"]))
    var file: String?

    @Option(
        help: ArgumentHelp("Adopt an earlier version again, as the next version.", valueName: "n"),
        completion: CompletedWords.versions)
    var number: Int?

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
            try await global.withStore("schema adopt") { try await adopt(schema, $0) }
        case .version(let number):
            try await global.withStore("schema adopt") { repository in
                try await adopt(try await repository.schemaVersion(number).schema, repository)
            }
        }
    }

    private func adopt(_ candidate: ProfileSchema, _ repository: ProfileRepository) async throws {
        let difference = SchemaDifference(from: repository.schema, to: candidate)
        guard !difference.isEmpty else { return try await keep(repository) }
        if isTold { try Output.standard.write(difference.text + "\n\n") }
        let report = try await global.revalidating(repository, by: candidate, all: true)
        guard !report.isCancelled else { throw CommandFailure(.interrupted, "Interrupted; nothing was adopted") }
        if isTold { try Output.standard.print(report.summary(examples: 3)) }
        // Comparing the rules is not enough. If a removed field is added again, the profiles have their earlier values
        // in this field, and these values may be invalid.
        let isDoubtful = difference.mayInvalidate || report.invalid > 0
        if isDoubtful, !yes {
            guard global.canAsk else { throw needsConsent(candidate, difference, report) }
            guard try isConfirmed(candidate, difference, report) else {
                throw CommandFailure(.no, "Nothing was adopted")
            }
        }
        let version = try await repository.rules.adopt(candidate)
        let unjudged = try await repository.rules.countUnjudged()
        switch global.format {
        case .text:
            if isTold {
                try Output.standard.print("Adopted the schema \"\(candidate.name.visible)\" as version \(version)")
            }
            if unjudged > 0 { global.note(unjudged.unjudgedProfiles) }
        case .json:
            try print(candidate, version, report, unjudged: unjudged, difference)
        }
    }

    /// Whether standard output gets the differences and the report as text.
    private var isTold: Bool { global.format == .text && !global.quiet }

    /// Reports that the rules are in force already.
    private func keep(_ repository: ProfileRepository) async throws {
        let unjudged = try await repository.rules.countUnjudged()
        switch global.format {
        case .text:
            if isTold {
                try Output.standard.print(
                    "These rules are in force already, as version \(repository.rules.inForce.number)")
            }
            if unjudged > 0 { global.note(unjudged.unjudgedProfiles) }
        case .json:
            let same = SchemaDifference(from: repository.schema, to: repository.schema)
            try print(repository.schema, repository.rules.inForce.number, nil, unjudged: unjudged, same)
        }
    }

    private func print(
        _ schema: ProfileSchema, _ version: Int, _ report: RevalidationReport?, unjudged: Int,
        _ difference: SchemaDifference
    ) throws {
        try Output.standard.print([
            "name": .string(schema.name), "version": .number(version), "checked": .number(report?.checked ?? 0),
            "invalid": .number(report?.invalid ?? 0), "unjudged": .number(unjudged), "changes": difference.json,
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

struct SchemaLogCommand: AsynchronousCommand, ResultWriting {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "List the schemas that were ever in force.",
        discussion: """
            The last one is in force. A profile shows the version by which it was judged.

              profiles schema log
              profiles schema show --number 1
              profiles schema adopt --number 1
            """)

    @OptionGroup var store: StoreOptions
    @OptionGroup var result: ResultOptions

    func run() async throws {
        let versions = try await global.withStore("schema log") { try await $0.rules.versions() }
        switch global.format {
        case .text:
            var table = TextTable(["Version", "Adopted", "Schema", "Fingerprint", ""], [.right])
            for version in versions {
                let isInForce = version.number == versions.last?.number
                table.add([
                    String(version.number), version.adoptedAt.text, version.schema.name,
                    String(version.fingerprint.prefix(12)), isInForce ? "in force" : "",
                ])
            }
            try Output.standard.write(table.text)
        case .json:
            let list = versions.map { version -> JSONValue in
                [
                    "version": .number(version.number), "adopted_at": .string(version.adoptedAt.description),
                    "name": .string(version.schema.name), "fingerprint": .string(version.fingerprint),
                    "in_force": .bool(version.number == versions.last?.number),
                ]
            }
            try Output.standard.print(["versions": .array(list)])
        }
    }
}

extension ProfileRepository {
    /// Returns a version of the schema by its number.
    ///
    /// - Throws: A failure if there is no such version.
    fileprivate func schemaVersion(_ number: Int) async throws -> SchemaVersion {
        let versions = try await rules.versions()
        if let version = versions.first(where: { $0.number == number }) { return version }
        let range = versions.count == 1 ? "only 1" : "1 to \(versions.count)"
        throw CommandFailure(
            .no, "The schema has no version \(number); there is \(range)", "\"profiles schema log\" lists them")
    }
}
