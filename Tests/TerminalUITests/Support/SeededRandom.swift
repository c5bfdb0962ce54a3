import Glibc

/// SplitMix64: random numbers that a test can be repeated with.
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}

/// How many rounds a test with random input does: twenty times as many with `PROFILES_TEST_LONG=1`.
func rounds(_ count: Int) -> Int {
    getenv("PROFILES_TEST_LONG").map { String(cString: $0) } == "1" ? count * 20 : count
}
