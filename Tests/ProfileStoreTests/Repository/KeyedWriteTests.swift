import ProfileCore
import ProfileStore
import ProfileTesting
import SecretHashing
import StoreFixtures
import Testing
import Watchdog

/// H3: a write that has a key may be repeated.
@Suite(.watched) struct KeyedWriteTests {
    private let store: TemporaryStore
    private let key: WriteKey

    init() throws {
        store = try TemporaryStore()
        key = try #require(WriteKey("a-key"))
    }

    @Test func `H3: a registration that is repeated with its key gives the first answer and one profile`() async throws
    {
        let repository = try await store.open()
        let valid = try repository.judged(People.draft("abel"))
        let first = try await repository.register(valid, key: key)
        _ = try await repository.edit("abel") { $0["address"] = "2 Main St" }
        #expect(try await repository.register(valid, key: key) == first)
        try await repository.remove("abel")
        #expect(try await repository.register(valid, key: key) == first)
        #expect(try await repository.usernames() == [])
        await repository.close()
    }

    @Test func `H3: a refusal is remembered too, though its reason is gone`() async throws {
        let repository = try await store.open(registering: ["abel"])
        let valid = try repository.judged(People.draft("ABEL"))
        for _ in 0..<2 {
            await #expect(throws: ProfileStoreError.duplicate([.username])) {
                try await repository.register(valid, key: key)
            }
            _ = try? await repository.remove("abel")
        }
        #expect(try await repository.register(valid).username == "ABEL")
        await repository.close()
    }

    @Test func `H3: a key with another write is refused, and nothing is written`() async throws {
        let repository = try await store.open()
        _ = try await repository.register(repository.judged(People.draft("abel")), key: key)
        let number = try await repository.changes.latestNumber
        let other = try repository.judged(People.draft("abel", ["address": "2 Main St"]))
        await #expect(throws: ProfileStoreError.keyReused(key)) { try await repository.register(other, key: key) }
        await #expect(throws: ProfileStoreError.keyReused(key)) { try await repository.remove("abel", key: key) }
        await #expect(throws: ProfileStoreError.keyReused(key)) {
            try await repository.edit("abel", key: key) { $0["address"] = "3 Main St" }
        }
        await #expect(throws: CredentialError.store(.keyReused(key))) {
            try await repository.passcodes.remove(of: "abel", key: key)
        }
        let otherHash = try repository.judged(People.draft("abel", ["password_hash": People.weakHash]))
        await #expect(throws: ProfileStoreError.keyReused(key)) { try await repository.register(otherHash, key: key) }
        #expect(try await repository.changes.latestNumber == number)
        await repository.close()
    }

    @Test func `H3: a key is forgotten after 24 hours`() async throws {
        let repository = try await store.open(registering: ["abel"])
        #expect(try await repository.remove("abel", key: key).username == "abel")
        store.clock.advance(by: WriteKey.lifetime - .milliseconds(1))
        #expect(try await repository.remove("abel", key: key).username == "abel")
        store.clock.advance(by: .milliseconds(1))
        await #expect(throws: ProfileStoreError.notFound(username: "abel")) {
            try await repository.remove("abel", key: key)
        }
        await repository.close()
    }

    @Test func `H3: an edit is not run again, also one that had nothing to change`() async throws {
        let repository = try await store.open()
        let abel = try await repository.register("abel")
        let edited = try await repository.edit("abel", key: key) { $0["address"] = "12 Main St" }
        #expect(edited == abel)
        let later = try await repository.edit("abel") { $0["address"] = "3 Main St" }
        let again = try await repository.edit("abel", key: key) { _ in Issue.record("it ran again") }
        #expect(again == abel)
        #expect(try await repository.profile(username: "abel") == later)

        let stale = try #require(WriteKey("stale"))
        let adam = try repository.validator.validate(
            People.withoutPassword("adam"), on: repository.today, hasPassword: true)
        for _ in 0..<2 {
            await #expect(throws: ProfileStoreError.staleRevision(expected: 1, current: 2)) {
                try await repository.replace(abel, with: adam, key: stale)
            }
        }
        await repository.close()
    }

    @Test func `H3: an edit by the id is not run again after it has renamed the profile, or the profile is gone`()
        async throws
    {
        let repository = try await store.open(registering: ["abel", "bert"])
        let abel = try #require(try await repository.profile(username: "abel"))
        let renamed = try await repository.edit(id: abel.id, expecting: 1, key: key) { $0["username"] = "cain" }
        #expect(renamed.username == "cain")
        _ = try await repository.register("abel")
        func expectFirstAnswer() async throws {
            let again = try await repository.edit(id: abel.id, expecting: 1, key: key) { _ in
                Issue.record("it ran again")
            }
            #expect(again == renamed)
        }
        try await expectFirstAnswer()
        await #expect(throws: ProfileStoreError.keyReused(key)) {
            try await repository.edit(id: abel.id + 1, expecting: 1, key: key) { $0["username"] = "cain" }
        }
        await #expect(throws: ProfileStoreError.keyReused(key)) {
            try await repository.edit("cain", expecting: 1, key: key) { $0["username"] = "cain" }
        }
        _ = try await repository.remove("cain")
        try await expectFirstAnswer()
        await #expect(throws: ProfileStoreError.notFound(username: String(abel.id))) {
            try await repository.edit(id: abel.id) { _ in Issue.record("there is no profile to change") }
        }
        await repository.close()
    }

    @Test func `H3: a removal by the id is not run again, and another profile with the name stays`() async throws {
        let repository = try await store.open(registering: ["abel", "bert"])
        let abel = try #require(try await repository.profile(username: "abel"))
        await #expect(throws: ProfileStoreError.staleRevision(expected: 2, current: 1)) {
            try await repository.remove(id: abel.id, expecting: 2)
        }
        #expect(try await repository.remove(id: abel.id, expecting: 1, key: key) == abel)
        _ = try await repository.register("abel")
        #expect(try await repository.remove(id: abel.id, expecting: 1, key: key) == abel)
        #expect(try await repository.profile(username: "abel") != nil)
        await #expect(throws: ProfileStoreError.keyReused(key)) {
            try await repository.remove("abel", expecting: 1, key: key)
        }
        await #expect(throws: ProfileStoreError.notFound(username: String(abel.id))) {
            try await repository.remove(id: abel.id)
        }
        await repository.close()
    }

    @Test func `H3: a key belongs to one request, and another request with it is refused`() async throws {
        let repository = try await store.open(registering: ["abel", "bert"])
        func key(_ text: String, _ request: String) throws -> WriteKey {
            try #require(WriteKey(text, request: request))
        }
        let first = try await repository.edit("abel", key: key("edit", "address 2")) { $0["address"] = "2" }
        let number = try await repository.changes.latestNumber
        #expect(try await repository.edit("abel", key: key("edit", "address 2")) { $0["address"] = "2" } == first)
        let other = try key("edit", "address 3")
        await #expect(throws: ProfileStoreError.keyReused(other)) {
            try await repository.edit("abel", key: other) { $0["address"] = "3" }
        }
        #expect(try await repository.profile(username: "abel") == first)
        #expect(try await repository.changes.latestNumber == number)

        for name in ["abel", "bert"] { try await repository.passcodes.create(Secret("parislondon"), for: name) }
        for _ in 0..<2 { try await repository.passcodes.remove(of: "abel", key: key("remove", "abel, as Ann")) }
        let removal = try key("remove", "abel, as Bob")
        await #expect(throws: CredentialError.store(.keyReused(removal))) {
            try await repository.passcodes.remove(of: "abel", key: removal)
        }
        _ = try await repository.remove("bert", key: key("gone", "bert"))
        let gone = try key("gone", "bert, with a reason")
        await #expect(throws: ProfileStoreError.keyReused(gone)) { try await repository.remove("bert", key: gone) }
        await repository.close()
    }

    @Test func `H3: a write that sets a password is refused with a key, and writes nothing`() async throws {
        let repository = try await store.open()
        let abel = try await repository.register("abel")
        for name in ["password", "password_hash"] {
            let value = name == "password" ? "bL9pjp" : People.bcryptHash
            await #expect(throws: ProfileStoreError.keyedSecret) {
                try await repository.edit("abel", key: key) { $0[FieldName(name) ?? .username] = value }
            }
            let valid = try repository.judged(People.draft("abel", ["password_hash": People.bcryptHash]))
            await #expect(throws: ProfileStoreError.keyedSecret) {
                try await repository.replace(abel, with: valid, key: key)
            }
        }
        #expect(ProfileStoreError.keyedSecret.kind == .invalid)
        #expect(try await repository.profile(username: "abel") == abel)
        // The key is still free.
        #expect(try await repository.edit("abel", key: key) { $0["address"] = "2" }.revision == 2)
        await repository.close()
    }

    /// A draft with a password to hash.
    private func draft(_ password: String) -> ProfileDraft {
        var draft = People.withoutPassword("abel")
        draft.password = Secret(password)
        return draft
    }

    @Test func `H3: a repeated registration gives its answer only to the same password`() async throws {
        let repository = try await store.open()
        let first = try await repository.register(draft("aK8oio"), key: key)
        #expect(try await repository.register(draft("aK8oio"), key: key) == first)
        // The attempts count, so the repeats do not help to guess the password.
        for _ in 0..<ThrottleState.freeAttempts {
            await #expect(throws: ProfileStoreError.keyReused(key)) {
                try await repository.register(draft("bL9pjp"), key: key)
            }
        }
        for password in ["bL9pjp", "aK8oio"] {
            await #expect(throws: ProfileStoreError.busy(holder: nil, waited: .zero)) {
                try await repository.register(draft(password), key: key)
            }
        }
        store.clock.advance(by: .seconds(1))
        #expect(try await repository.register(draft("aK8oio"), key: key) == first)
        // A hash in place of the password is another request.
        await #expect(throws: ProfileStoreError.keyReused(key)) {
            try await repository.register(People.draft("abel"), key: key)
        }
        _ = try await repository.edit("abel") { $0.password = Secret("bL9pjp") }
        await #expect(throws: ProfileStoreError.keyReused(key)) {
            try await repository.register(draft("aK8oio"), key: key)
        }
        try await repository.remove("abel")
        #expect(try await repository.register(draft("aK8oio"), key: key) == first)
        await repository.close()
    }

    @Test func `H3: of two registrations at once with one key, the other password is refused`() async throws {
        let repository = try await store.open()
        let key = key
        let outcomes = await withTaskGroup { group in
            for password in ["aK8oio", "bL9pjp"] {
                group.addTask {
                    do throws(ProfileStoreError) {
                        _ = try await repository.register(self.draft(password), key: key)
                        return "stored"
                    } catch {
                        return error.code.rawValue
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.sorted() == ["key_reused", "stored"])
        await repository.close()
    }

    @Test func `H3: the removal of a passcode and the adoption of rules accept keys too`() async throws {
        let repository = try await store.open(registering: ["abel"])
        let keys = try ["remove", "adopt"].map { try #require(WriteKey($0)) }
        try await repository.passcodes.create(Secret("parislondon"), for: "abel")
        for _ in 0..<2 { try await repository.passcodes.remove(of: "abel", key: keys[0]) }
        await #expect(throws: CredentialError.noPasscode) { try await repository.passcodes.remove(of: "abel") }

        let other = try People.standard(and: People.email)
        #expect(try await repository.rules.adopt(other, key: keys[1]) == 2)
        #expect(try await repository.rules.adopt(.standard) == 3)
        #expect(try await repository.rules.adopt(other, key: keys[1]) == 2)
        #expect(try await repository.rules.versions().count == 3)
        await repository.close()
    }

    @Test(.onlyOnSQLite("reads the tables directly"))
    func `H3: the outcome of a write is stored with the write, and survives a new opening`() async throws {
        let repository = try await store.open()
        let valid = try repository.judged(People.draft("abel"))
        let first = try await repository.register(valid, key: key)
        await repository.close()
        let again = try await store.open()
        #expect(try await again.register(valid, key: key) == first)
        #expect(try store.number("SELECT count(*) FROM keyed_writes") == 1)
        // The outcome has expired, so the next write with a key deletes it.
        store.clock.advance(by: WriteKey.lifetime)
        try await again.remove("abel", key: WriteKey("another"))
        #expect(try store.rows("keyed_writes").map { $0[0] } == ["another"])
        await again.close()
    }

    @Test func `H3: the same key of two callers counts as two keys`() async throws {
        let repository = try await store.open()
        func key(of caller: String) throws -> WriteKey {
            try #require(WriteKey("a-key", of: caller, request: "POST /profiles"))
        }
        let abel = try await repository.register(People.draft("abel"), key: key(of: "ann"))
        #expect(try await repository.register(People.draft("abel"), key: key(of: "ann")) == abel)
        #expect(try await repository.register(People.draft("bert"), key: key(of: "bob")).username == "bert")
        let used = try key(of: "ann")
        await #expect(throws: ProfileStoreError.keyReused(used)) {
            try await repository.register(People.draft("carl"), key: used)
        }
        await repository.close()
    }

    @Test func `H3: the key of a caller is a hash, and differs for each caller and key`() throws {
        let pairs = [
            ("a", "b c"), ("b", "a c"), ("a", "b"), ("b", "a"), ("ab", "c"), ("a", "bc"), ("a", ""), ("a", " "),
            ("a", "é"),
        ]
        let keys = try pairs.map { text, caller in try #require(WriteKey(text, of: caller, request: "r")) }
        #expect(Set(keys.map(\.text)).count == pairs.count)
        for key in keys { #expect(key.text.count == 64 && WriteKey(key.text, request: "r") == key) }
        // The SHA-256 of "a b c".
        #expect(keys[0].text == "0e9f64031fcb2bc708b531c2a20441580425d151a38503f38592a7dd36019d3b")
        #expect(WriteKey("k", of: "ann", request: "a") == WriteKey("k", of: "ann", request: "a"))
        #expect(WriteKey("k", of: "ann", request: "a") != WriteKey("k", of: "ann", request: "b"))
        for text in ["", "a b", "a\n", "é", String(repeating: "k", count: 256)] {
            #expect(WriteKey(text, of: "ann", request: "r") == nil)
        }
    }

    @Test func `a key is 1 to 255 printable characters of ASCII, and an author one line`() {
        for text in ["", " ", "a b", "é", "a\n", String(repeating: "k", count: 256)] { #expect(WriteKey(text) == nil) }
        for text in ["k", "!~", String(repeating: "k", count: 255)] { #expect(WriteKey(text)?.text == text) }
        #expect(WriteKey("k", request: "a") != WriteKey("k", request: "b"))
        // A letter with two marks is one character of five bytes, and an author has at most 400 bytes.
        func marked(_ count: Int) -> String { String(repeating: "e\u{301}\u{323}", count: count) }
        for name in ["", "a\nb", "\u{7}", String(repeating: "é", count: 101), marked(81)] {
            #expect(Author(name) == nil)
        }
        for name in ["Ann", "svc/mail 1", String(repeating: "é", count: 100), marked(80)] {
            #expect(Author(name)?.name == name)
        }
    }
}
