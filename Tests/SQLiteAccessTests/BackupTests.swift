import Platform
import ProfileTesting
import SQLiteAccess
import Testing
import Watchdog

@Suite(.watched) struct BackupTests {
    private let database: TemporaryDatabase
    private var copy: String { database.directory + "/copy.db" }

    init() throws { database = try TemporaryDatabase() }

    @Test func `a backup includes rows that are only in the log, and needs no other file`() throws {
        let connection = try database.connect()
        try insert("a", into: connection)
        try connection.backup(to: copy)
        try insert("b", into: connection)
        #expect(!database.names().contains { $0.hasPrefix("copy.db-") })
        #expect(SmallFile.mode(of: copy) == 0o600)
        let backup = try Connection(DatabasePath(copy), mode: .inspection)
        #expect(try backup.settings().journalMode == "delete")
        #expect(try backup.integrityCheck() == [])
        #expect(try count(in: backup) == 1)
    }

    @Test func `a backup can be adopted as a database again`() throws {
        do {
            let connection = try database.connect()
            try insert("a", into: connection)
            try connection.backup(to: copy)
        }
        let restored = try Connection(DatabasePath(copy), mode: .readWrite)
        try restored.enableWriteAheadLog()
        try insert("b", into: restored)
        #expect(try restored.settings().journalMode == "wal")
        #expect(try count(in: restored) == 2)
    }

    @Test func `a file that is there already is not overwritten`() throws {
        let connection = try database.connect()
        try SmallFile.write(Array("precious".utf8), to: copy)
        for path in [copy, database.file] {
            let error = error { try connection.backup(to: path) }
            #expect(error?.code == .cantOpen)
            #expect(error?.systemError == EEXIST)
        }
        #expect(SmallFile.bytes(of: copy) == Array("precious".utf8))
        #expect(try count(in: connection) == 0)
    }

    @Test func `a backup into a directory that is not there says so`() throws {
        let connection = try database.connect()
        let error = error { try connection.backup(to: database.directory + "/no/copy.db") }
        #expect(error?.systemError == ENOENT)
    }

    @Test func `damage and dangling references are found`() throws {
        let connection = try database.connect()
        #expect(try connection.integrityCheck() == [])
        #expect(try connection.foreignKeyCheck() == [])
        try connection.execute(
            """
            CREATE TABLE child (id INTEGER REFERENCES t (id)); PRAGMA foreign_keys = OFF;
            INSERT INTO child VALUES (99)
            """)
        let violations = try connection.foreignKeyCheck()
        #expect(violations.map(\.table) == ["child"])
        #expect(violations.map(\.rowID) == [1])
        #expect(violations.map(\.parentTable) == ["t"])
    }

    @Test func `a page that is overwritten is reported or refused, never accepted`() throws {
        do {
            let connection = try database.connect()
            for number in 0..<500 { try insert("name \(number)", into: connection) }
            try connection.checkpoint(.truncate)
        }
        var content = try #require(SmallFile.bytes(of: database.file))
        for index in content.count - 2 * 4096..<content.count { content[index] = 0xa5 }
        try SmallFile.write(content, to: database.file)
        let connection = try Connection(database.path, mode: .readOnly)
        var findings: [String] = []
        let error = error { findings = try connection.integrityCheck(limit: 5) }
        #expect(!findings.isEmpty || error.map { ResultCode.corrupt ~= $0.code } == true)
        #expect(findings.count <= 5)
    }
}
