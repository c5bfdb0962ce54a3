import Platform
import ProfileCore
import ProfileStore
import ProfileStoreSQLite
import ProfileTesting
import Testing
import Watchdog

@Suite(.watched) struct TemporaryStoreTests {
    private struct Wanted: Error {}

    @Test func `a temporary store takes profiles at the clock's time, and is gone afterwards`() async throws {
        let clock = ManualClock(at: Timestamp(millisecondsSince1970: 1_000))
        let path = try await withTemporaryStore(clock: clock) { repository in
            clock.advance(by: .milliseconds(500))
            let draft = ProfileDraft(FormBuilder.validTexts.merging(["birthday": ""]) { $1 })
            let today = FormBuilder.someDay
            let profile = try await repository.register(repository.validator.validate(draft, on: today))
            #expect(profile.createdAt.millisecondsSince1970 == 1_500)
            #expect(SmallFile.mode(of: repository.place) == 0o600)
            return repository.place
        }
        #expect(access(path, F_OK) != 0)
    }

    @Test func `a temporary store is gone after a body that throws, whose error comes through`() async throws {
        var path = ""
        await #expect(throws: Wanted.self) {
            try await withTemporaryStore { repository in
                path = repository.place
                throw Wanted()
            }
        }
        #expect(!path.isEmpty && access(path, F_OK) != 0)
    }

    @Test func `a manual clock wakes each sleeper when its time is reached`() async throws {
        let clock = ManualClock()
        async let first: Void = clock.sleep(for: .seconds(1))
        async let second: Void = clock.sleep(for: .seconds(2))
        await clock.wait(forSleepers: 2)
        clock.advance(by: .seconds(1))
        await clock.wait(forSleepers: 1)
        clock.advance(by: .seconds(1))
        try await first
        try await second
        #expect(clock.timestamp.millisecondsSince1970 == 1_767_225_602_250)
    }
}
