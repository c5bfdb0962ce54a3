package import Testing
internal import ProfileTesting

/// Ends the whole test process when a test does not end in time, and says which test it was.
///
/// `.timeLimit` of Swift Testing cancels the test's task and then waits for it. A thread that is blocked hears nothing
/// of that: with a lock that nobody gives back the tests would wait for ever.
package struct Watched: SuiteTrait, TestTrait, TestScoping {
    private let limit: Duration

    fileprivate init(limit: Duration) { self.limit = limit }

    /// On a suite, each test is watched.
    package var isRecursive: Bool { true }

    /// A test's own time counts, not that of its suite.
    package func scopeProvider(for test: Test, testCase: Test.Case?) -> Watched? {
        let innermost = test.traits.last { $0 is Watched } as? Watched
        return testCase != nil && innermost?.limit == limit ? self : nil
    }

    @concurrent package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let place = "\(test.sourceLocation.fileID):\(test.sourceLocation.line)"
        let number = Watchdog.shared.watch("\"\(test.displayName ?? test.name)\" (\(place))", for: limit)
        defer { Watchdog.shared.forget(number) }
        try await function()
    }
}

extension Trait where Self == Watched {
    /// Two minutes a test, which none needs; twenty in the long runs.
    package static var watched: Watched { watched(for: .seconds(120)) }

    /// As long as this a test; ten times as long in the long runs.
    package static func watched(for limit: Duration) -> Watched { Watched(limit: Length.isLong ? limit * 10 : limit) }
}
