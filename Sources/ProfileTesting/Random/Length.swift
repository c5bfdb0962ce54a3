internal import Platform

/// The number of cases and rounds of a test. Tests with more cases or rounds can find more errors, but take longer.
package enum Length {
    /// Whether tests run at full length, because the environment has `PROFILES_TEST_LONG=1`.
    package static let isLong = getenv("PROFILES_TEST_LONG").map { String(cString: $0) } == "1"

    /// Returns all cases in a long run. Otherwise, returns every `step`-th case, starting at the index `first`. Use it
    /// if there are many similar cases and each case starts a process.
    package static func some<Case>(_ cases: [Case], oneIn step: Int, from first: Int = 0) -> [Case] {
        isLong ? cases : stride(from: first, to: cases.count, by: step).map { cases[$0] }
    }

    package static func seconds(_ usual: Int, long: Int) -> String { String(isLong ? long : usual) }
}

/// Returns the number of rounds for a test with random input: `count`, or 20 times `count` in a long run.
package func rounds(_ count: Int) -> Int { Length.isLong ? count * 20 : count }
