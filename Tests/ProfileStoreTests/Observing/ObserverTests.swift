import Dispatch
import ProfileCore
@testable import ProfileStore
import ProfileTesting
import ProfileTransfer
import SecretHashing
import StoreFixtures
import Testing
import Watchdog

/// The operations that an observer receives.
@Suite(.watched) struct ObserverTests {
    private let store: TemporaryStore
    private let observed = Observed()
    private let repository: ProfileRepository

    init() async throws {
        store = try TemporaryStore()
        repository = try await store.open(observedBy: observed, registering: ["abel", "bert"]) { $0.hashingThreads = 1 }
    }

    /// The operations since the last call, one line each.
    private func lines() -> [String] { observed.take().map(\.line) }

    // MARK: Around the engine

    @Test func `an observer changes neither the engine nor the operations that only one engine has`() async throws {
        let plain = try await store.open(store.options())
        #expect(type(of: plain.engine) == type(of: repository.engine))
        if store.engine == .sqlite { #expect(try await repository.isSound()) }
        await plain.close()
    }

    // MARK: Verbs

    @Test func `an observer gets each look-up with the number of rows that it found`() async throws {
        _ = try await repository.profile(username: "ABEL")
        _ = try await repository.profile(id: 7)
        #expect(lines() == ["look_up done 1", "look_up done 0"])
        _ = try await repository.profiles(ProfileQuery(limit: 1))
        #expect(lines() == ["page done 1"])
        for try await _ in repository.all(ProfileQuery(limit: 1)) {}
        #expect(lines() == ["page done 1", "page done 1"])
        _ = try await repository.count()
        #expect(lines() == ["read_schema done 1", "count done 2"])
        _ = try await repository.plan(of: ProfileQuery())
        #expect(lines() == [])
        _ = try await repository.statistics()
        #expect(lines() == ["statistics done 2"])
        _ = try await repository.rules.versions()
        #expect(lines() == ["read_schema done 1"])
        let wrong = ProfileQuery([ProfileQuery.Condition(.email, .equals("a"))])
        _ = try? await repository.profiles(wrong)
        // The query did not reach the store.
        #expect(lines() == ["read_schema done 1"])
    }

    @Test func `an observer gets each write, and the code of a refused write`() async throws {
        let abel = try #require(try await repository.profile(username: "abel"))
        _ = observed.take()
        try await repository.register("carl")
        #expect(lines() == ["register done 1"])
        _ = try? await repository.register("CARL")
        #expect(lines() == ["register refused(duplicate) 0"])
        _ = try await repository.edit("abel") { $0["address"] = "2" }
        #expect(lines() == ["look_up done 1", "replace done 1"])
        // The edit changes nothing, so the second operation only confirms the revision.
        _ = try await repository.edit("abel") { $0["address"] = "2" }
        #expect(lines() == ["look_up done 1", "look_up done 1"])
        let same = try repository.validator.validate(abel.draft, on: repository.today, hasPassword: true)
        _ = try? await repository.replace(abel, with: same)
        #expect(lines() == ["look_up refused(stale_revision) 0"])
        let valid = try repository.judged(People.draft("abel"))
        _ = try? await repository.replace(abel, with: valid)
        #expect(lines() == ["replace refused(stale_revision) 0"])
        try await repository.remove("carl")
        _ = try? await repository.remove("carl")
        #expect(lines() == ["remove done 1", "remove refused(not_found) 0"])
        _ = try await repository.remove(matching: ProfileQuery())
        #expect(lines() == ["page done 2", "remove done 2"])
        try await repository.rules.adopt(try People.standard(and: People.uniqueEmail))
        #expect(lines() == ["adopt done 1"])
        _ = try? await repository.register(valid)
        #expect(lines() == ["register refused(schema_changed) 0", "read_schema done 1"])
    }

    @Test func `an observer gets writes with a key and their repeats`() async throws {
        let key = try #require(WriteKey("once"))
        for _ in 0..<2 { _ = try await repository.edit("abel", key: key) { $0["address"] = "2" } }
        #expect(lines() == ["look_up_key done 0", "look_up done 1", "replace done 1", "look_up_key done 1"])
        let other = try #require(WriteKey("other"))
        _ = try await repository.edit("abel", key: other) { $0["address"] = "2" }
        #expect(lines() == ["look_up_key done 0", "look_up done 1", "keep_key done 1"])
        _ = try? await repository.edit("bert", key: key) { $0["address"] = "2" }
        #expect(lines() == ["look_up_key refused(key_reused) 0"])
    }

    @Test func `an observer gets each batch of an import, and an exclusive import as a whole`() async throws {
        let names = (0..<3).map { "user\($0)" }
        _ = try await store.importPeople(names + ["user0"], into: repository)
        let batches = observed.take().filter { $0.name == .storeBatch }
        #expect(!batches.isEmpty && batches.allSatisfy { $0.outcome == .done })
        #expect(batches.map(\.rows).reduce(0, +) == 4, "one of them is there already")
        _ = try await store.importPeople(["user7"], into: repository) { $0.isDryRun = true }
        #expect(observed.take().filter { $0.name == .previewBatch }.map(\.line) == ["preview_batch done 1"])
        _ = try await store.importPeople(["user8", "user9", "user0"], into: repository) { $0.isExclusive = true }
        #expect(observed.take().filter { $0.name == .load }.map(\.rows).reduce(0, +) == 3)
        // The rejected row ends the import, and nothing is stored.
        _ = try await store.importPeople(["user11", "user12", ""], into: repository) {
            $0.isExclusive = true
            $0.isAllOrNothing = true
        }
        #expect(observed.take().filter { $0.name == .load }.map(\.rows).reduce(0, +) == 0)
        let new = ["userA", "userB"]
        _ = try await repository.register(many: try new.map { try repository.judged(People.draft($0)) })
        #expect(lines() == ["store_batch done 2"])
    }

    @Test func `an observer gets the rows that an export and a revalidation read`() async throws {
        let output = try unnamedFile()
        _ = try await repository.export(as: .csv, to: output)
        #expect(observed.take().filter { $0.name == .scan }.map(\.rows).reduce(0, +) == 2)
        try await repository.rules.adopt(try People.standard(replacing: #""maxLength":70"#, with: #""maxLength":5"#))
        _ = observed.take()
        #expect(try await repository.rules.revalidate().invalid == 2)
        let operations = observed.take()
        #expect(operations.filter { $0.name == .scan }.map(\.rows).reduce(0, +) == 2)
        #expect(operations.filter { $0.name == .mark }.map(\.line) == ["mark done 2"])
    }

    @Test func `an observer gets attempts at a secret with their hashes`() async throws {
        _ = try await repository.passwords.validate(People.secret, for: "abel")
        #expect(
            lines() == [
                "look_up_credential done 1", "admit_attempt done 1", "verify done 1", "settle_attempt done 1",
            ])
        _ = try? await repository.passwords.validate(Secret("wrong"), for: "nobody")
        #expect(
            lines() == [
                "look_up_credential done 0", "admit_attempt done 1", "verify refused(wrong) 0", "settle_attempt done 0",
            ])
        for _ in 1...5 { _ = try? await repository.passwords.validate(Secret("wrong"), for: "bert") }
        _ = observed.take()
        _ = try? await repository.passwords.validate(Secret("wrong"), for: "bert")
        #expect(lines() == ["look_up_credential done 1", "admit_attempt refused(throttled) 0"])
        try await repository.unlock("bert")
        #expect(lines() == ["look_up_credential done 1", "unlock done 1"])
        _ = try await repository.edit("abel") { $0["password"] = "Sunflower7" }
        #expect(lines() == ["look_up done 1", "hash done 1", "replace done 1"])
        try await repository.passcodes.create(Secret("Abcdef12!"), for: "abel")
        #expect(Array(lines().suffix(2)) == ["hash done 1", "set_passcode done 1"])
    }

    @Test func `an observer gets the operations on sessions, tokens and resets`() async throws {
        let issued = try await repository.sessions.start(vouchingFor: "abel")
        for _ in 0..<2 { _ = try await repository.sessions.find(issued.token) }
        // The second look-up is answered from memory.
        #expect(lines() == ["start_session done 1", "look_up_session done 1"])
        _ = try? await repository.sessions.start(vouchingFor: "nobody")
        #expect(lines() == ["start_session done 0"])
        _ = try await repository.sessions.end(issued.value.id)
        _ = try await repository.sessions.end(issued.value.id)
        #expect(lines() == ["end_session done 1", "end_session done 0"])
        let name = try #require(AccountLabel("nightly"))
        _ = try await repository.tokens.create(name, scopes: [.read])
        _ = try? await repository.tokens.create(name, scopes: [.read])
        #expect(lines() == ["create_token done 1", "create_token refused(token_exists) 0"])
        let reset = try await repository.passwords.issueReset(of: "abel")
        _ = try await repository.passwords.redeemReset(reset.token, password: Secret("Sunflower7"))
        #expect(lines().filter { $0.contains("reset") }.suffix(1) == ["redeem_reset done 1"])
    }

    @Test func `an observer gets each read of changes`() async throws {
        var changes = await repository.changes.stream(after: 0).makeAsyncIterator()
        _ = try await changes.next()
        #expect(lines() == ["read_changes done 2"])
    }

    @Test func `an observer gets pings and each call on sessions and tokens once`() async throws {
        try await repository.ping()
        #expect(lines() == ["ping done 0"])
        let issued = try await repository.sessions.start(vouchingFor: "abel")
        _ = observed.take()
        // By then the last look-up has expired, and the use is due to be written.
        store.clock.advance(by: .seconds(600))
        _ = try await repository.sessions.find(issued.token)
        await repository.tokenUses.wait()
        #expect(lines() == ["look_up_session done 1", "note_uses done 1"])
        _ = try await repository.sessions.list(of: "abel")
        _ = try await repository.sessions.list()
        #expect(lines() == ["look_up done 1", "list_sessions done 1", "list_sessions done 1"])
        let token = try await repository.tokens.create(#require(AccountLabel("nightly")), scopes: [.read])
        _ = try await repository.tokens.find(token.token)
        await repository.tokenUses.wait()
        _ = try await repository.tokens.list()
        _ = try await repository.tokens.revoke(token.value.id)
        #expect(
            lines() == [
                "create_token done 1", "look_up_token done 1", "note_uses done 1", "list_tokens done 1",
                "revoke_token done 1",
            ])
        _ = try await repository.passwords.findReset(repository.passwords.issueReset(of: "abel").token)
        #expect(lines() == ["read_schema done 1", "issue_reset done 1", "look_up_reset done 1"])
        store.clock.advance(by: .seconds(100 * 86_400))
        // The session, the reset and two entries of the history.
        #expect(try await repository.removeExpired() == 4)
        #expect(lines() == ["remove_expired done 4", "remove_expired done 0"])
    }

    @Test func `an observer gets the replacement and the removal of a passcode`() async throws {
        try await repository.passcodes.create(Secret("Abcdef12!"), for: "abel")
        _ = observed.take()
        try await repository.passcodes.edit(from: Secret("Abcdef12!"), to: Secret("Abcdef34!"), for: "abel")
        #expect(lines().suffix(2) == ["hash done 1", "replace_passcode done 1"])
        try await repository.passcodes.remove(of: "abel")
        #expect(lines() == ["look_up_credential done 1", "remove_passcode done 1"])
    }

    @Test func `the observers of both stores get each step of a copy`() async throws {
        let other = try TemporaryStore()
        let seenByCopy = Observed()
        let copy = try await other.open(observedBy: seenByCopy) { $0.opensUnfinishedCopy = true }
        _ = try await StoreCopy(from: repository, to: copy).run()
        let read = lines()
        #expect(read.count { $0 == "copy done 0" } == 2, "what it holds, at the beginning and at the end")
        // Each reading ends with a page that has no profile.
        let reading = ["scan done 2", "scan done 0"]
        #expect(read.filter { $0.hasPrefix("scan") } == reading + reading)
        let written = seenByCopy.take().map(\.line)
        let steps = ["copy done 0", "copy done 0", "copy done 2", "copy done 0"]
        #expect(written.filter { $0.hasPrefix("copy") } == steps)
        #expect(written.contains("page done 0"), "the last profile that is there")
        await copy.close()
    }

    @Test func `a read that confirms another result is not an operation of its own`() async throws {
        let confirmed = try await repository.confirmed(nil) { () throws(ProfileStoreError) in
            try await repository.profile(username: "abel")
        }
        // An engine whose look-ups are never out of date reads nothing again.
        #expect(confirmed == nil || store.engine == .postgres)
        #expect(lines() == [])
    }

    // MARK: Failures and waits

    @Test func `an observer gets the failures of a closed repository`() async throws {
        await repository.close()
        _ = observed.take()
        _ = try? await repository.register("carl")
        _ = try? await repository.profile(username: "abel")
        #expect(lines() == ["register failed(closed) 0", "look_up failed(closed) 0"])
    }

    @Test func `an observer gets the time that a hash waited for a thread, and a cancelled hash`() async throws {
        let gate = await repository.occupyHashingThread()
        let hash = Task { try await repository.hasher.hash(People.secret) }
        try await waitUntil { repository.hasher.pool.waiting != 0 }
        let cancelled = Task { try await repository.hasher.hash(People.secret) }
        try await waitUntil { repository.hasher.pool.waiting != 1 }
        cancelled.cancel()
        _ = await cancelled.result
        #expect(lines() == ["hash cancelled 0"])
        gate.signal()
        _ = try await hash.value
        let operation = try #require(observed.take().first)
        #expect(operation.line == "hash done 1")
        #expect(operation.waited > .zero && operation.waited < operation.duration)
    }

    // MARK: Contents of an operation

    @Test func `a look-up does not wait, and every operation has a duration`() async throws {
        _ = try await repository.profile(username: "abel")
        try await repository.register("carl")
        let operations = observed.take()
        #expect(operations.first?.waited == .zero)
        for operation in operations {
            #expect(operation.duration > .zero && operation.waited >= .zero && operation.waited < operation.duration)
        }
    }

    @Test func `the observer is called in the task of the caller`() async throws {
        enum Request { @TaskLocal static var id = 0 }
        let ids = Observed.Numbers()
        let other = try await store.open(store.options { $0.observer = StoreObserver { _ in ids.add(Request.id) } })
        try await Request.$id.withValue(7) {
            _ = try await other.profile(username: "abel")
            try await other.register("carl")
        }
        #expect(ids.all.suffix(2) == [7, 7])
        await other.close()
    }

    @Test func `codes are lower_snake_case, and each error has its own`() {
        let errors: [ProfileStoreError] = [
            .notFound(username: "a"), .duplicate([]), .staleRevision(expected: 1, current: 2), .invalidQuery([]),
            .schemaChanged(version: 1), .tokenExists(name: "a"), .repeatedValues(.email, []), .tooManyColumns(limit: 1),
            .otherPrimaryKey(.email, inForce: .username), .busy(holder: nil, waited: .zero), .cancelled, .closed,
            .hashing(.busy), .hashing(.outOfMemory), .noThread(code: 1), .lockDisplaced(path: ""), .noStore(path: ""),
            .notADatabase(path: ""), .notAStore(path: ""), .newerStore(path: "", version: 1, known: 1),
            .olderStore(path: "", version: 1, known: 1), .severalNames(path: ""), .displaced(path: ""),
            .notALockFile(path: "", .notAFile), .alteredMigration(name: ""), .corrupt(.noSchema), .readOnly(""),
            .full(""),
            .unreadableLog(path: ""), .alreadyExists(path: ""), .reservedName(path: ""), .cannotOpen("", code: 1),
            .inputOutput("", code: 1), .database("", code: 1), .unsupported(.nullCharacter),
        ]
        let codes = errors.map(\.code.rawValue)
        #expect(Set(codes).count == errors.count)
        for word in codes {
            #expect(!word.isEmpty && word.allSatisfy { "abcdefghijklmnopqrstuvwxyz_".contains($0) }, "\(word)")
        }
    }

    @Test func `no operation contains a value, a name or a path`() async throws {
        _ = try? await repository.register("abel", ["address": "99 Elm St"])
        _ = try? await repository.passwords.validate(Secret("Guessed77"), for: "abel")
        _ = try await repository.edit("bert") { $0["address"] = "99 Elm St" }
        _ = try? await repository.remove("nobody")
        let text = observed.take().map { String(reflecting: $0) }.joined()
        #expect(text.contains("duplicate"))
        for value in ["abel", "bert", "nobody", "Elm", "Guessed", "12 Main", "profiles.sqlite", store.directory] {
            #expect(!text.contains(value), "\(value)")
        }
    }
}
