internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore
internal import ProfileStoreSQLite

struct BackupCommand: AsynchronousCommand, ResultWriting {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy the store into a new self-contained file, even while others use the store.",
        discussion: """
              profiles backup backup.sqlite
              profiles lookup skboard --database backup.sqlite
              profiles restore backup.sqlite
            """)

    @Argument(help: "The new file; an existing file is not replaced.", completion: .file(extensions: ["sqlite"]))
    var file: String

    @OptionGroup var store: StoreOptions
    @OptionGroup var result: ResultOptions

    func run() async throws {
        try StorePlace.requireFile(
            global.databasePath(), for: "A backup",
            "Use the server's tools, such as pg_basebackup, or \"profiles copy\" into a file")
        try await global.withStore("backup") { repository in
            do throws(ProfileStoreError) {
                try await repository.backup(to: file)
            } catch {
                // If the error does not name the store, the command could not open the copy.
                guard case .cannotOpen(let place, let code) = error.reason, place != repository.place else {
                    throw error
                }
                throw CommandFailure.cannotCreate(file, code)
            }
        }
        try global.confirm("Backed up to \(file)", ["backup": .string(file)])
    }
}
