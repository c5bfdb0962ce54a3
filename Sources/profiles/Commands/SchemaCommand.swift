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
            """,
        subcommands: [
            SchemaInferCommand.self, SchemaShowCommand.self, SchemaCheckCommand.self, SchemaDiffCommand.self,
            SchemaAdoptCommand.self,
        ])
}

struct SchemaShowCommand: AsynchronousCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show the schema in force.",
        discussion: """
            With --format json it is the schema document itself, to be changed and adopted.

              profiles schema show
              profiles schema show --format json > schema.json
            """)

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        try await global.withStore("schema show") { repository in
            let schema = repository.schema
            guard global.format == .text else { return try Output.standard.print(schema.document(indented: true)) }
            var block = TextBlock()
            block.add("Schema", schema.name)
            block.add("Version", String(repository.schemaVersion))
            block.add("Fingerprint", repository.schemaFingerprint)
            try Output.standard.write(block.text + "\n" + schema.table)
        }
    }
}

struct SchemaCheckCommand: AsynchronousCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Say whether a schema file is right.",
        discussion: """
            Exits 78, with the place in the file and the reason, when it is not.

              profiles schema check schema.json
            """)

    @Argument(help: "The schema file; - is standard input.")
    var file: String

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let schema = try ProfileSchema(file: file)
        switch global.format {
        case .text: try Output.standard.write("The schema \"\(schema.name.visible)\" is right\n\n" + schema.table)
        case .json: try Output.standard.print(schema.document(indented: true))
        }
    }
}

struct SchemaDiffCommand: AsynchronousCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Show what a schema file changes of the schema in force.",
        discussion: """
              profiles schema diff schema.json
            """)

    @Argument(help: "The schema file; - is standard input.")
    var file: String

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let candidate = try ProfileSchema(file: file)
        let difference = try await global.withStore("schema diff") { repository in
            SchemaDifference(from: repository.schema, to: candidate)
        }
        switch global.format {
        case .text: try Output.standard.print(difference.text)
        case .json:
            let changes = JSONValue.array(difference.changes.map(\.json))
            try Output.standard.print((["changes": changes] as JSONValue).text(indented: true))
        }
    }
}

struct SchemaAdoptCommand: AsynchronousCommand {
    static let configuration = CommandConfiguration(
        commandName: "adopt",
        abstract: "Put a schema into force, and say which profiles break it.",
        discussion: """
            Profiles keep their values. Nothing is asked: look with "profiles schema diff" and "profiles revalidate \
            --schema" before. A schema that makes a field unique is refused while values of it repeat.

              profiles schema adopt schema.json
            """)

    @Argument(help: "The schema file; - is standard input.")
    var file: String

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let candidate = try ProfileSchema(file: file)
        try await global.withStore("schema adopt") { repository in
            let report = try await global.revalidating(repository, by: candidate, all: true)
            guard !report.isCancelled else { throw CommandFailure(.interrupted, "Interrupted; nothing was adopted") }
            if global.format == .text { try Output.standard.print(report.summary(examples: 3)) }
            let version = try await repository.adopt(candidate)
            switch global.format {
            case .text:
                try Output.standard.print("Adopted the schema \"\(candidate.name.visible)\" as version \(version)")
                if report.invalid > 0 { global.note("Mark the invalid profiles with \"profiles revalidate\".") }
            case .json:
                let json: JSONValue = [
                    "name": .string(candidate.name), "version": .number(version), "checked": .number(report.checked),
                    "invalid": .number(report.invalid),
                ]
                try Output.standard.print(json.text(indented: true))
            }
        }
    }
}
