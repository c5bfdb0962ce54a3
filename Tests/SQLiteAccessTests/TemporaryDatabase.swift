import Platform
import ProfileTesting
import SQLiteAccess
import Synchronization
import Testing

/// A directory with a database for one test. It is removed with this object.
final class TemporaryDatabase: Sendable {
    private let folder: TemporaryFolder
    let path: DatabasePath

    init(named name: String = "test.db") throws {
        folder = try TemporaryFolder("sqlite-access")
        path = try DatabasePath("\(folder.path)/\(name)")
    }

    var directory: String { folder.path }
    /// The database's file.
    var file: String { path.description }
    /// The lock file of its writers.
    var lockFile: String { file + "-lock" }

    /// A connection to the database, made with the table `t(id, name)` if there was none.
    func connect(vfs: String? = nil) throws(SQLiteError) -> Connection {
        let connection = try Connection(path, mode: .create, vfs: vfs)
        try connection.enableWriteAheadLog()
        try connection.execute(
            "CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT")
        return connection
    }

    /// The names in the directory, sorted.
    func names() -> [String] { SmallFile.names(in: directory) }
}

/// How many bytes a file has, without opening it.
func size(of path: String) -> Int? {
    var information = stat()
    return stat(path, &information) == 0 ? Int(information.st_size) : nil
}

func count(in connection: borrowing Connection) throws(SQLiteError) -> Int64 {
    var statement = try connection.prepare("SELECT count(*) FROM t")
    return try statement.step() ? statement.integer(at: 0) : -1
}

func insert(_ name: String, into connection: borrowing Connection) throws(SQLiteError) {
    var statement = try connection.prepare("INSERT INTO t (name) VALUES (?1)")
    try statement.bind(name, at: 1)
    try statement.run()
}

/// What `body` throws, which must be SQLite's error.
func error(of body: () throws -> Void) -> SQLiteError? {
    do { try body() } catch {
        #expect(error is SQLiteError)
        return error as? SQLiteError
    }
    return nil
}

/// Whether `/proc/locks` lists a waiter for a `flock` on the file.
func isWaitedFor(_ file: String) -> Bool {
    var information = stat()
    guard stat(file, &information) == 0 else { return false }
    return (SmallFile.text(of: "/proc/locks") ?? "").split(separator: "\n").contains {
        $0.contains("-> FLOCK") && $0.contains(":\(information.st_ino) ")
    }
}

/// A number that closures of several tasks share.
final class Counter: Sendable {
    private let count = Mutex(0)

    var value: Int { count.withLock { $0 } }

    /// Adds, and returns the sum.
    @discardableResult func add(_ number: Int) -> Int {
        count.withLock { count in
            count += number
            return count
        }
    }
}
