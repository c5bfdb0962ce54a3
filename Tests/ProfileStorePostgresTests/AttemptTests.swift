import PostgresAccess
import ProfileCore
import ProfileStore
@testable import ProfileStorePostgres
import ProfileTesting
import StoreFixtures
import Testing
import Watchdog

/// P9: attempts at different names do not wait for each other.
@Suite(.onlyWithPostgres, .watched(for: .seconds(300))) struct AttemptTests {
    private func attempt(_ username: String, isKnown: Bool = false) -> LoginAttempt {
        LoginAttempt(username: username, kind: .password, isKnown: isKnown, time: .now())
    }

    @Test func `P9: an attempt that has not committed delays none at another name`() async throws {
        let store = try PostgresStore()
        let repository = try await store.open { $0.waitLimit = .seconds(3) }
        let abel = try await repository.register("abel")
        for name in ["abel", "nobody"] {
            let pool = try ConnectionPool(ServerList(store.uri()), limit: 1)
            try await pool.withConnection(until: .now + .seconds(60)) { connection in
                try await connection.transaction { transaction in
                    let (_, last) = try await ThrottleTable.admit(
                        attempt(name, isKnown: name == "abel"), mostUnknownNames: 1, transaction)
                    try await transaction.run(last)
                    // The transaction holds all its locks, as it does while it waits for a standby.
                    for other in ["cain", "seth"] {
                        #expect(await problem { try await repository.engine.admit(attempt(other)) } == nil)
                    }
                    let known = name == "abel" ? "cain" : "abel"
                    #expect(
                        await problem {
                            _ = try await repository.engine.settle(
                                attempt(known), .right(profileID: abel.id, rehash: nil))
                        } == nil)
                    try await repository.engine.unlock("seth")
                }
            }
            pool.close()
        }
        await repository.close()
    }

    @Test func `a write that met a conflict is repeated, also in a call that may wait less than its repository`()
        async throws
    {
        let store = try PostgresStore()
        let repository = try await store.open { $0.waitLimit = .seconds(60) }
        let engine = try #require(repository.engine as? PostgresEngine)
        var attempts = 0
        let made = try await repository.withWaitLimit(.seconds(4)) { () throws(ProfileStoreError) in
            try await engine.session.repeating { _ in
                attempts += 1
                if attempts < 3 { throw PostgresError.changedMeanwhile }
                return attempts
            }
        }
        #expect(made == 3)
        await repository.close()
    }

    @Test func `P9: 32 callers log in under names of their own`() async throws {
        let callers = 32
        let rounds = Length.isLong ? 100 : 15
        let store = try PostgresStore()
        var options = ProfileRepository.Options()
        options.createsMissing = true
        let uri = try store.uri().replacing("connections=8", with: "connections=32")
        let repository = try await ProfileRepository.open(postgres: uri, options: options)
        var ids: [Int64] = []
        for caller in 0..<callers { ids.append(try await repository.register("c\(caller)").id) }
        let clock = ContinuousClock()
        let start = clock.now
        try await withThrowingTaskGroup { group in
            for (caller, id) in ids.enumerated() {
                group.addTask {
                    for _ in 0..<rounds {
                        let attempt = attempt("c\(caller)", isKnown: true)
                        _ = try await repository.engine.admit(attempt)
                        let success = try await repository.engine.settle(attempt, .right(profileID: id, rehash: nil))
                        #expect(success?.profile.id == id)
                    }
                }
            }
            try await group.waitForAll()
        }
        let took = start.duration(to: clock.now)
        let rate = Int(Double(callers * rounds) / (took / .seconds(1)))
        print("\(callers * rounds) logins without hashing in \(took): \(rate) a second")
        await repository.close()
    }

    @Test func `P9: the number of names without a profile stays limited, however many are tried`() async throws {
        let store = try PostgresStore()
        let most = 400
        let repository = try await store.open { $0.mostUnknownNames = most }
        try await repository.register("abel")
        _ = try await repository.engine.admit(attempt("abel", isKnown: true))
        for number in 0..<1_200 { _ = try await repository.engine.admit(attempt("nobody\(number)")) }
        let unknown = try await store.number("SELECT count(*) FROM throttles WHERE NOT is_known")
        // One attempt in four, chosen at random, deletes the names above the limit.
        #expect(most / 2...most + 100 ~= Int(unknown), "\(unknown)")
        #expect(try await store.number("SELECT count(*) FROM throttles WHERE is_known") == 1)
        #expect(try await store.number("SELECT count(*) FROM throttles WHERE name = 'nobody1199'") == 1)
        #expect(try await store.number("SELECT count(*) FROM throttles WHERE name = 'nobody0'") == 0)
        await repository.close()
    }
}
