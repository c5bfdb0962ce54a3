internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore
internal import ProfileStoreSQLite

struct BackupCommand: AsynchronousCommand, ResultWriting {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy the store into a new self-contained file, even while others use the store.",
        discussion: """
            With --into, the file gets the name of the store and the time in UTC, such as \
            profiles-20261126T023000Z.sqlite, after every page of it was checked. With --keep, older backups of the \
            store in that folder are removed after that. Other files in the folder are never removed.

              profiles backup backup.sqlite
              profiles backup --into backups --keep 7 --quiet
              profiles show skboard --database backup.sqlite
              profiles restore backup.sqlite
            """)

    @Argument(help: "The new file; an existing file is not replaced.", completion: .file(extensions: ["sqlite"]))
    var file: String?

    @OptionGroup var folder: FolderOptions
    @OptionGroup var store: StoreOptions
    @OptionGroup var result: ResultOptions

    func validate() throws {
        guard file == nil || folder.folder == nil else {
            throw ValidationError("Give the new file or --into, not both.")
        }
        guard file != nil || folder.folder != nil else {
            throw ValidationError("Give the new file, or a folder with --into.")
        }
    }

    func run() async throws {
        try StorePlace.requirePath(file ?? folder.folder ?? "", as: file == nil ? "--into" : "The new file")
        let place = try global.databasePath()
        try StorePlace.requireFile(
            place, for: "A backup", "Use the server's tools, such as pg_basebackup, or \"profiles copy\" into a file")
        if let file {
            try PrivateFile.requireFileName(file)
            try await global.withStore("backup") { try await backUp($0, to: file) }
            try global.confirm("Backed up to \(file)", ["backup": .string(file)])
        }
        guard let files = try folder.files(ofStore: place, endingIn: ".sqlite") else { return }
        let path = try await global.withStore("backup") { try await backUp($0, to: files) }
        let removed = try folder.removeOlder(of: files, than: path)
        try global.confirm(
            "Backed up to \(path)" + removed.andRemoved("backup"),
            ["backup": .string(path), "removed": .array(removed.map(JSONValue.string))])
    }

    /// Makes a checked backup under the first name that no file has, and returns its path.
    private func backUp(_ repository: ProfileRepository, to files: DatedFiles) async throws -> String {
        for path in try files.freePaths() {
            do {
                try await backUp(repository, to: path, isChecked: true)
                return path
            } catch let error as ProfileStoreError where error.code == .alreadyExists {
                // Another run, which began in the same second, has created a file with this name.
                continue
            }
        }
        throw CommandFailure(.tryAgain, "No name for a backup is free", "Try again in a second")
    }

    private func backUp(_ repository: ProfileRepository, to path: String, isChecked: Bool = false) async throws {
        do throws(ProfileStoreError) {
            try await repository.backup(to: path, isChecked: isChecked)
        } catch {
            // If the error does not name the store, the command could not open the copy.
            guard case .cannotOpen(let place, let code) = error.reason, place != repository.place else { throw error }
            throw CommandFailure.cannotCreate(path, code)
        }
    }
}
