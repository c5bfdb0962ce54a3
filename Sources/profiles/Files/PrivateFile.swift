internal import Platform
internal import ProfileStore
internal import ProfileStoreSQLite

/// A file that only its owner can read and write (mode 0600). The file gets its name only when it is complete. After
/// `commit` has returned, the file and its name survive a power failure.
///
/// Before `commit`, the file has no name. If the process ends before `commit`, nothing remains of the file
/// (`O_TMPFILE`, open(2)). If the file system does not support unnamed files, the file has a temporary name in the same
/// folder.
struct PrivateFile: ~Copyable {
    let descriptor: Int32
    private let path: String
    private let name: Name
    private let replaces: Bool

    private enum Name: ~Copyable {
        case none
        case temporary(TemporaryName)
        /// The file has its final name from the start. A terminal or a named pipe cannot be replaced, so it is written
        /// directly.
        case final
    }

    /// Creates a file. An existing file is replaced only if `replacing` is true. The spared files, such as the input
    /// and the store's own files, are never replaced.
    init(_ path: String, replacing: Bool, sparing spared: FilePlaces) throws(CommandFailure) {
        try Self.requireName(path, replacing: replacing, sparing: spared)
        var status = stat()
        let exists = stat(path, &status) == 0
        switch exists ? status.st_mode & S_IFMT : S_IFREG {
        case S_IFREG:
            // A symbolic link stays. The target of the link is replaced, or created if it does not exist.
            let target = try Self.resolved(path)
            let unnamed = Self.openUnnamed(beside: target)
            if unnamed >= 0 {
                self.init(unnamed, target, .none, replaces: replacing)
                return
            }
            let temporary = TemporaryName(beside: target)
            let named = open(temporary.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard named >= 0 else { throw .cannotCreate(path, errno) }
            self.init(named, target, .temporary(temporary), replaces: replacing)
        case S_IFDIR: throw .cannotCreate(path, EISDIR)
        default:
            let opened = open(path, O_WRONLY | O_CLOEXEC)
            guard opened >= 0 else { throw .cannotCreate(path, errno) }
            self.init(opened, path, .final, replaces: replacing)
        }
    }

    private init(_ descriptor: Int32, _ path: String, _ name: consuming Name, replaces: Bool) {
        self.descriptor = descriptor
        self.path = path
        self.name = name
        self.replaces = replaces
    }

    /// Refuses the path of a spared file, and the path of an existing file if `replacing` is false. Also refuses what
    /// ``requireFileName(_:)`` refuses. A command checks the path before it produces output. The path of a terminal or
    /// a pipe is accepted, because output to it replaces no file.
    static func requireName(
        _ path: String, replacing: Bool, sparing spared: FilePlaces
    ) throws(CommandFailure) {
        try requireFileName(path)
        try spared.require(path)
        var status = stat()
        if !replacing, stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG { throw .isThere(path) }
    }

    /// Refuses `-`, and a path that ends with a slash.
    static func requireFileName(_ path: String) throws(CommandFailure) {
        guard path != "-" else {
            throw CommandFailure(.usage, "- does not name a file here", "Name a file; ./- is a file with that name")
        }
        guard !path.hasSuffix("/") else {
            throw CommandFailure(.usage, "\(path) names a folder, and not a file", "Name a file in it")
        }
    }

    /// Gives the file its name.
    ///
    /// - Throws: A failure if another file already has the name and must not be replaced.
    consuming func commit() throws(CommandFailure) {
        try secure()
        let lock = FolderLock(of: path)
        guard try takeName(path, replacing: replaces) else { throw .isThere(path) }
        try secureNames(lock)
    }

    /// Gives the file the first of these names that no file has.
    ///
    /// - Returns: The path that the file got.
    consuming func commit(toFirstFree paths: some Sequence<String>) throws(CommandFailure) -> String {
        try secure()
        return try takeFirstFree(of: paths, FolderLock(of: path))
    }

    /// Gives the file its name, if the existing file with this name still has the state `known`. The existing file is
    /// then replaced. Otherwise the existing file stays, and this file gets an unused name.
    ///
    /// - Returns: The unused name. Nil if the file got its intended name.
    consuming func commit(over known: FileState?) throws(CommandFailure) -> String? {
        try secure()
        let lock = FolderLock(of: path)
        if let known, known == FileState(at: path) {
            _ = try takeName(path, replacing: true)
            try secureNames(lock)
            return nil
        }
        let isCSV = path.hasSuffix(".csv")
        let stem = isCSV ? String(path.dropLast(4)) : path
        let others = (1...1_000).lazy.map { number in
            stem + (number == 1 ? "-left" : "-left-\(number)") + (isCSV ? ".csv" : "")
        }
        return try takeFirstFree(of: others, lock)
    }

    /// Discards this file, and removes the existing file at the same path. If the existing file does not have the state
    /// `known` any more, it is not removed.
    ///
    /// - Returns: Whether the existing file was removed.
    consuming func removeReplaced(ifStill known: FileState?) throws(CommandFailure) -> Bool {
        let lock = FolderLock(of: path)
        guard let known, known == FileState(at: path) else { return false }
        guard unlink(path) == 0 else { throw .cannotWrite(path, errno) }
        try secureNames(lock)
        return true
    }

    /// Gives the file the first of these names that no file has, and makes it durable.
    private func takeFirstFree(
        of paths: some Sequence<String>, _ lock: borrowing FolderLock
    ) throws(CommandFailure) -> String {
        for path in paths {
            if try takeName(path, replacing: false) {
                try secureNames(lock)
                return path
            }
        }
        throw .isThere(path)
    }

    /// - Returns: False if another file has the name and must not be replaced.
    private func takeName(_ path: String, replacing: Bool) throws(CommandFailure) -> Bool {
        switch name {
        case .final: return true
        case .temporary(let temporary): return try rename(temporary, to: path, replacing: replacing)
        case .none:
            if link(to: path) { return true }
            guard errno == EEXIST else { throw .cannotCreate(path, errno) }
            guard replacing else { return false }
            // linkat(2) does not replace a file. So this file first gets a temporary name, and is then renamed.
            let temporary = TemporaryName(beside: path)
            guard link(to: temporary.path) else { throw .cannotCreate(path, errno) }
            return try rename(temporary, to: path, replacing: true)
        }
    }

    deinit { close(descriptor) }

    /// Writes all data to the disk, and gives access only to the owner, regardless of the umask.
    private func secure() throws(CommandFailure) {
        switch name {
        case .final: return
        case .temporary: break
        case .none: break
        }
        fchmod(descriptor, 0o600)
        guard fsync(descriptor) == 0 else { throw .cannotWrite(path, errno) }
    }

    /// Makes the names in the folder of this file durable. The caller holds the folder's lock.
    private func secureNames(_ lock: borrowing FolderLock) throws(CommandFailure) {
        let code = lock.sync()
        guard code == 0 else { throw .cannotWrite(path, code) }
    }

    private func rename(
        _ temporary: borrowing TemporaryName, to path: String, replacing: Bool
    ) throws(CommandFailure) -> Bool {
        if !replacing {
            // If another process has created a file with this name meanwhile, link(2) fails.
            if Platform.link(temporary.path, path) == 0 {
                // The temporary name is removed before the folder is synced. Otherwise the temporary name could exist
                // again after a power failure.
                unlink(temporary.path)
                return true
            }
            // If the file system does not support links, an empty file reserves the name. rename(2) then replaces the
            // empty file. If the process ends in between, the empty file remains.
            guard errno != EEXIST, try reserve(path) else { return false }
        }
        guard Platform.rename(temporary.path, path) == 0 else {
            let code = errno
            if !replacing { unlink(path) }
            throw .cannotCreate(path, code)
        }
        return true
    }

    /// Creates an empty file. Returns false if a file with this name exists.
    private func reserve(_ path: String) throws(CommandFailure) -> Bool {
        let reserved = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard reserved >= 0 else {
            if errno == EEXIST { return false }
            throw .cannotCreate(path, errno)
        }
        close(reserved)
        return true
    }

    private func link(to path: String) -> Bool {
        linkat(AT_FDCWD, Self.place(of: descriptor), AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0
    }

    /// - Returns: A descriptor, or -1 if the system cannot create an unnamed file, or cannot give it a name later.
    private static func openUnnamed(beside path: String) -> Int32 {
        let folder = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[...$0]) } ?? "."
        let descriptor = open(folder, __O_TMPFILE | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0, access(place(of: descriptor), F_OK) != 0 else { return descriptor }
        close(descriptor)
        return -1
    }

    /// The path in /proc of an open descriptor. With this path, linkat(2) can give a name to an unnamed file.
    private static func place(of descriptor: Int32) -> String { "/proc/self/fd/\(descriptor)" }

    /// Follows the symbolic links of a path. A relative path stays relative, because the path of the working folder is
    /// not always UTF-8.
    private static func resolved(_ path: String) throws(CommandFailure) -> String {
        var target = path
        // The system follows at most 40 links.
        for _ in 0..<40 {
            var link = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
            guard readlink(target, &link, Int(PATH_MAX)) >= 0 else { return target }
            guard let next = String(validating: link.prefix { $0 != 0 }, as: UTF8.self) else {
                throw .cannotCreate(path, EILSEQ)
            }
            let folder = target.utf8.lastIndex(of: UInt8(ascii: "/")).map { target[...$0] } ?? ""
            target = next.hasPrefix("/") ? next : folder + next
        }
        throw .cannotCreate(path, ELOOP)
    }
}

extension FilePlaces {
    /// Refuses a path that leads to one of these files.
    func require(_ path: String) throws(CommandFailure) {
        if contains(path) {
            throw CommandFailure(.cannotCreate, "\(path) is in use by this very command; name another file")
        }
    }
}

extension PrivateFile {
    /// Writes a text to a file.
    static func write(
        _ text: String, to path: String, replacing: Bool, sparing spared: FilePlaces
    ) throws(CommandFailure) {
        let file = try PrivateFile(path, replacing: replacing, sparing: spared)
        var text = text
        let code = text.withUTF8 { FileDescriptor.writeAll(UnsafeRawBufferPointer($0), to: file.descriptor) }
        guard code == 0 else { throw .cannotWrite(path, code) }
        try file.commit()
    }
}
