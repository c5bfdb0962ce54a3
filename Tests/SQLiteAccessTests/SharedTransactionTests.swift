import Dispatch
import FaultVFS
import Platform
import ProfileTesting
import SQLiteAccess
import Testing
import Watchdog

/// Jobs of one process that share a commit.
@Suite(.watched) struct SharedTransactionTests {
    private typealias Body = @Sendable (borrowing Connection) throws -> Int64

    private struct Refusal: Error, Equatable {}

    private let database: TemporaryDatabase

    init() throws {
        #expect(fault_vfs_register() == 0)
        database = try TemporaryDatabase()
        // The database is created here, so that no test counts the syncs of its creation.
        _ = try database.connect()
    }

    private func makeWriter(
        _ sharing: SharingLimit = SharingLimit(jobs: 64, time: .seconds(600))
    ) -> DatabaseWriter {
        DatabaseWriter(database.path, command: "test", sharing: sharing) { [database] _ in
            try database.connect(vfs: "fault")
        }
    }

    /// A writer that has written and counts its syncs.
    private func makeCountedWriter(
        _ sharing: SharingLimit = SharingLimit(jobs: 64, time: .seconds(600))
    ) async throws -> DatabaseWriter {
        let writer = makeWriter(sharing)
        // The first commit begins the log.
        _ = try await writer.writeTransaction(waitingAtMost: .seconds(600), adding("first"))
        fault_vfs_arm(database.file, FAULT_VFS_SYNC, .max, 0)
        return writer
    }

    /// The number of syncs since `makeCountedWriter`.
    private func syncs() -> Int64 {
        let count = fault_vfs_calls(database.file)
        fault_vfs_disarm(database.file)
        return count
    }

    /// Inserts a name, and returns the number of names.
    private func adding(_ name: String) -> Body {
        { connection in
            try insert(name, into: connection)
            return try count(in: connection)
        }
    }

    /// Causes an error after which SQLite rolls back the whole transaction.
    private func undoingAll() -> Body {
        { connection in
            try connection.run("INSERT OR ROLLBACK INTO t (name) VALUES ('first')")
            return 0
        }
    }

    /// Makes the jobs wait for the lock in this order, and then releases the lock.
    private func together(
        _ writer: DatabaseWriter, _ bodies: [Body], meanwhile: ([Task<Int64, any Error>]) async -> Void = { _ in }
    ) async throws -> [Result<Int64, any Error>] {
        var lock = try WriteLock(database.path)
        try lock.acquire(as: "test")
        // Each is in the queue before the next one begins.
        let tasks = bodies.map { body in
            Task.immediate { try await writer.writeTransaction(waitingAtMost: .seconds(600), body) }
        }
        await meanwhile(tasks)
        lock.release()
        var outcomes: [Result<Int64, any Error>] = []
        for task in tasks { outcomes.append(await task.result) }
        return outcomes
    }

    /// The names in the order of their insertion, as another connection reads them.
    private func names() throws -> [String] {
        let reader = try database.connect()
        var statement = try reader.prepare("SELECT name FROM t WHERE name <> 'first' ORDER BY id")
        var names: [String] = []
        while try statement.step() { names.append(statement.string(at: 0) ?? "") }
        return names
    }

    private func failure(_ outcome: Result<Int64, any Error>) -> (any Error)? {
        do {
            _ = try outcome.get()
            return nil
        } catch {
            return error
        }
    }

    private func code(_ outcome: Result<Int64, any Error>) -> ResultCode? {
        (failure(outcome) as? SQLiteError)?.code
    }

    // MARK: Sharing

    @Test func `H9: jobs that wait at the same time share one commit, in the order in which they came`() async throws {
        let writer = try await makeCountedWriter()
        let expected = (0..<10).map { "job \($0)" }
        let outcomes = try await together(writer, expected.map { adding($0) })
        #expect(try outcomes.map { try $0.get() } == Array(2...11))
        #expect(syncs() == 1)
        #expect(try names() == expected)
        await writer.close()
    }

    @Test func `H9: a job that arrives while the first job runs shares its commit`() async throws {
        let writer = try await makeCountedWriter()
        let begun = DispatchSemaphore(value: 0)
        let goesOn = DispatchSemaphore(value: 0)
        let first = Task {
            try await writer.writeTransaction(waitingAtMost: .seconds(600)) { connection in
                begun.signal()
                goesOn.wait()
                try insert("a", into: connection)
            }
        }
        await Task.detached { Self.wait(for: begun) }.value
        let second = Task.immediate { [self] in
            try await writer.writeTransaction(waitingAtMost: .seconds(600), adding("b"))
        }
        goesOn.signal()
        try await first.value
        #expect(try await second.value == 3)
        #expect(syncs() == 1)
        #expect(try names() == ["a", "b"])
        await writer.close()
    }

