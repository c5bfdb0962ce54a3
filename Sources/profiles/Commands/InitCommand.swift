internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore

struct InitCommand: AsynchronousCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Make a store.",
        discussion: """
            The store is one SQLite file, for its owner alone. It follows the built-in schema, or one of your own.

              profiles init
              profiles init --database team.sqlite --schema team-schema.json
            """)

    @Option(
        help: ArgumentHelp("The rules that profiles follow.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var schema: String?

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let rules = try schema.map { path throws(CommandFailure) in try ProfileSchema(file: path) } ?? .standard
        let path = try global.databasePath()
        guard try await !exists() else { throw ProfileStoreError.alreadyExists(path: path) }
        try await global.withStore("init", whenMissing: .isMade(rules)) { repository in
            try global.confirm(
                "Made a store at \(path) with the schema \"\(rules.name)\"",
                [
                    "database": .string(path), "schema": .string(rules.name),
                    "version": .number(repository.schemaVersion),
                ])
        }
    }

    private func exists() async throws -> Bool {
        do {
            try await global.withStore("init") { _ in }
            return true
        } catch ProfileStoreError.noStore {
            return false
        }
    }
}
