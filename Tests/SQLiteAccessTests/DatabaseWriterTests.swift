import Platform
import ProfileTesting
import SQLiteAccess
import Testing
import Watchdog

@Suite(.watched) struct DatabaseWriterTests {
    private let database: TemporaryDatabase

    init() throws { database = try TemporaryDatabase() }

    private func makeWriter(_ command: String = "test") -> DatabaseWriter {
        DatabaseWriter(database.path, command: command) { [database] _ in try database.connect() }
    }

    /// Inserts `name` in a transaction of its own.
    private func add(
        _ name: String, by writer: DatabaseWriter, within limit: Duration = .seconds(60)
    ) async throws {
        try await writer.write(waitingAtMost: limit) { connection in
            try connection.writeTransaction { try insert(name, into: connection) }
        }
    }

    private func names() throws -> [String] {
        let reader = try Connection(database.path, mode: .readOnly)
        var statement = try reader.prepare("SELECT name FROM t ORDER BY id")
        var names: [String] = []
        while try statement.step() { names += [statement.string(at: 0) ?? ""] }
        return names
    }

    @Test func `a job writes, and its result comes back`() async throws {
        let writer = makeWriter()
        let changes = try await writer.write(waitingAtMost: .seconds(60)) { connection in
            try insert("a", into: connection)
            return connection.changes
        }
        #expect(changes == 1)
        #expect(try names() == ["a"])
        await writer.close()
    }

    @Test func `jobs of many tasks all run, one at a time`() async throws {
        let writer = makeWriter()
        let running = Counter()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask {
                    try await writer.write(waitingAtMost: .seconds(60)) { connection in
                        #expect(running.add(1) == 1)
                        try insert("\(number)", into: connection)
                        running.add(-1)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try names().count == 100)
        await writer.close()
    }

    @Test func `the lock names its holder while a job runs, and no holder afterwards`() async throws {
        let writer = makeWriter("profiles\nimport \u{1b}[2J")
        let path = database.path
        let holder = try await writer.write(waitingAtMost: .seconds(60)) { _ in
            WriteLock.holder(path)
        }
        #expect(holder?.processID == getpid())
        #expect(holder?.command == "profiles?import ?[2J")
        #expect(WriteLock.holder(path) == nil)
        #expect(SmallFile.mode(of: database.lockFile) == 0o600)
        await writer.close()
    }

    @Test func `a job that waits past its deadline fails with the holder's name, and never runs`() async throws {
        let writer = makeWriter()
        try await add("before", by: writer)
        let holder = try ForeignHolder(of: database.lockFile, calling: "foreign import")
        do {
            try await add("abandoned", by: writer, within: .milliseconds(60))
            Issue.record("it wrote without the lock")
        } catch WriteRefusal.busy(let named, let waited) {
            #expect(named?.command == "foreign import")
            #expect(named.map { $0.processID != getpid() && $0.processID > 0 } == true)
            #expect(waited >= .milliseconds(60))
        } catch {
            Issue.record(error)
        }
        holder.release()
        try await add("after", by: writer)
        #expect(try names() == ["before", "after"])
        await writer.close()
    }

    @Test func `each job stops waiting at its own deadline, and a job that still waits gets the lock`() async throws {
        let writer = makeWriter()
        let holder = try ForeignHolder(of: database.lockFile, calling: "foreign")
        async let patient: Void = add("patient", by: writer)
        for limit in [200, 60, 120] {
            await #expect(throws: WriteRefusal.self) {
                try await add("impatient \(limit)", by: writer, within: .milliseconds(limit))
            }
        }
        holder.release()
        try await patient
        #expect(try names() == ["patient"])
        await writer.close()
    }

    @Test func `the job of a task that is cancelled while it waits never runs`() async throws {
        let writer = makeWriter()
        let holder = try ForeignHolder(of: database.lockFile, calling: "foreign")
        let task = Task { try await add("cancelled", by: writer) }
        task.cancel()
        await #expect(throws: WriteRefusal.cancelled) { try await task.value }
        holder.release()
        try await add("after", by: writer)
        #expect(try names() == ["after"])
        await writer.close()
    }

    @Test func `a job that has begun is not cancelled`() async throws {
        let writer = makeWriter()
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let path = database.path
        let task = Task {
            try await writer.write(waitingAtMost: .seconds(60)) { connection in
                begin.finish()
                try insert("kept", into: connection)
                return WriteLock.holder(path)?.processID
            }
        }
        for await _ in begun {}
        task.cancel()
        #expect(try await task.value == getpid())
        #expect(try names() == ["kept"])
        await writer.close()
    }

