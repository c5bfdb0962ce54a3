internal import Platform
internal import ProfileStore

/// The files that repeated runs of a command write into one folder. The name of a file contains the name of the store
/// and the time of the run in UTC, such as `profiles-20261126T023000Z.sqlite`. If several runs begin in the same second,
/// their files get numbers: `profiles-20261126T023000Z-2.sqlite`.
struct DatedFiles {
    /// The path of the folder, with a slash at its end.
    private let folder: String
    /// The part of the names before the time.
    private let start: String
    /// The part of the names after the time and the number.
    private let ending: String
    private let time: String

    /// - Parameters:
    ///   - folder: The folder, which must exist. A missing folder is not created: if the disk for backups is not
    ///     mounted, the new folder would be on the disk of the store, and would fill it.
    ///   - store: The place of the store.
    ///   - ending: The ending of the names, such as `.sqlite`.
    ///   - time: The time of this run.
    /// - Throws: A failure if the folder does not exist or cannot be read.
    init(
        in folder: String, ofStore store: String, endingIn ending: String, at time: Timestamp
    ) throws(CommandFailure) {
        var status = stat()
        guard stat(folder, &status) == 0 else {
            let code = errno
            guard code == ENOENT else { throw .cannotRead(folder, code) }
            throw CommandFailure(
                .cannotCreate, "There is no folder \(folder)",
                "Create it with: \(CommandArguments.line(["mkdir", "-m", "700", folder]))")
        }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw .cannotCreate(folder, ENOTDIR) }
        self.folder = folder.hasSuffix("/") ? folder : folder + "/"
        start = Self.name(ofStore: store) + "-"
        self.ending = ending
        self.time = time.description.prefix(19).filter { $0 != "-" && $0 != ":" } + "Z"
    }

    /// Returns the paths for the file of this run. The file gets the first of these paths that no other file has.
    ///
    /// The numbers in the paths are greater than those of all existing files with the same time. The number of a
    /// removed file is not used again, because the file with the greatest number must be the newest one.
    func freePaths() throws(CommandFailure) -> some Sequence<String> {
        let next = try names().filter { $0.time == time }.map(\.number).max().map { $0 + 1 } ?? 1
        return (next...next + 1_000).lazy.map { number in
            folder + start + time + (number == 1 ? "" : "-\(number)") + ending
        }
    }

    /// Returns the first of ``freePaths()`` that no file has now.
    func freePath() throws(CommandFailure) -> String {
        for path in try freePaths() where access(path, F_OK) != 0 { return path }
        throw .isThere(folder + start + time + ending)
    }

    /// Removes files of earlier runs. The caller calls this method after the new file is complete and synced.
    ///
    /// Removes only regular files with names of this form whose time and number come before those of the new file. So a
    /// run never removes the file of a later run.
    ///
    /// - Parameters:
    ///   - path: The path of the new file, which is one of ``freePaths()``.
    ///   - count: The number of files to keep. It includes the new file. At least 1.
    /// - Returns: The paths of the removed files, oldest first.
    /// - Throws: A failure if a file cannot be removed. The new file stays.
    func removeOlder(than path: String, keeping count: Int) throws(CommandFailure) -> [String] {
        guard let new = path.split(separator: "/").last.flatMap({ Name(String($0), of: self) }) else { return [] }
        let older = try names().filter { $0 < new }.sorted()
        let lock = FolderLock(of: path)
        var removed: [String] = []
        for name in older.dropLast(count - 1) {
            let other = folder + name.text
            guard unlink(other) == 0 else {
                let code = errno
                // Another run may have removed the file meanwhile.
                if code == ENOENT { continue }
                throw CommandFailure(
                    .inputOutput, "\(other) cannot be removed: \(CommandFailure.systemText(code))",
                    "The new file \(path) is complete")
            }
            removed.append(other)
        }
        // If this sync fails, a removed file may be there again after a power failure. The next run removes it again.
        if !removed.isEmpty { _ = lock.sync() }
        return removed
    }

    /// The name of a file in the folder. Names are sorted by time and number.
    private struct Name: Comparable {
        let text: String
        let time: Substring
        let number: Int

        init?(_ text: String, of files: DatedFiles) {
            // The names are compared by their bytes, because a file system does not take two spellings of é as equal.
            let (start, ending) = (files.start.utf8, files.ending.utf8)
            guard text.utf8.starts(with: start), text.utf8.reversed().starts(with: ending.reversed()),
                let match = Substring(text.utf8.dropFirst(start.count).dropLast(ending.count))
                    .wholeMatch(of: /([0-9]{8}T[0-9]{6}Z)(?:-([1-9][0-9]{0,8}))?/)
            else { return nil }
            self.text = text
            time = match.output.1
            number = match.output.2.flatMap { Int($0) } ?? 1
        }

        static func < (left: Name, right: Name) -> Bool {
            (left.time, left.number) < (right.time, right.number)
        }
    }

    /// Returns the names of the regular files in the folder that match the pattern of ``Name``.
    private func names() throws(CommandFailure) -> [Name] {
        guard let stream = opendir(folder) else { throw .cannotRead(folder, errno) }
        defer { closedir(stream) }
        var names: [Name] = []
        while let entry = readdir(stream) {
            let text = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(validatingCString: $0) }
            }
            var status = stat()
            guard let name = text.flatMap({ Name($0, of: self) }), lstat(folder + name.text, &status) == 0,
                status.st_mode & S_IFMT == S_IFREG
            else { continue }
            names.append(name)
        }
        return names
    }

    /// The name of a store in file names: the name of its file without the extension, or `profiles` for a database.
    private static func name(ofStore place: String) -> String {
        guard !StorePlace.isDatabase(place), let file = place.split(separator: "/").last else { return "profiles" }
        let ending = [".sqlite", ".sqlite3", ".db"].first { file.hasSuffix($0) && file.count > $0.count } ?? ""
        return String(file.dropLast(ending.count))
    }
}
