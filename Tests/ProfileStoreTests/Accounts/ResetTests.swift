import ProfileCore
@testable import ProfileStore
import ProfileTesting
import SecretHashing
import StoreFixtures
import Testing
import Watchdog

/// Password resets. With the token of a reset, a person sets a new password without knowing the old one.
@Suite(.watched) struct ResetTests {
    private let store: TemporaryStore
    private let repository: ProfileRepository
    private let new = Secret("bL9pjp")

    init() async throws {
        store = try TemporaryStore()
        repository = try await store.open(registering: ["abel", "bert"])
    }

    private func isRight(_ password: Secret, _ username: String = "abel") async -> Bool {
        (try? await repository.passwords.validate(password, for: username)) != nil
    }

    private func redeem(_ token: Secret, _ password: Secret? = nil) async throws(CredentialError) -> Profile {
        try await repository.passwords.redeemReset(token, password: password ?? new)
    }

    @Test(arguments: [Duration.seconds(-1), .zero, .milliseconds(1)])
    func `a reset is valid for a millisecond at least`(validity: Duration) async throws {
        let issued = try await repository.passwords.issueReset(of: "abel", validFor: validity)
        #expect(issued.value.expiresAt == store.clock.timestamp.advanced(by: .milliseconds(1)))
        #expect(try await repository.passwords.findReset(issued.token) == issued.value)
    }

    @Test func `H4, R3: a reset sets the password once, and the former one is right until then`() async throws {
        let issued = try await repository.passwords.issueReset(of: "ABEL")
        #expect(issued.value.username == "abel" && issued.value.profileID == 1)
        #expect(issued.value.expiresAt == store.clock.timestamp.advanced(by: .seconds(86_400)))
        #expect(String(issued.token.bytes).hasPrefix("pr_"))
        let session = try await repository.sessions.start(People.secret, for: "abel")
        #expect(try await repository.passwords.findReset(issued.token) == issued.value)
        #expect(await isRight(People.secret))

        let number = try await repository.changes.latestNumber
        let profile = try await redeem(issued.token)
        #expect(profile.username == "abel" && profile.revision == 2)
        #expect(profile.updatedAt == store.clock.timestamp)
        #expect(try await repository.sessions.find(session.token) == nil)
        let change = try await repository.changes.page(after: number, limit: 5)
        #expect(change.map(\.kind) == [.edited, .credentialChanged] && change.first?.revision == 2)
        #expect(await isRight(new))
        #expect(await !isRight(People.secret))
        #expect(try await repository.passwords.findReset(issued.token) == nil)
        await #expect(throws: CredentialError.wrong) { try await redeem(issued.token, Secret("cM8qkq")) }
        #expect(await isRight(new))
        #expect(await isRight(People.secret, "bert"))
    }

