internal import Platform

/// How long a test that is the better the longer it lasts may take.
package enum Length {
    /// Whether tests are to run in full: `PROFILES_TEST_LONG=1`.
    package static let isLong = getenv("PROFILES_TEST_LONG").map { String(cString: $0) } == "1"

    /// Of cases that show much the same, each of which costs a process: all in the long runs, else one in `step`.
    package static func some<Case>(_ cases: [Case], oneIn step: Int, from first: Int = 0) -> [Case] {
        isLong ? cases : stride(from: first, to: cases.count, by: step).map { cases[$0] }
    }

    package static func seconds(_ usual: Int, long: Int) -> String { String(isLong ? long : usual) }
}

/// How many rounds a test with random input does: twenty times as many in the long runs.
package func rounds(_ count: Int) -> Int { Length.isLong ? count * 20 : count }
