import Platform
import ProfileCore
import ProfileStore
import ProfileStoreSQLite
import ProfileTesting
import ProfileTransfer
import StoreFixtures
import Testing
import Watchdog

/// Repeated operations through one open repository do not become slower or take more memory.
@Suite(.alone, .unsanitized, .watched(for: .seconds(900))) struct SoakTests {
    /// How often each kind of operation is done: in an ordinary run, and in a long one.
    private struct Count {
        let usual: Int
        let long: Int

        var count: Int { Length.isLong ? long : usual }
    }

    /// The number of tasks that call at once.
    private static let group = 64

    /// The greatest permitted ratio of the cost of the last tenth of a run to that of the first tenth.
    private static let most = 1.2

    @Test func `the last of many operations through one repository cost no more than the first`() async throws {
        let store = try TemporaryStore()
        let repository = try await store.open(
            store.options {
                $0.runtimeDirectory = store.directory + "/sockets"
                // The limit is so low that the log has its full length before the measurement.
                $0.mostChanges = 100
            })
        let names = (0..<80).map { "user\($0)" }
        for name in names { try await repository.register(name) }
        // A listener that came and left, and one that stays.
        var left = await repository.changes.stream(after: 0).makeAsyncIterator()
        _ = try await left.next()
        let listener = Task { () -> Int64 in
            var latest: Int64 = 0
            for try await change in await repository.changes.stream() { latest = change.number }
            return latest
        }

        if store.engine == .sqlite { try await measureBeeps(of: store) }
        // A call waits for the disk or the server, up to 5 ms. Calls of many tasks share this time, so a million take minutes
        // and not hours.
        let tasks = names.prefix(Self.group)
        let million = Count(usual: 100, long: 1_000_000 / Self.group)
        try await measure("groups of \(Self.group) look-ups", Count(usual: 300, long: million.long)) { _ in
            try await forEach(tasks) { try #require(try await repository.profile(username: $0) != nil) }
        }
        try await measure("groups of \(Self.group) queries", million) { _ in
            try await forEach(tasks) { name in
                let query = ProfileQuery([.init(.username, .equals(name))])
                try #require(try await repository.count(query) == 1)
            }
        }
        let pages = [nil] + (try await ends(of: repository))
        try await measure("groups of \(Self.group) pages", million) { number in
            let after = pages[number % pages.count]
            try await forEach(tasks) { _ in
                try #require(try await repository.profiles(ProfileQuery(limit: 5, after: after)).profiles.count == 5)
            }
        }
        try await measure("groups of \(Self.group) stream chunks", million) { _ in
            try await forEach(tasks) { _ in
                var chunks = 0
                for try await _ in repository.export(as: .csv) { chunks += 1 }
                try #require(chunks == 1)
            }
        }
        try await measure("groups of \(Self.group) commits", million) { number in
            try await forEach(tasks) { _ = try await repository.edit($0) { $0["address"] = "\(number)" } }
        }
        try await measure("logins", Count(usual: 50, long: 10_000)) { _ in
            _ = try await repository.sessions.start(People.secret, for: "user1")
        }

        let newest = try await repository.changes.latestNumber
        await repository.close()
        // The repository may have been closed just before the listener received the last changes.
        #expect(try await listener.value > newest - 100)
    }

    private func forEach(
        _ names: ArraySlice<String>, _ body: @escaping @Sendable (String) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup { group in
            for name in names { group.addTask { try await body(name) } }
            try await group.waitForAll()
        }
    }

    /// The cursor at the end of each page of five profiles. The last page has none.
    private func ends(of repository: ProfileRepository) async throws -> [ProfileCursor?] {
        var query = ProfileQuery(limit: 5)
        var ends: [ProfileCursor?] = []
        while let next = try await repository.profiles(query).next {
            query.after = next
            ends.append(next)
        }
        return ends
    }

    /// Measures beeps. Each beep is heard before the next one is sent.
    private func measureBeeps(of store: TemporaryStore) async throws {
        let beeper = try Beeper(store: store.path, prefix: "soak", directory: store.directory + "/sockets")
        let heard = Heard()
        try beeper.register("bell", handler: heard.handler)
        try await measure("beeps", Count(usual: 5_000, long: 1_000_000)) { _ in
            beeper.beep("bell")
            try #require(heard.wait())
        }
        beeper.unregister("bell")
    }

    /// Repeats an operation, and compares the processor time and the memory of the process in the last tenth of the run
    /// with those in the first tenth.
    ///
    /// The cost of a tenth is that of its cheapest slice of ten. Other processes can make a slice slower through the
    /// caches, but not faster, while a real growth makes every slice slower. A tenth of a short run lasts only some
    /// milliseconds. A short run that seems to grow is therefore repeated, because a real growth shows each time.
    private func measure(_ name: String, _ count: Count, _ body: (Int) async throws -> Void) async throws {
        let slice = max(1, count.count / 100)
        // Warms up first, so that lazy initialization and bounded caches do not count as growth.
        for number in 0..<min(slice * 20, 1_000) { try await body(number) }
        var growth: (time: Double, memory: Double) = (0, 0)
        for _ in 0..<(Length.isLong ? 1 : 3) {
            growth = try await growthOfRun(name, slice, body)
            if growth.time <= Self.most, growth.memory <= Self.most { break }
        }
        #expect(growth.time <= Self.most, "\(name) take more time")
        #expect(growth.memory <= Self.most, "\(name) take more memory")
    }

    /// The ratio of the last tenth of a run of a hundred slices to the first tenth, in time and in memory.
    private func growthOfRun(
        _ name: String, _ slice: Int, _ body: (Int) async throws -> Void
    ) async throws -> (time: Double, memory: Double) {
        var times: [Double] = []
        var memory: [Int] = []
        for number in 0..<100 {
            let start = Self.processorTime()
            for operation in number * slice..<(number + 1) * slice { try await body(operation) }
            times.append((Self.processorTime() - start) / Double(slice))
            memory.append(try Self.residentBytes())
        }
        let (first, last) = (try #require(times.prefix(10).min()), try #require(times.suffix(10).min()))
        print(
            """
            \(slice * 100) \(name): \(Self.microseconds(first)) µs of a processor each in the first tenth, \
            \(Self.microseconds(last)) µs in the last; \(memory[9] >> 10) KiB and \(memory[99] >> 10) KiB
            """)
        // Flushes the output, so that a long run shows its progress even if it is killed.
        fflush(nil)
        return (last / first, Double(memory[99]) / Double(memory[9]))
    }

    private static func microseconds(_ seconds: Double) -> Double { (seconds * 10_000_000).rounded() / 10 }

    /// The processor time of all threads of the process, in seconds.
    private static func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static func residentBytes() throws -> Int {
        let pages = SmallFile.text(of: "/proc/self/statm")?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
        return try #require(pages) * Int(getpagesize())
    }
}