    private static func wait(for semaphore: DispatchSemaphore) { semaphore.wait() }

    @Test func `H9: a job without other waiting jobs has its own commit and sync, and no savepoint`() async throws {
        let writer = try await makeCountedWriter()
        for number in 0..<5 {
            _ = try await writer.writeTransaction(waitingAtMost: .seconds(600), adding("\(number)"))
        }
        #expect(syncs() == 5)
        try await writer.writeTransaction(waitingAtMost: .seconds(600)) { connection in
            #expect(error { try connection.run("RELEASE inner") } != nil)
        }
        await writer.close()
    }

    @Test(arguments: [(3, 600, 3), (1, 600, 7), (64, 0, 7)])
    func `a shared commit is limited in jobs and in time`(jobs: Int, seconds: Int, commits: Int64) async throws {
        let writer = try await makeCountedWriter(SharingLimit(jobs: jobs, time: .seconds(seconds)))
        let outcomes = try await together(writer, (0..<7).map { adding("\($0)") })
        #expect(try outcomes.map { try $0.get() } == Array(2...8))
        #expect(syncs() == commits)
        await writer.close()
    }

    @Test func `a job with its own transactions keeps its place in the queue, and shares no commit`() async throws {
        let writer = try await makeCountedWriter()
        var lock = try WriteLock(database.path)
        try lock.acquire(as: "test")
        func shared(_ name: String) -> Task<Int64, any Error> {
            let body = adding(name)
            return Task.immediate { try await writer.writeTransaction(waitingAtMost: .seconds(600), body) }
        }
        let before = [shared("a"), shared("b")]
        let alone = Task.immediate {
            try await writer.write(waitingAtMost: .seconds(600)) { connection in
                #expect(connection.isAutocommit == true)
                try insert("c", into: connection)
            }
        }
        let after = [shared("d"), shared("e")]
        lock.release()
        for task in before + after { _ = try await task.value }
        try await alone.value
        #expect(syncs() == 3)
        #expect(try names() == ["a", "b", "c", "d", "e"])
        await writer.close()
    }

