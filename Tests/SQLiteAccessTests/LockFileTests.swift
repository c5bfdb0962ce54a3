import Platform
import ProfileTesting
import SQLiteAccess
import Testing
import Watchdog

/// The kind, the content and the owner of the file at the path of the lock file.
@Suite(.watched) struct LockFileTests {
    private let database: TemporaryDatabase
    private var lock: String { database.lockFile }

    init() throws { database = try TemporaryDatabase() }

    /// Files that are not lock files and must stay unchanged.
    enum Stranger: CaseIterable, Sendable {
        case text, number, longNumber, longLine, directory, pipe, socket, symbolicLink, hardLink

        var fault: WriteLock.FileFault {
            switch self {
            case .text, .number, .longNumber, .longLine: .foreignContent
            case .directory, .pipe, .socket, .symbolicLink: .notAFile
            case .hardLink: .severalNames
            }
        }

        func lie(at path: String) throws {
            switch self {
            case .text: try SmallFile.write("precious\n", to: path, mode: 0o644)
            case .number: try SmallFile.write("42\n", to: path, mode: 0o644)
            case .longNumber: try SmallFile.write("12345678901 x\n", to: path, mode: 0o644)
            case .longLine: try SmallFile.write("12 " + String(repeating: "x", count: 110), to: path, mode: 0o644)
            case .directory: #expect(mkdir(path, 0o755) == 0)
            case .pipe: #expect(mkfifo(path, 0o644) == 0)
            case .socket: #expect(mknod(path, S_IFSOCK | 0o644, 0) == 0)
            case .symbolicLink: #expect(symlink("elsewhere", path) == 0)
            case .hardLink:
                // The line looks like that of a lock holder. But the file may be a user's file, because it has a second
                // name.
                try SmallFile.write("12 precious\n", to: path + "-other", mode: 0o644)
                #expect(link(path + "-other", path) == 0)
            }
        }
    }

    @Test(arguments: Stranger.allCases)
    func `a file that is not a lock file is refused and left unchanged`(stranger: Stranger) throws {
        try stranger.lie(at: lock)
        let names = database.names()
        let before = try look()
        for open in [openLock, makeDatabase] {
            let error = error { try open() }
            #expect(error?.code == .cantOpen)
            #expect(error?.fileProblem == .notALock(lock, stranger.fault))
        }
        #expect(try look() == before)
        #expect(database.names() == names)
    }

    @Test func `the line of a killed lock holder does not block the next holder`() throws {
        let longest = "1234567890 " + String(repeating: "x", count: 100) + "\n"
        for line in ["", "12 x\n", longest, "7 short\nof a longer one\n"] {
            try SmallFile.write(line, to: lock, mode: 0o644)
            var held = try WriteLock(database.path)
            try held.acquire(as: "next")
            #expect(SmallFile.text(of: lock) == "\(getpid()) next\n", "\(line)")
            #expect(SmallFile.mode(of: lock) == 0o600)
            held.release()
        }
    }

    @Test func `a lock file with only zeros, as after a power failure, does not block a writer`() throws {
        try SmallFile.write([UInt8](repeating: 0, count: 16), to: database.file + "-lock")
        var lock = try WriteLock(database.path)
        try lock.acquire(as: "writer")
        #expect(WriteLock.holder(database.path)?.command == "writer")
        lock.release()
    }

    @Test(.enabled(if: geteuid() != 0, "root may write everything"))
    func `a process without write access to a database creates no lock file`() throws {
        _ = try database.connect().walFrames
        unlink(lock)
        chmod(database.file, 0o400)
        let error = error { try openLock() }
        #expect(error?.code == .readOnly)
        #expect(!database.names().contains("test.db-lock"))
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
    func `a lock file must have the database's owner, and root changes the owner of a new one only`() throws {
        let nobody: uid_t = 65_534
        _ = try database.connect().walFrames
        #expect(chown(lock, nobody, nobody) == 0)
        #expect(error { try openLock() }?.fileProblem == .notALock(lock, .foreignOwner))
        #expect(try look().owner == nobody)

        #expect(chown(database.file, nobody, nobody) == 0)
        try openLock()
        unlink(lock)
        try openLock()
        #expect(try look().owner == nobody, "it was made for the owner")
        #expect(chown(lock, 0, 0) == 0)
        try openLock()
        #expect(try look().owner == 0, "it was there before")
    }

    private func openLock() throws(SQLiteError) { _ = try WriteLock(database.path) }

    private func makeDatabase() throws(SQLiteError) { _ = try database.connect().walFrames }

    /// All that could be changed about the file.
    private func look() throws -> Look {
        var status = stat()
        try #require(lstat(lock, &status) == 0)
        let isFile = status.st_mode & S_IFMT == S_IFREG
        return Look(
            number: status.st_ino, mode: status.st_mode, owner: status.st_uid, links: Int(status.st_nlink),
            content: isFile ? SmallFile.text(of: lock) : nil)
    }

    private struct Look: Equatable {
        let number: UInt
        let mode: UInt32
        let owner: uid_t
        let links: Int
        let content: String?
    }
}
