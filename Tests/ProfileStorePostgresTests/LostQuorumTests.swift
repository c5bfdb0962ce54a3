import PostgresAccess
import ProfileCore
import ProfileStore
import ProfileStorePostgres
import ProfileTesting
import ProfileTransfer
import StoreFixtures
import Synchronization
import Testing
import Watchdog

/// The answers of a leader without its standby: the standby is frozen, or commits do not wait for it any more.
@Suite(.onlyWithPostgres, .watched(for: .seconds(300))) struct LostQuorumTests {
    private static let names = "ANY 1 (standby)"

    /// Registers eight names, so that ids for a few more are reserved and the next commit is the caller's.
    private func prepare(_ repository: ProfileRepository) async throws {
        for number in 0..<8 { try await repository.register("before\(number)") }
    }

    private func count(_ store: PostgresStore, _ server: ReplicatedServer, _ table: String) async throws -> Int64 {
        try await server.run("SELECT count(*) FROM \(store.schema).\(table)").number(0, 0) ?? 0
    }

    // MARK: Stored on one machine

    @Test func `E2: a commit that is released without a standby is reported as stored on one machine only`()
        async throws
    {
        try await ReplicatedServer.with { servers in
            let server = servers[0]
            let store = try PostgresStore(on: ReplicatedServer.uri(servers))
            // All writes have to reach their commit within the limit, also on a slow machine.
            let repository = try await store.open { $0.waitLimit = .seconds(20) }
            let hasty = try await store.open { $0.waitLimit = .seconds(16) }
            try await prepare(repository)
            let keyed = try repository.judged(People.draft("keyed"))
            let plain = try repository.judged(People.draft("plain"))
            let writes: [@Sendable () async throws -> Void] = [
                { _ = try await repository.register(keyed, key: WriteKey("k")) },
                { _ = try await repository.register(plain) },
                { _ = try await repository.edit("before0") { $0["address"] = "1" } },
                { _ = try await repository.sessions.start(vouchingFor: "before1") },
                { _ = try await repository.remove("before2") },
            ]
            server.freezeStandby()
            let tasks = writes.map { write in Task { try await write() } }
            try await server.waitUntilCommitsWait(Int64(tasks.count))
            // Patroni does the same unless it is strict.
            try await server.waitForStandbys("")
            for task in tasks { #expect(await problem { try await task.value } == .storedOnOneMachine) }
            #expect(try await count(store, server, "profiles") == 9)
            #expect(try await count(store, server, "tokens") == 1)
            // The answer to a repeated write is neither that it is done nor that it is not done.
            let again = await problem { try await hasty.register(keyed, key: WriteKey("k")) }
            #expect(again == .storedOnOneMachine)
            #expect(await problem { try await hasty.remove("before0") }?.code == .notDurable)
            await hasty.close()
            server.thawStandby()
            try await server.waitForStandbys(Self.names)
            #expect(try await repository.register(keyed, key: WriteKey("k")).revision == 1)
            #expect(try await count(store, server, "profiles") == 9)
            #expect(try await count(store, server, "changes") == 12)
            await repository.close()
        }
    }

    @Test func `E2: a commit that is released without a standby is done once a standby has it in time`() async throws {
        try await ReplicatedServer.with { servers in
            let server = servers[0]
            let store = try PostgresStore(on: ReplicatedServer.uri(servers))
            let repository = try await store.open()
            try await prepare(repository)
            let keyed = try repository.judged(People.draft("keyed"))
            server.freezeStandby()
            let tasks = [
                Task { try await repository.register(keyed, key: WriteKey("k")) },
                Task { try await repository.register("plain") },
            ]
            try await server.waitUntilCommitsWait(2)
            try await server.waitForStandbys("")
            // The commits are released.
            try await waitUntil { try await count(store, server, "profiles") == 10 }
            server.thawStandby()
            try await server.waitForStandbys(Self.names)
            for task in tasks { #expect(try await task.value.revision == 1) }
            #expect(try await count(store, server, "profiles") == 10)
            #expect(try await count(store, server, "changes") == 10)
            await repository.close()
        }
    }

    @Test func `E2: an adoption that needs an index waits no longer for a standby than any other call`() async throws {
        try await ReplicatedServer.with { servers in
            let store = try PostgresStore(on: ReplicatedServer.uri(servers))
            let schema = try People.standard(and: People.email)
            let repository = try await store.open { $0.initialSchema = schema }
            let hasty = try await store.open { $0.waitLimit = .seconds(3) }
            try await repository.register("one", ["email": "a"])
            let unique = try People.standard(and: People.uniqueEmail)
            servers[0].freezeStandby()
            let refused = await problem { try await hasty.rules.adopt(unique) }
            let code = try #require(refused?.code)
            #expect([.notDurable, .storedOnOneMachine, .outcomeUnknown, .busy].contains(code), "\(code)")
            await hasty.close()
            servers[0].thawStandby()
            try await repository.rules.adopt(unique)
            try await repository.register("two", ["email": "b"])
            #expect(await problem { try await repository.register("three", ["email": "a"]) } == .duplicate([.email]))
            await repository.close()
        }
    }

    @Test func `E2: a standby that is slow is no reason to doubt a commit`() async throws {
        try await ReplicatedServer.with { servers in
            let store = try PostgresStore(on: ReplicatedServer.uri(servers))
            let repository = try await store.open()
            try await prepare(repository)
            servers[0].freezeStandby()
            let task = Task { try await repository.register("new") as Profile }
            try await servers[0].waitUntilCommitsWait(1)
            servers[0].thawStandby()
            #expect(try await task.value.revision == 1)
            await repository.close()
        }
    }

    @Test func `E2: an import counts what is stored on one machine only, and ends`() async throws {
        try await ReplicatedServer.with { servers in
            let server = servers[0]
            let store = try PostgresStore(on: ReplicatedServer.uri(servers))
            let repository = try await store.open { $0.waitLimit = .seconds(20) }
            try await prepare(repository)
            let many = try (0..<3).map { try repository.judged(People.draft("many\($0)")) }
            let rows = (0..<3).map { "import\($0),78761241,1 Main St,\"\(People.policyHash)\"\n" }
            let text = "username,phone,address,password_hash\n" + rows.joined()
            server.freezeStandby()
            let registration = Task { try await repository.register(many: many) }
            let importing = Task { try await repository.importing(text) }
            try await server.waitUntilCommitsWait(2)
            try await server.waitForStandbys("")
            let stopped = await #expect(throws: StoppedWrite<RegistrationReport>.self) {
                try await registration.value
            }
            #expect(stopped?.report.registered == 3 && stopped?.report.refusals.isEmpty == true)
            #expect(stopped?.error == .storedOnOneMachine)
            do throws {
                _ = try await importing.value
                Issue.record("it was told as done")
            } catch ImportError.ended(.store(.storedOnOneMachine), after: let report) {
                #expect(report.rows == 3 && report.imported == 3)
            }
            #expect(try await count(store, server, "profiles") == 14)
            await repository.close()
        }
    }

    @Test func `E2: a bulk load that is stored on one machine only says so, and later writes are possible`()
        async throws
    {
        try await ReplicatedServer.with { servers in
            let server = servers[0]
            let store = try PostgresStore(on: ReplicatedServer.uri(servers))
            let repository = try await store.open { $0.waitLimit = .seconds(20) }
            let load = try GatedLoad((0..<20).map { "u\($0)" }, for: repository)
            let task = Task { try await load.run(in: repository) }
            try await waitUntil { load.gate.isRunning == 1 }
            server.freezeStandby()
            load.gate.open(1)
            try await server.waitUntilCommitsWait(1)
            try await server.waitForStandbys("")
            #expect(try await task.value == .loadedOnOneMachine)
            #expect(try await count(store, server, "profiles") == 20)
            server.thawStandby()
            try await server.waitForStandbys(Self.names)
            #expect(await problem { try await repository.register("u0") } == .duplicate([.username]))
            try await repository.register("last")
            await repository.close()
        }
    }

    // MARK: Answers of no

    /// A write whose answer is no.
    private struct Refusal: Sendable {
        let name: String
        let ask: @Sendable (ProfileRepository) async throws -> Void
    }

    private static func refusals(_ token: Secret, _ stored: Profile) throws -> [Refusal] {
        let known = try #require(AccountLabel("known"))
        let id = try #require(TokenID("0123456789abcdef"))
        @Sendable func edited(_ repository: ProfileRepository) throws -> ValidProfile {
            try repository.validator.validate(
                People.withoutPassword("one", ["address": "2"]), on: repository.today, hasPassword: true)
        }
        return [
            Refusal(name: "register") { try await $0.register("one") },
            Refusal(name: "register with a key") {
                _ = try await $0.register($0.judged(People.draft("one")), key: WriteKey("register"))
            },
            Refusal(name: "register many") {
                let one = try $0.judged(People.draft("one"))
                let report: RegistrationReport
                do throws(StoppedWrite<RegistrationReport>) {
                    report = try await $0.register(many: [one])
                } catch {
                    throw error.error
                }
                throw ProfileStoreError.duplicate(report.refusals[0].fields)
            },
            Refusal(name: "edit a missing one") { _ = try await $0.edit("nobody") { $0["address"] = "1" } },
            Refusal(name: "edit a missing one with a key") {
                _ = try await $0.edit("nobody", key: WriteKey("edit")) { $0["address"] = "1" }
            },
            Refusal(name: "edit another revision") {
                _ = try await $0.edit("one", expecting: 7) { $0["address"] = "1" }
            },
            Refusal(name: "edit, breaking the rules") { _ = try await $0.edit("one") { $0["phone"] = "x" } },
            Refusal(name: "edit to a name that is taken") { _ = try await $0.edit("one") { $0["username"] = "two" } },
            Refusal(name: "look up for an edit") { _ = try await $0.profile(username: "nobody", expecting: nil) },
            Refusal(name: "replace what has changed") { _ = try await $0.replace(stored, with: try edited($0)) },
            Refusal(name: "replace what has changed, with a key") {
                _ = try await $0.replace(stored, with: try edited($0), key: WriteKey("replace"))
            },
            Refusal(name: "remove") { try await $0.remove("nobody") },
            Refusal(name: "remove with a key") { try await $0.remove("nobody", key: WriteKey("remove")) },
            Refusal(name: "remove another revision") { try await $0.remove("one", expecting: 7) },
            Refusal(name: "remove what a query finds") {
                let query = ProfileQuery([.init(.username, .equals("nobody"))])
                let report: RemovalReport
                do throws(StoppedWrite<RemovalReport>) {
                    report = try await $0.remove(matching: query)
                } catch {
                    throw error.error
                }
                throw ProfileStoreError.notFound(username: "\(report.removed)")
            },
            Refusal(name: "create a passcode of nobody") {
                try await $0.passcodes.create(Secret("parislondon"), for: "nobody")
            },
            Refusal(name: "create another passcode") {
                try await $0.passcodes.create(Secret("parislondon"), for: "two")
            },
            Refusal(name: "edit a passcode") {
                try await $0.passcodes.edit(from: Secret("wrongwrong"), to: Secret("parislondon"), for: "two")
            },
            Refusal(name: "remove the passcode of nobody") { try await $0.passcodes.remove(of: "nobody") },
            Refusal(name: "remove no passcode") { try await $0.passcodes.remove(of: "one") },
            Refusal(name: "validate a passcode") { try await $0.passcodes.validate(Secret("wrongwrong"), for: "two") },
            Refusal(name: "validate a password") { _ = try await $0.passwords.validate(Secret("Wr0ng"), for: "one") },
            Refusal(name: "validate a password of nobody") {
                _ = try await $0.passwords.validate(Secret("Wr0ng"), for: "nobody")
            },
            Refusal(name: "validate a password too often") {
                for _ in 0..<20 {
                    do { _ = try await $0.passwords.validate(Secret("Wr0ng"), for: "often") } catch CredentialError
                        .wrong
                    {}
                }
            },
            Refusal(name: "log in") { _ = try await $0.sessions.start(Secret("Wr0ng"), for: "one") },
            Refusal(name: "unlock") { try await $0.unlock("nobody") },
            Refusal(name: "start a session") { _ = try await $0.sessions.start(vouchingFor: "nobody") },
            Refusal(name: "end a session") {
                if try await $0.sessions.end(id) == nil { throw CredentialError.wrong }
            },
            Refusal(name: "end sessions") { try await $0.sessions.endAll(of: "nobody") },
            Refusal(name: "create an access token") { _ = try await $0.tokens.create(known, scopes: []) },
            Refusal(name: "revoke an access token") {
                if try await $0.tokens.revoke(id) == nil { throw CredentialError.wrong }
            },
            Refusal(name: "issue a reset") { _ = try await $0.passwords.issueReset(of: "nobody") },
            Refusal(name: "redeem a reset") {
                _ = try await $0.passwords.redeemReset(token, password: Secret("Paper#Boat9"))
            },
        ]
    }

    /// Whether the error is an answer to the write. Other errors say that there is no answer.
    private func isAnswer(_ error: any Error) -> Bool {
        let error = if case CredentialError.store(let error) = error { error as any Error } else { error }
        guard let error = error as? ProfileStoreError else { return true }
        return ![.busy, .unavailable, .outcomeUnknown, .notDurable].contains(error.code)
    }

    @Test func `E3: a leader whose standbys do not answer does not say no to any write`() async throws {
        try await ReplicatedServer.with { servers in
            let store = try PostgresStore(on: ReplicatedServer.uri(servers))
            let repository = try await store.open { $0.waitLimit = .seconds(1) }
            let patient = try await store.open()
            let stored = try await patient.register("one")
            _ = try await patient.edit("one") { $0["address"] = "1" }
            try await patient.register("two")
            try await patient.passcodes.create(Secret("romemadrid"), for: "two")
            _ = try await patient.tokens.create(#require(AccountLabel("known")), scopes: [])
            let reset = try await patient.passwords.issueReset(of: "one")
            try await store.run("DELETE FROM tokens WHERE kind = 'reset'")
            let refusals = try Self.refusals(reset.token, stored)
            func expect(answers: Bool, of repository: ProfileRepository) async {
                for refusal in refusals {
                    do {
                        try await refusal.ask(repository)
                        Issue.record("\(refusal.name) was done")
                    } catch {
                        #expect(isAnswer(error) == answers, "\(refusal.name): \(error)")
                    }
                }
            }
            await expect(answers: true, of: patient)
            try await store.run("DELETE FROM keyed_writes")
            try await store.run("DELETE FROM throttles")
            servers[0].freezeStandby()
            await expect(answers: false, of: repository)
            servers[0].thawStandby()
            for repository in [repository, patient] { await repository.close() }
        }
    }

    /// One server takes over from another, which answers reads a while longer and then ends, as after a failover.
    private func withOutdatedLeader(
        _ body: (_ repository: ProfileRepository, _ current: ProfileRepository, _ end: () async throws -> Void)
            async throws -> Void
    ) async throws {
        try await ReplicatedServer.with(2) { servers in
            let store = try PostgresStore(on: ReplicatedServer.uri(servers))
            let repository = try await store.open { $0.waitLimit = .seconds(60) }
            try await repository.register("known")
            let alone = ReplicatedServer.uri([servers[1]]) + "?schema=\(store.schema)"
            var options = ProfileRepository.Options()
            options.createsMissing = true
            let current = try await ProfileRepository.open(postgres: alone, options: options)
            servers[0].freezeStandby()
            try await body(repository, current) {
                try await servers[0].waitUntilCommitsWait(1)
                try await servers[0].stop()
            }
            for repository in [repository, current] { await repository.close() }
        }
    }

    @Test func `E3: an edit finds a profile that an outdated leader does not know`() async throws {
        try await withOutdatedLeader { repository, current, end in
            try await current.register("new")
            let task = Task { try await repository.edit("new") { $0["address"] = "1" } }
            try await end()
            #expect(try await task.value.revision == 2)
        }
    }

    @Test func `E3: a password that an outdated leader does not know is right`() async throws {
        try await withOutdatedLeader { repository, current, end in
            try await current.register("known")
            let password = Secret("Paper#Boat9")
            let reset = try await current.passwords.issueReset(of: "known")
            _ = try await current.passwords.redeemReset(reset.token, password: password)
            let task = Task { try await repository.passwords.validate(password, for: "known") }
            try await end()
            #expect(try await task.value.username == "known")
        }
    }

    private func isNotDurable<Value>(_ body: () async throws -> Value) async -> Bool {
        if case .notDurable? = await problem(body)?.reason { true } else { false }
    }
}
