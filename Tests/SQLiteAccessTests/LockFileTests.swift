import Platform
import ProfileTesting
import SQLiteAccess
import Testing
import Watchdog

/// What lies at the lock file's path, and whose it is.
@Suite(.watched) struct LockFileTests {
    private let database: TemporaryDatabase
    private var lock: String { database.lockFile }

    init() throws { database = try TemporaryDatabase() }

    /// Things that are not ours to write into.
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
                // What a holder's line looks like is no help: it may be somebody's file under its other name.
                try SmallFile.write("12 precious\n", to: path + "-other", mode: 0o644)
                #expect(link(path + "-other", path) == 0)
            }
        }
    }

    @Test(arguments: Stranger.allCases)
    func `what is no lock file is refused and left as it is`(stranger: Stranger) throws {
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

    @Test func `a holder that was killed leaves a line, which is no obstacle`() throws {
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

    @Test func `a lock file in which a power failure left only zeros keeps no writer out`() throws {
        try SmallFile.write([UInt8](repeating: 0, count: 16), to: database.file + "-lock")
        var lock = try WriteLock(database.path)
        try lock.acquire(as: "writer")
        #expect(WriteLock.holder(database.path)?.command == "writer")
        lock.release()
    }

    @Test(.enabled(if: geteuid() != 0, "root may write everything"))
    func `who may not write a database makes no lock file beside it`() throws {
        _ = try database.connect().walFrames
        unlink(lock)
        chmod(database.file, 0o400)
        let error = error { try openLock() }
        #expect(error?.code == .readOnly)
        #expect(!database.names().contains("test.db-lock"))
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
    func `a lock file belongs to the database's owner, and root gives away what it made alone`() throws {
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
