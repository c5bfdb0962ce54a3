package import Glibc
package import ProfileCore

/// Bytes to hand to code that should zero them, and to look for in memory afterwards.
///
/// They are kept masked, so that neither the marker nor the search for it holds them in the clear.
package struct MemoryMarker: Sendable {
    private let masked: [UInt8]
    /// Those that are looked for.
    private let sought: ArraySlice<UInt8>
    /// ASCII becomes what is no ASCII.
    private static let mask: UInt8 = 0x80

    /// ASCII letters and digits at random, which the standard schema takes for a password.
    ///
    /// Only the last half is looked for: the C library writes over the first bytes of memory that is given back, up to
    /// 32 of them, whether somebody zeroed it or not.
    /// - Parameter count: How many, 64 at least.
    package init(count: Int = 64) {
        let alphabet = Array("ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789".utf8)
        masked = (0..<max(64, count)).map { index in
            let byte =
                switch index {
                case 0: UInt8(ascii: "A")
                case 1: UInt8(ascii: "2")
                default: alphabet[Int.random(in: alphabet.indices)]
                }
            return byte ^ Self.mask
        }
        sought = masked.suffix(masked.count / 2)
    }

    /// A text that others bring into memory, all of which is looked for.
    package init(_ text: StaticString) {
        masked = (0..<text.utf8CodeUnitCount).map { text.utf8Start[$0] ^ Self.mask }
        sought = masked[...]
    }

    /// How many bytes there are.
    package var count: Int { masked.count }

    /// One of the bytes, to be handed on alone.
    package subscript(index: Int) -> UInt8 { masked[index] ^ Self.mask }

    /// Writes all of the bytes.
    package func append(to output: inout OutputSpan<UInt8>) {
        for byte in masked { output.append(byte ^ Self.mask) }
    }

    /// A secret of the bytes.
    package func makeSecret() -> Secret { Secret(capacity: count) { append(to: &$0) } }

    /// Lends the bytes in memory that is zeroed afterwards.
    package func withBytes<Failure: Error>(_ body: (UnsafeRawBufferPointer) throws(Failure) -> Void) throws(Failure) {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
        defer {
            Self.zero(bytes)
            bytes.deallocate()
        }
        for (index, byte) in masked.enumerated() { bytes[index] = byte ^ Self.mask }
        try body(UnsafeRawBufferPointer(bytes))
    }

    /// How often they are in the memory that a process, this one by default, can write to.
    package func occurrences(in process: pid_t = getpid()) throws(SystemError) -> Int {
        let memory = open("/proc/\(process)/mem", O_RDONLY | O_CLOEXEC)
        guard memory >= 0 else { throw SystemError("open /proc/\(process)/mem") }
        defer { close(memory) }
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { chunk.deallocate() }
        // Part of what is read of this process, and so of no account: it holds what was read before.
        let own = UInt(bitPattern: process == getpid() ? chunk.baseAddress : nil)
        var found = 0
        for range in Self.writableRanges(of: process) {
            var start = range.lowerBound
            while start < range.upperBound {
                let count = pread(memory, chunk.baseAddress, min(chunk.count, range.upperBound - start), start)
                guard count >= sought.count else { break }
                for hit in Self.hits(of: sought, in: UnsafeRawBufferPointer(rebasing: chunk[..<count])) {
                    let address = UInt(start + hit)
                    if address < own || address >= own + UInt(chunk.count) { found += 1 }
                }
                // What lies across the end of the chunk begins the next one.
                start += count - (sought.count - 1)
            }
        }
        Self.zero(chunk)
        return found
    }

    private static func zero(_ bytes: UnsafeMutableRawBufferPointer) {
        if let start = bytes.baseAddress { explicit_bzero(start, bytes.count) }
    }

    /// Where the bytes begin. Megabytes are searched by the C library, since a debug build's loops take their time.
    private static func hits(of masked: ArraySlice<UInt8>, in bytes: UnsafeRawBufferPointer) -> [Int] {
        guard let base = bytes.baseAddress, let first = masked.first else { return [] }
        var hits: [Int] = []
        var position = 0
        let last = bytes.count - masked.count
        while position <= last, let hit = memchr(base + position, Int32(first ^ mask), last - position + 1) {
            position = UnsafeRawPointer(hit) - base
            if masked.indices.allSatisfy({ bytes[position + $0 - masked.startIndex] == masked[$0] ^ mask }) {
                hits.append(position)
            }
            position += 1
        }
        return hits
    }

    private static func writableRanges(of process: pid_t) -> [Range<Int>] {
        (SmallFile.text(of: "/proc/\(process)/maps") ?? "").split(separator: "\n").compactMap { line in
            let parts = line.split(separator: " ")
            guard parts.count > 1, parts[1].hasPrefix("rw") else { return nil }
            let ends = parts[0].split(separator: "-").compactMap { Int($0, radix: 16) }
            return ends.count == 2 && ends[0] < ends[1] ? ends[0]..<ends[1] : nil
        }
    }
}
