internal import ProfileCore

/// The values of one unique field that an input has brought so far, each with the line that brought it.
///
/// Exact: two values are the same key only if their bytes are the same, for `username` after folding ASCII case. A
/// value of up to ten ASCII letters and digits is its own 60-bit key, so that ten million usernames take about 160 MB;
/// a longer one is kept whole in an arena besides.
struct KeySet: Sendable {
    private var shards: [Shard]
    private var arena: KeyArena
    private let foldsCase: Bool

    /// - Parameters:
    ///   - foldsCase: Whether ASCII letters are the same in both cases.
    ///   - longValueBytes: How many bytes of values are kept that do not pack into a key: 32 GiB at the most.
    init(foldsCase: Bool, longValueBytes: Int = .max) {
        self.foldsCase = foldsCase
        arena = KeyArena(capacity: longValueBytes)
        shards = Array(repeating: Shard(), count: Self.shardCount)
    }

    /// The line that brought this value first; nil for a new one.
    func line(of value: UnsafeBufferPointer<UInt8>) -> Int? {
        let key = Key(value, foldsCase: foldsCase)
        let payload = shards[key.shard].payload(of: key.bits) { payload in
            key.isPacked || arena.holds(value, at: payload, foldsCase: foldsCase)
        }
        return payload.map { key.isPacked ? Int($0) : arena.line(at: $0) }
    }

    /// Keeps a value that is new; one for which there is no room is not found again, and left to the store to refuse.
    mutating func insert(_ value: UnsafeBufferPointer<UInt8>, line: Int) {
        let key = Key(value, foldsCase: foldsCase)
        let line = UInt32(clamping: line)
        guard let payload = key.isPacked ? line : arena.append(value, line: line) else { return }
        shards[key.shard].insert(key.bits, payload: payload)
    }

    /// Growing moves one shard at a time, so that no more than a 64th is ever there twice.
    private static let shardCount = 64

    private struct Key {
        /// Never 0. The highest bit tells a hash from a packed value.
        let bits: UInt64

        var isPacked: Bool { bits >> 63 == 0 }
        var shard: Int { Int(Shard.mix(bits) & UInt64(shardCount - 1)) }

        init(_ value: UnsafeBufferPointer<UInt8>, foldsCase: Bool) {
            if let packed = Self.packed(value, foldsCase: foldsCase) {
                bits = packed
                return
            }
            // Seeded anew in each process, so that nobody can write a file of colliding values.
            var hasher = Hasher()
            for byte in value { hasher.combine(foldsCase ? byte.asciiFolded : byte) }
            bits = UInt64(bitPattern: Int64(hasher.finalize())) | 1 << 63
        }

        /// Six bits a character; nil for what does not fit.
        private static func packed(_ value: UnsafeBufferPointer<UInt8>, foldsCase: Bool) -> UInt64? {
            guard 1...10 ~= value.count else { return nil }
            var bits: UInt64 = 0
            for byte in value {
                let folded = foldsCase ? byte.asciiFolded : byte
                let code: UInt8
                if folded.isASCIILowercase {
                    code = folded &- UInt8(ascii: "a") &+ 11
                } else if folded.isASCIIDigit {
                    code = folded &- UInt8(ascii: "0") &+ 1
                } else {
                    return nil
                }
                bits = bits << 6 | UInt64(code)
            }
            return bits
        }
    }
}

/// One part of the keys: a table with linear probing.
private struct Shard: Sendable {
    private var keys: [UInt64] = []
    private var payloads: [UInt32] = []
    private var count = 0

    /// Spreads the bits of a key (the finaliser of MurmurHash3).
    static func mix(_ key: UInt64) -> UInt64 {
        var bits = key
        bits ^= bits >> 33
        bits &*= 0xFF51_AFD7_ED55_8CCD
        bits ^= bits >> 33
        bits &*= 0xC4CE_B9FE_1A85_EC53
        return bits ^ bits >> 33
    }

