/// Waits until a condition is true, and checks it every millisecond. Checks without a pause would occupy a thread that
/// other tests need. If the condition never becomes true, the watchdog ends the tests.
package func waitUntil(_ condition: () async throws -> Bool) async throws {
    while try await !condition() { try await Task.sleep(for: .milliseconds(1)) }
}

/// Waits until the task is cancelled.
package func waitUntilCancelled() async {
    let (never, continuation) = AsyncStream.makeStream(of: Never.self)
    for await _ in never {}
    continuation.finish()
}

/// Waits until a number has stayed the same for a tenth of a second. Then the work that raises it is blocked or done.
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
