internal import Platform
internal import ProfileTesting
internal import Synchronization

/// A thread that looks at the tests that run, and aborts the process when the time of one is up.
///
/// It is a thread of its own, since those of Swift and Dispatch may all be what is blocked.
final class Watchdog: Sendable {
    static let shared = Watchdog()

    private struct Watch {
        let test: String
        let limit: Duration
        let end: ContinuousClock.Instant
    }

    private struct State {
        var watches: [Int: Watch] = [:]
        var latestNumber = 0
    }

    private let state = Mutex(State())

    private init() {
        var thread = pthread_t()
        pthread_create(
            &thread, nil,
            { _ in
                // Tests that send signals to this process mean other threads.
                var all = sigset_t()
                sigfillset(&all)
                pthread_sigmask(SIG_BLOCK, &all, nil)
                while true {
                    usleep(50_000)
                    Watchdog.shared.look()
                }
            }, nil)
        pthread_detach(thread)
    }

    /// Watches a test.
    ///
    /// - Returns: What it is forgotten by.
    func watch(_ test: String, for limit: Duration) -> Int {
        state.withLock { state in
            state.latestNumber += 1
            state.watches[state.latestNumber] = Watch(test: test, limit: limit, end: .now + limit)
            return state.latestNumber
        }
    }

    func forget(_ number: Int) { state.withLock { $0.watches[number] = nil } }

    private func look() {
        let now = ContinuousClock.now
        let late = state.withLock { state in state.watches.values.filter { $0.end < now } }
        guard !late.isEmpty else { return }
        for watch in late { say("Watchdog: \(watch.test) did not end within \(watch.limit.components.seconds) s\n") }
        // They would keep the pipes open that `swift test` reads to their end.
        RunningProcess.killDescendants()
        // Swift's own handler would show where all threads are, but may hang itself.
        signal(SIGABRT, SIG_DFL)
        abort()
    }

    private func say(_ line: String) {
        var line = line
        line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
