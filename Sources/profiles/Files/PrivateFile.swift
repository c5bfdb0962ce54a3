internal import Platform
internal import ProfileStore
internal import ProfileStoreSQLite

/// A file for its owner alone (0600) that appears whole under its name, or not at all.
///
/// Until it is complete it has no name, so that nothing is left of it however the process ends (`O_TMPFILE`, open(2)).
/// Where the file system has no such files it has a temporary name beside its own.
struct PrivateFile: ~Copyable {
    let descriptor: Int32
    private let path: String
    private let name: Name
    private let replaces: Bool

    private enum Name: ~Copyable {
        case none
        case temporary(TemporaryName)
        /// Its own from the beginning: what cannot be replaced, such as a terminal or a named pipe, is written as it is.
        case final
    }

    /// Begins a file. One that is there is replaced only where that was asked for; those that are spared, the input and
    /// the store's own, never are.
    init(_ path: String, replacing: Bool, sparing spared: FilePlaces) throws(CommandFailure) {
        try Self.requireName(path, replacing: replacing, sparing: spared)
        var status = stat()
        let exists = stat(path, &status) == 0
        switch exists ? status.st_mode & S_IFMT : S_IFREG {
        case S_IFREG:
            // A symbolic link keeps pointing at the file that is replaced, or that it has waited for.
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

    /// Refuses a name that a file may not have, before there is anything to write. What is no plain file, such as a
    /// terminal or a pipe, is written to and not replaced.
    static func requireName(
        _ path: String, replacing: Bool, sparing spared: FilePlaces
    ) throws(CommandFailure) {
        guard path != "-" else {
            throw CommandFailure(.usage, "- is no file to write to here", "Name one; ./- is one of that name")
        }
        try spared.require(path)
        var status = stat()
        if !replacing, stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG { throw .isThere(path) }
    }

    /// Gives the file its name.
    consuming func commit() throws(CommandFailure) {
        try secure()
        let lock = FolderLock(of: path)
        defer { extendLifetime(lock) }
        guard try takeName(path, replacing: replaces) else { throw .isThere(path) }
    }

    /// Gives the file its name, in the place of one in a known state. If that one was replaced or changed since, it stays, and
    /// this file gets a name that is free.
    ///
    /// - Returns: The other name; nil if it has its own.
    consuming func commit(over known: FileState?) throws(CommandFailure) -> String? {
        try secure()
        let lock = FolderLock(of: path)
        defer { extendLifetime(lock) }
        if let known, known == FileState(at: path) {
            _ = try takeName(path, replacing: true)
            return nil
        }
        let isCSV = path.hasSuffix(".csv")
        let stem = isCSV ? String(path.dropLast(4)) : path
        for number in 1...1_000 {
            let other = stem + (number == 1 ? "-left" : "-left-\(number)") + (isCSV ? ".csv" : "")
            if try takeName(other, replacing: false) { return other }
        }
        throw .isThere(path)
    }

    /// Gives this file up, and removes the one that it was to replace, unless that was replaced or changed since.
    ///
    /// - Returns: Whether that one is gone.
    consuming func removeReplaced(ifStill known: FileState?) throws(CommandFailure) -> Bool {
        let lock = FolderLock(of: path)
        defer { extendLifetime(lock) }
        guard let known, known == FileState(at: path) else { return false }
        guard unlink(path) == 0 else { throw .cannotWrite(path, errno) }
        return true
    }

    /// - Returns: False if another file has the name and is not to be replaced.
    private func takeName(_ path: String, replacing: Bool) throws(CommandFailure) -> Bool {
        switch name {
        case .final: return true
        case .temporary(let temporary): return try rename(temporary, to: path, replacing: replacing)
        case .none:
            if link(to: path) { return true }
            guard errno == EEXIST else { throw .cannotCreate(path, errno) }
            guard replacing else { return false }
            // A link replaces nothing, so it takes two steps.
            let temporary = TemporaryName(beside: path)
            guard link(to: temporary.path) else { throw .cannotCreate(path, errno) }
            return try rename(temporary, to: path, replacing: true)
        }
    }

    deinit { close(descriptor) }

    /// All that was written is on the disk, and for the owner alone, whatever the umask took away.
    private func secure() throws(CommandFailure) {
        switch name {
        case .final: return
        case .temporary: break
        case .none: break
        }
        fchmod(descriptor, 0o600)
        guard fsync(descriptor) == 0 else { throw .cannotWrite(path, errno) }
    }

    private func rename(
        _ temporary: borrowing TemporaryName, to path: String, replacing: Bool
    ) throws(CommandFailure) -> Bool {
        if !replacing {
            // Somebody may have made one meanwhile. Some file systems have no links, and there it is not noticed.
            if Platform.link(temporary.path, path) == 0 { return true }
            if errno == EEXIST { return false }
        }
        guard Platform.rename(temporary.path, path) == 0 else { throw .cannotCreate(path, errno) }
        return true
    }

    private func link(to path: String) -> Bool {
        linkat(AT_FDCWD, Self.place(of: descriptor), AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0
    }

    /// - Returns: A descriptor, or -1 where there are no such files, or where they could not be named later.
    private static func openUnnamed(beside path: String) -> Int32 {
        let folder = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[...$0]) } ?? "."
        let descriptor = open(folder, __O_TMPFILE | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0, access(place(of: descriptor), F_OK) != 0 else { return descriptor }
        close(descriptor)
        return -1
    }

    /// The name that every open file has, by which an unnamed one gets another.
    private static func place(of descriptor: Int32) -> String { "/proc/self/fd/\(descriptor)" }

    /// Where a symbolic link leads, and what leads on from there. Not an absolute path, since the working folder's may
    /// not be UTF-8.
    private static func resolved(_ path: String) throws(CommandFailure) -> String {
        var target = path
        // As many as the system follows.
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
