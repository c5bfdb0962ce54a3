import Dispatch
import Glibc
import ProfileTesting
import SQLiteAccess
import Testing
import Watchdog

@Suite(.watched) struct WriteLockTests {
    private let database: TemporaryDatabase

    init() throws { database = try TemporaryDatabase() }

    @Test func `who gives the lock back and wants it again stands behind who waits`() throws {
        let path = database.path
        for _ in 0..<20 {
            let lock = try WriteLock(path)
            try lock.acquire(as: "first")
            let turns = Counter()
            let done = DispatchSemaphore(value: 0)
            // A thread of its own: those of the global queues may all be busy with other tests.
            DispatchQueue(label: "second").async {
                defer { done.signal() }
                let waiting = error { () throws(SQLiteError) in
                    let other = try WriteLock(path)
                    try other.acquire(as: "second")
                    turns.add(1)
                    other.release()
                }
                #expect(waiting == nil)
            }
            while !isWaitedFor(database.lockFile) { sched_yield() }
            lock.release()
            try lock.acquire(as: "first")
            #expect(turns.value == 1)
            lock.release()
            done.wait()
        }
    }

    @Test func `the file stays, 0600, and no other program's words reach a terminal raw`() throws {
        try SmallFile.write(Array("12 \u{1b}[31mevil\u{7f}\nmore".utf8), to: database.lockFile)
        chmod(database.lockFile, 0o666)
        #expect(WriteLock.holder(database.path)?.processID == 12)
        #expect(WriteLock.holder(database.path)?.command == "?[31mevil?")
        do {
            let lock = try WriteLock(database.path)
            #expect(SmallFile.mode(of: database.lockFile) == 0o600)
            try lock.acquire(as: String(repeating: "ä", count: 1_000))
            #expect(WriteLock.holder(database.path)?.command == String(repeating: "?", count: 100))
        }
        #expect(database.names() == ["test.db-lock"])
        for words in ["", "x", "99999999999999 x", "\n", "-"] {
            try SmallFile.write(Array(words.utf8), to: database.lockFile)
            #expect(WriteLock.holder(database.path) == nil, "\(words)")
        }
        unlink(database.lockFile)
        #expect(WriteLock.holder(database.path) == nil)
    }

    /// Whether the kernel lists somebody who waits for a `flock` on the file.
    private func isWaitedFor(_ file: String) -> Bool {
        var information = stat()
        guard stat(file, &information) == 0 else { return false }
        return (SmallFile.text(of: "/proc/locks") ?? "").split(separator: "\n").contains {
            $0.contains("-> FLOCK") && $0.contains(":\(information.st_ino) ")
        }
    }
}
