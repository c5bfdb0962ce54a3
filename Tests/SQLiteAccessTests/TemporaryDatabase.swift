import Glibc
import SQLiteAccess

/// A directory of its own for one test, with a database in it; gone afterwards.
final class TemporaryDatabase: Sendable {
    let directory: String
    let path: DatabasePath

    init(named name: String = "test.db") throws {
        var template = Array("/tmp/sqlite-access.XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer { mkdtemp($0.baseAddress!) != nil }
        guard made else { throw SQLiteError(code: .cantOpen, message: "mkdtemp") }
        directory = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        path = try DatabasePath("\(directory)/\(name)")
    }

    deinit {
        for name in names() { unlink("\(directory)/\(name)") }
        rmdir(directory)
    }

    /// A connection to the database, made with the table `t(id, name)` if there was none.
    func connect(vfs: String? = nil) throws(SQLiteError) -> Connection {
        let connection = try Connection(path, mode: .create, vfs: vfs)
        try connection.enableWriteAheadLog()
        try connection.execute("CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT")
        return connection
    }

    /// The names in the directory, sorted.
    func names() -> [String] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names.sorted()
    }
}

/// The permission bits of a file, or nil if there is none.
func mode(of path: String) -> mode_t? {
    var information = stat()
    return stat(path, &information) == 0 ? information.st_mode & 0o777 : nil
}

/// The bytes of a file that no SQLite connection of this process has open.
func bytes(of path: String) -> [UInt8] {
    guard let file = fopen(path, "re") else { return [] }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    while case let byte = getc(file), byte != EOF { bytes.append(UInt8(truncatingIfNeeded: byte)) }
    return bytes
}

func write(_ bytes: [UInt8], to path: String) {
    guard let file = fopen(path, "we") else { return }
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
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
func error(of body: () throws(SQLiteError) -> Void) -> SQLiteError? {
    do throws(SQLiteError) { try body() } catch { return error }
    return nil
}
