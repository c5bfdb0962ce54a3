import Platform
import ProfileCore
@testable import ProfileStore
import ProfileTesting
import ProfileTransfer
import SecretHashing
import StoreFixtures
import Testing
import Watchdog

/// H4: the writes that end every session of a profile, in the same transaction and in every process.
@Suite(.watched) struct SessionEndTests {
    private let store: TemporaryStore
    private let repository: ProfileRepository
    /// A second repository on the same store, as another process has it.
    private let other: ProfileRepository

    init() async throws {
        store = try TemporaryStore()
        repository = try await store.open()
        other = try await store.open()
        try await repository.register("abel", ["password_hash": People.weakHash])
        try await repository.register("bert")
    }

    enum Ending: CaseIterable {
        case edit, editOfHash, removal, importing, reset, end, endOfAll
    }

    private func bring(_ ending: Ending, _ session: LoginSession) async throws {
        switch ending {
        case .edit: _ = try await repository.edit("abel") { $0.password = Secret("bL9pjp") }
        case .editOfHash: _ = try await repository.edit("abel") { $0["password_hash"] = People.bcryptHash }
        case .removal: try await repository.remove("abel")
        case .importing:
            let report = try await repository.importing(
                "username,password_hash\nabel,\"\(People.policyHash)\"\nbert,\"\(People.policyHash)\"\n"
            ) { $0.duplicates = .update }
            #expect(report.updated == 1, "bert has that hash already")
        case .reset:
            let token = try await repository.passwords.issueReset(of: "abel").token
            _ = try await repository.passwords.redeemReset(token, password: Secret("bL9pjp"))
        case .end: try await repository.sessions.end(session.id)
        case .endOfAll: try await repository.sessions.endAll(of: "abel")
        }
    }

    @Test(arguments: Ending.allCases)
    func `H4: a session ends with its password or its profile, in every process within 250 ms`(
        ending: Ending
    ) async throws {
        let abel = try await repository.sessions.start(vouchingFor: "abel")
        let bert = try await repository.sessions.start(vouchingFor: "bert")
        for repository in [repository, other] {
            #expect(try await repository.sessions.find(abel.token) != nil)
            #expect(try await repository.sessions.find(bert.token) != nil)
        }
        store.clock.advance(by: .milliseconds(100))
        try await bring(ending, abel.value)
        // The session has ended. The other repository still accepts it until its last look-up is 250 ms old.
        #expect(try await repository.sessions.list().map(\.username) == ["bert"])
        #expect(try await other.sessions.find(abel.token) != nil)
        store.clock.advance(by: .milliseconds(149))
        #expect(try await other.sessions.find(abel.token) != nil)
        store.clock.advance(by: .milliseconds(1))
        for repository in [repository, other] {
            #expect(try await repository.sessions.find(abel.token) == nil)
            #expect(try await repository.sessions.find(bert.token) != nil)
        }
        for repository in [repository, other] { await repository.close() }
    }

    @Test(arguments: [Ending.edit, .editOfHash, .removal, .reset, .end, .endOfAll])
    func `H4: the process that ends a session refuses its token at once`(ending: Ending) async throws {
        let abel = try await repository.sessions.start(vouchingFor: "abel")
        #expect(try await repository.sessions.find(abel.token) != nil)
        try await bring(ending, abel.value)
        #expect(try await repository.sessions.find(abel.token) == nil)
    }

