internal import Platform

/// Growing memory with one owner, readable a little past its end.
///
/// `@unchecked Sendable`: the pointer is made here, is never handed out to be kept, and has this non-copyable value as
/// its only owner, so whoever holds the value is alone with the memory.
struct ByteBuffer: ~Copyable, @unchecked Sendable {
    /// Bytes past `count` that may always be read, whatever they hold, so that a search can load whole vectors.
    static let padding = 16

    private(set) var base: UnsafeMutableRawPointer
    private(set) var capacity: Int
    private(set) var count = 0
    /// Whether bytes are zeroed when they are given up.
    var isSecret: Bool
    /// How far bytes have been written since they were last zeroed, where that is further than `count`.
    private var written = 0

    init(isSecret: Bool) {
        capacity = 0
        base = .allocate(byteCount: Self.padding, alignment: 16)
        base.initializeMemory(as: UInt8.self, repeating: 0, count: Self.padding)
        self.isSecret = isSecret
    }

    deinit {
        zeroSecrets()
        base.deallocate()
    }

    /// The bytes from `offset` on, which the caller has put there.
    @_lifetime(borrow self)
    func span(at offset: Int, count length: Int) -> Span<UInt8> {
        precondition(offset >= 0 && length >= 0 && length <= count - offset, "a cell lies inside its buffer")
        // In bounds by the line above; every byte below `count` was initialized by `append` or `appendBytes`.
        let start = UnsafeRawPointer(base).assumingMemoryBound(to: UInt8.self) + offset
        let span = unsafe Span(_unsafeStart: start, count: length)
        return unsafe _overrideLifetime(span, borrowing: self)
    }

    /// Appends a copy of the bytes.
    mutating func append(_ bytes: Span<UInt8>) {
        bytes.withUnsafeBufferPointer { append(UnsafeRawBufferPointer($0)) }
    }

    /// Appends a copy of the bytes.
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress, bytes.count > 0 else { return }
        reserve(count + bytes.count)
        (base + count).copyMemory(from: start, byteCount: bytes.count)
        count += bytes.count
    }

    /// Appends one byte.
    mutating func append(_ byte: UInt8) {
        reserve(count + 1)
        base.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        count += 1
    }

    /// Appends what `body` writes: it is given `size` bytes of room and answers how many of them it filled.
    mutating func appendBytes<Failure: Error>(
        upTo size: Int, _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
    ) throws(Failure) -> Int {
        reserve(count + size)
        let written = try body(UnsafeMutableRawBufferPointer(start: base + count, count: size))
        // An answer that cannot be true must not become memory that nobody wrote.
        let accepted = min(max(written, 0), size)
        count += accepted
        return accepted
    }

    /// Takes the bytes of `other` from `offset` on to the end of this buffer.
    mutating func append(_ other: borrowing ByteBuffer, from offset: Int) {
        append(UnsafeRawBufferPointer(start: other.base + offset, count: other.count - offset))
    }

    /// Makes one quote of every two that follow each other in a run of bytes, and answers how long the run is then.
    mutating func collapseQuotes(at offset: Int, count length: Int) -> Int {
        precondition(offset >= 0 && length >= 0 && length <= count - offset, "a cell lies inside its buffer")
        // In bounds by the line above; `written` never overtakes `read`.
        let bytes = UnsafeMutableBufferPointer(
            start: base.assumingMemoryBound(to: UInt8.self) + offset, count: length)
        var written = 0
        var read = 0
        while read < length {
            bytes[written] = bytes[read]
            let isPair = bytes[read] == UInt8(ascii: "\"") && read + 1 < length && bytes[read + 1] == UInt8(ascii: "\"")
            read += isPair ? 2 : 1
            written += 1
        }
        return written
    }

    /// Keeps the first bytes only.
    mutating func truncate(to length: Int) {
        written = max(written, count)
        count = min(count, max(0, length))
    }

    /// Removes the first bytes and moves the others to the front.
    mutating func removeFirst(_ length: Int) {
        guard length > 0 else { return }
        written = max(written, count)
        memmove(base, base + length, count - length)
        count -= length
    }

    /// Removes all bytes and keeps the memory.
    mutating func removeAll() {
        zeroSecrets()
        count = 0
        written = 0
    }

    /// Makes room for `needed` bytes in all.
    mutating func reserve(_ needed: Int) {
        guard needed > capacity else { return }
        let grown = max(needed, capacity * 2)
        let memory = UnsafeMutableRawPointer.allocate(byteCount: grown + Self.padding, alignment: 16)
        memory.copyMemory(from: base, byteCount: count)
        // The padding is read, so it must have been written; so must whatever a search loads between count and there.
        memset(memory + count, 0, grown + Self.padding - count)
        zeroSecrets()
        base.deallocate()
        base = memory
        capacity = grown
        written = 0
    }

    private func zeroSecrets() {
        if isSecret { explicit_bzero(base, max(written, count)) }
    }
}
