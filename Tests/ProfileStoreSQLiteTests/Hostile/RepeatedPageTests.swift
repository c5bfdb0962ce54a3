import Platform
import ProfileCore
import ProfileStore
import ProfileStoreSQLite
import ProfileTesting
import ProfileTransfer
import RawSQLite
import StoreFixtures
import Testing
import Watchdog

/// Files in which one page stands at two places of a b-tree. A walk through the tree meets the same rows again, and
/// must end with an error.
@Suite(.watched) struct RepeatedPageTests {
    private let store: TemporaryStore
    /// A walk that gives so many of the 2,000 profiles goes in circles.
    private static let most = 5_000

    /// A store of profiles on some dozen pages.
    init() async throws {
        store = try TemporaryStore()
        let repository = try await store.open()
        _ = try await store.importPeople((1000..<3000).map { "user\($0)" }, into: repository)
        await repository.close()
    }

    /// Copies the first leaf page of a b-tree over a later leaf page.
    private func repeatPage(of name: String) throws {
        let root: Int
        do {
            let rows = try RawDatabase(store.path).rows("SELECT rootpage FROM sqlite_schema WHERE name = '\(name)'")
            root = try #require(rows.first?.first.flatMap { $0 }.flatMap { Int($0) })
        }
        var bytes = try #require(SmallFile.bytes(of: store.path))
        let size = 4_096
        let page = { (number: Int) in (number - 1) * size }
        // <https://www.sqlite.org/fileformat2.html#b_tree_pages>
        try #require([2, 5].contains(bytes[page(root)]), "an interior page")
        func number(_ position: Int, _ count: Int) -> Int {
            bytes[position..<position + count].reduce(0) { $0 << 8 | Int($1) }
        }
        let cells = number(page(root) + 3, 2)
        try #require(cells > 2)
        func child(_ cell: Int) -> Int { number(page(root) + number(page(root) + 12 + 2 * cell, 2), 4) }
        let (first, later) = (child(0), child(cells - 2))
        bytes.replaceSubrange(page(later)..<page(later) + size, with: bytes[page(first)..<page(first) + size])
        let descriptor = open(store.path, O_WRONLY | O_CLOEXEC)
        defer { close(descriptor) }
        #expect(pwrite(descriptor, bytes, bytes.count, 0) == bytes.count)
    }

    private func isCorrupt(_ body: (ProfileRepository) async throws -> Void) async throws {
        let repository = try await store.open()
        let error = await #expect(throws: (any Error).self) { try await body(repository) }
        let damage: StoreDamage? =
            switch error {
            case let error as ProfileStoreError: error.damage
            case ExportError.store(let error)?: error.damage
            case StoreCopyError.damagedSource(let damage)?: damage
            default: nil
            }
        guard case .outOfOrder? = damage else {
            Issue.record("\(String(describing: error))")
            return await repository.close()
        }
        await repository.close()
    }

    @Test(arguments: [ExportFormat.csv, .json, .ndjson])
    func `I13: an export ends where a page is repeated`(format: ExportFormat) async throws {
        try repeatPage(of: "profiles")
        try await isCorrupt { repository in
            var bytes = 0
            for try await chunk in repository.export(as: format) {
                bytes += chunk.count
                guard bytes < 4 << 20 else { return }
            }
        }
    }

    @Test func `R6: judging all profiles again ends where a page is repeated`() async throws {
        try repeatPage(of: "profiles")
        try await isCorrupt { repository in
            let task = Task {
                try await repository.rules.revalidate(all: true) { checked in
                    if checked > Self.most { withUnsafeCurrentTask { $0?.cancel() } }
                }
            }
            let report = try await task.value
            Issue.record("\(report.checked) were checked")
        }
    }

    @Test func `a copy ends where a page is repeated`() async throws {
        try repeatPage(of: "profiles")
        let other = try TemporaryStore(engine: .memory)
        let copy = try await other.open(other.options { $0.opensUnfinishedCopy = true })
        try await isCorrupt { repository in
            _ = try await StoreCopy(from: repository, to: copy).run()
        }
        await copy.close()
    }

    @Test(arguments: [false, true])
    func `reading every profile in the order of ids ends where a page is repeated`(isReversed: Bool) async throws {
        try repeatPage(of: "profiles")
        try await isCorrupt { repository in
            var count = 0
            for try await _ in repository.all(ProfileQuery(isReversed: isReversed, limit: 40)) {
                count += 1
                guard count < Self.most else { return }
            }
        }
    }

    @Test func `reading every profile in the order of a field ends where a page of its index is repeated`() async throws
    {
        try repeatPage(of: "profiles_username")
        try await isCorrupt { repository in
            var count = 0
            let query = ProfileQuery(order: .init(.username), limit: 40)
            for try await _ in repository.all(query) {
                count += 1
                guard count < Self.most else { return }
            }
        }
    }

    @Test func `a removal by query ends where a page is repeated`() async throws {
        try repeatPage(of: "profiles")
        try await isCorrupt { repository in
            do throws(StoppedWrite<RemovalReport>) {
                _ = try await repository.remove(matching: ProfileQuery(text: "user"))
            } catch {
                #expect(error.report.removed + error.report.changed < Self.most)
                throw error.error
            }
        }
    }
}

extension ProfileStoreError {
    fileprivate var damage: StoreDamage? { if case .corrupt(let damage) = reason { damage } else { nil } }
}
