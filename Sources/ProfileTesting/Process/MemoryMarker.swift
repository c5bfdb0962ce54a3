package import Platform
package import ProfileCore

/// Bytes that a test uses to check whether code zeroes its memory. The test passes the bytes to the code. Then the test
/// searches the memory for these bytes.
///
/// The marker stores the bytes in a masked form. Therefore a search finds neither the marker nor the data that the
/// search itself uses.
package struct MemoryMarker: Sendable {
    private let masked: [UInt8]
    /// The part of `masked` that the search looks for.
    private let sought: ArraySlice<UInt8>
    /// The mask for XOR. It turns each ASCII byte into a byte that is not ASCII.
    private static let mask: UInt8 = 0x80

    /// Creates a marker of random ASCII letters and digits, which the standard schema accepts as a password.
    ///
    /// The search looks only for the second half of the bytes. When a block of memory is freed, the C library itself
    /// overwrites up to 32 bytes at the start of the block. So a search for the first half would prove nothing.
    /// - Parameter count: The number of bytes, at least 64.
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

    /// Creates a marker for a text that other code writes to memory. The search looks for the whole text.
    package init(_ text: StaticString) {
        masked = (0..<text.utf8CodeUnitCount).map { text.utf8Start[$0] ^ Self.mask }
        sought = masked[...]
    }

    /// The number of bytes.
    package var count: Int { masked.count }

    /// The unmasked byte at this index. It is for code that accepts only one byte at a time.
    package subscript(index: Int) -> UInt8 { masked[index] ^ Self.mask }

    /// Appends all bytes to the output.
    package func append(to output: inout OutputSpan<UInt8>) {
        for byte in masked { output.append(byte ^ Self.mask) }
    }

    /// Returns a secret that consists of the bytes.
    package func makeSecret() -> Secret { Secret(capacity: count) { append(to: &$0) } }

    /// Calls `body` with a copy of the bytes. The copy is zeroed afterwards.
    package func withBytes<Failure: Error>(_ body: (UnsafeRawBufferPointer) throws(Failure) -> Void) throws(Failure) {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
        defer {
            Self.zero(bytes)
            bytes.deallocate()
        }
        for (index, byte) in masked.enumerated() { bytes[index] = byte ^ Self.mask }
        try body(UnsafeRawBufferPointer(bytes))
    }

    /// Returns how often the bytes occur in the writable memory of a process. The default is the current process.
    ///
    /// Does not allocate memory on the heap. An allocation could overwrite freed memory before the search reads it.
    package func occurrences(in process: pid_t = getpid()) throws(SystemError) -> Int {
        let size = 1 << 21
        let pages = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let pages, pages != MAP_FAILED else { throw SystemError("mmap") }
        defer { munmap(pages, size) }
        let maps = UnsafeMutableRawBufferPointer(start: pages, count: size / 2)
        let chunk = UnsafeMutableRawBufferPointer(start: pages + size / 2, count: size / 2)
        let mapped = try Self.read("/proc/\(process)/maps", into: maps)
        let memory = open("/proc/\(process)/mem", O_RDONLY | O_CLOEXEC)
        guard memory >= 0 else { throw SystemError("open /proc/\(process)/mem") }
        defer { close(memory) }

        // The read buffer is also part of this process's memory. An occurrence in this buffer is a copy that the search
        // made, so it does not count.
        let own = process == getpid() ? Int(bitPattern: chunk.baseAddress) : 0
        var found = 0
        var line = MapsLine(UnsafeRawBufferPointer(rebasing: maps[..<mapped]))
        while line.next() {
            guard line.isWritable else { continue }
            var start = line.start
            while start < line.end {
                let count = pread(memory, chunk.baseAddress, min(chunk.count, line.end - start), start)
                guard count >= sought.count else { break }
                var position = 0
                while let hit = firstHit(in: UnsafeRawBufferPointer(rebasing: chunk[..<count]), from: position) {
                    if start + hit < own || start + hit >= own + chunk.count { found += 1 }
                    position = hit + 1
                }
                // The next chunk overlaps this chunk. If an occurrence crosses the end of this chunk, the next chunk
                // contains it.
                start += count - (sought.count - 1)
            }
        }
        return found
    }

    /// Returns the offset of the first occurrence at or after `start`. `memchr` finds candidates by their first byte,
    /// because a Swift loop over megabytes is too slow in a debug build.
    private func firstHit(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard let base = bytes.baseAddress, let first = sought.first else { return nil }
        let last = bytes.count - sought.count
        var position = start
        while position <= last, let hit = memchr(base + position, Int32(first ^ Self.mask), last - position + 1) {
            position = UnsafeRawPointer(hit) - base
            var matched = 1
            while matched < sought.count, bytes[position + matched] == sought[sought.startIndex + matched] ^ Self.mask {
                matched += 1
            }
            if matched == sought.count { return position }
            position += 1
        }
        return nil
    }

    private static func zero(_ bytes: UnsafeMutableRawBufferPointer) {
        if let start = bytes.baseAddress { explicit_bzero(start, bytes.count) }
    }

    private static func read(
        _ path: String, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw SystemError("open \(path)") }
        defer { close(file) }
        var filled = 0
        while filled < buffer.count {
            let count = Platform.read(file, buffer.baseAddress?.advanced(by: filled), buffer.count - filled)
            guard count > 0 else { break }
            filled += count
        }
        return filled
    }
}

/// Iterates over the lines of `/proc/PID/maps`, such as `7f00a000-7f00b000 rw-p …`.
private struct MapsLine {
    private(set) var start = 0
    private(set) var end = 0
    private(set) var isWritable = false
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Moves to the next line; returns false at the end.
    mutating func next() -> Bool {
        start = takeNumber()
        position += 1
        end = takeNumber()
        guard position + 2 < bytes.count else { return false }
        isWritable = bytes[position + 1] == UInt8(ascii: "r") && bytes[position + 2] == UInt8(ascii: "w")
        while position < bytes.count, bytes[position] != UInt8(ascii: "\n") { position += 1 }
        position += 1
        return true
    }

    private mutating func takeNumber() -> Int {
        var number = 0
        while position < bytes.count {
            switch bytes[position] {
            case let digit where digit.isASCIIDigit: number = number << 4 | Int(digit & 0xF)
            case UInt8(ascii: "a")...UInt8(ascii: "f"): number = number << 4 | Int(bytes[position] - 87)
            default: return number
            }
            position += 1
        }
        return number
    }
}
