/// Finds the first of three byte values, or counts those of one, sixteen bytes at a time.
struct ByteSearch {
    private let first: SIMD16<UInt8>
    private let second: SIMD16<UInt8>
    private let third: SIMD16<UInt8>

    init(_ first: UInt8, _ second: UInt8, _ third: UInt8) {
        self.first = SIMD16(repeating: first)
        self.second = SIMD16(repeating: second)
        self.third = SIMD16(repeating: third)
    }

    /// The offset of the first of the three in `start..<end`, or `end`.
    ///
    /// The last vector may reach past `end`: fifteen bytes more must be readable, as ``ByteBuffer/padding`` makes them.
    @inline(__always)
    func firstOffset(in base: UnsafeRawPointer, from start: Int, to end: Int) -> Int {
        var offset = start
        while offset < end {
            let bytes = base.loadUnaligned(fromByteOffset: offset, as: SIMD16<UInt8>.self)
            let hits = (bytes .== first) .| (bytes .== second) .| (bytes .== third)
            // A lane of the mask is a byte of ones or zeros, so trailing zero bits tell the lane.
            let halves = unsafeBitCast(hits, to: SIMD2<UInt64>.self)
            if halves.x != 0 { return min(end, offset + halves.x.littleEndian.trailingZeroBitCount / 8) }
            if halves.y != 0 { return min(end, offset + 8 + halves.y.littleEndian.trailingZeroBitCount / 8) }
            offset += 16
        }
        return end
    }

    /// How often a byte is in `start..<end`.
    static func count(of byte: UInt8, in base: UnsafeRawPointer, from start: Int, to end: Int) -> Int {
        let wanted = SIMD16<UInt8>(repeating: byte)
        var total = 0
        var offset = start
        while offset + 16 <= end {
            // A lane counts to 255.
            let stop = min(end, offset + 255 * 16)
            var lanes = SIMD16<UInt8>()
            while offset + 16 <= stop {
                let hits = base.loadUnaligned(fromByteOffset: offset, as: SIMD16<UInt8>.self) .== wanted
                // A hit is a byte of ones, which is -1.
                lanes &-= unsafeBitCast(hits, to: SIMD16<UInt8>.self)
                offset += 16
            }
            for lane in lanes.indices { total += Int(lanes[lane]) }
        }
        while offset < end {
            if base.load(fromByteOffset: offset, as: UInt8.self) == byte { total += 1 }
            offset += 1
        }
        return total
    }
}
