/// Waits until something is so, and looks again every millisecond: who looks all the time keeps a thread from the others.
/// The watchdog ends a test that waits in vain.
package func waitUntil(_ condition: () async throws -> Bool) async throws {
    while try await !condition() { try await Task.sleep(for: .milliseconds(1)) }
}

/// Waits until the task is cancelled.
package func waitUntilCancelled() async {
    let (never, continuation) = AsyncStream.makeStream(of: Never.self)
    for await _ in never {}
    continuation.finish()
}

/// Waits until a number has stayed the same for a tenth of a second: whoever raises it is held up, or has come to the end.
package func waitWhileRising(_ number: () -> Int) async throws {
    var last = number()
    var looks = 0
    while looks < 10 {
        try await Task.sleep(for: .milliseconds(10))
        let next = number()
        looks = next == last ? looks + 1 : 0
        last = next
    }
}
