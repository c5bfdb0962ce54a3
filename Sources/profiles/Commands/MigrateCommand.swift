internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore
internal import ProfileStoreSQLite
internal import TextLayout

struct MigrateCommand: AsynchronousCommand, ResultWriting {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Bring a store of an earlier version up to date.",
        discussion: """
            Each migration is applied in one transaction. Make a backup before.

              profiles migrate --status
              profiles migrate
            """)

    @Flag(help: "Only say which migrations there are, and which the store has.")
    var status = false

    @OptionGroup var store: StoreOptions
    @OptionGroup var result: ResultOptions

    func run() async throws {
        let path = try global.databasePath()
        guard !status else { return try showStatus(of: path) }
        let applied = try await ProfileRepository.migrate(at: path, options: global.repositoryOptions("migrate"))
        let text = applied.isEmpty ? "The store is up to date" : "Applied " + applied.joined(separator: ", ")
        try global.confirm(text, ["applied": .array(applied.map(JSONValue.string))])
    }

    private func showStatus(of path: String) throws {
        let migrations = try ProfileRepository.migrationStatus(at: path)
        switch global.format {
        case .text:
            var table = TextTable(["Migration", "Applied"])
            for migration in migrations { table.add([migration.name, migration.isApplied ? "yes" : "no"]) }
            try Output.standard.write(table.text)
        case .json:
            let list = migrations.map { ["name": .string($0.name), "applied": .bool($0.isApplied)] as JSONValue }
            try Output.standard.print((["migrations": .array(list)] as JSONValue).text(indented: true))
        }
    }
}
