/// The first bytes of an input, which choose the options of a check. A missing byte is zero.
struct Choices {
    private var bytes: ArraySlice<UInt8>
    private var bits: UInt8 = 0
    private var bitCount = 0

    init(_ input: [UInt8]) { bytes = input[...] }

    /// The bytes that were not used for choices.
    var rest: [UInt8] { Array(bytes) }

    /// Uses the next byte.
    mutating func byte() -> UInt8 { bytes.popFirst() ?? 0 }

    /// Uses the next bit.
    mutating func flag() -> Bool {
        if bitCount == 0 {
            bits = byte()
            bitCount = 8
        }
        defer {
            bits >>= 1
            bitCount -= 1
        }
        return bits & 1 == 1
    }

    /// Uses the next byte to choose one of several values.
    mutating func one<Value>(of values: [Value]) -> Value { values[Int(byte()) % values.count] }
}
