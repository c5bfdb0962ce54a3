internal import ProfileTesting
package import Testing

/// Runs a test when its turn has come (``Turns``). If the test does not end in time, the ``Watchdog`` prints its name
/// and ends the whole test process. The time before the turn does not count.
///
/// `.timeLimit` of Swift Testing cancels the test's task and then waits for the task. A blocked thread does not notice
/// the cancellation. So if a lock was never released, the tests would wait forever.
package final class Watched: SuiteTrait, TestTrait, TestScoping {
    private let limit: Duration

    fileprivate init(limit: Duration) { self.limit = limit }

    /// On a suite, each test is watched.
    package var isRecursive: Bool { true }

    /// Watches each case of a test. If the test and its suite both have this trait, only the trait of the test is used.
    package func scopeProvider(for test: Test, testCase: Test.Case?) -> Watched? {
        testCase != nil && test.traits.last { $0 is Watched } as? Watched === self ? self : nil
    }

    @concurrent package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await Turns.shared.take(alone: test.traits.contains { $0 is Alone }) {
            let place = "\(test.sourceLocation.fileID):\(test.sourceLocation.line)"
            let name = "\"\(test.displayName ?? test.name)\" (\(place))"
            let start = ContinuousClock.now
            let number = Watchdog.shared.watch(name, for: limit)
            defer {
                Watchdog.shared.forget(number)
                TestTimes.add(.now - start, of: name)
            }
            try await function()
        }
    }
}

extension Trait where Self == Watched {
    /// A time limit of two minutes for each case, and of twenty minutes in the long runs. No test needs that much.
    package static var watched: Watched { watched(for: .seconds(120)) }

    /// A time limit for each case. In the long runs, the limit is ten times as long.
    package static func watched(for limit: Duration) -> Watched { Watched(limit: Length.isLong ? limit * 10 : limit) }
}
