import ProfileStore
import ProfileTesting
import StoreFixtures
import Testing
import Watchdog

/// T5: the welcome notice is for the first who comes.
@Suite(.watched) struct WelcomeTests {
    private let store: TemporaryStore

    init() throws { store = try TemporaryStore() }

    @Test func `T5: a store welcomes once, of all who ask at once, and remembers it`() async throws {
        let repository = try await store.open()
        let answers = await withTaskGroup(of: Bool?.self) { group in
            for _ in 0..<16 { group.addTask { try? await repository.takeWelcome() } }
            return await group.reduce(into: [Bool?]()) { $0.append($1) }
        }
        #expect(answers.count { $0 == true } == 1)
        #expect(answers.count { $0 == false } == 15)
        await repository.close()
        let again = try await store.open()
        #expect(try await again.takeWelcome() == false)
        await again.close()
    }

    @Test(.onlyOnSQLite("needs another process"))
    func `T5: of several processes one welcomes`() async throws {
        await (try store.open()).close()
        let children = try (0..<4).map { _ in try ExerciserProcess("welcome", store.path) }
        var answers: [String] = []
        for child in children { answers += await child.finish().lines }
        #expect(answers.sorted() == ["false", "false", "false", "true"])
    }

    @Test(.onlyOnSQLite("needs another process"))
    func `a store that has welcomed is only read`() async throws {
        let repository = try await store.open()
        #expect(try await repository.takeWelcome())
        let child = try ExerciserProcess("hold", store.path, "nightly job")
        #expect(child.waitForSign())
        #expect(try await repository.takeWelcome() == false, "while another process holds the write lock")
        _ = await child.finish()
        await repository.close()
    }
}