    @Test func `a session continues after writes that keep the password`() async throws {
        let abel = try await repository.sessions.start(vouchingFor: "abel")
        let reset = try await repository.passwords.issueReset(of: "abel")
        _ = try await repository.edit("abel") { $0["address"] = "2" }
        _ = try await repository.edit("abel") { $0["username"] = "abelard" }
        _ = try await repository.edit("abelard") { $0["password_hash"] = People.weakHash }
        try await repository.passcodes.create(Secret("parislondon"), for: "abelard")
        try await repository.passcodes.edit(from: Secret("parislondon"), to: Secret("marsvenus"), for: "abelard")
        try await repository.passcodes.remove(of: "abelard")
        try await repository.rules.adopt(People.standard(and: People.email))
        // Replaces the weak hash by a better one of the same password.
        _ = try await repository.passwords.validate(People.secret, for: "abelard")
        await #expect(throws: CredentialError.wrong) {
            try await repository.passwords.validate(Secret("wrong1A"), for: "abelard")
        }
        let hash = try await repository.engine.credential(.password, of: "abelard")?.hash
        #expect(hash?.text != People.weakHash)
        store.clock.advance(by: .seconds(1))
        #expect(try await repository.sessions.find(abel.token) != nil)
        #expect(try await repository.passwords.findReset(reset.token) != nil)
    }

    @Test(.onlyOnSQLite("needs a second process"))
    func `H4: another process refuses an ended session within 250 ms of real time`() async throws {
        // Uses the system's clock, because the other process does.
        let repository = try await store.open(
            store.options {
                $0.now = Timestamp.now
                $0.uptime = { .now }
            })
        let abel = try await repository.sessions.start(vouchingFor: "abel")
        let process = try ExerciserProcess("honour", store.path, String(abel.token.bytes))
        #expect(process.nextLine() == "honoured")
        _ = try await repository.edit("abel") { $0.password = Secret("bL9pjp") }
        let end = ContinuousClock.now
        let outcome = await process.finish()
        #expect(outcome.code == 0, "\(outcome.lines)")
        // The time at which the last accepted request began, on the same clock.
        let latest = try #require(outcome.lines.last.flatMap { Int64($0) })
        #expect(Duration.nanoseconds(latest) - end.uptime < .milliseconds(250))
        await repository.close()
    }

    @Test(.onlyOnSQLite("reads the files directly"))
    func `H4: the files of the store contain no token, and no part of a token`() async throws {
        let name = try #require(AccountLabel("nightly"))
        let tokens = [
            try await repository.sessions.start(People.secret, for: "abel").token,
            try await repository.tokens.create(name, scopes: [.read]).token,
            try await repository.passwords.issueReset(of: "abel").token,
        ]
        let kinds = [TokenKind.session, .access, .reset]
        _ = try await repository.sessions.find(tokens[0])
        _ = try await repository.tokens.find(tokens[1])
        await repository.tokenUses.wait()
        var files: [UInt8] = []
        for file in store.names() { files += SmallFile.bytes(of: "\(store.directory)/\(file)") ?? [] }
        let text = String(decoding: files, as: Unicode.ASCII.self)
        for (kind, token) in zip(kinds, tokens) {
            let characters = String(token.bytes)
            let hash = try #require(TokenHash(of: token, kind)).text
            #expect(text.utf8.firstRange(of: hash.utf8) != nil, "or nothing would be found here")
            #expect(text.utf8.firstRange(of: characters.dropFirst(3).prefix(16).utf8) == nil)
            let bytes = try #require(Self.decoded(characters.dropFirst(3)))
            #expect(bytes.count == 32 && SHA256.hexadecimal(bytes.span) == hash)
            #expect(files.firstRange(of: bytes.prefix(12)) == nil)
        }
    }

    /// Decodes base64url.
    private static func decoded(_ text: Substring) -> [UInt8]? {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var bits = 0
        var count = 0
        var bytes: [UInt8] = []
        for character in text.utf8 {
            guard let value = alphabet.firstIndex(of: character) else { return nil }
            bits = (bits << 6 | value) & 0xFFFF
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> count))
            }
        }
        return bytes
    }
}

extension ContinuousClock.Instant {
    /// The time of `CLOCK_BOOTTIME` at this instant. All processes have the same `CLOCK_BOOTTIME`.
    fileprivate var uptime: Duration {
        var time = timespec()
        let elapsed = ContinuousClock.now
        clock_gettime(CLOCK_BOOTTIME, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec) - (elapsed - self)
    }
}
