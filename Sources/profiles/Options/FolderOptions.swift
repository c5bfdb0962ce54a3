internal import ArgumentParser
internal import ProfileStore

/// The options for files that a command writes into a folder under names with the time; see `DatedFiles`.
struct FolderOptions: ParsableArguments {
    @Option(
        name: .customLong("into"),
        help: ArgumentHelp("Write a new file into this folder, with the time in its name.", valueName: "folder"),
        completion: .directory)
    var folder: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "With --into: keep this number of files, and then remove older ones of this store.", valueName: "n"))
    var keep: Int?

    func validate() throws {
        guard folder != "" else { throw ValidationError("--into takes the path of a folder.") }
        guard keep == nil || folder != nil else { throw ValidationError("--keep requires --into FOLDER.") }
        guard keep.map({ $0 >= 1 }) ?? true else { throw ValidationError("--keep takes 1 or more.") }
    }

    /// The files of this command's runs in the folder. Nil without `--into`.
    func files(ofStore place: String, endingIn ending: String) throws(CommandFailure) -> DatedFiles? {
        guard let folder else { return nil }
        return try DatedFiles(in: folder, ofStore: place, endingIn: ending, at: .now())
    }

    /// Removes the files that `--keep` does not keep. The new file must be complete and synced.
    ///
    /// - Returns: The paths of the removed files.
    func removeOlder(of files: DatedFiles, than path: String) throws(CommandFailure) -> [String] {
        guard let keep else { return [] }
        return try files.removeOlder(than: path, keeping: keep)
    }
}

extension [String] {
    /// The end of a message about a new file: how many older files were removed. The array contains the removed files.
    /// Empty if the array is empty.
    func andRemoved(_ kind: String) -> String {
        isEmpty ? "" : ", and removed \(count) older \(kind)\(count == 1 ? "" : "s")"
    }
}