    func payload(of key: UInt64, where matches: (UInt32) -> Bool) -> UInt32? {
        guard !keys.isEmpty else { return nil }
        var slot = home(of: key)
        while keys[slot] != 0 {
            if keys[slot] == key, matches(payloads[slot]) { return payloads[slot] }
            slot = slot + 1 == keys.count ? 0 : slot + 1
        }
        return nil
    }

    mutating func insert(_ key: UInt64, payload: UInt32) {
        if count * 20 >= keys.count * 17 { grow() }
        var slot = home(of: key)
        while keys[slot] != 0 { slot = slot + 1 == keys.count ? 0 : slot + 1 }
        keys[slot] = key
        payloads[slot] = payload
        count += 1
    }

    /// Any size will do, as the high half of a product picks the slot; growing by a third wastes less than doubling.
    private func home(of key: UInt64) -> Int {
        Int(((Self.mix(key) >> 32) &* UInt64(keys.count)) >> 32)
    }

    private mutating func grow() {
        let old = (keys: keys, payloads: payloads)
        let size = max(64, keys.count + keys.count / 3)
        keys = Array(repeating: 0, count: size)
        payloads = Array(repeating: 0, count: size)
        count = 0
        for (index, key) in old.keys.enumerated() where key != 0 { insert(key, payload: old.payloads[index]) }
    }
}

/// Values that do not pack into a key, each behind its line and length, in chunks that never move.
private struct KeyArena: Sendable {
    private var chunks: [[UInt8]] = []
    private let mostChunks: Int
    private static let chunkSize = 1 << 20
    private static let headerSize = 8

    /// Places are numbers of 32 bits, in units of eight bytes.
    init(capacity: Int) { mostChunks = min(capacity / Self.chunkSize, (1 << 32) / (Self.chunkSize / 8)) }

    /// - Returns: Where the value lies; nil where there is no room for it.
    mutating func append(_ value: UnsafeBufferPointer<UInt8>, line: UInt32) -> UInt32? {
        guard let count = UInt32(exactly: value.count) else { return nil }
        let size = (Self.headerSize + value.count + 7) & ~7
        if chunks.last.map({ $0.count + size > Self.chunkSize }) ?? true {
            guard chunks.count < mostChunks else { return nil }
            var chunk: [UInt8] = []
            chunk.reserveCapacity(max(size, Self.chunkSize))
            chunks.append(chunk)
        }
        let last = chunks.count - 1
        let offset = chunks[last].count
        withUnsafeBytes(of: line) { chunks[last].append(contentsOf: $0) }
        withUnsafeBytes(of: count) { chunks[last].append(contentsOf: $0) }
        chunks[last].append(contentsOf: value)
        chunks[last].append(contentsOf: repeatElement(0, count: size - Self.headerSize - value.count))
        // Within 32 bits, as there are no more chunks.
        return UInt32(truncatingIfNeeded: last * (Self.chunkSize / 8) + offset / 8)
    }

    func line(at place: UInt32) -> Int { Int(number(at: place, offset: 0)) }

    func holds(_ value: UnsafeBufferPointer<UInt8>, at place: UInt32, foldsCase: Bool) -> Bool {
        guard Int(number(at: place, offset: 4)) == value.count else { return false }
        let (chunk, start) = locate(place)
        for (index, byte) in value.enumerated() {
            let kept = chunks[chunk][start + Self.headerSize + index]
            guard kept == byte || foldsCase && kept.asciiFolded == byte.asciiFolded else { return false }
        }
        return true
    }

    private func locate(_ place: UInt32) -> (chunk: Int, offset: Int) {
        (Int(place) / (Self.chunkSize / 8), Int(place) % (Self.chunkSize / 8) * 8)
    }

    private func number(at place: UInt32, offset: Int) -> UInt32 {
        let (chunk, start) = locate(place)
        return chunks[chunk].withUnsafeBytes { $0.loadUnaligned(fromByteOffset: start + offset, as: UInt32.self) }
    }
}
