import PostgresProxy
import ProfileCore
import ProfileStore
import StoreFixtures
import Synchronization
import Testing
import Watchdog

/// Writes whose `COMMIT` is not answered in time, though the connection stays open.
@Suite(.onlyWithPostgres, .alone, .watched(for: .seconds(300))) struct StalledCommitTests {
    typealias Moment = PostgresProxy.Action.Moment

    private static let moments: [Moment] = [.beforeForwarding, .afterForwarding, .afterAnswer]
    private static let limit = Duration.seconds(2)

    /// Stalls the `COMMIT` of the first transaction that runs a statement with these words.
    private func stall(_ moment: Moment, after words: String, _ proxy: PostgresProxy) {
        let connection = Mutex<Int?>(nil)
        proxy.follow { message in
            connection.withLock { connection in
                if connection == nil, message.kind == .execute, message.text.contains(words) {
                    connection = message.connection
                }
                guard connection == message.connection, message.isCommit else { return .forward }
                // No connection has this number, so no other COMMIT is stalled.
                connection = -1
                return .stall(moment)
            }
        }
    }

    /// A write, and a statement that reads a number that the write raises by one.
    private struct Write: Sendable {
        /// A statement of its transaction has these words.
        let words: String
        let number: String
        let run: @Sendable (ProfileRepository, WriteKey?) async throws -> Void
    }

    private static let writes = [
        Write(words: "INSERT INTO profiles", number: "SELECT count(*) FROM profiles") { repository, key in
            _ = try await repository.register(repository.judged(People.draft("new")), key: key)
        },
        Write(words: "UPDATE profiles", number: "SELECT max(revision) FROM profiles") { repository, key in
            _ = try await repository.edit("shared", key: key) { $0["address"] = "1" }
        },
        Write(words: "UPDATE throttles", number: "SELECT count(*) FROM throttles") { repository, _ in
            do {
                _ = try await repository.passwords.validate(Secret("Wr0ng"), for: "shared")
            } catch CredentialError.wrong {
                return
            }
        },
        Write(words: "INSERT INTO tokens", number: "SELECT count(*) FROM tokens") { repository, _ in
            _ = try await repository.sessions.start(vouchingFor: "shared")
        },
        Write(words: "INSERT INTO schemas", number: "SELECT schema_version FROM store") { repository, key in
            _ = try await repository.rules.adopt(People.standard(and: People.email), key: key)
        },
    ]

    @Test(arguments: moments)
    func `E3, E6: the outcome of an unanswered COMMIT is unknown at the deadline, and its key settles it`(
        moment: Moment
    ) async throws {
        try await withThrowingTaskGroup { group in
            for write in Self.writes { group.addTask { try await stall(moment, of: write) } }
            try await group.waitForAll()
        }
    }

    private func stall(_ moment: Moment, of write: Write) async throws {
        let store = try PostgresStore()
        let proxy = try store.proxy()
        let repository = try await store.open(through: proxy) { $0.waitLimit = Self.limit }
        try await repository.register("shared")
        let before = try await store.number(write.number)
        stall(moment, after: write.words, proxy)
        let key = WriteKey("k")
        let clock = ContinuousClock()
        let start = clock.now
        let error = await problem { try await write.run(repository, key) }
        let time = start.duration(to: clock.now)
        guard case .outcomeUnknown? = error?.reason else {
            Issue.record("\(write.words): \(String(describing: error))")
            return
        }
        #expect(time >= Self.limit && time < Self.limit * 3 / 2, "\(write.words) took \(time)")
        await repository.close()
        // A transaction that is not committed yet is rolled back now.
        proxy.close()
        let other = try await store.open()
        try await waitUntil {
            try await store.number(
                "SELECT count(*) FROM pg_locks WHERE relation = 'keyed_writes'::regclass AND mode = 'RowExclusiveLock'")
                == 0
        }
        #expect(try await store.number(write.number) == before + (moment == .beforeForwarding ? 0 : 1))
        _ = await problem { try await write.run(other, key) }
        let isKeyed = !["UPDATE throttles", "INSERT INTO tokens"].contains(write.words)
        if isKeyed { #expect(try await store.number(write.number) == before + 1, "\(write.words)") }
        await other.close()
    }

    @Test func `E6: a server that does not answer keeps no call past its deadline, and is found again`() async throws {
        let store = try PostgresStore()
        let proxy = try store.proxy()
        let repository = try await store.open(through: proxy) { $0.waitLimit = Self.limit }
        try await repository.register("one")
        proxy.freeze()
        let clock = ContinuousClock()
        let start = clock.now
        await withTaskGroup { group in
            // There are more calls than connections.
            for number in 0..<20 {
                group.addTask {
                    let error = await problem {
                        if number.isMultiple(of: 2) {
                            _ = try await repository.profile(username: "one")
                        } else {
                            try await repository.register("n\(number)")
                        }
                    }
                    switch error?.code {
                    case .busy?, .unavailable?: break
                    default: Issue.record("\(String(describing: error))")
                    }
                }
            }
        }
        let time = start.duration(to: clock.now)
        #expect(time < Self.limit * 2 + .seconds(2), "\(time)")
        proxy.thaw()
        #expect(try await repository.profile(username: "one") != nil)
        try await repository.register("two")
        #expect(try await store.number("SELECT count(*) FROM profiles") == 2)
        await repository.close()
    }
}
