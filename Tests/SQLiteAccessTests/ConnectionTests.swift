import Platform
import ProfileTesting
import SQLiteAccess
import Testing
import Watchdog

@Suite(.watched) struct ConnectionTests {
    private let database: TemporaryDatabase

    init() throws { database = try TemporaryDatabase() }

    @Test func `every connection reads back the settings that it must have`() throws {
        let writer = try database.connect()
        try insert("a", into: writer)
        for mode in [Connection.Mode.create, .readWrite, .readOnly, .inspection] {
            let connection = try Connection(database.path, mode: mode)
            let settings = try connection.settings()
            #expect(settings.isAsWanted, "\(mode)")
            #expect(settings.synchronous == 2)
            #expect(settings.foreignKeys && settings.cellSizeCheck && settings.defensive)
            #expect(!settings.trustedSchema && !settings.checkpointsOnClose && !settings.loadsExtensions)
            #expect(settings.walAutocheckpoint == 0)
            #expect(settings.pageSize == 4096)
            #expect(settings.sqliteVersion.hasPrefix("3."))
            if mode != .inspection { #expect(settings.journalMode == "wal") }
        }
    }

    @Test func `a transaction of the only connection can do without the write-ahead log`() throws {
        let writer = try database.connect()
        var modes: [String] = []
        func insertWithJournal(_ name: String) throws {
            try writer.withRollbackJournal {
                let settings = try writer.settings()
                modes.append("\(settings.journalMode) \(settings.synchronous)")
                try writer.writeTransaction { try insert(name, into: writer) }
            }
        }
        try insertWithJournal("alone")
        do {
            // SQLite keeps the log while another connection has it open.
            let reader = try Connection(database.path, mode: .readOnly)
            #expect(try count(in: reader) == 1)
            try insertWithJournal("beside a reader")
            #expect(try count(in: reader) == 2)
        }
        #expect(throws: CancellationError.self) {
            try writer.withRollbackJournal { () throws in throw CancellationError() }
        }
        #expect(modes == ["delete 3", "wal 2"])
        let settings = try writer.settings()
        #expect(settings.journalMode == "wal" && settings.isAsWanted)
        #expect(try writer.integrityCheck() == [])
        #expect(database.names() == ["test.db", "test.db-lock", "test.db-shm", "test.db-wal"])
    }

    @Test func `a setting that is not as it must be is noticed`() throws {
        let connection = try database.connect()
        var settings = try connection.settings()
        #expect(settings.isAsWanted)
        try connection.execute("PRAGMA foreign_keys = OFF")
        settings = try connection.settings()
        #expect(!settings.isAsWanted)
    }

    @Test func `the application id and the user version of a file are read back`() throws {
        let connection = try database.connect()
        try connection.execute("PRAGMA application_id = -5; PRAGMA user_version = 7")
        try connection.enableWriteAheadLog()
        try connection.checkpoint(.truncate)
        let header = try connection.header()
        #expect(header.applicationID == -5)
        #expect(header.userVersion == 7)
        #expect(try DatabaseHeader(database.path) == header)
    }

    @Test func `an inspection leaves nothing beside the file and does not change it`() throws {
        do {
            let connection = try database.connect()
            try connection.execute("PRAGMA application_id = 77")
            try connection.checkpoint(.truncate)
        }
        for end in ["-wal", "-shm", "-lock"] { unlink(database.file + end) }
        let before = try #require(SmallFile.bytes(of: database.file))
        #expect(!before.isEmpty)
        do {
            let connection = try Connection(database.path, mode: .inspection)
            #expect(try connection.header().applicationID == 77)
            #expect(try DatabaseHeader(database.path).applicationID == 77)
        }
        #expect(database.names() == ["test.db"])
        #expect(SmallFile.bytes(of: database.file) == before)
    }

    @Test(arguments: [Connection.Mode.inspection, .readOnly, .readWrite])
    func `a file that is no database is refused and not changed`(mode: Connection.Mode) throws {
        let content = Array(repeating: Array("username,phone\n".utf8), count: 500).flatMap { $0 }
        try SmallFile.write(content, to: database.file)
        let error = error { _ = try Connection(database.path, mode: mode) }
        #expect(error?.code == .notADatabase)
        #expect(SmallFile.bytes(of: database.file) == content)
        #expect(database.names() == ["test.db"])
    }

    @Test(arguments: [Connection.Mode.inspection, .readOnly, .readWrite])
    func `a file that is not there is not made`(mode: Connection.Mode) throws {
        let error = error { _ = try Connection(database.path, mode: mode) }
        #expect(error?.code == .cantOpen)
        #expect(error?.systemError == ENOENT)
        #expect(database.names() == [])
    }

