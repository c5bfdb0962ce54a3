internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore
#if Postgres
    internal import ProfileStorePostgres
#endif
internal import ProfileStoreSQLite
internal import TextLayout

struct MigrateCommand: AsynchronousCommand, ResultWriting {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Bring a store of an earlier version up to date.",
        discussion: """
            Each migration is applied in one transaction. Make a backup first.

              profiles migrate --status
              profiles migrate
            """)

    @Flag(help: "Show only the migrations, and which of them the store has.")
    var status = false

    @OptionGroup var store: StoreOptions
    @OptionGroup var result: ResultOptions

    func run() async throws {
        let path = try global.databasePath()
        let options = global.repositoryOptions("migrate")
        guard !status else { return try show(try await Self.status(of: path, options)) }
        let applied = try await Self.migrate(path, options)
        let text = applied.isEmpty ? "The store is up to date" : "Applied " + applied.joined(separator: ", ")
        try global.confirm(text, ["applied": .array(applied.map(JSONValue.string))])
    }

    private static func migrate(_ place: String, _ options: ProfileRepository.Options) async throws -> [String] {
        guard StorePlace.isDatabase(place) else {
            return try await ProfileRepository.migrate(at: place, options: options)
        }
        #if Postgres
            return try await ProfileRepository.migrate(postgres: place, options: options)
        #else
            throw CommandFailure.noPostgres
        #endif
    }

    private static func status(
        of place: String, _ options: ProfileRepository.Options
    ) async throws -> [MigrationStatus] {
        guard StorePlace.isDatabase(place) else { return try ProfileRepository.migrationStatus(at: place) }
        #if Postgres
            return try await ProfileRepository.migrationStatus(postgres: place, options: options)
        #else
            throw CommandFailure.noPostgres
        #endif
    }

    private func show(_ migrations: [MigrationStatus]) throws {
        switch global.format {
        case .text:
            var table = TextTable(["Migration", "Applied"])
            for migration in migrations { table.add([migration.name, migration.isApplied ? "yes" : "no"]) }
            try Output.standard.write(table.text)
        case .json:
            let list = migrations.map { ["name": .string($0.name), "applied": .bool($0.isApplied)] as JSONValue }
            try Output.standard.print(["migrations": .array(list)])
        }
    }
}
