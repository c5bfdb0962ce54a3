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
    consuming func commit() throws(CommandFailure) { try takeName() }

    /// Gives it up, and removes the file that it was to replace.
    consuming func removeReplaced() throws(CommandFailure) {
        guard unlink(path) == 0 else { throw .cannotWrite(path, errno) }
    }

    private func takeName() throws(CommandFailure) {
        switch name {
        case .final: return
        case .temporary(let temporary):
            try secure()
            try rename(temporary)
        case .none:
            try secure()
            if link(to: path) { return }
            guard errno == EEXIST else { throw .cannotCreate(path, errno) }
            guard replaces else { throw .isThere(path) }
            // A link replaces nothing, so it takes two steps.
            let temporary = TemporaryName(beside: path)
            guard link(to: temporary.path) else { throw .cannotCreate(path, errno) }
            try rename(temporary)
        }
    }

    deinit { close(descriptor) }

    /// All that was written is on the disk, and for the owner alone, whatever the umask took away.
    private func secure() throws(CommandFailure) {
        fchmod(descriptor, 0o600)
        guard fsync(descriptor) == 0 else { throw .cannotWrite(path, errno) }
    }

    private func rename(_ temporary: borrowing TemporaryName) throws(CommandFailure) {
        if !replaces {
            // Somebody may have made one meanwhile. Some file systems have no links, and there it is not noticed.
            if Platform.link(temporary.path, path) == 0 { return }
            if errno == EEXIST { throw .isThere(path) }
        }
        guard Platform.rename(temporary.path, path) == 0 else { throw .cannotCreate(path, errno) }
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
