import ProfileCore
import ProfileStore
import ProfileStoreSQLite
import ProfileTesting
import Testing
import Watchdog

// The tests of ProfileStore test all engines. These tests are about the special properties of a store in memory.
@Suite(.watched) struct MemoryEngineTests {
    /// A schema with a username and a field for each of these numbers.
    private func schema(fields: Range<Int> = 0..<0) throws -> ProfileSchema {
        let others = fields.map { #"{"name":"field\#($0)"}"# }
        let username = #"{"name":"username","constraints":{"required":true,"unique":true}}"#
        let all = ([username] + others).joined(separator: ",")
        return try ProfileSchema(parsing: #"{"name":"names","fields":[\#(all)]}"#)
    }

    private func options() throws -> ProfileRepository.Options {
        var options = ProfileRepository.Options()
        options.initialSchema = try schema()
        options.createsMissing = true
        // The interval is so long that a listener gets changes only from notifications.
        options.watchInterval = .seconds(86_400)
        return options
    }

    private func register(_ username: String, in repository: ProfileRepository) async throws {
        let draft = ProfileDraft(["username": username])
        _ = try await repository.register(repository.validator.validate(draft, on: repository.today))
    }

    @Test func `a store in memory holds what is stored, and is in no file`() async throws {
        let repository = try await ProfileRepository.openInMemory(options: options())
        try await register("anna", in: repository)
        #expect(try await repository.profile(username: "ANNA")?.username == "anna")
        await #expect(throws: ProfileStoreError.duplicate([.username])) { try await register("Anna", in: repository) }
        #expect(repository.path == nil)
        await #expect(throws: ProfileStoreError.unsupported(.operation("check"))) { try await repository.check() }
        await repository.close()
        let other = try await ProfileRepository.openInMemory(options: options())
        #expect(try await other.profile(username: "anna") == nil)
        await other.close()
    }

    @Test func `closing one of two repositories on a store leaves the other open`() async throws {
        let store = try MemoryStore(schema())
        let first = try await ProfileRepository.open(store, options: options())
        let second = try await ProfileRepository.open(store, options: options())
        await first.close()
        await #expect(throws: ProfileStoreError.closed) { try await register("anna", in: first) }
        try await register("bert", in: second)
        await #expect(throws: ProfileStoreError.closed) { try await first.profile(username: "bert") }
        #expect(try await second.profile(username: "bert") != nil)
        #expect(try await second.profile(username: "anna") == nil)
        await second.close()
    }

    @Test func `a listener of one of two repositories on a store gets the changes of the other`() async throws {
        let store = try MemoryStore(schema())
        let first = try await ProfileRepository.open(store, options: options())
        let second = try await ProfileRepository.open(store, options: options())
        let watching = Task {
            var kinds: [ProfileChange.Kind] = []
            for try await change in await first.changes.stream(after: 0) {
                kinds.append(change.kind)
                if kinds.count == 3 { break }
            }
            return kinds
        }
        try await register("anna", in: second)
        try await register("bert", in: first)
        try await second.remove("anna")
        #expect(try await watching.value == [.registered, .registered, .removed])
        await first.close()
        await second.close()
    }

    @Test func `a write of a task that was cancelled is not done`() async throws {
        let repository = try await ProfileRepository.openInMemory(options: options())
        try await register("anna", in: repository)
        let removal = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await repository.remove("anna")
        }
        await #expect(throws: ProfileStoreError.cancelled) { try await removal.value }
        #expect(try await repository.profile(username: "anna") != nil)
        await repository.close()
    }

    @Test func `a store in memory has the same limit of columns as a store in a file`() async throws {
        let folder = try TemporaryFolder()
        let stores = [
            try await ProfileRepository.open(at: folder.path + "/profiles.sqlite", options: options()),
            try await ProfileRepository.openInMemory(options: options()),
        ]
        for repository in stores {
            // Fields that no schema has any more count too.
            for version in 2...4 {
                let first = 90 * (version - 2)
                #expect(try await repository.rules.adopt(schema(fields: first..<min(first + 90, 235))) == version)
            }
            await #expect(throws: ProfileStoreError.tooManyColumns(limit: 250)) {
                try await repository.rules.adopt(schema(fields: 234..<236))
            }
            // A removed field that comes back would need a further column.
            await #expect(throws: ProfileStoreError.tooManyColumns(limit: 250)) {
                try await repository.rules.adopt(schema(fields: 7..<8))
            }
            #expect(try await repository.rules.adopt(schema(fields: 232..<235)) == 5)
            await repository.close()
        }
    }
}