    @Test func `a further reset ends the one before, and each ends when its time is over`() async throws {
        let first = try await repository.passwords.issueReset(of: "abel", validFor: .seconds(60))
        let second = try await repository.passwords.issueReset(of: "abel", validFor: .seconds(60))
        await #expect(throws: CredentialError.wrong) { try await redeem(first.token) }
        store.clock.advance(by: .milliseconds(59_999))
        #expect(try await repository.passwords.findReset(second.token) != nil)
        store.clock.advance(by: .milliseconds(1))
        #expect(try await repository.passwords.findReset(second.token) == nil)
        await #expect(throws: CredentialError.wrong) { try await redeem(second.token) }
        #expect(await isRight(People.secret))
        await #expect(throws: ProfileStoreError.notFound(username: "zoe")) {
            _ = try await repository.passwords.issueReset(of: "zoe")
        }
    }

    @Test func `a reset ends with any other change of the password, and with the profile`() async throws {
        let edited = try await repository.passwords.issueReset(of: "abel")
        _ = try await repository.edit("abel") { $0.password = new }
        await #expect(throws: CredentialError.wrong) { try await redeem(edited.token) }
        let removed = try await repository.passwords.issueReset(of: "bert")
        try await repository.remove("bert")
        await #expect(throws: CredentialError.wrong) { try await redeem(removed.token) }
        try await repository.register("bert")
        await #expect(throws: CredentialError.wrong) { try await redeem(removed.token) }
    }

    @Test func `the rules judge the new password, and a refused password does not use up the token`() async throws {
        try await repository.rules.adopt(People.standard(replacing: #""minLength":3"#, with: #""minLength":6"#))
        let token = try await repository.passwords.issueReset(of: "abel").token
        let runs = repository.hasher.argon2Runs
        for (password, code) in [("aB1", IssueCode.tooShort), ("", .required), ("poytrl", .missingUppercase)] {
            let error = await #expect(throws: CredentialError.self) { try await redeem(token, Secret(password)) }
            guard case .store(let problem)? = error, case .invalid(let failure) = problem.reason else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(failure.issues.map(\.code).contains(code) && failure.issues.allSatisfy { $0.field == .password })
        }
        let bytes: [UInt8] = [0x61, 0xFF, 0x41, 0x31, 0x41, 0x31]
        await #expect(throws: CredentialError.self) { try await redeem(token, Secret(bytes.span)) }
        #expect(repository.hasher.argon2Runs == runs)
        #expect(try await repository.profile(username: "abel")?.revision == 1)
        #expect(try await redeem(token).username == "abel")
        #expect(try await repository.loginRules().haveJudgedPasswords == false, "bert's was brought as a hash")
        try await repository.remove("bert")
        #expect(try await repository.loginRules().haveJudgedPasswords)
        #expect(try await repository.isSound())
    }

    @Test func `P9, P10: a reset forgets failed attempts, and a wrong token counts and costs nothing`() async throws {
        for _ in 0..<6 { #expect(await !isRight(Secret("wrong1A"))) }
        await #expect(throws: CredentialError.self) {
            try await repository.passwords.validate(People.secret, for: "abel")
        }
        let token = try await repository.passwords.issueReset(of: "abel").token
        let runs = repository.hasher.argon2Runs
        let before = try await store.failedAttempts().map(\.failures)
        for text in ["", "pr_", "pr_" + String(repeating: "A", count: 43), "abel"] {
            await #expect(throws: CredentialError.wrong) { try await redeem(Secret(text)) }
        }
        #expect(repository.hasher.argon2Runs == runs)
        #expect(try await store.failedAttempts().map(\.failures) == before)
        _ = try await redeem(token)
        #expect(try await store.failedAttempts().isEmpty)
        #expect(await isRight(new))
    }

    @Test func `of several concurrent uses of one token, exactly one sets the password`() async throws {
        let token = try await repository.passwords.issueReset(of: "abel").token
        let repository = repository
        let passwords = (0..<4).map { Secret("aK8oio\($0)") }
        let winners: [Int] = await withTaskGroup(of: Int?.self) { group in
            for number in passwords.indices {
                group.addTask {
                    do throws(CredentialError) {
                        _ = try await repository.passwords.redeemReset(token, password: passwords[number])
                        return number
                    } catch {
                        #expect(error == .wrong)
                        return nil
                    }
                }
            }
            return await group.reduce(into: []) { if let number = $1 { $0.append(number) } }
        }
        #expect(winners.count == 1)
        let winner = try #require(winners.first)
        #expect(await isRight(passwords[winner]))
        #expect(try await repository.profile(username: "abel")?.revision == 2)
    }

    @Test func `a reset is refused if the rules have no password`() async throws {
        let schema = try ProfileSchema(
            parsing: #"{"fields":[{"name":"username","constraints":{"required":true,"unique":true}}]}"#)
        let token = try await repository.passwords.issueReset(of: "abel").token
        try await repository.rules.adopt(schema)
        let expected = ProfileStoreError.invalid(ValidationFailure([ValidationIssue(nil, .unknownField("password"))]))
        await #expect(throws: expected) { _ = try await repository.passwords.issueReset(of: "abel") }
        await #expect(throws: CredentialError.store(expected)) { try await redeem(token) }
    }

    @Test func `a reset gives a password to a profile without one`() async throws {
        let schema = try ProfileSchema(
            parsing: """
                {"fields":[{"name":"username","constraints":{"required":true,"unique":true}},
                {"name":"password","profiles":{"secret":true}}]}
                """)
        let store = try TemporaryStore()
        let repository = try await store.open(schema: schema)
        _ = try await repository.register(repository.judged(ProfileDraft(["username": "carl"])))
        let token = try await repository.passwords.issueReset(of: "carl").token
        #expect(try await repository.passwords.redeemReset(token, password: new).hasPassword)
        #expect(try await repository.passwords.validate(new, for: "carl").username == "carl")
        await repository.close()
    }
}
