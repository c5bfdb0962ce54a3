internal import Platform
internal import ProfileTesting

/// The writers that wait for a write lock, as the kernel lists them in `/proc/locks`.
package enum WaitingWriters {
    package struct NobodyCame: Error {}

    /// Returns when a writer waits for the lock of this file. Throws after 30 seconds.
    package static func wait(for file: String) async throws {
        let clock = ContinuousClock()
        let deadline = clock.now + .seconds(30)
        while !isWaitedFor(file) {
            guard clock.now < deadline else { throw NobodyCame() }
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    private static func isWaitedFor(_ file: String) -> Bool {
        var status = stat()
        guard stat(file, &status) == 0 else { return false }
        let locks = (SmallFile.text(of: "/proc/locks") ?? "")
        return locks.split(separator: "\n").contains { $0.contains("-> FLOCK") && $0.contains(":\(status.st_ino) ") }
    }
}
