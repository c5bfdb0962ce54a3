import CSQLite
import Platform
import ProfileTesting
@testable import SQLiteAccess
import Testing
import Watchdog

/// Writers whose files are moved or replaced. A write succeeds only if other processes find its data at the path of the
/// database.
@Suite(.watched) struct FileProblemTests {
    private let database: TemporaryDatabase

    init() throws { database = try TemporaryDatabase() }

    private func makeWriter() -> DatabaseWriter {
        DatabaseWriter(database.path, command: "test") { [database] _ in try database.connect() }
    }

    private func names() throws -> [String] {
        let reader = try Connection(database.path, mode: .readOnly)
        var statement = try reader.prepare("SELECT name FROM t ORDER BY id")
        var names: [String] = []
        while try statement.step() { names += [statement.string(at: 0) ?? ""] }
        return names
    }

    /// Inserts `name`, and does something to the files before the commit.
    private func add(
        _ name: String, by writer: DatabaseWriter, within limit: Duration = .seconds(60),
        meanwhile: @escaping @Sendable () -> Void = {}
    ) async throws {
        try await writer.write(waitingAtMost: limit) { connection in
            try connection.writeTransaction {
                try insert(name, into: connection)
                meanwhile()
            }
        }
    }

    @Test(arguments: [false, true])
    func `a job whose lock file was removed commits nothing, and the next job takes a new lock`(
        isReplaced: Bool
    ) async throws {
        let writer = makeWriter()
        try await add("before", by: writer)
        let lock = database.lockFile
        await #expect(throws: SQLiteError(.lockDisplaced(lock))) {
            try await add("unlocked", by: writer) {
                unlink(lock)
                if isReplaced { close(open(lock, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)) }
            }
        }
        try await add("after", by: writer)
        #expect(try names() == ["before", "after"])
        let holder = try ForeignHolder(of: lock, calling: "foreign")
        await #expect(throws: WriteRefusal.self) { try await add("c", by: writer, within: .milliseconds(60)) }
        holder.release()
        await writer.close()
    }

    @Test func `a job whose lock file was removed makes no checkpoint`() async throws {
        let writer = makeWriter()
        try await add("a", by: writer)
        let lock = database.lockFile
        await #expect(throws: SQLiteError(.lockDisplaced(lock))) {
            try await writer.write(waitingAtMost: .seconds(60)) { connection in
                unlink(lock)
                try connection.checkpoint(.truncate)
            }
        }
        #expect((size(of: database.file + "-wal") ?? 0) > 0)
        await writer.close()
    }

    @Test(arguments: [false, true])
    func `a database that was removed or replaced is not written`(isReplaced: Bool) async throws {
        let path = database.file
        let other = try TemporaryDatabase()
        do {
            let connection = try other.connect()
            try insert("other", into: connection)
            try connection.checkpoint(.truncate)
        }
        let writer = makeWriter()
        try await add("before", by: writer)
        let displaced = SQLiteError(.displaced(path))
        await #expect(throws: displaced) {
            try await add("lost", by: writer) {
                for ending in ["", "-wal", "-shm", "-lock"] { unlink(path + ending) }
                if isReplaced { rename(other.path.database, path) }
            }
        }
        await #expect(throws: displaced) { try await add("after", by: writer) }
        await writer.close()
        #expect(database.names() == (isReplaced ? ["test.db"] : []))
        if isReplaced { #expect(try names() == ["other"]) }
    }

    @Test func `a commit to a file that is removed during the commit is an error`() async throws {
        let writer = makeWriter()
        try await add("before", by: writer)
        let path = database.file
        await #expect(throws: SQLiteError(.displaced(path))) {
            try await writer.write(waitingAtMost: .seconds(60)) { connection in
                // SQLite calls the commit hook during COMMIT, after all checks that precede the commit.
                let name = strdup(path)
                defer { free(name) }
                let remove: @convention(c) (UnsafeMutableRawPointer?) -> Int32 = { name in
                    name.map { unlink($0.assumingMemoryBound(to: CChar.self)) } ?? 1
                }
                _ = sqlite3_commit_hook(connection.handle, remove, name)
                defer { _ = sqlite3_commit_hook(connection.handle, nil, nil) }
                try connection.writeTransaction {
                    try insert("lost", into: connection)
                }
            }
        }
        await writer.close()
    }

    @Test func `a database with a second hard link is neither opened nor written`() async throws {
        let writer = makeWriter()
        try await add("before", by: writer)
        let path = database.file
        let other = path + "-other"
        let severalNames = SQLiteError(.severalNames(path))
        await #expect(throws: severalNames) { try await add("twice", by: writer) { link(path, other) } }
        await #expect(throws: severalNames) { try await add("twice", by: makeWriter()) }
        let names = database.names()
        for mode in [Connection.Mode.readOnly, .readWrite, .create] {
            let error = error { _ = try Connection(DatabasePath(other), mode: mode) }
            #expect(error?.fileProblem == .severalNames(other))
        }
        #expect(database.names() == names)
        unlink(other)
        try await add("after", by: writer)
        #expect(try self.names() == ["before", "after"])
        await writer.close()
    }
}
