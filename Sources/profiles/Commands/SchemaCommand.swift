internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore
internal import ProfileTransfer
internal import TextLayout

struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Propose, show, check, diff, adopt and rename the rules of profiles.",
        discussion: """
              profiles schema infer people.csv --output schema.json
              profiles schema show --format json > schema.json
              profiles schema check schema.json
              profiles schema diff schema.json
              profiles schema adopt schema.json
              profiles schema rename city town
              profiles schema log
            """,
        subcommands: [
            SchemaInferCommand.self, SchemaShowCommand.self, SchemaCheckCommand.self, SchemaDiffCommand.self,
            SchemaAdoptCommand.self, SchemaRenameCommand.self, SchemaLogCommand.self,
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
            Also counts the stored values that the schema would no longer read, and the values of changed types. If \
            the change may affect stored values, the command reads every profile.

              profiles schema diff schema.json
            """)

    @Argument(help: "The schema file; - is standard input.", completion: .file(extensions: ["json"]))
    var file: String

    @OptionGroup var store: StoreOptions
    @OptionGroup var result: ResultOptions

    func run() async throws {
        let candidate = try ProfileSchema(file: file)
        let (difference, effects) = try await global.withStore("schema diff") { repository in
            let effects = try await Interruption.cancelling(isQuiet: global.quiet) {
                try await repository.rules.effects(of: candidate)
            }
            try await global.noteUnknownFormerNames(in: candidate, repository)
            return (SchemaDifference(from: repository.schema, to: candidate), effects)
        }
        switch global.format {
        case .text:
            try Output.standard.print(([difference.text] + effects.map(\.text)).joined(separator: "\n"))
        case .json:
            try Output.standard.print(["changes": difference.json, "effects": .array(effects.map(\.json))])
        }
    }
}

extension GlobalOptions {
    /// Writes a note about each new field with a former name (`was`) that was never a field of the store. The field
    /// gets no stored values, and the former name is probably mistyped.
    func noteUnknownFormerNames(in candidate: ProfileSchema, _ repository: ProfileRepository) async throws {
        let versions = try await repository.rules.versions().map(\.schema)
        let names = repository.schema.openFields.map(\.name.text)
        for field in candidate.fields {
            guard let former = field.formerName, versions.allSatisfy({ $0[field.name] == nil && $0[former] == nil })
            else { continue }
            note(
                "\"was\" of \(field.name.text.quoted()) names the field \(former.text.quoted()), "
                    + "which the store does not have\(former.text.suggestion(in: names))")
        }
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
            let list = versions.map { version in
                version.json.merging(["in_force": .bool(version.number == versions.last?.number)])
            }
            try Output.standard.print(["versions": .array(list)])
        }
    }
}

extension ProfileRepository {
    /// Returns a version of the schema by its number.
    ///
    /// - Throws: A failure if there is no such version.
    func schemaVersion(_ number: Int) async throws -> SchemaVersion {
        let versions = try await rules.versions()
        if let version = versions.first(where: { $0.number == number }) { return version }
        let range = versions.count == 1 ? "only 1" : "1 to \(versions.count)"
        throw CommandFailure(
            .no, "The schema has no version \(number); there is \(range)",
            "List the versions with \"profiles schema log\"")
    }
}
