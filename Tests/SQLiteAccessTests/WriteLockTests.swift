import Dispatch
import Platform
import ProfileTesting
import SQLiteAccess
import Testing
import Watchdog

@Suite(.watched) struct WriteLockTests {
    private let database: TemporaryDatabase

    init() throws { database = try TemporaryDatabase() }

    @Test func `a holder that releases the lock and wants it again waits behind the waiting thread`() throws {
        let path = database.path
        for _ in 0..<20 {
            var lock = try WriteLock(path)
            try lock.acquire(as: "first")
            let turns = Counter()
            let done = DispatchSemaphore(value: 0)
            // A thread of its own: those of the global queues may all be busy with other tests.
            DispatchQueue(label: "second").async {
                defer { done.signal() }
                let waiting = error {
                    var other = try WriteLock(path)
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

    @Test func `the lock file stays with mode 0600, and control characters in it are replaced`() throws {
        try SmallFile.write(Array("12 \u{1b}[31mevil\u{7f}\u{1f}\nmore".utf8), to: database.lockFile)
        chmod(database.lockFile, 0o666)
        #expect(WriteLock.holder(database.path)?.processID == 12)
        #expect(WriteLock.holder(database.path)?.command == "?[31mevil??")
        do {
            var lock = try WriteLock(database.path)
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

    @Test func `a thread that waited for a removed lock file takes the lock of the new file`() throws {
        let path = database.path
        var old = try WriteLock(path)
        try old.acquire(as: "old")
        let turns = Counter()
        let done = DispatchSemaphore(value: 0)
        DispatchQueue(label: "waiting").async {
            defer { done.signal() }
            let waiting = error {
                var other = try WriteLock(path)
                try other.acquire(as: "waiting")
                turns.add(1)
                other.release()
            }
            #expect(waiting == nil)
        }
        while !isWaitedFor(database.lockFile) { sched_yield() }
        unlink(path.lock)
        var new = try WriteLock(path)
        try new.acquire(as: "new")
        // Now the waiter gets the lock of a file that no longer has a name.
        old.release()
        while !isWaitedFor(database.lockFile), turns.value == 0 { sched_yield() }
        #expect(turns.value == 0)
        #expect(WriteLock.holder(path)?.command == "new")
        new.release()
        done.wait()
        #expect(turns.value == 1)
    }

    @Test func `a free lock is taken at once, and a held lock is not waited for`() throws {
        var first = try WriteLock(database.path)
        var second = try WriteLock(database.path)
        var taken = first.acquireIfFree(as: "first")
        #expect(taken)
        taken = second.acquireIfFree(as: "second")
        #expect(!taken)
        #expect(WriteLock.holder(database.path)?.command == "first")
        first.release()
        taken = second.acquireIfFree(as: "second")
        #expect(taken)
        second.release()
        unlink(database.lockFile)
        taken = second.acquireIfFree(as: "second")
        #expect(!taken, "others see another file, or none")
    }
}
