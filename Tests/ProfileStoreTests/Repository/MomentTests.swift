import ProfileCore
@testable import ProfileStore
import ProfileTesting
import StoreFixtures
import Synchronization
import Testing
import Watchdog

/// Answers that consist of several numbers or rows are consistent snapshots, whatever is written meanwhile.
@Suite(.watched) struct MomentTests {
    private let store: TemporaryStore
    private let repository: ProfileRepository

    init() async throws {
        store = try TemporaryStore()
        repository = try await store.open()
        // With so many profiles, a scan takes a while.
        _ = try await store.importPeople((1000..<3000).map { "user\($0)" }, into: repository)
    }

    /// Runs a body many times while a writer writes again and again.
    private func read(
        whileWriting write: @escaping @Sendable (Int) async throws -> Void, _ body: () async throws -> Void
    ) async throws {
        let isDone = Flag()
        async let writing: Void = {
            var number = 0
            while !isDone.isSet {
                try await write(number)
                number += 1
            }
        }()
        for _ in 0..<300 { try await body() }
        isDone.set()
        try await writing
        await repository.close()
    }

    @Test func `statistics are a consistent snapshot`() async throws {
        let repository = repository
        let before = try await repository.statistics()
        try await read { number in
            if number.isMultiple(of: 2) {
                try await repository.register("abel")
            } else {
                try await repository.remove("abel")
            }
        } _: {
            let now = try await repository.statistics()
            let changes = now.changeNumber - before.changeNumber
            #expect(now.profiles - before.profiles == Int(changes % 2), "after \(changes) changes")
        }
    }

    @Test func `the answer to which usernames are stored is a consistent snapshot`() async throws {
        let repository = repository
        try await repository.register("left")
        let names = ["left"] + (1000..<1400).map { "user\($0)" } + ["right"]
        try await read { number in
            let (old, new) = number.isMultiple(of: 2) ? ("left", "right") : ("right", "left")
            _ = try await repository.edit(old) { $0["username"] = new }
        } _: {
            let areStored = try await repository.engine.areStored(names)
            #expect(areStored.count { $0 } == names.count - 1)
        }
    }
}

private final class Flag: Sendable {
    private let value = Atomic(false)
    var isSet: Bool { value.load(ordering: .relaxed) }
    func set() { value.store(true, ordering: .relaxed) }
}
