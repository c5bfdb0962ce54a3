internal import Platform

/// Generates pseudorandom numbers. The same seed gives the same numbers on every machine (SplitMix64: Steele, Lea and
/// Flood, "Fast Splittable Pseudorandom Number Generators", 2014).
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    /// The initial seed.
    public let seed: UInt64
    private var state: UInt64

    /// Creates a generator from a seed.
    public init(seed: UInt64) {
        self.seed = seed
        state = seed
    }

    /// Creates a generator from the seed in the environment variable `PROFILES_TEST_SEED`, or from a random seed.
    /// Prints the seed. To reproduce a failure, run the test again with the printed seed.
    ///
    /// - Parameter name: The purpose of the seed. It is printed on the same line as the seed.
    public init(printingSeedOf name: String) {
        let named = getenv("PROFILES_TEST_SEED").flatMap { UInt64(String(cString: $0)) }
        self.init(seed: named ?? UInt64.random(in: 0 ... .max))
        print("\(name): PROFILES_TEST_SEED=\(seed)")
    }

    /// Returns the next number.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns true with a probability of 1 / `count`. If `count` is 1 or less, always returns true.
    public mutating func once(in count: Int) -> Bool { Int.random(in: 0..<max(1, count), using: &self) == 0 }

    /// Returns random bytes. The number of bytes is a random element of `counts`.
    public mutating func bytes(_ counts: Range<Int>) -> [UInt8] {
        (0..<Int.random(in: counts, using: &self)).map { _ in UInt8.random(in: 0...255, using: &self) }
    }

    /// Returns a random text. Characters that rules treat specially occur often: letters, digits, white space, control
    /// characters, separators of dates and masks, digits of other scripts, combining marks, joiners and flags. About a
    /// quarter of the scalars are random scalars from all of Unicode.
    ///
    /// - Parameter counts: The possible numbers of Unicode scalars.
    /// - Returns: The text.
    public mutating func text(_ counts: Range<Int>) -> String {
        var text = ""
        for _ in 0..<Int.random(in: counts, using: &self) { text.unicodeScalars.append(scalar()) }
        return text
    }

    /// Returns one random scalar. ``text(_:)`` consists of such scalars.
    public mutating func scalar() -> Unicode.Scalar {
        let common = "abzAZ019 \t\n\r\u{0B}\u{0C}-.#_\"\\\u{0}\u{7F}\u{85}\u{A0}\u{3000}\u{300}\u{20DD}\u{200D}٣५éßK🇸🇬👩🏽"
        if once(in: 4) {
            return Unicode.Scalar(UInt32.random(in: 0...0x10FFFF, using: &self)) ?? "\u{FFFD}"
        }
        return common.unicodeScalars.randomElement(using: &self) ?? "a"
    }
}
