internal import Platform
internal import ProfileTesting
internal import Synchronization

/// A thread that checks the running tests, and aborts the process if a test exceeds its time limit.
///
/// It does not use the threads of Swift and Dispatch, because the tests may block all of them.
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
                // Some tests send signals to this process. Other threads must receive them.
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
    /// - Returns: The number to pass to ``forget(_:)`` when the test has ended.
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
        // `swift test` reads its pipes to the end. Processes that the tests started would keep these pipes open.
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
