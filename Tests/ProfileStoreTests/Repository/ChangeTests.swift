import Dispatch
import Foundation
import ProfileCore
import ProfileStore
import ProfileTesting
import SQLiteAccess
import StoreFixtures
import Synchronization
import Testing
import Watchdog

@Suite(.watched) struct ChangeTests {
    private let store: TemporaryStore
    private let repository: ProfileRepository

    init() async throws {
        store = try TemporaryStore()
        repository = try await store.open(schema: try People.standard(and: People.uniqueEmail))
    }

    // MARK: Registering

    @Test func `R3: a new profile has an id, revision 1 and its times`() async throws {
        let profile = try await repository.register("Abel", ["birthday": "1998.01.15", "email": "a@b.c"])
        #expect(profile.id == 1)
        #expect(profile.revision == 1)
        #expect(profile.createdAt == store.clock.timestamp)
        #expect(profile.updatedAt == store.clock.timestamp)
        #expect(profile.schemaVersion == 1)
        #expect(profile.status == .valid)
        #expect(profile.hasPassword)
        #expect(profile.username == "Abel")
        #expect(profile[.phone] == "7876-1241")
        #expect(profile[.birthday] == "1998-01-15")
        #expect(profile[.postalCode] == nil)
        #expect(profile[.password] == nil)
        #expect(try await repository.profile(username: "aBEL") == profile)
        #expect(try await repository.profile(id: 1) == profile)
        if store.engine == .sqlite {
            #expect(try store.number("SELECT count(*) FROM profiles WHERE postal_code IS NULL") == 1)
        }
    }

