import ProfileCore
@testable import ProfileStore
import ProfileStoreSQLite
import ProfileTesting
import RawSQLite
import StoreFixtures
import Synchronization
import Testing
import Watchdog

@Suite(.watched) struct RevalidationTests {
    private let store: TemporaryStore
    private let repository: ProfileRepository
    /// Addresses have at most five characters.
    private let stricter: ProfileSchema

    init() async throws {
        store = try TemporaryStore()
        repository = try await store.open()
        stricter = try People.standard(replacing: #""maxLength":70"#, with: #""maxLength":5"#)
        for (name, address) in [("abel", "long road"), ("bert", "lane"), ("carl", "wide street"), ("dora", "alley")] {
            try await repository.register(name, ["address": address])
        }
    }

    private func invalid() async throws -> [String] {
        try await repository.usernames(ProfileQuery(status: .invalid))
    }

    @Test func `R6: revalidation marks what breaks the rules in force, and changes nothing else`() async throws {
        try await repository.rules.adopt(stricter)
        let before = try await profiles()
        store.clock.advance(by: .seconds(60))
        let report = try await repository.rules.revalidate()
        #expect(report.checked == 4)
        #expect(report.valid == 2)
        #expect(report.invalid == 2)
        #expect(report.skipped == 0)
        #expect(report.schema.version == 2)
        #expect(report.schema.fingerprint == stricter.fingerprint)
        #expect(!report.isCandidate)
        #expect(!report.isCancelled)
        #expect(report.issues.listed.map(\.key) == ["abel", "carl"])
        #expect(report.issues.listed.map(\.value) == ["long road", "wide street"])
        #expect(report.issues.issueCounts.map(\.code) == ["too_long"])
        #expect(report.issues.issueCounts.map(\.count) == [2])
        #expect(try await invalid() == ["abel", "carl"])
        let after = try await profiles()
        #expect(after.map(\.status) == [.invalid, .valid, .invalid, .valid])
        #expect(after.map(\.schemaVersion) == [2, 2, 2, 2])
        #expect(after.map(\.revision) == before.map(\.revision))
        #expect(after.map(\.updatedAt) == before.map(\.updatedAt))
        #expect(after.map(\.valuesByField) == before.map(\.valuesByField))
    }

    @Test func `R6: profiles that the rules in force have not judged yet are counted`() async throws {
        #expect(try await repository.rules.countUnjudged() == 0)
        try await repository.rules.adopt(stricter)
        #expect(try await repository.rules.countUnjudged() == 4)
        try await repository.register("emma", ["address": "path"])
        #expect(try await repository.rules.countUnjudged() == 4, "one that comes now is judged")
        _ = try await repository.rules.revalidate(candidate: .standard)
        #expect(try await repository.rules.countUnjudged() == 4, "a candidate judges nothing")
        let report = try await repository.rules.revalidate()
        #expect(report.startedAt == store.clock.timestamp)
        #expect(report.store == repository.engine.place && !report.store.isEmpty)
        #expect(try await repository.rules.countUnjudged() == 0)
        // When the stricter rules are adopted again, profiles that they judged before do not count.
        try await repository.rules.adopt(.standard)
        #expect(try await repository.rules.countUnjudged() == 5)
        try await repository.rules.adopt(stricter)
        #expect(try await repository.rules.countUnjudged() == 0)
    }

    @Test(.onlyOnSQLite("writes to the tables directly"))
    func `R6: profiles that the same rules have judged are skipped, and their marks are counted`() async throws {
        try await repository.rules.adopt(stricter)
        _ = try await repository.rules.revalidate()
        try await repository.register("emma", ["address": "path"])
        // A run that skips judged profiles does not notice this change.
        try store.execute("UPDATE profiles SET phone = '1' WHERE username = 'bert'")
        let second = try await repository.rules.revalidate()
        #expect(second.checked == 0)
        #expect(second.skipped == 5)
        #expect(second.valid == 0)
        #expect(second.invalid == 2)
        #expect(second.issues.listed.map(\.key) == ["abel", "carl"])
        #expect(second.issues.total == 2)
        let all = try await repository.rules.revalidate(all: true)
        #expect(all.checked == 5)
        #expect(all.skipped == 0)
        #expect(all.invalid == 3)
        #expect(try await invalid() == ["abel", "bert", "carl"])
    }

    @Test func `R6: rules that were in force before are remembered as the same`() async throws {
        try await repository.rules.adopt(stricter)
        _ = try await repository.rules.revalidate()
        _ = try await repository.edit("bert") { $0["address"] = "way" }
        try await repository.rules.adopt(.standard)
        let back = try await repository.rules.revalidate()
        #expect(back.checked == 4)
        #expect(back.invalid == 0)
        #expect(try await invalid() == [])
        try await repository.register("emma")
        try await repository.rules.adopt(stricter)
        try await repository.rules.adopt(.standard)
        let again = try await repository.rules.revalidate()
        #expect(again.checked == 0)
        #expect(again.skipped == 5)
        #expect(again.schema.version == 5)
    }

    @Test(.onlyOnSQLite("reads the tables directly"))
    func `R6: a candidate schema judges the profiles, and nothing is written`() async throws {
        await repository.close()
        let repository = try await ProfileRepository.open(at: store.path)
        let rows = [try store.rows(), try store.rows("store"), try store.rows("schemas")]
        let file = SmallFile.mode(of: store.path)
        let report = try await repository.rules.revalidate(candidate: stricter)
        #expect(report.isCandidate)
        #expect(report.schema.version == nil)
        #expect(report.schema.fingerprint == stricter.fingerprint)
        #expect(report.checked == 4)
        #expect(report.invalid == 2)
        #expect([try store.rows(), try store.rows("store"), try store.rows("schemas")] == rows)
        #expect(SmallFile.mode(of: store.path) == file)
        #expect(try await repository.statistics().walBytes == 0)
        #expect(repository.schema == .standard)
        await repository.close()
    }

    @Test func `R6: a candidate may name fields that the store has no column for`() async throws {
        let wider = try People.standard(and: #"{"name":"email","constraints":{"required":true}}"#)
        let report = try await repository.rules.revalidate(candidate: wider)
        #expect(report.invalid == 4)
        #expect(report.issues.issueCounts.map(\.field) == ["email"])
        #expect(report.issues.issueCounts.map(\.code) == ["required"])
    }

    @Test(.onlyOnSQLite("writes to the tables directly"))
    func `R6: a profile loses its mark when its values are corrected`() async throws {
        try await repository.rules.adopt(stricter)
        _ = try await repository.rules.revalidate()
        let mended = try await repository.edit("abel") { $0["address"] = "road" }
        #expect(mended.status == .valid)
        #expect(mended.revision == 2)
        #expect(try await invalid() == ["carl"])
        // An edit that changes nothing also removes a mark that is wrong.
        try store.execute("UPDATE profiles SET address = 'road' WHERE username = 'carl'")
        #expect(try await repository.edit("carl") { _ in }.status == .valid)
        #expect(try await invalid() == [])
        let report = try await repository.rules.revalidate()
        #expect(report.skipped == 4)
        #expect(report.invalid == 0)
    }

    /// A schema with a name and a note of any length, unless `constraints` limits the note.
    private static func schemaOfNotes(_ constraints: String = "") throws -> ProfileSchema {
        try ProfileSchema(
            parsing: """
                {"fields": [
                  {"name": "username", "constraints": {"required": true, "unique": true}},
                  {"name": "note", "constraints": {\(constraints)}}
                ]}
                """)
    }

    @Test func `I8: a report cuts by scalars, since a character may be as long as the value`() async throws {
        let cluster = "e" + String(repeating: "\u{301}", count: 50_000)
        let store = try TemporaryStore()
        let repository = try await store.open(schema: Self.schemaOfNotes())
        _ = try await repository.register(repository.judged(ProfileDraft(["username": cluster, "note": cluster])))
        try await repository.rules.adopt(Self.schemaOfNotes(#""maxLength": 1"#))
        let judged = try #require(try await repository.rules.revalidate().issues.listed.first)
        #expect(judged.key.unicodeScalars.count == 200)
        #expect(judged.value?.unicodeScalars.count == 200)
        let remembered = try #require(try await repository.rules.revalidate().issues.listed.first)
        #expect(remembered.key == judged.key)
        await repository.close()
    }

    @Test func `R6: a profile has a hundred issues at the most, and all are counted, also those that are remembered`()
        async throws
    {
        func schema(_ constraints: String) throws -> ProfileSchema {
            let fields = (0..<60).map { #"{"name":"f\#($0)"\#(constraints)}"# }
            return try ProfileSchema(
                parsing: #"{"fields":[{"name":"username","constraints":{"required":true,"unique":true}},"#
                    + fields.joined(separator: ",") + "]}")
        }
        let store = try TemporaryStore()
        let repository = try await store.open(schema: schema(""))
        var draft = ProfileDraft(["username": "ann"])
        for number in 0..<60 { draft["f\(number)"] = "b" }
        _ = try await repository.register(repository.judged(draft))
        try await repository.rules.adopt(schema(#","constraints":{"minLength":2,"pattern":"a"}"#))
        for _ in 1...2 {
            let report = try await repository.rules.revalidate()
            #expect(report.issues.total == 120)
            #expect(report.issues.listed.count == 102)
        }
        let issues = try #require(try await repository.profile(username: "ann")).issues
        #expect(issues.count == 102)
        #expect(issues.map(\.count).reduce(0, +) == 120)
        await repository.close()
    }

    @Test func `stored profiles are read in batches that are bounded in bytes too`() async throws {
        let store = try TemporaryStore()
        let repository = try await store.open(schema: Self.schemaOfNotes())
        let note = String(repeating: "x", count: 1_000_000)
        for number in 0..<12 {
            let draft = ProfileDraft(["username": "u\(number)", "note": note])
            _ = try await repository.register(repository.judged(draft))
        }
        var scan = StoreScan(fields: repository.schema.fields, mostRows: 8_000, mostBytes: 4 << 20)
        var sizes: [Int] = []
        while case let rows = try await repository.engine.scan(scan).rows, let last = rows.last {
            sizes.append(rows.count)
            scan.after = last.id
        }
        #expect(sizes.reduce(0, +) == 12)
        #expect(sizes.count > 1 && sizes.allSatisfy { $0 <= 6 })
        await repository.close()
    }

    @Test(.onlyOnSQLite("needs a second process"))
    func `R6: a profile that changes during its judgement keeps the change and gets no mark`() async throws {
        try await repository.rules.adopt(stricter)
        let store = store
        let raced = try await store.open()
        // The change comes after the batch was read and before it is marked, while the run waits for the lock.
        let child = try ExerciserProcess("hold", store.path, "tester")
        #expect(child.waitForSign())
        async let report = repository.rules.revalidate()
        try await WaitingWriters.wait(for: store.path + "-lock")
        try store.execute(
            "UPDATE profiles SET address = 'road', revision = 2, schema_version = 2 WHERE username = 'abel'")
        _ = await child.finish()
        #expect(try await report.invalid == 2)
        let abel = try #require(try await raced.profile(username: "abel"))
        #expect(abel.status == .valid)
        #expect(abel[.address] == "road")
        #expect(try await invalid() == ["carl"])
    }

    @Test(.onlyOnSQLite("needs a second process"))
    func `R6: a mark by later rules is not overwritten by an earlier run`() async throws {
        try await repository.rules.adopt(stricter)
        let store = store
        let child = try ExerciserProcess("hold", store.path, "tester")
        #expect(child.waitForSign())
        async let report = repository.rules.revalidate()
        try await WaitingWriters.wait(for: store.path + "-lock")
        try store.execute(
            """
            INSERT INTO schemas SELECT 3, name, fingerprint, document, adopted_at FROM schemas WHERE version = 1;
            UPDATE profiles SET schema_version = 3, issues = NULL
            """)
        _ = await child.finish()
        _ = try await report
        #expect(try store.number("SELECT count(*) FROM profiles WHERE schema_version = 3 AND issues IS NULL") == 4)
    }

    @Test func `R6: a cancelled run reports the cancellation, and a later run completes`() async throws {
        try await repository.rules.adopt(stricter)
        let repository = repository
        let task = Task {
            await waitUntilCancelled()
            return try await repository.rules.revalidate()
        }
        task.cancel()
        let report = try await task.value
        #expect(report.isCancelled)
        #expect(try await repository.rules.revalidate().invalid == 2)
    }

    @Test(.onlyOnSQLite("writes to the tables directly"))
    func `R6: many profiles are judged and marked in batches`() async throws {
        // More than two batches of 8,000.
        try RawDatabase(store.path).execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 17000)
            INSERT INTO profiles (id, revision, created_at, updated_at, schema_version, username, phone, address)
            SELECT i + 100, 1, 0, 0, 1, 'n' || i, '1111-2222', CASE i % 10 WHEN 0 THEN 'far too long' ELSE 'ok' END FROM n;
            """)
        let optional = stricter.document().split(separator: #""required":true,"minLength":3"#)
        try await repository.rules.adopt(try ProfileSchema(parsing: optional.joined(separator: #""minLength":3"#)))
        let steps = Mutex<[Int]>([])
        let report = try await repository.rules.revalidate(mostIssues: 10) { checked in
            steps.withLock { $0.append(checked) }
        }
        #expect(report.checked == 17_004)
        #expect(report.invalid == 1_702)
        #expect(report.issues.listed.count == 10)
        #expect(report.issues.total == 1_702)
        #expect(report.issues.isTruncated)
        #expect(steps.withLock { $0 } == [8_000, 16_000, 17_004])
        #expect(try await repository.statistics().invalid == 1_702)
        #expect(try await repository.rules.revalidate().skipped == 17_004)
    }

    @Test func `R6: passwords that were set under other password rules are counted, profiles without one are not`()
        async throws
    {
        let optional = try People.standard(replacing: #""required":true,"minLength":3"#, with: #""minLength":3"#)
        try await repository.rules.adopt(optional)
        var draft = People.draft("emma")
        draft.passwordHash = nil
        _ = try await repository.register(repository.judged(draft))
        try await repository.register("fred")
        #expect(try await repository.rules.revalidate().credentialsPredating == 4)
        let longer = try People.standard(replacing: #""required":true,"minLength":3"#, with: #""minLength":12"#)
        #expect(try await repository.rules.revalidate(candidate: longer).credentialsPredating == 5)
        #expect(try await repository.rules.revalidate(candidate: .standard).credentialsPredating == 1)
        _ = try await repository.edit("abel") { $0.password = Secret("bL9pjp") }
        #expect(try await repository.rules.revalidate().credentialsPredating == 3)
    }

    @Test(.onlyOnSQLite("writes to the tables directly"))
    func `R6: a report contains no secret values`() async throws {
        let digits = try People.standard(replacing: #""special"]"#, with: #""special"]"#)
        try store.execute(
            "UPDATE profiles SET password_hash = NULL, password_schema_version = NULL, password_is_judged = NULL")
        let report = try await repository.rules.revalidate(candidate: digits)
        #expect(report.issues.issueCounts.map(\.field) == ["password"])
        #expect(report.issues.listed.allSatisfy { $0.value == nil })
    }

    private func profiles() async throws -> [Profile] {
        try await repository.profiles(ProfileQuery(limit: 100)).profiles
    }
}
