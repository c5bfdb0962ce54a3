internal import Platform

/// A growable byte buffer with one owner. The ``padding`` bytes after its end are also readable.
///
/// `@unchecked Sendable`: this non-copyable value is the only owner of the pointer. Other code of this module reads
/// `base`, but only while it has access to the buffer. So only one thread at a time uses the memory.
struct ByteBuffer: ~Copyable, @unchecked Sendable {
    /// The number of readable bytes after `count`. ``ByteSearch`` reads whole vectors, so it may also read these bytes.
    /// Their content is arbitrary.
    static let padding = 16

    private(set) var base: UnsafeMutableRawPointer
    private(set) var capacity: Int
    private(set) var count = 0
    /// Whether the bytes may contain secrets. If so, ``removeAll()`` sets them to zero. They are also set to zero
    /// before their memory is freed.
    var isSecret: Bool
    /// The maximum of `count` before it was reduced. The removed bytes remain in memory and may contain secrets, so
    /// they must be zeroed too.
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

    /// Returns the `length` bytes that start at `offset`. The range must end at or before `count`.
    @_lifetime(borrow self)
    func span(at offset: Int, count length: Int) -> Span<UInt8> {
        precondition(offset >= 0 && length >= 0 && length <= count - offset, "a cell lies inside its buffer")
        // The precondition keeps the range in bounds. All bytes before the offset `count` were initialized by `append`
        // or `appendBytes`.
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

    /// Appends the bytes that `body` writes. `body` gets a buffer of `size` bytes and returns the number of bytes that
    /// it has written.
    mutating func appendBytes<Failure: Error>(
        upTo size: Int, _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
    ) throws(Failure) -> Int {
        reserve(count + size)
        let written = try body(UnsafeMutableRawBufferPointer(start: base + count, count: size))
        // If `body` returns an impossible number, the number is clamped. So the buffer never contains uninitialized
        // memory.
        let accepted = min(max(written, 0), size)
        count += accepted
        return accepted
    }

    /// Appends a copy of the bytes in `other` from `offset` to the end.
    mutating func append(_ other: borrowing ByteBuffer, from offset: Int) {
        append(UnsafeRawBufferPointer(start: other.base + offset, count: other.count - offset))
    }

    /// Replaces each pair of quotes in a range of bytes with one quote. Returns the new length of the range.
    mutating func collapseQuotes(at offset: Int, count length: Int) -> Int {
        precondition(offset >= 0 && length >= 0 && length <= count - offset, "a cell lies inside its buffer")
        // The precondition keeps the range in bounds. `written` never exceeds `read`.
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

    /// Keeps only the first `length` bytes.
    mutating func truncate(to length: Int) {
        written = max(written, count)
        count = min(count, max(0, length))
    }

    /// Removes the first `length` bytes and moves the others to the front.
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

    /// Ensures a capacity of at least `needed` bytes.
    mutating func reserve(_ needed: Int) {
        guard needed > capacity else { return }
        let grown = max(needed, capacity * 2)
        let memory = UnsafeMutableRawPointer.allocate(byteCount: grown + Self.padding, alignment: 16)
        memory.copyMemory(from: base, byteCount: count)
        // A search may read the bytes after `count`, up to the end of the padding. So these bytes must be initialized.
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
