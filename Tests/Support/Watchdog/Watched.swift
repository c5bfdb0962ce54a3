internal import ProfileTesting
package import Testing

/// Runs a test when its turn has come (``Turns``), ends the whole test process when it does not end in time, and says
/// which test it was. The time that it waits for its turn does not count.
///
/// `.timeLimit` of Swift Testing cancels the test's task and then waits for it. A thread that is blocked hears nothing
/// of that: with a lock that nobody gives back the tests would wait for ever.
package final class Watched: SuiteTrait, TestTrait, TestScoping {
    private let limit: Duration

    fileprivate init(limit: Duration) { self.limit = limit }

    /// On a suite, each test is watched.
    package var isRecursive: Bool { true }

    /// Each case of a test is watched, by the trait of the test, where it has one besides that of its suite.
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
    /// Two minutes a test, which none needs; twenty in the long runs.
    package static var watched: Watched { watched(for: .seconds(120)) }

    /// As long as this a test; ten times as long in the long runs.
    package static func watched(for limit: Duration) -> Watched { Watched(limit: Length.isLong ? limit * 10 : limit) }
}
