internal import Glibc

/// How many rounds a test with random input does: twenty times as many with `PROFILES_TEST_LONG=1`.
package func rounds(_ count: Int) -> Int {
    getenv("PROFILES_TEST_LONG").map { String(cString: $0) } == "1" ? count * 20 : count
}
