import ProfileCore
import ProfileStore
import ProfileTesting
import SecretHashing
import StoreFixtures
import Testing
import Watchdog

@testable import ProfileLogin

/// L1: a newer rule refuses no password that was stored before it.
@Suite(.watched) struct StoredLoginRulesTests {
    private let store: TemporaryStore
    private let repository: ProfileRepository
    private let rules: StoredLoginRules

    init() async throws {
        store = try TemporaryStore()
        repository = try await store.open()
        rules = StoredLoginRules(repository)
        try await typed("abel")
    }

    /// Registers a profile whose password is judged.
    private func typed(_ username: String) async throws {
        try await repository.register(username, ["password": "aK8oio", "password_hash": ""])
    }

    private static func stricter() throws -> ProfileSchema {
        try People.standard(replacing: #""minLength":3"#, with: #""minLength":9"#)
    }

    private func judgesPasswords() async throws -> Bool {
        let checks = try await rules.checks()
        let isJudged = checks == LoginChecks(repository.schema)
        #expect(isJudged || checks == LoginChecks(repository.schema, judgesPasswords: false))
        return isJudged
    }

    @Test func `L1: passwords that the rules in force have judged are checked by these`() async throws {
        #expect(try await judgesPasswords())
        try await repository.rules.adopt(People.standard(and: People.email))
        #expect(try await judgesPasswords(), "the rules of passwords are the same")
        #expect(await LoginService(repository).failure("abel", "aK8oio") == nil)
    }

    @Test func `L1: a brought hash lets any password through, until it is gone`() async throws {
        #expect(try await judgesPasswords())
        try await repository.register("bert")
        #expect(try await !judgesPasswords())
        let service = LoginService(repository)
        #expect(await service.failure("abel", "x") == .invalidCredentials)
        #expect(await service.failure("bert", "") == .invalidPasswordLength(minimum: 1, requirements: []))
        #expect(await service.failure("bert", "aK8oio") == nil)
        #expect(try await !judgesPasswords(), "a success has judged nothing")
        _ = try await repository.edit("bert") { $0.password = Secret("bL9pjp") }
        #expect(try await judgesPasswords())
        #expect(await service.failure("abel", "x")?.message.contains("at least 3 characters") == true)
    }

    @Test func `L1: a brought hash is noticed, whichever call or process stores it`() async throws {
        let other = try await store.open()
        try await other.register("bert")
        #expect(try await !judgesPasswords(), "another process has registered it")
        try await other.remove("bert")
        #expect(try await judgesPasswords())
        _ = try await repository.edit("abel") { $0["password_hash"] = People.policyHash }
        #expect(try await !judgesPasswords())
        await other.close()
    }

    @Test func `L1: a person who registered under older rules can log in under newer ones`() async throws {
        let other = try await store.open()
        let service = LoginService(repository)
        try await typed("bert")
        try await other.rules.adopt(Self.stricter())
        #expect(await service.failure("abel", "aK8oio") == nil)
        #expect(try await !judgesPasswords())
        for username in ["bert", "abel"] {
            #expect(try await !judgesPasswords())
            _ = try await repository.edit(username) { $0.password = Secret("bL9pjp789") }
        }
        #expect(try await judgesPasswords())
        #expect(
            await service.failure("abel", "aK8oio")
                == .invalidPasswordLength(minimum: 9, requirements: [.uppercase, .digit]))
        #expect(await service.failure("abel", "bL9pjp789") == nil)
        try await other.rules.adopt(.standard)
        #expect(try await !judgesPasswords(), "these were set under the stricter rules")
        await other.close()
    }

    @Test func `L1: the checks alone know the rules in force and the passwords that predate them`() async throws {
        let other = try await store.open()
        let service = LoginService(repository)
        func failure(_ password: String) async throws -> LoginError? {
            do throws(LoginError) { try await service.check(username: "abel", password: Secret(password)) } catch {
                return error
            }
            return nil
        }
        #expect(try await failure("aK8") == nil)
        try await other.rules.adopt(Self.stricter())
        #expect(try await failure("x") == nil)
        #expect(try await failure("") == .invalidPasswordLength(minimum: 1, requirements: []))
        _ = try await repository.edit("abel") { $0.password = Secret("bL9pjp789") }
        #expect(
            try await failure("bL9pjp") == .invalidPasswordLength(minimum: 9, requirements: [.uppercase, .digit]))
        // A check is no attempt.
        for _ in 0...ThrottleState.freeAttempts { #expect(try await failure("bL9pjp780") == nil) }
        #expect(await service.failure("abel", "bL9pjp789") == nil)
        await repository.close()
        #expect(try await failure("bL9pjp789") == .store(.closed))
        await other.close()
    }

    @Test func `L1: every login fails under a schema without a password, and works again under one with it`()
        async throws
    {
        let names = try ProfileSchema(
            parsing: #"{"name":"names","fields":[{"name":"username","constraints":{"required":true,"unique":true}}]}"#)
        try await repository.rules.adopt(names)
        let service = LoginService(repository)
        #expect(await service.failure("abel", "aK8oio") == .noPasswords)
        try await repository.rules.adopt(.standard)
        #expect(await service.failure("abel", "aK8oio") == nil)
    }

    @Test(.onlyOnSQLite("reads the tables directly"))
    func `L1: after any changes, the answer equals a count over all profiles`() async throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SeededGenerator(seed: seed)
        let schemas = [ProfileSchema.standard, try Self.stricter(), try People.standard(and: People.email)]
        var sawBoth = Set<Bool>()
        for step in 0..<(Length.isLong ? 2_000 : 120) {
            let username = ["abel", "bert", "carl", "dora"].randomElement(using: &random) ?? "abel"
            switch Int.random(in: 0..<10, using: &random) {
            case 0...1: _ = try? await repository.register(username)
            case 2...4: _ = try? await repository.edit(username) { $0.password = Secret("bL9pjp\(step)xyz") }
            case 5: _ = try? await repository.edit(username) { $0["password_hash"] = People.policyHash }
            case 6...7: _ = try? await repository.remove(username)
            case 8: _ = try? await repository.edit(username) { $0["address"] = "\(step) Main St" }
            default: try await repository.rules.adopt(schemas.randomElement(using: &random) ?? .standard)
            }
            let unjudged = try await repository.rules.revalidate(all: true).credentialsPredating
            let brought = try store.number("SELECT count(*) FROM profiles WHERE password_is_judged = 0")
            let isJudged = try await judgesPasswords()
            #expect(isJudged == (unjudged == 0 && brought == 0), "step \(step) of seed \(seed)")
            sawBoth.insert(isJudged)
        }
        #expect(sawBoth.count == 2)
    }
}
