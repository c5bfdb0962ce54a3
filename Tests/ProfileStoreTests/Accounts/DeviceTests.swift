import ProfileCore
@testable import ProfileStore
import ProfileTesting
import SecretHashing
import StoreFixtures
import Testing
import Watchdog

/// Known devices, on which a person has logged in. Failed attempts from such a device count for the device, not for the
/// name.
@Suite(.watched) struct DeviceTests {
    private let store: TemporaryStore
    private let repository: ProfileRepository

    init() async throws {
        store = try TemporaryStore()
        repository = try await store.open(registering: ["abel", "bert"])
    }

    /// Logs in, and returns the device.
    private func login(
        _ username: String = "abel", on device: Secret? = nil, _ label: String = "Firefox"
    ) async throws -> IssuedToken<KnownDevice> {
        let started = try await repository.sessions.start(
            People.secret, for: username, on: device, label: AccountLabel(label))
        return try #require(started.device)
    }

    private func outcome(
        _ password: Secret = People.secret, _ username: String = "abel", on device: Secret? = nil
    ) async -> CredentialError? {
        do throws(CredentialError) {
            _ = try await repository.sessions.start(password, for: username, on: device)
            return nil
        } catch {
            return error
        }
    }

    private func guess(_ username: String = "abel", on device: Secret? = nil) async -> CredentialError? {
        await outcome(Secret("wrong1A"), username, on: device)
    }

    private func lock(_ username: String = "abel", on device: Secret? = nil) async {
        for _ in 0..<ThrottleState.freeAttempts { #expect(await guess(username, on: device) == .wrong) }
    }

    private func later(_ duration: Duration) { store.clock.advance(by: duration) }

    @Test func `P9: strangers who lock a name do not keep its owner from a known device`() async throws {
        let device = try await login()
        #expect(device.text.hasPrefix("pd_") && device.text.utf8.count == 46)
        await lock()
        let runs = repository.hasher.argon2Runs
        #expect(await outcome() == .throttled(milliseconds: 1_000))
        #expect(repository.hasher.argon2Runs == runs)
        #expect(await outcome(on: device.token) == nil)
        // The success resets only the count of the device, so the strangers get no further guesses.
        #expect(await guess() == .throttled(milliseconds: 1_000))
        #expect(await outcome(on: Secret("pd_" + String(repeating: "A", count: 43))) == .throttled(milliseconds: 1_000))
        // The passcode has a count of its own.
        try await repository.passcodes.create(Secret("parislondon"), for: "abel")
        try await repository.passcodes.validate(Secret("parislondon"), for: "abel")
    }

    @Test func `P9: attempts from a known device count for the device alone, in every process`() async throws {
        let (first, second) = (try await login(), try await login())
        await lock(on: first.token)
        for seconds in [1, 2] as [Int64] {
            let runs = repository.hasher.argon2Runs
            #expect(await outcome(on: first.token) == .throttled(milliseconds: seconds * 1_000))
            #expect(repository.hasher.argon2Runs == runs)
            later(.seconds(seconds))
            #expect(await guess(on: first.token) == .wrong)
        }
        let other = try await store.open()
        await #expect(throws: CredentialError.throttled(milliseconds: 4_000)) {
            _ = try await other.sessions.start(People.secret, for: "abel", on: first.token)
        }
        #expect(try await store.failedAttempts().map(\.failures) == [7])
        #expect(await outcome(on: second.token) == nil)
        #expect(await outcome() == nil)
        later(.seconds(4))
        #expect(await outcome(on: first.token) == nil)
        #expect(try await store.failedAttempts().isEmpty)
        await other.close()
    }

    @Test func `P9: a device is known to its own profile only`() async throws {
        let device = try await login("bert")
        await lock(on: device.token)
        #expect(await outcome(on: device.token) == .throttled(milliseconds: 1_000), "counted for abel")
        #expect(await outcome() == .throttled(milliseconds: 1_000))
        #expect(await outcome(People.secret, "bert", on: device.token) == nil)
        await lock("zoe", on: device.token)
        #expect(await guess("zoe") == .throttled(milliseconds: 1_000))
        // A login of abel on it is a new device of abel, and bert's stays.
        later(.seconds(1))
        let own = try await login(on: device.token)
        #expect(own.token != device.token && own.value.username == "abel")
        #expect(try await repository.devices.list(of: "bert").map(\.id) == [device.value.id])
    }

