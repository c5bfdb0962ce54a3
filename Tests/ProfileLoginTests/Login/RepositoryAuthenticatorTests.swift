import ProfileCore
import ProfileStore
import ProfileTesting
import SecretHashing
import StoreFixtures
import Testing
import Watchdog

@testable import ProfileLogin

/// Logging in to a store: P9–P12 through the service.
@Suite(.watched) struct RepositoryAuthenticatorTests {
    private let store: TemporaryStore
    private let repository: ProfileRepository
    private let service: LoginService

    init() async throws {
        store = try TemporaryStore()
        repository = try await store.open()
        service = LoginService(repository)
        try await repository.register("Abel", ["password": "aK8oio", "password_hash": ""])
    }

    @Test func `L5: a person who knows the password is greeted by the registered name`() async throws {
        let profile = try await service.logIn(username: " abel ", password: Secret("aK8oio"))
        #expect(profile.greeting == "Hello Abel")
        #expect(profile.values == [.username: "Abel", .phone: "7876-1241", .address: "12 Main St"])
    }

    @Test func `L5: a person is greeted by the value of the name field if there is one`() async throws {
        let schema = try People.standard(and: #"{"name":"display_name","profiles":{"contentType":"name"}}"#)
        try await repository.rules.adopt(schema)
        #expect(try await service.logIn(username: "abel", password: Secret("aK8oio")).greeting == "Hello Abel")
        _ = try await repository.edit("abel") { $0["display_name"] = "Abel B" }
        #expect(try await service.logIn(username: "abel", password: Secret("aK8oio")).greeting == "Hello Abel B")
    }

    @Test func `P10: a wrong password and an unknown user are not told apart, and cost a hash each`() async {
        for username in ["abel", "zoe"] {
            let runs = repository.hasher.argon2Runs
            #expect(await service.failure(username, "aK8oiO") == .invalidCredentials)
            #expect(repository.hasher.argon2Runs == runs + 1)
        }
    }

    @Test func `L2: an attempt that the checks refuse costs no hash and counts as no failure`() async throws {
        let runs = repository.hasher.argon2Runs
        for _ in 1...10 {
            #expect(await service.failure("abel", "abjkop")?.message.contains("uppercase") == true)
            #expect(await service.failure("a", "aK8oio")?.message.contains("username") == true)
        }
        #expect(repository.hasher.argon2Runs == runs)
        #expect(try await store.failedAttempts().isEmpty)
    }

    @Test(.onlyOnSQLite("writes to the tables directly"), arguments: ["abel", "zoe"])
    func `P9: after five failures a login has to wait, and after a hundred failures it is locked`(username: String)
        async throws
    {
        for _ in 1...5 { #expect(await service.failure(username, "wrong1A") == .invalidCredentials) }
        for seconds in [1, 2, 4] as [Int64] {
            #expect(await service.failure(username, "aK8oio") == .throttled(milliseconds: seconds * 1_000))
            store.clock.advance(by: .milliseconds(seconds * 1_000 - 1))
            #expect(await service.failure(username, "aK8oio") == .throttled(milliseconds: 1))
            store.clock.advance(by: .milliseconds(1))
            #expect(await service.failure(username, "wrong1A") == .invalidCredentials)
        }
        try store.execute("UPDATE throttles SET failures = 100")
        store.clock.advance(by: .seconds(100_000))
        #expect(await service.failure(username, "aK8oio") == .locked)
    }

    @Test func `P9: a success resets`() async {
        for _ in 1...4 { #expect(await service.failure("abel", "wrong1A") == .invalidCredentials) }
        #expect(await service.failure("abel", "aK8oio") == nil)
        for _ in 1...5 { #expect(await service.failure("abel", "wrong1A") == .invalidCredentials) }
        #expect(await service.failure("abel", "wrong1A") == .throttled(milliseconds: 1_000))
    }

    @Test func `P11: the error of a login contains the error of the store`() async throws {
        await repository.close()
        #expect(await service.failure("abel", "aK8oio") == .store(.closed))
    }

    @Test func `P12: the error of a wrong password does not hold it`() async {
        for password in ["S3cretNo", "s3cretno"] {
            let failure = await service.failure("abel", password)
            #expect(failure.map { !"\($0) \($0.message)".lowercased().contains("s3cret") } == true)
        }
    }

    @Test(
        "P11: every refusal of the store has its error",
        arguments: [
            (CredentialError.wrong, LoginError.invalidCredentials), (.locked, .locked),
            (.throttled(milliseconds: 7), .throttled(milliseconds: 7)), (.hashing(.busy), .hashing(.busy)),
            (.hashing(.cancelled), .cancelled), (.store(.cancelled), .cancelled), (.store(.closed), .store(.closed)),
            (.passcodeExists, .unknown), (.noPasscode, .unknown), (.notDifferent, .unknown),
            (.violation(.empty), .unknown),
        ])
    func refusal(error: CredentialError, answer: LoginError) {
        #expect(LoginError(error) == answer)
    }

    @Test func `L3: the store ends a cancelled attempt with its own error, and counts no failure`() async throws {
        let authenticator = RepositoryAuthenticator(repository)
        let begin = Signal()
        let attempt = Task {
            await begin.wait()
            do throws(LoginError) {
                _ = try await authenticator.authenticate(username: "abel", password: Secret("wrong1A"))
                return LoginError?.none
            } catch {
                return error
            }
        }
        attempt.cancel()
        begin.give()
        #expect(await attempt.value == .cancelled)
        #expect(try await store.failedAttempts().isEmpty)
    }
}
