package import Platform
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
    ///
    /// Takes no memory of the heap: what was given back there is to be found, not to be used again.
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

        // Part of what is read of this process, and so of no account: it holds what was read before.
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
                // What lies across the end of the chunk begins the next one.
                start += count - (sought.count - 1)
            }
        }
        return found
    }

    /// Megabytes are searched by the C library, since a debug build's loops take their time.
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

/// The lines of `/proc/PID/maps`, such as `7f00a000-7f00b000 rw-p …`, one after another.
private struct MapsLine {
    private(set) var start = 0
    private(set) var end = 0
    private(set) var isWritable = false
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Goes to the next line; false at the end.
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
