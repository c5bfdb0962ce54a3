import ProfileCore
import ProfileTesting
import Testing
import Watchdog

@Suite(.watched) struct RandomProfilesTests {
    @Test func `the same seed brings the same profiles back, another one others`() {
        func usernames(_ seed: UInt64) -> [String] {
            var profiles = RandomProfiles(.standard, on: FormBuilder.someDay, using: SeededGenerator(seed: seed))
            return (0..<20).compactMap { _ in profiles.validDraft()?[.username]?.text }
        }
        #expect(usernames(1).count == 20)
        #expect(usernames(1) == usernames(1))
        #expect(usernames(1) != usernames(2))
        var first = SeededGenerator(seed: 1_234_567)
        // The first output of the reference implementation, https://prng.di.unimi.it/splitmix64.c, for this seed.
        #expect(first.next() == 6_457_827_717_110_365_317)
    }

    @Test func `valid profiles pass and invalid drafts do not`() throws {
        let generator = SeededGenerator(printingSeedOf: "random profiles")
        var profiles = RandomProfiles(.standard, on: FormBuilder.someDay, using: generator)
        let validator = ProfileValidator(.standard)
        for _ in 0..<100 {
            #expect(profiles.valid() != nil)
            let found = profiles.invalidDraft()
            let draft = try #require(found)
            #expect(throws: ValidationFailure.self) { try validator.validate(draft, on: FormBuilder.someDay) }
        }
    }

    @Test func `a schema that hardly any text matches yields no profile rather than a wrong one`() throws {
        let schema = try ProfileSchema(
            parsing:
                #"{"fields": [{"name": "username", "constraints": {"required": true, "unique": true, "pattern": "zqx{40}"}}]}"#
        )
        var profiles = RandomProfiles(schema, on: FormBuilder.someDay, using: SeededGenerator(seed: 3))
        #expect(profiles.valid() == nil)
    }
}