    @Test func `R4: a username is taken in any case of its letters, a unique field by its exact value`() async throws {
        try await repository.register("abel", ["email": "a@b.c"])
        let before = try await store.contents()
        await #expect(throws: ProfileStoreError.duplicate([.username])) { try await repository.register("ABEL") }
        await #expect(throws: ProfileStoreError.duplicate([.email])) {
            try await repository.register("bert", ["email": "a@b.c"])
        }
        await #expect(throws: ProfileStoreError.duplicate([.username, .email])) {
            try await repository.register("aBel", ["email": "a@b.c"])
        }
        #expect(try await store.contents() == before)
        try await repository.register("bert", ["email": "A@b.c"])
        try await repository.register("carl")
        try await repository.register("dora")
        #expect(try await repository.statistics().profiles == 4)
    }

    @Test func `R4: of concurrent registrations of a name, exactly one succeeds`() async throws {
        let repository = repository
        let outcomes = await withTaskGroup(of: ProfileStoreError?.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    do throws(ProfileStoreError) { try await repository.register("abel") } catch { return error }
                    return nil
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count { $0 == nil } == 1)
        #expect(outcomes.count { $0 == .duplicate([.username]) } == 15)
    }

    @Test func `E2, H9: of 64 tasks that register 24 names at once, one gets each name, and the others fail`()
        async throws
    {
        let repository = repository
        let outcomes = await withTaskGroup(of: (String, Result<Profile, ProfileStoreError>).self) { group in
            for number in 0..<64 {
                let name = "user\(number % 24)"
                group.addTask {
                    do throws(ProfileStoreError) {
                        return (name, .success(try await repository.register(name)))
                    } catch {
                        return (name, .failure(error))
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        var registered: [String: Profile] = [:]
        for (name, outcome) in outcomes {
            switch outcome {
            case .success(let profile): #expect(registered.updateValue(profile, forKey: name) == nil)
            case .failure(let error): #expect(error == .duplicate([.username]))
            }
        }
        #expect(registered.count == 24)
        let ids = Set(registered.values.map(\.id))
        // PostgreSQL reserves ids in blocks, and the unused ids of a block are lost.
        if store.engine == .postgres { #expect(ids.count == 24) } else { #expect(ids == Set(1...24)) }
        #expect(try await repository.changes.latestNumber == 24)
        for (name, profile) in registered { #expect(try await repository.profile(username: name) == profile) }
        #expect(try await repository.isSound())
    }

    // MARK: What the database itself refuses

    @Test(
        .onlyOnSQLite("writes to the tables directly"),
        arguments: ["username", "phone", "address", "email", "password_hash", "passcode_hash", "issues"])
    func `R2: the database refuses an empty text`(column: String) async throws {
        try await repository.register("abel")
        let error = #expect(throws: SQLiteError.self) { try store.execute("UPDATE profiles SET \(column) = ''") }
        #expect(error?.code == .constraintCheck)
        let blob = #expect(throws: SQLiteError.self) { try store.execute("UPDATE profiles SET \(column) = x'00'") }
        #expect(blob?.code == .constraintDatatype)
    }

    @Test(.onlyOnSQLite("writes to the tables directly"))
    func `R2: the database refuses a NULL username, and a version without its hash`() async throws {
        try await repository.register("abel")
        let null = #expect(throws: SQLiteError.self) { try store.execute("UPDATE profiles SET username = NULL") }
        #expect(null?.code == .constraintNotNull)
        let hash = #expect(throws: SQLiteError.self) { try store.execute("UPDATE profiles SET password_hash = NULL") }
        #expect(hash?.code == .constraintCheck)
        let revision = #expect(throws: SQLiteError.self) { try store.execute("UPDATE profiles SET revision = 0") }
        #expect(revision?.code == .constraintCheck)
    }

    @Test(.onlyOnSQLite("writes to the tables directly"))
    func `R5: the database refuses a repeated value of a unique field`() async throws {
        try await repository.register("abel", ["email": "a@b.c"])
        for (name, email) in [("ABEL", "other"), ("bert", "a@b.c")] {
            let error = #expect(throws: SQLiteError.self) {
                try store.execute(
                    """
                    INSERT INTO profiles (revision, created_at, updated_at, schema_version, username, email)
                    VALUES (1, 0, 0, 1, '\(name)', '\(email)')
                    """)
            }
            #expect(error?.code == .constraintUnique)
        }
    }

    // MARK: Editing

    @Test func `R3: a change raises the revision by one and moves the time of the update alone`() async throws {
        let first = try await repository.register("abel")
        store.clock.advance(by: .seconds(60))
        let second = try await repository.edit("ABEL", expecting: 1) { $0["phone"] = "11112222" }
        #expect(second.id == first.id)
        #expect(second.revision == 2)
        #expect(second.createdAt == first.createdAt)
        #expect(second.updatedAt == store.clock.timestamp)
        #expect(second[.phone] == "1111-2222")
        #expect(second[.address] == first[.address])
        #expect(try await repository.profile(id: 1) == second)
        let third = try await repository.edit("abel") { $0["phone"] = "33334444" }
        #expect(third.revision == 3)
    }

    @Test func `R3: an edit with a stale revision fails with the current one, and changes nothing`() async throws {
        let first = try await repository.register("abel")
        _ = try await repository.edit("abel") { $0["address"] = "1" }
        let before = try await store.contents()
        let stale = ProfileStoreError.staleRevision(expected: 1, current: 2)
        await #expect(throws: stale) { try await repository.edit("abel", expecting: 1) { $0["address"] = "2" } }
        await #expect(throws: stale) {
            try await repository.replace(first, with: repository.judged(People.draft("abel", ["address": "2"])))
        }
        await #expect(throws: ProfileStoreError.staleRevision(expected: 7, current: 2)) {
            try await repository.edit("abel", expecting: 7) { _ in }
        }
        #expect(try await store.contents() == before)
    }

    @Test(.onlyOnSQLite("writes to the tables directly"), arguments: [false, true])
    func `R3: after a concurrent change the edit is repeated, unless it expects a revision`(expects: Bool) async throws
    {
        try await repository.register("abel")
        let store = store
        let runs = Mutex(0)
        let edit: @Sendable (inout ProfileDraft) -> Void = { draft in
            if runs.withLock({
                $0 += 1; return $0
            }) == 1 {
                let raw = #"UPDATE profiles SET revision = revision + 1, postal_code = '12345' WHERE id = 1"#
                #expect(throws: Never.self) { try store.execute(raw) }
            }
            draft["address"] = "after \(draft["postal_code"] ?? "nothing")"
        }
        if expects {
            await #expect(throws: ProfileStoreError.staleRevision(expected: 1, current: 2)) {
                try await repository.edit("abel", expecting: 1, edit)
            }
            #expect(try await repository.profile(id: 1)?[.address] == "12 Main St")
        } else {
            let edited = try await repository.edit("abel", edit)
            #expect(edited.revision == 3)
            #expect(edited[.address] == "after 12345")
            #expect(runs.withLock { $0 } == 2)
        }
    }

    @Test(.onlyOnSQLite("writes to the tables directly"))
    func `R3: an edit that always meets a concurrent change fails as stale at its deadline`()
        async throws
    {
        let impatient = try await store.open(store.options { $0.waitLimit = .milliseconds(50) })
        try await impatient.register("abel")
        let tries = Mutex(0)
        let store = store
        let error = await #expect(throws: ProfileStoreError.self) {
            _ = try await impatient.edit("abel") { draft in
                draft["address"] = "elsewhere"
                // The changes stop after 5,000 tries, so that a failing test ends.
                let number = tries.withLock { tries in
                    tries += 1
                    return tries
                }
                if number < 5_000 { try? store.execute("UPDATE profiles SET revision = revision + 1") }
            }
        }
        guard case .staleRevision(let expected, let current)? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(current == expected + 1)
        #expect(try await impatient.profile(username: "abel")?[.address] == "12 Main St")
        await impatient.close()
    }

    @Test func `R3: an edit that changes nothing keeps the revision, the times and the change number`() async throws {
        let first = try await repository.register("abel", ["birthday": "19980115"])
        let number = try await repository.statistics().changeNumber
        store.clock.advance(by: .seconds(1))
        let edited = try await repository.edit("abel") { draft in
            draft["phone"] = "7876-1241"
            draft["birthday"] = "1998.01.15"
            draft["address"] = "  12 Main St "
            draft["postal_code"] = ""
        }
        #expect(edited == first)
        #expect(try await repository.profile(id: 1) == first)
        #expect(try await repository.statistics().changeNumber == number)
    }

    @Test func `R3: an edit that changes nothing keeps the revision if the schema has no password either`() async throws
    {
        let other = try TemporaryStore()
        let repository = try await other.open(
            schema: ProfileSchema(
                parsing: #"{"fields":[{"name":"username","constraints":{"required":true,"unique":true}}]}"#))
        let first = try await repository.register(repository.judged(ProfileDraft(["username": "abel"])))
        #expect(try await repository.edit("abel") { $0["username"] = " abel " } == first)
        #expect(try await repository.profile(id: 1) == first)
    }

    @Test func `S6: an edit accepts the JSON values of a request in JSON's own notation`() async throws {
        let other = try TemporaryStore()
        let schema = try People.standard(
            and: #"{"name":"fee","type":"number","decimalChar":",","groupChar":"."}"#,
            #"{"name":"joined","type":"date","format":"%d.%m.%y"}"#)
        let repository = try await other.open(schema: schema)
        try await repository.register("abel", ["fee": "7,5", "joined": "05.03.24"])
        let request = try JSONDecoder().decode(ProfileDraft.self, from: Data(#"{"fee":1.234}"#.utf8))
        let edited = try await repository.edit("abel") { draft in
            for (name, value) in request.values { draft[name] = value }
        }
        #expect(edited["fee"] == "1.234")
        // The values that the edit leaves are judged too, as they are stored.
        #expect(try await repository.edit("abel") { $0[.phone] = "78761242" }["fee"] == "1.234")
        let copied = try await repository.edit("abel") { draft in
            let fee = draft["fee"]
            draft["fee"] = nil
            draft["fee"] = fee
        }
        #expect(copied["fee"] == "1.234" && copied["joined"] == "2024-03-05")
        await repository.close()
    }

    @Test func `R3: an edit that changes nothing is refused on a stale revision, or a profile that is gone`()
        async throws
    {
        let first = try await repository.register("abel")
        func same(as profile: Profile) throws -> ValidProfile {
            try repository.validator.validate(profile.draft, on: repository.today, hasPassword: profile.hasPassword)
        }
        let key = try #require(WriteKey("stale"))
        #expect(try await repository.replace(first, with: same(as: first)) == first)
        let second = try await repository.edit("abel") { $0["address"] = "2" }
        let number = try await repository.changes.latestNumber
        for key in [nil, key, key] {
            await #expect(throws: ProfileStoreError.staleRevision(expected: 1, current: 2)) {
                try await repository.replace(first, with: same(as: first), key: key)
            }
        }
        let confirmed = try #require(WriteKey("confirmed"))
        for key in [nil, confirmed] {
            #expect(try await repository.replace(second, with: same(as: second), key: key) == second)
        }
        #expect(try await repository.changes.latestNumber == number)
        try await repository.remove("abel")
        await #expect(throws: ProfileStoreError.notFound(username: "abel")) {
            try await repository.replace(second, with: same(as: second))
        }
        // A repeat gets the first answer.
        #expect(try await repository.replace(second, with: same(as: second), key: confirmed) == second)
    }

    @Test(arguments: [true, false])
    func `R3, H3: an edit with a key applies to the values of a concurrent edit`(changes: Bool) async throws {
        let other = try await store.open(store.options())
        try await repository.register("abel")
        let runs = Mutex(0)
        let key = try #require(WriteKey("once"))
        let edited = try await repository.edit("abel", key: key) { draft in
            let run = runs.withLock { runs in
                runs += 1
                return runs
            }
            if run == 1 {
                let isDone = DispatchSemaphore(value: 0)
                Task.detached {
                    _ = try? await other.edit("abel") { $0["postal_code"] = "12345" }
                    isDone.signal()
                }
                isDone.wait()
            }
            if changes { draft["address"] = "after " + (draft["postal_code"]?.text ?? "nothing") }
        }
        #expect(runs.withLock { $0 } == 2)
        #expect(edited[.postalCode] == "12345")
        #expect(edited.revision == (changes ? 3 : 2))
        #expect(try await repository.edit("abel", key: key) { _ in } == edited)
        await other.close()
    }

    @Test func `R1: an edit must leave the profile valid`() async throws {
        try await repository.register("abel")
        let before = try await store.contents()
        let error = await #expect(throws: ProfileStoreError.self) {
            try await repository.edit("abel") { draft in
                draft["phone"] = "1"
                draft["address"] = nil
                draft["shoe_size"] = "42"
            }
        }
        guard case .invalid(let failure)? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(failure.issues.map(\.field) == [.phone, .address, nil])
        #expect(failure.issues.map(\.code) == [.tooShort, .required, .unknownField])
        #expect(try await store.contents() == before)
        await #expect(throws: ProfileStoreError.notFound(username: "bert")) {
            try await repository.edit("bert") { _ in }
        }
    }

    @Test func `R4: a profile can be renamed, also in case alone, but not to another's name`() async throws {
        try await repository.register("abel")
        try await repository.register("bert", ["email": "b"])
        await #expect(throws: ProfileStoreError.duplicate([.username, .email])) {
            try await repository.edit("abel") { draft in
                draft["username"] = "BERT"
                draft["email"] = "b"
            }
        }
        #expect(try await repository.edit("abel") { $0["username"] = "Abel" }.username == "Abel")
        #expect(try await repository.edit("abel") { $0["username"] = "carl" }.id == 1)
        #expect(try await repository.profile(username: "abel") == nil)
    }

    @Test func `R3: an edited password is stored as a hash, and an edit of other fields keeps the hash`() async throws {
        try await repository.register("abel")
        let brought = try await store.contents()
        _ = try await repository.edit("abel") { $0["address"] = "1" }
        if store.engine == .sqlite {
            #expect(try store.number("SELECT count(*) FROM profiles WHERE password_is_judged = 0") == 1)
        }
        #expect(try await store.contents() != brought)
        #expect(try await repository.passwords.validate(People.secret, for: "abel").revision == 2)
        let edited = try await repository.edit("abel") { $0.password = Secret("bL9pjp") }
        #expect(edited.revision == 3)
        if store.engine == .sqlite {
            #expect(try store.number("SELECT count(*) FROM profiles WHERE password_is_judged = 1") == 1)
        }
        #expect(try await repository.passwords.validate(Secret("bL9pjp"), for: "abel").id == 1)
        await #expect(throws: CredentialError.wrong) {
            try await repository.passwords.validate(People.secret, for: "abel")
        }
    }

    // MARK: Removing

    @Test func `R3: an id is never given again`() async throws {
        try await repository.register("abel")
        try await repository.register("bert")
        try await repository.remove("BERT")
        #expect(try await repository.profile(id: 2) == nil)
        #expect(try await repository.register("bert").id == 3)
        try await repository.remove("abel")
        try await repository.remove("bert")
        #expect(try await repository.register("abel").id == 4)
        await #expect(throws: ProfileStoreError.notFound(username: "zoe")) { try await repository.remove("zoe") }
    }

    @Test func `R3: rules that another process has adopted judge an edit, whether stricter or laxer`() async throws {
        try await repository.register("abel")
        let other = try await store.open()
        try await other.rules.adopt(People.standard(replacing: #""minLength":2"#, with: #""minLength":1"#))
        // The rules known here refuse the name, but the rules in force accept it.
        #expect(try await repository.edit("abel") { $0["username"] = "b" }.username == "b")
        try await other.rules.adopt(.standard)
        let error = await #expect(throws: ProfileStoreError.self) {
            try await repository.edit("b") { $0["username"] = "c" }
        }
        #expect(error?.issues?.map(\.field) == [.username])
        await other.close()
    }

    @Test func `R3: a profile that was removed cannot be replaced`() async throws {
        let profile = try await repository.register("abel")
        try await repository.remove("abel")
        await #expect(throws: ProfileStoreError.notFound(username: "abel")) {
            try await repository.replace(profile, with: repository.judged(People.draft("abel", ["address": "2"])))
        }
    }

    @Test func `R7: each change raises the change number by one, and other calls do not`() async throws {
        func number() async throws -> Int64 { try await repository.statistics().changeNumber }
        let start = try await number()
        try await repository.register("abel")
        _ = try await repository.edit("abel") { $0["address"] = "1" }
        #expect(try await number() == start + 2)
        await #expect(throws: ProfileStoreError.self) { try await repository.register("abel") }
        await #expect(throws: CredentialError.wrong) {
            try await repository.passcodes.validate(Secret("x"), for: "abel")
        }
        try await repository.rules.adopt(repository.schema)
        #expect(try await number() == start + 2)
        try await repository.remove("abel")
        try await repository.rules.adopt(.standard)
        #expect(try await number() == start + 4)
    }
}
