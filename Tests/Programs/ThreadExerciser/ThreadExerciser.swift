internal import Platform
internal import SQLiteAccess
internal import Synchronization
internal import Threads

/// A process for the tests. Without an argument, it has no memory for another thread, and prints the result of each
/// operation that needs one. With a number, it locks a value that many times from two threads.
@main enum ThreadExerciser {
    static func main() async throws {
        if let count = CommandLine.arguments.dropFirst().first.flatMap(Int.init) {
            print(try await LockingPlace().run(count))
            exit(0)
        }
        await fillCooperativePool()
        let limit = try leaveNoRoom()
        show("thread") { _ = try SystemThread(blockingSignals: true) {} }
        show("pipeline") { _ = try OrderedPipeline(workers: 2, depth: 2, read: { nil as Int? }, process: { $0 }) }
        let pool = ThreadPool(threads: 2)
        show("start") { try pool.start {} }
        await show("run") { try await pool.run {} }
        let path = try DatabasePath("/tmp/no-thread.db")
        let writer = DatabaseWriter(path, command: "test") { _ in try Connection(path, mode: .readOnly) }
        await show("write") { try await writer.write(waitingAtMost: .seconds(60)) { _ in } }
        await writer.close()

        var enough = limit
        setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &enough)
        await show("run with room") { try await pool.run {} }
        exit(0)
    }

    /// Makes Swift start all threads of its cooperative pool, because Swift waits without end for a thread that cannot
    /// be created.
    private static func fillCooperativePool() async {
        let count = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        let missing = Counter(count)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<count {
                group.addTask {
                    missing.number.withLock { $0 -= 1 }
                    while missing.number.withLock({ $0 }) > 0 { sched_yield() }
                }
            }
        }
    }

    /// Limits the memory of the process, so that there is not enough for the stack of a thread. This works for root
    /// too, unlike a limit on the number of threads.
    ///
    /// - Returns: The previous limit.
    private static func leaveNoRoom() throws -> rlimit {
        let resource = __rlimit_resource_t(RLIMIT_AS.rawValue)
        var limit = rlimit()
        var pages: UInt = 0
        let file = fopen("/proc/self/statm", "r")
        defer { if let file { fclose(file) } }
        guard let file, withUnsafeMutablePointer(to: &pages, { withVaList([$0]) { vfscanf(file, "%lu", $0) } }) == 1,
            getrlimit(resource, &limit) == 0
        else { throw NoLimit() }
        var tight = rlimit(rlim_cur: rlim_t(pages * UInt(getpagesize()) + 1 << 20), rlim_max: limit.rlim_max)
        guard setrlimit(resource, &tight) == 0 else { throw NoLimit() }
        return limit
    }

    private struct NoLimit: Error {}

    private final class Counter: Sendable {
        let number: Mutex<Int>

        init(_ number: Int) { self.number = Mutex(number) }
    }

    private static func show(_ name: String, _ body: () throws -> Void) {
        do {
            try body()
            print("\(name): done")
        } catch {
            print("\(name): \(error)")
        }
    }

    private static func show(_ name: String, _ body: @Sendable () async throws -> Void) async {
        do {
            try await body()
            print("\(name): done")
        } catch {
            print("\(name): \(error)")
        }
    }
}