    @Test func `two writers take turns at one database and lose nothing`() async throws {
        let writers = [makeWriter("one"), makeWriter("two"), makeWriter("three")]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, writer) in writers.enumerated() {
                group.addTask {
                    for number in 0..<60 { try await add("\(index) \(number)", by: writer) }
                    await writer.close()
                }
            }
            try await group.waitForAll()
        }
        #expect(try names().count == 180)
        #expect(size(of: database.file + "-wal") == 0)
    }

    @Test func `closing empties the log, so that the database file alone is complete`() async throws {
        let writer = makeWriter()
        try await add("a", by: writer)
        #expect((size(of: database.file + "-wal") ?? 0) > 0)
        await writer.close()
        #expect(size(of: database.file + "-wal") == 0)
        let alone = try Connection(database.path, mode: .inspection)
        #expect(try count(in: alone) == 1)
        await writer.close()
        await #expect(throws: WriteRefusal.closed) { try await add("b", by: writer) }
    }

    @Test func `closing a writer that never wrote does not wait for the lock`() async throws {
        let holder = try ForeignHolder(of: database.lockFile, calling: "foreign")
        await makeWriter().close()
        holder.release()
        #expect(database.names() == ["test.db-lock"])
    }

    /// If closing waited, the test would hang, because the holder releases the lock afterwards.
    @Test(arguments: [false, true])
    func `closing does not checkpoint the log while another process holds the lock`(afterRefusal: Bool) async throws {
        let writer = makeWriter()
        try await add("a", by: writer)
        let holder = try ForeignHolder(of: database.lockFile, calling: "foreign")
        if afterRefusal {
            await #expect(throws: WriteRefusal.self) { try await add("b", by: writer, within: .milliseconds(60)) }
        }
        await writer.close()
        await #expect(throws: WriteRefusal.closed) { try await add("c", by: writer) }
        #expect((size(of: database.file + "-wal") ?? 0) > 0)
        holder.release()
        #expect(try names() == ["a"])
    }

    @Test(arguments: [false, true])
    func `closing returns after the last waiting job has timed out or was cancelled`(isCancelled: Bool) async throws {
        let writer = makeWriter()
        try await add("a", by: writer)
        let holder = try ForeignHolder(of: database.lockFile, calling: "foreign")
        let limit = isCancelled ? Duration.seconds(60) : .milliseconds(300)
        let task = Task { try await add("b", by: writer, within: limit) }
        try await waitUntil { isWaitedFor(database.lockFile) }
        async let closing: Void = writer.close()
        if isCancelled { task.cancel() }
        await #expect(throws: WriteRefusal.self) { try await task.value }
        await closing
        holder.release()
        #expect(try names() == ["a"])
    }

    @Test func `a writer that is dropped without closing gives the lock back`() async throws {
        try await add("a", by: makeWriter())
        let other = makeWriter()
        try await add("b", by: other)
        #expect(try names() == ["a", "b"])
        await other.close()
    }

    @Test func `a transaction that a job leaves open is rolled back`() async throws {
        let writer = makeWriter()
        try await writer.write(waitingAtMost: .seconds(60)) { connection in
            try connection.execute("BEGIN IMMEDIATE")
            try insert("lost", into: connection)
        }
        try await add("kept", by: writer)
        #expect(try names() == ["kept"])
        await writer.close()
    }

    /// An error of the closure that opens the database.
    private struct NoDatabase: Error, Equatable {}

    @Test func `if opening the database fails, the job fails, and the next job opens it again`() async throws {
        let attempts = Counter()
        let writer = DatabaseWriter(database.path, command: "test") { [database] _ in
            if attempts.add(1) == 1 { throw NoDatabase() }
            return try database.connect()
        }
        await #expect(throws: NoDatabase()) { try await add("a", by: writer) }
        try await add("b", by: writer)
        try await add("c", by: writer)
        #expect(attempts.value == 2)
        #expect(try names() == ["b", "c"])
        await writer.close()
    }

    @Test func `a lock file that cannot be opened fails the job`() async throws {
        symlink("/dev/null", database.lockFile)
        let error = await #expect(throws: SQLiteError.self) { try await add("a", by: makeWriter()) }
        #expect(error?.code == .cantOpen)
    }

    @Test func `a job that finds a long log checkpoints it`() async throws {
        let writer = makeWriter()
        let frames = try await writer.write(waitingAtMost: .seconds(60)) { connection in
            try connection.execute("CREATE TABLE big (content BLOB); INSERT INTO big VALUES (zeroblob(4000))")
            for _ in 0..<15 { try connection.execute("INSERT INTO big SELECT content FROM big") }
            return connection.walFrames
        }
        #expect(frames > 16_000)
        #expect(size(of: database.file + "-wal") == 0)
        await writer.close()
    }

    // MARK: Bounds

    @Test func `the busy timeout of SQLite is the rest of the caller's time`() async throws {
        let writer = makeWriter()
        func timeouts(_ limit: Duration) async throws -> [Int] {
            try await writer.write(waitingAtMost: limit) { connection in
                var timeouts: [Int] = []
                for _ in 0..<2 {
                    try connection.writeTransaction {
                        timeouts.append(try connection.settings().busyTimeout)
                    }
                    usleep(2_000)
                }
                return timeouts
            }
        }
        let long = try await timeouts(.seconds(600))
        #expect(long.allSatisfy { $0 > 10_000 && $0 <= 600_000 } && long[1] < long[0], "\(long)")
        let short = try await timeouts(.milliseconds(400))
        #expect(short.allSatisfy { $0 >= 0 && $0 <= 400 } && short[1] < short[0] || short == [0, 0], "\(short)")
        #expect(try await timeouts(.seconds(Int64.max)) == [Int(Int32.max), Int(Int32.max)])
        await writer.close()
    }

    @Test func `the number of waiting jobs is limited, and the next job is refused at once`() async throws {
        let writer = makeWriter()
        let holder = try ForeignHolder(of: database.lockFile, calling: "foreign")
        let refused = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<10_050 {
                group.addTask {
                    do { try await add("\(number)", by: writer) } catch {
                        let refusal = error as? WriteRefusal
                        #expect(refusal == .tooManyWaiting || refusal == .cancelled)
                        return refusal == .tooManyWaiting
                    }
                    return false
                }
            }
            // 50 jobs are refused while the lock is held.
            var refused = 0
            while refused < 50, try await group.next() == true { refused += 1 }
            group.cancelAll()
            while let next = try await group.next() { #expect(!next) }
            return refused
        }
        #expect(refused == 50)
        holder.release()
        try await add("after", by: writer)
        #expect(try names() == ["after"])
        await writer.close()
    }
}
