internal import ArgumentParser
internal import Platform
internal import ProfileCore
internal import ProfileStore
internal import ProfileStoreSQLite

struct RestoreCommand: AsynchronousCommand, ResultWriting {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Replace the contents of the store with a backup.",
        discussion: """
            First the backup is copied and checked, and migrated if an earlier version made it. Then it replaces the \
            contents of the store in one step, while others may read and write. Never move a backup over a store \
            yourself: a log beside the store would be replayed into it. If the store exists, asks first on a terminal; \
            elsewhere --yes is required.

              profiles backup before.sqlite
              profiles restore before.sqlite
            """)

    @Argument(
        help: "The backup, which is not changed; it can be any store.",
        completion: .file(extensions: ["sqlite", "sqlite3", "db"]))
    var backup: String

    @Flag(help: "Do not ask.")
    var yes = false

    @OptionGroup var store: StoreOptions
    @OptionGroup var result: ResultOptions

    func run() async throws {
        let path = try global.databasePath()
        try StorePlace.requireFile(
            path, for: "Restoring", "Use the server's tools, or \"profiles copy\" from a file into an empty database")
        try StorePlace.requirePath(backup, as: "The backup")
        let isThere = access(path, F_OK) == 0
        guard !FilePlaces([path]).contains(backup) else {
            throw CommandFailure(.usage, "\(backup) is the store itself; name a backup of it")
        }
        if !yes, isThere { try global.requireTerminal(orGive: "--yes to replace the contents of \(path)") }
        let options = global.repositoryOptions("restore")
        let copy = try await read(options)
        let profiles = "\(copy.profiles) profile\(copy.profiles == 1 ? "" : "s")"
        guard
            try yes || !isThere
                || LinePrompt.isConfirmed("Replace the contents of \(path) with the \(profiles) of \(backup)")
        else { throw CommandFailure(.no, "Nothing was restored") }
        try await restore(copy, to: path, options)
        try global.confirm(
            "Restored \(profiles) from \(backup)",
            ["restored": .string(backup), "database": .string(path), "profiles": .number(copy.profiles)])
    }

    private func read(_ options: ProfileRepository.Options) async throws -> StoreBackup {
        do throws(ProfileStoreError) {
            return try await StoreBackup(at: backup, options: options)
        } catch {
            switch error.reason {
            case .noStore where access(backup, F_OK) != 0:
                throw CommandFailure(.noInput, "There is no backup at \(backup)")
            case .noStore: throw CommandFailure(.badInput, "\(backup) holds nothing; name another backup")
            case .corrupt(let damage):
                throw CommandFailure(
                    .badInput, "The backup \(backup) is damaged: \(CommandFailure.text(damage))",
                    "Nothing was restored; try another backup"
                )
            default: throw error
            }
        }
    }

    private func restore(_ copy: StoreBackup, to path: String, _ options: ProfileRepository.Options) async throws {
        do throws(ProfileStoreError) {
            try await copy.restore(to: path, options: options)
        } catch {
            switch error.code {
            case .notADatabase, .corrupt:
                throw CommandFailure(
                    .badInput, "\(path) is too damaged to be written into; it is left as it is",
                    "Move it away, together with \(path)-wal, \(path)-shm and \(path)-journal if they exist",
                    "Then restore again: a new store is created")
            default: throw error
            }
        }
    }
}
