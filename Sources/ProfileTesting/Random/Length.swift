internal import Platform

/// The number of cases and rounds of tests that find more errors in a longer run.
package enum Length {
    /// Whether tests run in full: `PROFILES_TEST_LONG=1`.
    package static let isLong = getenv("PROFILES_TEST_LONG").map { String(cString: $0) } == "1"

    /// Returns all cases in long runs, otherwise every `step`-th case, from the index `first`. Use it for similar cases
    /// that each start a process.
    package static func some<Case>(_ cases: [Case], oneIn step: Int, from first: Int = 0) -> [Case] {
        isLong ? cases : stride(from: first, to: cases.count, by: step).map { cases[$0] }
    }

    package static func seconds(_ usual: Int, long: Int) -> String { String(isLong ? long : usual) }
}

/// Returns the number of rounds of a test with random input: `count`, or twenty times as many in long runs.
package func rounds(_ count: Int) -> Int { Length.isLong ? count * 20 : count }