    @Test func `P9: an unlock forgets the attempts of the devices and the sessions too`() async throws {
        let started = try await repository.sessions.start(People.secret, for: "abel", on: nil)
        let device = try #require(started.device)
        await lock(on: device.token)
        await lock("bert")
        for _ in 0..<3 {
            await #expect(throws: CredentialError.wrong) {
                _ = try await repository.sessions.changePassword(
                    from: Secret("wrong1A"), to: Secret("bL9pjp"), in: started.session.value)
            }
        }
        #expect(await outcome(on: device.token) == .throttled(milliseconds: 1_000))
        try await repository.unlock("ABEL")
        #expect(await outcome(on: device.token) == nil)
        #expect(try await store.failedAttempts().map(\.name) == ["bert"])
        #expect(try await repository.isSound())
    }

    @Test func `a device is known for 180 days after its last login, and keeps its token`() async throws {
        let start = store.clock.timestamp
        let device = try await login()
        #expect(device.value.createdAt == start && device.value.lastUsedAt == start)
        #expect(device.value.expiresAt == start.advanced(by: .seconds(180 * 86_400)))
        later(.seconds(180 * 86_400) - .milliseconds(1))
        let again = try await login(on: device.token, "Chrome")
        let now = store.clock.timestamp
        #expect(again.token == device.token && again.value.id == device.value.id)
        #expect(again.value.createdAt == start && again.value.lastUsedAt == now)
        #expect(again.value.label?.text == "Firefox" && again.value.expiresAt == now.advanced(by: KnownDevice.lifetime))
        #expect(try await repository.devices.list(of: "abel") == [again.value])
        later(KnownDevice.lifetime)
        #expect(try await repository.devices.list(of: "abel") == [])
        await lock()
        #expect(await outcome(on: device.token) == .throttled(milliseconds: 1_000))
        later(.seconds(1))
        #expect(try await login(on: device.token).token != device.token)
    }

    enum Ending: CaseIterable { case edit, editOfHash, reset, change, removal, end, endAll }

    private func bring(_ ending: Ending, _ device: TokenID) async throws {
        switch ending {
        case .edit: _ = try await repository.edit("abel") { $0.password = Secret("bL9pjp") }
        case .editOfHash: _ = try await repository.edit("abel") { $0["password_hash"] = People.bcryptHash }
        case .reset:
            let token = try await repository.passwords.issueReset(of: "abel").token
            _ = try await repository.passwords.redeemReset(token, password: Secret("bL9pjp"))
        case .change:
            let session = try await repository.sessions.start(vouchingFor: "abel").value
            _ = try await repository.sessions.changePassword(
                from: People.secret, to: Secret("bL9pjp"), in: session)
        case .removal:
            try await repository.remove("abel")
            try await repository.register("abel")
        case .end: #expect(try await repository.devices.end(device)?.id == device)
        case .endAll: #expect(try await repository.devices.endAll(of: "ABEL") == 2)
        }
    }

    @Test(arguments: Ending.allCases)
    func `H4: a device ends with a new password, with its profile, or by its owner`(ending: Ending) async throws {
        let device = try await login()
        let others = (try await login(), try await login("bert"))
        try await bring(ending, device.value.id)
        let left = ending == .end ? [others.0.value] : []
        #expect(try await repository.devices.list(of: "abel") == left)
        #expect(try await repository.devices.list(of: "bert") == [others.1.value])
        await lock(on: device.token)
        #expect(await outcome(on: device.token) == .throttled(milliseconds: 1_000))
        #expect(try await store.failedAttempts().map(\.name) == ["abel"], "counted for the name")
    }

    @Test func `a device that ends during its login is not known again`() async throws {
        let device = try await login()
        let stored = try #require(try await repository.devices.find(device.token))
        let hash = try #require(try await repository.engine.credential(.password, of: "abel")?.hash)
        let now = store.clock.timestamp
        let tokens = (try NewToken(.session), try NewToken(.device))
        let attempt = LoginAttempt(username: "abel", kind: .password, isKnown: true, time: now)
        let new = NewSession(
            tokens.0.hash, label: nil, under: .standard, at: now,
            device: NewDevice(presented: stored.hash, tokens.1.hash, label: nil, at: now))
        try await repository.devices.end(device.value.id)
        let success = try await repository.engine.settle(
            attempt, .right(profileID: 1, rehash: nil, session: LoginAttempt.ProvenSession(new, hashes: [hash])))
        #expect(success?.device?.hash == tokens.1.hash)
        #expect(try await repository.devices.list(of: "abel").map(\.id) == [tokens.1.hash.id])
    }

    @Test func `a profile has 20 devices at most, and one more ends the one with the oldest login`() async throws {
        var devices: [IssuedToken<KnownDevice>] = []
        for _ in 0..<KnownDevice.mostOfProfile {
            devices.append(try await login())
            later(.seconds(1))
        }
        _ = try await login(on: devices[0].token)
        later(.seconds(1))
        let bert = try await login("bert")
        let newest = try await login()
        let listed = try await repository.devices.list(of: "abel")
        let expected = [newest.value.id, devices[0].value.id] + devices.dropFirst(2).reversed().map(\.value.id)
        #expect(listed.map(\.id) == expected)
        #expect(try await repository.devices.list(of: "bert") == [bert.value])
        await #expect(throws: ProfileStoreError.notFound(username: "zoe")) {
            _ = try await repository.devices.list(of: "zoe")
        }
        await #expect(throws: ProfileStoreError.notFound(username: "zoe")) {
            _ = try await repository.devices.endAll(of: "zoe")
        }
        #expect(try await repository.devices.end(devices[1].value.id) == nil)
    }

    @Test func `a password change can make the device of its session a known device`() async throws {
        let started = try await repository.sessions.start(
            People.secret, for: "abel", on: nil, label: AccountLabel("Firefox"))
        let changed = try await repository.sessions.changePassword(
            from: People.secret, to: Secret("bL9pjp"), in: started.session.value, remembersDevice: true)
        let device = try #require(changed.device)
        #expect(device.token != started.device?.token && device.value.label?.text == "Firefox")
        #expect(try await repository.devices.list(of: "abel") == [device.value])
        await lock()
        #expect(await outcome(Secret("bL9pjp"), on: device.token) == nil)
    }

    @Test func `H4: a device's token is valid only at a login, and is in no other list`() async throws {
        let started = try await repository.sessions.start(People.secret, for: "abel", on: nil)
        let device = try #require(started.device)
        #expect(try await repository.bearer(device.token) == nil)
        #expect(try await repository.sessions.find(Secret("ps_" + device.text.dropFirst(3))) == nil)
        #expect(try await repository.sessions.list(of: "abel") == [started.session.value])
        #expect(try await repository.sessions.end(device.value.id) == nil)
        try await repository.sessions.endAll(of: "abel")
        #expect(try await repository.devices.list(of: "abel") == [device.value])
        let json = device.value.json.text()
        #expect(json.hasPrefix(#"{"id":"\#(device.value.id)","profile_id":1,"username":"abel","label":null"#))
        // A login that does not ask for a device creates none.
        _ = try await repository.sessions.start(People.secret, for: "bert")
        #expect(try await repository.devices.list(of: "bert") == [])
        #expect(await outcome(Secret("wrong1A"), "bert") == .wrong)
        #expect(try await repository.devices.list(of: "bert") == [])
    }

    @Test func `a known device keeps its count when the profile is renamed`() async throws {
        let device = try await login()
        await lock(on: device.token)
        _ = try await repository.edit("abel") { $0["username"] = "carl" }
        #expect(await outcome(People.secret, "carl", on: device.token) == .throttled(milliseconds: 1_000))
        #expect(try await repository.devices.list(of: "carl").map(\.username) == ["carl"])
        #expect(await outcome(People.secret, "carl") == nil)
    }
}