    @Test func `a connection that only reads refuses to write`() throws {
        _ = try database.connect().walFrames
        let reader = try Connection(database.path, mode: .readOnly)
        let error = error { try insert("a", into: reader) }
        #expect(error.map { ResultCode.readOnly ~= $0.code } == true)
    }

    @Test func `errors carry their extended code and the statement, and no values`() throws {
        let connection = try database.connect()
        try connection.execute(
            """
            CREATE TABLE u (a INTEGER PRIMARY KEY, b TEXT UNIQUE CHECK (b <> ''), c TEXT NOT NULL, d REFERENCES t (id))
            """)
        try connection.execute("INSERT INTO u VALUES (1, 'x', 'y', NULL)")
        let cases: [(String, ResultCode)] = [
            ("INSERT INTO u VALUES (?1, 'z', 'y', NULL)", .constraintPrimaryKey),
            ("INSERT INTO u VALUES (2 * ?1, 'x', 'y', NULL)", .constraintUnique),
            ("INSERT INTO u VALUES (2 * ?1, '', 'y', NULL)", .constraintCheck),
            ("INSERT INTO u VALUES (2 * ?1, 'z', NULL, NULL)", .constraintNotNull),
            ("INSERT INTO u VALUES (2 * ?1, 'z', 'y', 99)", .constraintForeignKey),
            ("INSERT INTO t VALUES (?1, x'00')", .constraintDatatype),
        ]
        for (sql, code) in cases {
            let error = error {
                var statement = try connection.prepare(sql)
                try statement.bind(1, at: 1)
                try statement.run()
            }
            #expect(error?.code == code, "\(sql)")
            #expect(error.map { ResultCode.constraint ~= $0.code } == true)
            #expect(error?.sql == sql)
            #expect(error?.message.isEmpty == false)
        }
        #expect(!(ResultCode.constraintCheck ~= ResultCode.constraintUnique))
        #expect(!(ResultCode.constraintUnique ~= ResultCode.constraint))
    }

    @Test func `long SQL, attached databases, quoted column names and large values are refused`() throws {
        let connection = try database.connect()
        let tooLong = "SELECT 1" + String(repeating: " ", count: 1 << 20)
        #expect(error { try connection.execute(tooLong) }?.code == .tooBig)
        #expect(error { try connection.execute("ATTACH ':memory:' AS other") } != nil)
        #expect(error { try connection.execute("SELECT \"no such column\"") } != nil)
        let statement = error {
            var statement = try connection.prepare("SELECT ?1")
            try statement.bind(String(repeating: "x", count: 17 << 20), at: 1)
        }
        #expect(statement?.code == .tooBig)
    }

    @Test func `the lock timeout of a reader does not shrink as its connection gets older`() throws {
        _ = try database.connect().walFrames
        let reader = try Connection(database.path, mode: .readOnly, waitLimit: WaitLimit(.milliseconds(200)))
        let before = try reader.settings().busyTimeout
        #expect(before > 0 && before <= 200)
        usleep(250_000)
        try reader.readTransaction {
            let after = try reader.settings().busyTimeout
            #expect(after == before)
        }
    }

    // The mask belongs to the whole process.
    @Test(.alone) func `the files are 0600 even where the umask would give them to everyone`() throws {
        let mask = umask(0)
        defer { umask(mask) }
        let connection = try database.connect()
        try insert("a", into: connection)
        try connection.backup(to: database.directory + "/copy.db")
        #expect(database.names() == ["copy.db", "test.db", "test.db-lock", "test.db-shm", "test.db-wal"])
        for name in database.names() {
            #expect(SmallFile.mode(of: "\(database.directory)/\(name)") == 0o600, "\(name)")
        }
    }

    @Test func `a file name may contain characters that need escaping in a URI`() throws {
        for name in ["a b?mode=memory&x=%41#ü.db", "%00", "file:x", ":memory:"] {
            let database = try TemporaryDatabase(named: name)
            try insert("a", into: database.connect())
            #expect(database.names() == ["", "-lock", "-shm", "-wal"].map { name + $0 })
        }
    }

    @Test func `a symbolic link names the database that it leads to`() throws {
        _ = try database.connect().walFrames
        let link = database.directory + "/link.db"
        symlink("test.db", link)
        #expect(try DatabasePath(link) == database.path)
        let dangling = database.directory + "/dangling.db"
        symlink("nothing.db", dangling)
        #expect(error { _ = try DatabasePath(dangling) }?.code == .cantOpen)
        for path in ["", "/", "\(database.directory)/none/x.db", "a\u{0}b"] {
            #expect(error { _ = try DatabasePath(path) }?.code == .cantOpen, "\(path)")
        }
    }
}
