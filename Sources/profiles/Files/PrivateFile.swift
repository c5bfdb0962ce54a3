internal import Glibc

/// A file for its owner alone (0600) that appears whole under its name, or not at all.
///
/// It is written under another name beside it, and takes the name's place when it is complete.
struct PrivateFile: ~Copyable {
    let descriptor: Int32
    private let path: String
    /// Nil for what cannot be replaced, such as a terminal or a named pipe, which is written as it is.
    private let temporaryPath: String?

    /// Begins a file; those that are spared, the input and the store's own, are not replaced.
    init(replacing path: String, sparing spared: Set<FileIdentity> = []) throws(CommandFailure) {
        if let identity = FileIdentity(path: path), spared.contains(identity) {
            throw CommandFailure(.cannotCreate, "\(path) is in use by this very command; name another file")
        }
        var status = stat()
        let exists = stat(path, &status) == 0
        // A symbolic link keeps pointing at the file that is replaced.
        let target = exists ? try Self.resolved(path) : path
        var template: [CChar] = []
        let opened: Int32
        switch exists ? status.st_mode & S_IFMT : S_IFREG {
        case S_IFREG:
            template = Array((target + ".XXXXXX").utf8CString)
            opened = mkstemp(&template)
        case S_IFDIR: throw .cannotCreate(path, EISDIR)
        default: opened = open(path, O_WRONLY | O_CLOEXEC)
        }
        guard opened >= 0 else { throw .cannotCreate(path, errno) }
        descriptor = opened
        self.path = target
        if template.isEmpty {
            temporaryPath = nil
        } else {
            temporaryPath = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
            _ = fcntl(opened, F_SETFD, FD_CLOEXEC)
            // Whatever the umask took away.
            fchmod(opened, 0o600)
        }
    }

    /// Gives the file its name.
    consuming func commit() throws(CommandFailure) {
        guard let temporaryPath else { return }
        guard fsync(descriptor) == 0 else { throw .cannotWrite(path, errno) }
        guard rename(temporaryPath, path) == 0 else { throw .cannotCreate(path, errno) }
    }

    deinit {
        close(descriptor)
        // Gone already where it has taken its name.
        if let temporaryPath { unlink(temporaryPath) }
    }

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

extension PrivateFile {
    /// Writes a text to a file.
    static func write(_ text: String, to path: String, sparing spared: Set<FileIdentity>) throws(CommandFailure) {
        let file = try PrivateFile(replacing: path, sparing: spared)
        var text = text
        let code = text.withUTF8 { FileDescriptor.writeAll(UnsafeRawBufferPointer($0), to: file.descriptor) }
        guard code == 0 else { throw .cannotWrite(path, code) }
        try file.commit()
    }
}
