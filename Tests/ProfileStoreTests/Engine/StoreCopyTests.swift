import ProfileCore
@testable import ProfileStore
import ProfileTesting
import ProfileTransfer
import StoreFixtures
import Testing
import Watchdog

/// A store moves from one engine to another, and back.
@Suite(.watched(for: .seconds(600))) struct StoreCopyTests {
    /// A store after random verbs of all kinds.
    private struct Used {
        let store: TemporaryStore
        let repository: ProfileRepository
        var verbs: RandomVerbs

        init(_ seed: UInt64, steps: Int = 150) async throws {
            verbs = RandomVerbs(SeededGenerator(seed: seed))
            store = try TemporaryStore()
            let mostChanges = verbs.mostChanges
            repository = try await store.open(
                store.options {
                    $0.initialSchema = RandomVerbs.schemas[0]
                    $0.hashingThreads = 1
                    $0.mostChanges = mostChanges
                })
            for _ in 0..<steps {
                _ = await verbs.next(at: store.clock.timestamp).outcome(on: repository)
                store.clock.advance(by: .milliseconds(verbs.pause()))
            }
        }

        func options(_ change: (inout ProfileRepository.Options) -> Void = { _ in }) -> ProfileRepository.Options {
            store.options {
                $0.initialSchema = RandomVerbs.schemas[0]
                $0.hashingThreads = 1
                $0.opensUnfinishedCopy = true
                change(&$0)
            }
        }
    }

    @Test func `the heads of two stores are equal only if the next ids are equal too`() async throws {
        let store = try TemporaryStore()
        let repository = try await store.open(store.options())
        let before = try await repository.engine.head()
        try await repository.register("abel")
        let after = try await repository.engine.head()
        #expect(before == before && before != after)
        await repository.close()
    }

    private func register(_ username: String, _ repository: ProfileRepository) async throws {
        try await repository.refreshSchema()
        let draft = ProfileDraft(["username": username])
        _ = try await repository.register(repository.validator.validate(draft, on: repository.today))
    }

    /// Describes everything that a copy contains.
    private func everything(_ repository: ProfileRepository) async throws -> String {
        let head = try await repository.engine.head()
        var scan = StoreScan(fields: head.fields, mostRows: .max, mostBytes: .max)
        scan.includesRecords = true
        let rows = try await repository.engine.scan(scan)
        let profiles = rows.rows.enumerated().map { index, row in
            let record = row.record.map { record in
                let password = record.password.map { "\(String($0.hash.bytes)) \($0.schemaVersion) \($0.isJudged)" }
                let passcode = record.passcodeHash.map { String($0.bytes) }
                return "\(record.revision) \(record.createdAt) \(record.updatedAt) \(record.schemaVersion) "
                    + "\(record.issues ?? "-") \(password ?? "-") \(passcode ?? "-")"
            }
            let values = head.fields.indices.map {
                rows.isAbsent(index, $0) ? "absent" : String(rows.cell(index, $0))
            }
            return "\(row.id) \(record ?? "no record") \(values)"
        }
        let schemas = head.schemas.map { "\($0.version) \($0.fingerprint) \($0.adoptedAt)" }
        return (profiles + schemas).joined(separator: "\n")
            + "\n\(head.tokens) \(head.nextProfileID)"
    }

    @Test func `a copy of a random store holds the same, on another engine and back`() async throws {
        let seeds = SeededGenerator(printingSeedOf: "copies of stores")
        for round in 0..<rounds(6) {
            var used = try await Used(seeds.seed &+ UInt64(round))
            let other = try TemporaryStore(engine: .memory)
            let middle = try await other.open(used.options())
            let first = try await StoreCopy(from: used.repository, to: middle).run()
            let back = try TemporaryStore()
            let last = try await back.open(used.options())
            let second = try await StoreCopy(from: middle, to: last).run()
            #expect(first.digest == second.digest)
            let expected = try await everything(used.repository)
            #expect(try await everything(middle) == expected)
            #expect(try await everything(last) == expected)
            let judged = try await used.repository.engine.loginRules().haveJudgedPasswords
            #expect(try await last.engine.loginRules().haveJudgedPasswords == judged)
            #expect(try await last.isSound())
            // The copy starts with an empty log and without sessions, and accepts further verbs.
            #expect(try await last.changes.latestNumber == 0)
            let dawn = Timestamp(millisecondsSince1970: 0)
            #expect(try await last.engine.tokens(.sessions(of: nil, after: nil, limit: 1, at: dawn)).isEmpty)
            for _ in 0..<40 {
                // The outcome does not matter, as long as the store stays sound.
                _ = await used.verbs.next(at: used.store.clock.timestamp).outcome(on: last)
            }
            #expect(try await last.isSound())
            for repository in [used.repository, middle, last] { await repository.close() }
        }
    }

    @Test func `an interrupted copy cannot be opened as a store, and can be continued`() async throws {
        let used = try await Used(7)
        let names = (0..<9).map { "person\($0)" }
        for name in names { try await register(name, used.repository) }
        let back = try TemporaryStore()
        let copy = try await back.open(used.options())
        let head = try await used.repository.engine.head()
        try await copy.engine.beginCopy(of: head, restarting: false)
        var scan = StoreScan(fields: head.fields, mostRows: 3, mostBytes: .max)
        scan.includesRecords = true
        let some = try await used.repository.engine.scan(scan)
        try await copy.engine.place(some, of: head.fields)
        await copy.close()
        await #expect {
            // The default option is under test.
            _ = try await back.open(used.store.options { $0.initialSchema = RandomVerbs.schemas[0] })
        } throws: {
            ($0 as? ProfileStoreError)?.code == .unfinishedCopy
        }
        let again = try await back.open(used.options())
        let report = try await StoreCopy(from: used.repository, to: again).run()
        #expect(report.copied == report.digest.profiles - some.rows.count)
        await again.close()
        let opened = try await back.open(used.options { $0.opensUnfinishedCopy = false })
        #expect(try await everything(opened) == everything(used.repository))
        for repository in [used.repository, opened] { await repository.close() }
    }

    @Test func `an interrupted copy stays unfinished for longer than keys are remembered`() async throws {
        let used = try await Used(19, steps: 20)
        let back = try TemporaryStore()
        let copy = try await back.open(used.options { $0.now = { back.clock.timestamp } })
        try await copy.engine.beginCopy(of: try await used.repository.engine.head(), restarting: false)
        back.clock.advance(by: .seconds(25 * 60 * 60))
        // Both the removal of expired rows and a write with a key delete expired keys.
        try await copy.removeExpired()
        for number in 0..<2 {
            await #expect(throws: ProfileStoreError.notFound(username: "somebody")) {
                try await copy.remove("somebody", key: WriteKey("key-\(number)"))
            }
        }
        #expect(try await copy.engine.head().copyOf != nil)
        await copy.close()
        await #expect {
            _ = try await back.open(used.options { $0.opensUnfinishedCopy = false })
        } throws: {
            ($0 as? ProfileStoreError)?.code == .unfinishedCopy
        }
        let again = try await back.open(used.options())
        _ = try await StoreCopy(from: used.repository, to: again).run()
        #expect(try await again.engine.head().copyOf == nil)
        for repository in [used.repository, again] { await repository.close() }
    }

    @Test func `a copy that was broken off at any step of comparing or ending is compared again`() async throws {
        let used = try await Used(19)
        try await register("early", used.repository)
        let back = try TemporaryStore()
        let copy = try await back.open(used.options())
        // The copy is interrupted while it compares. Comparing begins with the first page of each store.
        await #expect(throws: ProfileStoreError.self) {
            try await withThrowingTaskGroup(of: StoreCopyReport.self) { group in
                group.addTask {
                    try await StoreCopy(from: used.repository, to: copy).run {
                        if case .compared = $0 { withUnsafeCurrentTask { $0?.cancel() } }
                    }
                }
                _ = try await group.next()
            }
        }
        await copy.close()
        let again = try await back.open(used.options())
        let first = try await StoreCopy(from: used.repository, to: again).run()
        #expect(first.copied == 0 || first.copied == first.digest.profiles)
        await again.close()
        // If the process is killed before it reports, the copy is complete, and the next run compares it again.
        let ended = try await back.open(used.options())
        let second = try await StoreCopy(from: used.repository, to: ended).run()
        #expect(second.copied == 0 && second.digest == first.digest)
        // A copy with later writes is a used store.
        try await register("later", ended)
        await #expect {
            _ = try await StoreCopy(from: used.repository, to: ended).run()
        } throws: {
            ($0 as? ProfileStoreError)?.code == .notUnused
        }
        for repository in [used.repository, ended] { await repository.close() }
    }

    @Test func `a write during a copy is noticed, and a restarted copy is complete`() async throws {
        let used = try await Used(12)
        try await register("early", used.repository)
        let back = try TemporaryStore()
        let copy = try await back.open(used.options())
        try await copy.engine.beginCopy(of: try await used.repository.engine.head(), restarting: false)
        let head = try await used.repository.engine.head()
        var scan = StoreScan(fields: head.fields, mostRows: .max, mostBytes: .max)
        scan.includesRecords = true
        try await copy.engine.place(try await used.repository.engine.scan(scan), of: head.fields)
        // The source removes a profile that was already copied, and gets a new one.
        _ = try await used.repository.remove("early")
        try await register("late", used.repository)
        await #expect(throws: StoreCopyError.self) {
            _ = try await StoreCopy(from: used.repository, to: copy).run()
        }
        #expect(try await copy.engine.head().copyOf != nil)
        let report = try await StoreCopy(from: used.repository, to: copy).run(restarting: true)
        #expect(report.copied == report.digest.profiles)
        #expect(try await everything(copy) == everything(used.repository))
        for repository in [used.repository, copy] { await repository.close() }
    }

    @Test func `a copy into a used store, or into the copy of another store, is refused`() async throws {
        let used = try await Used(13)
        try await register("early", used.repository)
        let taken = try TemporaryStore()
        let there = try await taken.open(used.options())
        try await register("somebody", there)
        await #expect {
            _ = try await StoreCopy(from: used.repository, to: there).run()
        } throws: {
            ($0 as? ProfileStoreError)?.code == .notUnused
        }
        // An unused store with other rules is refused too, because a user has chosen these rules.
        let planned = try TemporaryStore()
        let empty = try await planned.open(used.options { $0.initialSchema = RandomVerbs.schemas[1] })
        await #expect {
            _ = try await StoreCopy(from: used.repository, to: empty).run()
        } throws: {
            ($0 as? ProfileStoreError)?.code == .notUnused
        }
        let other = try await Used(17)
        let begun = try TemporaryStore()
        let copy = try await begun.open(used.options())
        try await copy.engine.beginCopy(of: try await other.repository.engine.head(), restarting: false)
        await #expect {
            _ = try await StoreCopy(from: used.repository, to: copy).run()
        } throws: {
            ($0 as? ProfileStoreError)?.code == .unfinishedCopy
        }
        _ = try await StoreCopy(from: used.repository, to: copy).run(restarting: true)
        #expect(try await everything(copy) == everything(used.repository))
        for repository in [used.repository, there, empty, other.repository, copy] { await repository.close() }
    }
}
