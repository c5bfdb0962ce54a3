import Glibc

/// Numbers that look random and are the same for the same seed (SplitMix64).
struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// True once in so many times.
    mutating func once(in count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }

    mutating func bytes(_ counts: Range<Int>) -> [UInt8] {
        (0..<Int.random(in: counts, using: &self)).map { _ in UInt8.random(in: 0...255, using: &self) }
    }

    /// Text in which everything that rules look at turns up often: letters, digits, white space, controls, separators
    /// of dates and masks, other scripts' digits, combining marks, joiners, flags, and anything else.
    mutating func text(_ counts: Range<Int>) -> String {
        var text = ""
        for _ in 0..<Int.random(in: counts, using: &self) { text.unicodeScalars.append(scalar()) }
        return text
    }

    mutating func scalar() -> Unicode.Scalar {
        let common = "abzAZ019 \t\n\r\u{0B}\u{0C}-.#_\"\\\u{0}\u{7F}\u{85}\u{A0}\u{3000}\u{300}\u{20DD}\u{200D}٣５éßK🇸🇬👩🏽"
        if once(in: 4) {
            return Unicode.Scalar(UInt32.random(in: 0...0x10FFFF, using: &self)) ?? "\u{FFFD}"
        }
        return common.unicodeScalars.randomElement(using: &self) ?? "a"
    }
}

/// How many rounds a test with random input does: twenty times as many with `PROFILES_TEST_LONG=1`.
func rounds(_ count: Int) -> Int {
    getenv("PROFILES_TEST_LONG").map { String(cString: $0) } == "1" ? count * 20 : count
}
