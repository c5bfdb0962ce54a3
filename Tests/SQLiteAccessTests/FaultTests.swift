import FaultVFS
import SQLiteAccess
import Testing
import Watchdog

@Suite(.watched) struct FaultTests {
    private let database: TemporaryDatabase

    init() throws {
        #expect(fault_vfs_register() == 0)
        database = try TemporaryDatabase()
    }

    /// Lets no call of a transaction succeed, then only the first call, then only the first two, and so on, until the
    /// transaction succeeds.
    @Test(arguments: [
        (FAULT_VFS_WRITE, ResultCode.ioErrorWrite), (FAULT_VFS_SYNC, .ioErrorFsync), (FAULT_VFS_FULL, .full),
    ])
    func `a failed write has its error code, is undone, and loses no earlier commit`(
        kind: fault_vfs_kind, code: ResultCode
    ) throws {
        let path = database.file
        // While another connection has the database open, SQLite does not recover the log. The next test shows the
        // difference.
        let anchor = try database.connect()
        defer { _ = anchor.walFrames }
        var committed: Int64 = 0
        var failures = 0
        for allowed in 0..<1_000 {
            let connection = try database.connect(vfs: "fault")
            try insert("kept \(allowed)", into: connection)
            committed += 1
            fault_vfs_arm(path, kind, Int64(allowed), -1)
            let error = error {
                try connection.writeTransaction {
                    for number in 0..<20 {
                        try insert("\(allowed) \(number) " + String(repeating: "x", count: 500), into: connection)
                    }
                }
            }
            let injected = fault_vfs_disarm(path)
            #expect(connection.isAutocommit == true)
            #expect(try count(in: connection) == committed + (error == nil ? 20 : 0))
            if let error {
                #expect(error.code == code)
                #expect(injected > 0)
                failures += 1
            } else {
                #expect(injected == 0)
                committed += 20
            }
            // A new connection through the ordinary VFS sees the same state.
            let reopened = try database.connect()
            #expect(try reopened.integrityCheck() == [])
            #expect(try count(in: reopened) == committed)
            if error == nil { break }
        }
        #expect(failures > 0)
        #expect(failures < 1_000, "it never went through")
    }

    @Test func `after all connections are closed, a commit whose sync failed is complete or absent`() throws {
        do {
            let connection = try database.connect(vfs: "fault")
            try insert("kept", into: connection)
            fault_vfs_arm(database.file, FAULT_VFS_SYNC, 0, -1)
            let error = error {
                try connection.writeTransaction {
                    for number in 0..<20 { try insert("in doubt \(number)", into: connection) }
                }
            }
            #expect(error?.code == .ioErrorFsync)
            #expect(fault_vfs_disarm(database.file) > 0)
            #expect(try count(in: connection) == 1)
        }
        let reopened = try database.connect()
        #expect(try reopened.integrityCheck() == [])
        #expect([1, 21].contains(try count(in: reopened)))
    }

    @Test func `a commit whose sync failed is lost once the writer commits again or empties the log`() throws {
        for goesOn in [true, false] {
            let database = try TemporaryDatabase()
            do {
                let connection = try database.connect(vfs: "fault")
                fault_vfs_arm(database.file, FAULT_VFS_SYNC, 0, -1)
                #expect(error { try insert("undone", into: connection) } != nil)
                #expect(fault_vfs_disarm(database.file) > 0)
                if goesOn { try insert("next", into: connection) } else { try connection.checkpoint(.truncate) }
            }
            let reopened = try database.connect()
            #expect(try count(in: reopened) == (goesOn ? 1 : 0))
        }
    }

    @Test(arguments: [
        (FAULT_VFS_WRITE, ResultCode.ioErrorWrite), (FAULT_VFS_SYNC, .ioErrorFsync), (FAULT_VFS_FULL, .full),
    ])
    func `a checkpoint that fails leaves every commit in the log`(kind: fault_vfs_kind, code: ResultCode) throws {
        do {
            let connection = try database.connect(vfs: "fault")
            for number in 0..<50 { try insert("name \(number)", into: connection) }
            fault_vfs_arm(database.file, kind, 0, -1)
            let error = error { try connection.checkpoint(.truncate) }
            #expect(error?.code == code)
            #expect(fault_vfs_calls(database.file) > 0)
            #expect(fault_vfs_disarm(database.file) > 0)
        }
        let reopened = try database.connect()
        #expect(try reopened.integrityCheck() == [])
        #expect(try count(in: reopened) == 50)
        let checkpoint = try reopened.checkpoint(.truncate)
        #expect(checkpoint.isComplete)
        #expect(checkpoint.walFrames == 0 && checkpoint.checkpointedFrames == 0, "the log is empty")
    }
}
