import ProfileCore
import ProfileLogin
import ProfileStore
import ProfileTesting
import SecretHashing
import StoreFixtures
import Testing
import Watchdog

/// L2, L3: when the authenticator is asked, and that each attempt has one outcome.
@Suite(.watched) struct LoginServiceTests {
    private static let profile = LoggedInProfile(username: "pritesh", values: [.username: "pritesh"])

    private let authenticator = HeldAuthenticator()
    private let clock = ManualClock()

    private func service(_ timeout: Duration = .seconds(10)) -> LoginService {
        LoginService(checks: LoginChecks(.standard), authenticator: authenticator, timeout: timeout, clock: clock)
    }

    @Test(
        "L2: a local failure comes without a call to the authenticator",
        arguments: [
            ("p", "aK8oio", LoginError.invalidUsernameLength(minimum: 2, maximum: 10)),
            (nil, "aK8oio", .invalidUsernameLength(minimum: 2, maximum: 10)),
            (" p\t", "aK8oio", .invalidUsernameLength(minimum: 2, maximum: 10)),
            ("pritesh", nil, .invalidPasswordLength(minimum: 3, requirements: [.uppercase, .digit])),
            ("pritesh", "abjkop", .invalidPasswordCharacters(requirements: [.uppercase, .digit])),
        ] as [(String?, String?, LoginError)])
    func local(username: String?, password: String?, failure: LoginError) async {
        authenticator.answer(.success(Self.profile))
        #expect(await service().outcome(username, password) == .failure(failure))
        await #expect(throws: failure) {
            try await service().check(username: username, password: password.map { Secret($0) })
        }
        #expect(authenticator.asked.isEmpty)
    }

    @Test func `L2: the checks alone return the trimmed username, and do not ask the authenticator`() async throws {
        #expect(try await service().check(username: "\t pritesh\r\n", password: Secret("aK8oio")) == "pritesh")
        #expect(authenticator.asked.isEmpty)
    }

    @Test(
        "L3: the answer of the authenticator comes back unchanged",
        arguments: [
            .success(LoggedInProfile(username: "pritesh", name: "Pritesh", values: [.username: "pritesh"])),
            .failure(.invalidCredentials), .failure(.invalidResponse), .failure(.unexpectedStatus), .failure(.unknown),
            .failure(.throttled(milliseconds: 1_500)), .failure(.locked), .failure(.cancelled),
            .failure(.hashing(.busy)), .failure(.store(.closed)),
            .failure(.invalidUsernameLength(minimum: 7, maximum: nil)),
        ] as [HeldAuthenticator.Answer])
    func unchanged(answer: HeldAuthenticator.Answer) async {
        authenticator.answer(answer)
        #expect(await service().outcome("pritesh", "aK8oio") == answer)
        #expect(authenticator.asked == [.init(username: "pritesh", password: Secret("aK8oio"))])
        await clock.wait(forSleepers: 0)
    }

    @Test func `S2: the username is trimmed and the password is not`() async {
        authenticator.answer(.success(Self.profile))
        #expect(await service().failure("\t pritesh\r\n", " aK8oio ") == nil)
        #expect(authenticator.asked == [.init(username: "pritesh", password: Secret(" aK8oio "))])
    }

    @Test func `L3: no answer in time is unknown, the authenticator is cancelled, and a late answer dropped`() async {
        let service = service(.seconds(10))
        let attempt = Task { await service.outcome("pritesh", "aK8oio") }
        await authenticator.wasAsked.wait()
        await clock.wait(forSleepers: 1)
        clock.advance(by: .seconds(9.999))
        await clock.wait(forSleepers: 1)
        clock.advance(by: .seconds(0.001))
        #expect(await attempt.value == .failure(.unknown))
        await authenticator.wasCancelled.wait()
        authenticator.answer(.success(Self.profile))
        await authenticator.hasEnded.wait()
        #expect(await attempt.value == .failure(.unknown))
    }

    @Test func `L3: an answer that comes just in time counts, and the timer goes`() async {
        let service = service(.seconds(10))
        let attempt = Task { await service.outcome("pritesh", "aK8oio") }
        await authenticator.wasAsked.wait()
        await clock.wait(forSleepers: 1)
        clock.advance(by: .seconds(9.999))
        authenticator.answer(.failure(.invalidCredentials))
        #expect(await attempt.value == .failure(.invalidCredentials))
        await clock.wait(forSleepers: 0)
    }

    @Test func `L3: a cancelled attempt ends at once, and so does the authenticator's task`() async {
        let service = service()
        let attempt = Task { await service.outcome("pritesh", "aK8oio") }
        await authenticator.wasAsked.wait()
        attempt.cancel()
        #expect(await attempt.value == .failure(.cancelled))
        await authenticator.wasCancelled.wait()
        await clock.wait(forSleepers: 0)
        authenticator.answer(.success(Self.profile))
        await authenticator.hasEnded.wait()
    }

    @Test func `L3: an attempt that is cancelled before it begins does not ask the authenticator`() async {
        let service = service()
        let begin = Signal()
        let attempt = Task {
            await begin.wait()
            return await service.outcome("pritesh", "aK8oio")
        }
        attempt.cancel()
        begin.give()
        #expect(await attempt.value == .failure(.cancelled))
        #expect(authenticator.asked.isEmpty)
    }

    @Test(
        "A time-out that is too long for a clock is shortened to the longest possible one",
        arguments: [Duration.seconds(Int64.max), .seconds(Int64.max) * 10, .seconds(1_000_000_001)])
    func longTimeout(_ timeout: Duration) async throws {
        await expectEnd(of: service(timeout), within: .seconds(1_000_000_000))
        authenticator.answer(.failure(.invalidResponse))

        // An attempt to log in to a store may take twice the wait limit of the store.
        let store = try TemporaryStore()
        let options = store.options { $0.waitLimit = timeout }
        let repository = try await store.open(options)
        try await repository.register("pritesh")
        let held = HeldAuthenticator()
        await expectEnd(
            of: LoginService(repository, authenticator: held, clock: clock), within: .seconds(2_000_000_030))
        held.answer(.failure(.invalidResponse))
        await repository.close()
    }

    @Test(arguments: [Duration.seconds(Int64.min), .seconds(-1), .zero])
    func `an attempt with a zero or negative time-out ends at once`(timeout: Duration) async {
        #expect(await service(timeout).outcome("pritesh", "aK8oio") == .failure(.unknown))
        authenticator.answer(.failure(.invalidResponse))
    }

    /// Expects that an attempt without an answer waits, and that it ends within this time.
    private func expectEnd(of service: LoginService, within time: Duration) async {
        let attempt = Task { await service.outcome("pritesh", "aK8oio") }
        await clock.wait(forSleepers: 1)
        clock.advance(by: .seconds(30))
        #expect(clock.sleeperCount == 1)
        clock.advance(by: time)
        #expect(clock.sleeperCount == 0)
        attempt.cancel()
        _ = await attempt.value
        await clock.wait(forSleepers: 0)
    }

    private enum Event: CaseIterable { case answer, timeout, cancellation }

    @Test func `L3: an attempt has one outcome, whatever order its events come in`() async {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SeededGenerator(seed: seed)
        let expected: [Event: HeldAuthenticator.Answer] = [
            .answer: .success(Self.profile), .timeout: .failure(.unknown), .cancellation: .failure(.cancelled),
        ]
        for round in 0..<(Length.isLong ? 20_000 : 500) {
            let events = Event.allCases.shuffled(using: &random).prefix(Int.random(in: 1...3, using: &random))
            let isRace = Bool.random(using: &random)
            let authenticator = HeldAuthenticator()
            let clock = ManualClock()
            let service = LoginService(
                checks: LoginChecks(.standard), authenticator: authenticator, timeout: .seconds(1), clock: clock)
            let attempt = Task { await service.outcome("pritesh", "aK8oio") }
            await authenticator.wasAsked.wait()
            await clock.wait(forSleepers: 1)

            let happen: @Sendable (Event) -> Void = { event in
                switch event {
                case .answer: authenticator.answer(.success(Self.profile))
                case .timeout: clock.advance(by: .seconds(1))
                case .cancellation: attempt.cancel()
                }
            }
            if isRace {
                await withDiscardingTaskGroup { group in
                    for event in events { group.addTask { happen(event) } }
                }
                let outcome = await attempt.value
                #expect(
                    events.contains { expected[$0] == outcome }, "round \(round) of seed \(seed), \(events): \(outcome)"
                )
            } else {
                happen(events[0])
                #expect(await attempt.value == expected[events[0]], "round \(round) of seed \(seed), \(events)")
                if events[0] != .answer { await authenticator.wasCancelled.wait() }
                for event in events.dropFirst() { happen(event) }
            }
            // No task and no timer remains, whichever event came first.
            authenticator.answer(.failure(.invalidResponse))
            await authenticator.hasEnded.wait()
            await clock.wait(forSleepers: 0)
            #expect(authenticator.asked.count == 1)
        }
    }
}