    @Test func `a job that stops waiting before a shared commit writes nothing`() async throws {
        let writer = try await makeCountedWriter()
        let impatient = adding("impatient")
        let outcomes = try await together(writer, (0..<5).map { adding("\($0)") }) { tasks in
            tasks[0].cancel()
            tasks[3].cancel()
            await #expect(throws: WriteRefusal.self) {
                try await writer.writeTransaction(waitingAtMost: .milliseconds(60), impatient)
            }
        }
        #expect(outcomes.map { failure($0) as? WriteRefusal } == [.cancelled, nil, nil, .cancelled, nil])
        #expect(syncs() == 1)
        #expect(try names() == ["1", "2", "4"])
        await writer.close()
    }

    // MARK: Failing

    @Test(arguments: 0..<4) func `H9: a job that fails is undone alone, wherever it stands`(place: Int) async throws {
        let writer = try await makeCountedWriter()
        var bodies = ["a", "b", "c"].map { adding($0) }
        bodies.insert(
            { connection in
                try insert("undone", into: connection)
                try connection.run("DELETE FROM t WHERE name = 'first'")
                throw Refusal()
            }, at: place)
        let outcomes = try await together(writer, bodies)
        #expect(outcomes.map { failure($0) as? Refusal } == (0..<4).map { $0 == place ? Refusal() : nil })
        #expect(syncs() == 1)
        #expect(try names() == ["a", "b", "c"])
        #expect(try count(in: database.connect()) == 4)
        await writer.close()
    }

    @Test func `E2, H9: only one of the jobs that insert the same name succeeds, and the others fail`() async throws {
        let writer = try await makeCountedWriter()
        let outcomes = try await together(writer, ["a", "b", "a", "first", "c", "b"].map { adding($0) })
        #expect(outcomes.map(code) == [nil, nil, .constraintUnique, .constraintUnique, nil, .constraintUnique])
        #expect(syncs() == 1)
        #expect(try names() == ["a", "b", "c"])
        await writer.close()
    }

    @Test(arguments: 0..<3)
    func `H9: if one job makes SQLite roll back the whole transaction, the others run again`(place: Int) async throws {
        let writer = try await makeCountedWriter()
        var bodies = ["a", "b"].map { adding($0) }
        bodies.insert(undoingAll(), at: place)
        let outcomes = try await together(writer, bodies)
        #expect(outcomes.map(code) == (0..<3).map { $0 == place ? .constraintUnique : nil })
        #expect(try names() == ["a", "b"])
        await writer.close()
    }

    @Test(arguments: 0..<3)
    func `a job that hides a rollback of the whole transaction fails, and the other jobs succeed`(place: Int)
        async throws
    {
        let writer = try await makeCountedWriter()
        var bodies = ["a", "b"].map { adding($0) }
        let undoing = undoingAll()
        bodies.insert(
            { connection in
                _ = try? undoing(connection)
                return 0
            }, at: place)
        let outcomes = try await together(writer, bodies)
        #expect(outcomes.map(code) == (0..<3).map { $0 == place ? .error : nil })
        #expect(try names() == ["a", "b"])
        await writer.close()
    }

    /// Otherwise its rows would be committed with the rows of the other jobs.
    @Test func `a job that releases its savepoint and then fails is undone all the same`() async throws {
        let writer = try await makeCountedWriter()
        let outcomes = try await together(
            writer,
            [
                adding("a"),
                { connection in
                    try insert("undone", into: connection)
                    // This is the savepoint in which the job runs.
                    try? connection.run("RELEASE inner")
                    throw Refusal()
                },
                adding("b"),
            ])
        #expect(throws: Refusal.self) { try outcomes[1].get() }
        #expect(try outcomes[0].get() == 2)
        #expect(try outcomes[2].get() == 3)
        #expect(try names() == ["a", "b"])
        await writer.close()
    }

    @Test func `E2, H9: if a shared commit fails, each of its jobs runs again alone`() async throws {
        let writer = try await makeCountedWriter()
        fault_vfs_arm(database.file, FAULT_VFS_SYNC, 0, 1)
        let outcomes = try await together(writer, ["a", "b", "a", "c"].map { adding($0) })
        #expect(outcomes.map(code) == [nil, nil, .constraintUnique, nil])
        // The failed sync of the shared commit, and one sync for each of the three jobs that succeed.
        #expect(syncs() == 4)
        #expect(try names() == ["a", "b", "c"])
        await writer.close()
    }

    @Test func `E2, H9: no job succeeds if its rows could not be synced`() async throws {
        let writer = try await makeCountedWriter()
        fault_vfs_arm(database.file, FAULT_VFS_SYNC, 0, -1)
        let outcomes = try await together(writer, ["a", "b", "c"].map { adding($0) })
        #expect(outcomes.map(code) == [.ioErrorFsync, .ioErrorFsync, .ioErrorFsync])
        fault_vfs_disarm(database.file)
        _ = try await writer.writeTransaction(waitingAtMost: .seconds(600), adding("d"))
        #expect(try names() == ["d"])
        await writer.close()
    }

    @Test func `if the file was moved, every job of the shared commit gets that error`() async throws {
        let writer = try await makeCountedWriter()
        fault_vfs_disarm(database.file)
        let folder = database.directory
        let moving: Body = { _ in
            rename("\(folder)/test.db", "\(folder)/moved.db")
            return 0
        }
        let outcomes = try await together(writer, [adding("a"), moving, adding("b")])
        let problems = outcomes.map { (failure($0) as? SQLiteError)?.fileProblem }
        #expect(problems == Array(repeating: .displaced(database.file), count: 3))
        await writer.close()
    }

    /// Fails the first call of a shared commit, then the second call, and so on, until no call fails. Either only this
    /// call fails, or all later calls fail, too.
    @Test(arguments: [FAULT_VFS_WRITE, FAULT_VFS_SYNC, FAULT_VFS_FULL], [1, -1])
    func `E2, H9: whichever call fails, each job succeeds only if its own rows were committed`(
        kind: fault_vfs_kind, times: Int64
    ) async throws {
        // While another connection has the database open, SQLite does not recover what a failed commit left in the log.
        let anchor = try database.connect()
        defer { _ = anchor.walFrames }
        var expected: [String] = []
        for allowed in 0..<400 {
            let writer = makeWriter()
            _ = try await writer.writeTransaction(waitingAtMost: .seconds(600)) { connection in
                // The cache is so small that pages go to the log before the commit. So a statement already meets the
                // full disk.
                try connection.setCache(kibibytes: 1)
            }
            fault_vfs_arm(database.file, kind, Int64(allowed), times)
            let added = ["a", "b", "c"].map { "\(allowed)\($0)" }
            let outcomes = try await together(
                writer,
                added.map { name in
                    { connection in
                        for part in 1...2 {
                            try insert("\(name)\(part) " + String(repeating: "x", count: 3_000), into: connection)
                        }
                        return 0
                    }
                })
            let injected = fault_vfs_disarm(database.file)
            for (name, outcome) in zip(added, outcomes) {
                if failure(outcome) == nil { expected += (1...2).map { "\(name)\($0)" } }
            }
            #expect(try names().map { $0.prefix { $0 != " " } } == expected.map { $0[...] }, "\(allowed)")
            await writer.close()
            if injected == 0 {
                #expect(allowed > 0)
                #expect(try anchor.integrityCheck() == [])
                return
            }
        }
        Issue.record("it never went through")
    }

    // MARK: Against a model

    /// What a job of the property test does.
    private enum Step: Sendable {
        case add(String)
        case remove(String)

        /// Applies the step to the names, and returns whether that was possible.
        func apply(to names: inout Set<String>) -> Bool {
            switch self {
            case .add(let name): names.insert(name).inserted
            case .remove(let name): names.remove(name) != nil
            }
        }
    }

    /// A step was not possible. `place` is the number that the step would have had.
    private struct Inapplicable: Error { let place: Int64 }

    /// Performs a step, and counts it. The step first inserts a trace, which must be rolled back if the step fails.
    private static func body(of step: Step, marked mark: String) -> Body {
        { connection in
            try insert("trace \(mark)", into: connection)
            try connection.run("UPDATE steps SET count = count + 1")
            var statement = try connection.prepare("SELECT count FROM steps")
            _ = try statement.step()
            let place = statement.integer(at: 0)
            switch step {
            case .add(let name):
                do throws(SQLiteError) {
                    try insert(name, into: connection)
                } catch {
                    guard error.code == .constraintUnique else { throw error }
                    throw Inapplicable(place: place)
                }
            case .remove(let name):
                var deletion = try connection.prepare("DELETE FROM t WHERE name = ?1")
                try deletion.bind(name, at: 1)
                try deletion.run()
                guard connection.changes == 1 else { throw Inapplicable(place: place) }
            }
            try connection.run("DELETE FROM t WHERE name LIKE 'trace %'")
            return place
        }
    }

    @Test(arguments: [false, true])
    func `E2, H9: concurrent jobs have the same effect as jobs one after another`(meetsFaults: Bool) async throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SeededGenerator(seed: seed)
        let anchor = try database.connect()
        defer { _ = anchor.walFrames }
        try anchor.execute("CREATE TABLE steps (count INTEGER NOT NULL) STRICT; INSERT INTO steps VALUES (0)")
        var names: Set<String> = []
        var done: Int64 = 0
        for round in 0..<30 {
            let writer = makeWriter(SharingLimit(jobs: Int.random(in: 1...12, using: &random), time: .seconds(600)))
            _ = try await writer.writeTransaction(waitingAtMost: .seconds(600)) { try count(in: $0) }
            let steps: [Step] = (0..<40).map { _ in
                let name = String("abcdefgh".randomElement(using: &random) ?? "a")
                return Bool.random(using: &random) ? .add(name) : .remove(name)
            }
            if meetsFaults {
                fault_vfs_arm(
                    database.file, Bool.random(using: &random) ? FAULT_VFS_SYNC : FAULT_VFS_WRITE,
                    .random(in: 0..<20, using: &random), .random(in: 1...6, using: &random))
            }
            let outcomes = await withTaskGroup(of: (Step, Result<Int64, any Error>).self) { group in
                for (index, step) in steps.enumerated() {
                    let body = Self.body(of: step, marked: "\(index)")
                    group.addTask {
                        do {
                            let place = try await writer.writeTransaction(waitingAtMost: .seconds(600), body)
                            return (step, .success(place))
                        } catch {
                            return (step, .failure(error))
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            fault_vfs_disarm(database.file)
            await writer.close()

            var applied: [Int64: Step] = [:]
            var refused: [(Step, Int64)] = []
            for (step, outcome) in outcomes {
                switch outcome {
                case .success(let place): #expect(applied.updateValue(step, forKey: place) == nil)
                case .failure(let error as Inapplicable): refused.append((step, error.place))
                case .failure(let error): #expect(meetsFaults && error is SQLiteError, "\(error)")
                }
            }
            let last = done + Int64(applied.count)
            #expect(applied.keys.sorted() == Array(done + 1..<last + 1), "seed \(seed), round \(round)")
            for place in done + 1..<last + 2 {
                for (step, _) in refused.filter({ $0.1 == place }) {
                    var others = names
                    #expect(!step.apply(to: &others), "seed \(seed), round \(round): \(step)")
                }
                if let step = applied[place] {
                    #expect(step.apply(to: &names), "seed \(seed), round \(round): \(step)")
                }
            }
            done = last
            #expect(try self.names().sorted() == names.sorted(), "seed \(seed), round \(round)")
        }
        #expect(done > 0)
        #expect(try anchor.integrityCheck() == [])
    }
}
