/// Searches for three byte values at once, or counts one byte value. It compares sixteen bytes at a time.
struct ByteSearch {
    private let first: SIMD16<UInt8>
    private let second: SIMD16<UInt8>
    private let third: SIMD16<UInt8>

    init(_ first: UInt8, _ second: UInt8, _ third: UInt8) {
        self.first = SIMD16(repeating: first)
        self.second = SIMD16(repeating: second)
        self.third = SIMD16(repeating: third)
    }

    /// Returns the offset of the first byte in `start..<end` that equals one of the three values. Returns `end` if
    /// there is none.
    ///
    /// The last vector may extend past `end`, so 15 bytes after `end` must be readable. ``ByteBuffer/padding`` provides
    /// them.
    @inline(__always)
    func firstOffset(in base: UnsafeRawPointer, from start: Int, to end: Int) -> Int {
        var offset = start
        while offset < end {
            let bytes = base.loadUnaligned(fromByteOffset: offset, as: SIMD16<UInt8>.self)
            let hits = (bytes .== first) .| (bytes .== second) .| (bytes .== third)
            // Each lane of the mask is 0xFF if its byte matches, otherwise 0. So the number of trailing zero bits,
            // divided by 8, is the index of the first matching lane.
            let halves = unsafeBitCast(hits, to: SIMD2<UInt64>.self)
            if halves.x != 0 { return min(end, offset + halves.x.littleEndian.trailingZeroBitCount / 8) }
            if halves.y != 0 { return min(end, offset + 8 + halves.y.littleEndian.trailingZeroBitCount / 8) }
            offset += 16
        }
        return end
    }

    /// Returns the number of occurrences of a byte in `start..<end`. The last vector may extend past `end`, as in
    /// ``firstOffset(in:from:to:)``.
    static func count(of byte: UInt8, in base: UnsafeRawPointer, from start: Int, to end: Int) -> Int {
        let wanted = SIMD16<UInt8>(repeating: byte)
        var total = 0
        var offset = start
        while offset < end {
            // A lane has 8 bits, so its count must not exceed 255.
            let stop = min(end, offset + 255 * 16)
            var lanes = SIMD16<UInt8>()
            while offset < stop {
                let bytes = base.loadUnaligned(fromByteOffset: offset, as: SIMD16<UInt8>.self)
                var hits = unsafeBitCast(bytes .== wanted, to: SIMD16<UInt8>.self)
                if stop - offset < 16 {
                    let left = SIMD16(repeating: UInt8(truncatingIfNeeded: stop - offset))
                    hits.replace(with: 0, where: laneNumbers .>= left)
                }
                // A matching lane is 0xFF, which means -1. So the subtraction of `hits` adds 1 for each match.
                lanes &-= hits
                offset += 16
            }
            let halves = unsafeBitCast(lanes, to: SIMD2<UInt64>.self)
            total += sum(of: halves.x) + sum(of: halves.y)
        }
        return total
    }

    private static let laneNumbers = SIMD16<UInt8>(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)

    /// Returns the sum of the eight bytes of a word. First, neighbouring bytes are added, which gives four sums. Then
    /// the multiplication adds the four sums. The result is in the highest 16 bits.
    private static func sum(of word: UInt64) -> Int {
        let pairs = (word & 0x00FF_00FF_00FF_00FF) + (word >> 8 & 0x00FF_00FF_00FF_00FF)
        return Int((pairs &* 0x0001_0001_0001_0001) >> 48)
    }
}
