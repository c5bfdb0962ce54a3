import Platform
import ProfileTesting
import SQLiteAccess
import Testing
import Watchdog

/// Stamps that show that a database was changed, and reads of a database that does not change.
@Suite(.watched) struct FileStampTests {
    private let database: TemporaryDatabase

    init() throws { database = try TemporaryDatabase() }

    /// Makes the database with a row in it and nothing in its log, and closes it.
    private func make() throws {
        let connection = try database.connect()
        try insert("a", into: connection)
        try connection.checkpoint(.truncate)
    }

    /// Gives every file a time that lies long ago, so that any write to it shows.
    private func age() {
        var times = [timespec(tv_sec: 1_000_000, tv_nsec: 5), timespec(tv_sec: 1_000_000, tv_nsec: 5)]
        for name in database.names() { utimensat(AT_FDCWD, "\(database.directory)/\(name)", &times, 0) }
    }

    @Test func `a folder is writable while it exists`() throws {
        let folder = database.directory + "/folder"
        #expect(mkdir(folder, 0o700) == 0)
        let path = try DatabasePath(folder + "/test.db")
        #expect(FileStamp.isFolderWritable(path))
        #expect(rmdir(folder) == 0)
        #expect(!FileStamp.isFolderWritable(path))
    }

    @Test func `reading an immutable database changes neither its files nor its stamp`() throws {
        try make()
        for end in ["-wal", "-shm"] { unlink(database.file + end) }
        let names = database.names()
        age()
        let stamp = try #require(FileStamp(database.path))
        #expect(!stamp.hasLog)
        #expect(try count(in: Connection(database.path, mode: .immutable)) == 1)
        #expect(FileStamp(database.path) == stamp)
        #expect(database.names() == names)
    }

    @Test func `a stamp differs after a commit, and after a checkpoint`() throws {
        try make()
        age()
        let before = try #require(FileStamp(database.path))
        let writer = try database.connect()
        try insert("b", into: writer)
        let logged = try #require(FileStamp(database.path))
        #expect(logged.hasLog && logged != before)
        try writer.checkpoint(.truncate)
        let after = try #require(FileStamp(database.path))
        #expect(!after.hasLog && after != before)
        // The file was changed just now, so a further change might leave the same stamp.
        #expect(!after.isConclusive)
    }

    @Test func `a replaced file has another stamp, and a missing file has none`() throws {
        try make()
        let before = try #require(FileStamp(database.path))
        let content = try #require(SmallFile.bytes(of: database.file))
        rename(database.file, database.file + "-old")
        #expect(FileStamp(database.path) == nil)
        try SmallFile.write(content, to: database.file)
        #expect(FileStamp(database.path) != before)
    }
}
