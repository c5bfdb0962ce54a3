internal import ProfileCore

/// The values of one unique field that an input has brought so far, each with the line that brought it.
///
/// Two values are the same key only if their bytes are the same, for `username` after folding ASCII case. A value of up to
/// ten ASCII letters and digits is its own 60-bit key, so that ten million usernames take about 160 MB. A longer one is
/// known by 95 bits of its hash, about 220 MB for ten million: two that differ are taken for the same in one of 10¹⁵ inputs
/// of that size, and nobody can write one, since the hash is seeded anew in each process.
struct KeySet: Sendable {
    private var packed = Array(repeating: Shard(hasChecks: false), count: Self.shardCount)
    private var hashed = Array(repeating: Shard(hasChecks: true), count: Self.shardCount)
    private let foldsCase: Bool

    /// - Parameter foldsCase: Whether ASCII letters are the same in both cases.
    init(foldsCase: Bool) { self.foldsCase = foldsCase }

    /// The line that brought this value first; nil for a new one.
    func line(of value: UnsafeBufferPointer<UInt8>) -> Int? {
        let key = Key(value, foldsCase: foldsCase)
        return (key.check == nil ? packed : hashed)[key.shard].line(of: key).map(Int.init)
    }

    /// Keeps a value that is new.
    mutating func insert(_ value: UnsafeBufferPointer<UInt8>, line: Int) {
        let key = Key(value, foldsCase: foldsCase)
        let line = UInt32(clamping: line)
        if key.check == nil {
            packed[key.shard].insert(key, line: line)
        } else {
            hashed[key.shard].insert(key, line: line)
        }
    }

    /// Growing moves one shard at a time, so that no more than a 64th is ever there twice.
    private static let shardCount = 64
}

/// A value as it is looked for.
private struct Key {
    /// Never 0.
    let bits: UInt64
    /// Further bits of a hash; nil where `bits` are the value itself.
    let check: UInt32?

    var shard: Int { Int(Shard.mix(bits) & 63) }

    init(bits: UInt64, check: UInt32?) {
        self.bits = bits
        self.check = check
    }

    init(_ value: UnsafeBufferPointer<UInt8>, foldsCase: Bool) {
        if let packed = Self.packed(value, foldsCase: foldsCase) {
            self.init(bits: packed, check: nil)
        } else if foldsCase {
            self = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: value.count) { folded in
                for (index, byte) in value.enumerated() { folded[index] = byte.asciiFolded }
                return Key(hashing: UnsafeRawBufferPointer(folded))
            }
        } else {
            self.init(hashing: UnsafeRawBufferPointer(value))
        }
    }

    private init(hashing bytes: UnsafeRawBufferPointer) {
        var hasher = Hasher()
        hasher.combine(bytes: bytes)
        // The same bytes behind another one give a hash that has nothing to do with the first.
        var further = Hasher()
        further.combine(UInt8(1))
        further.combine(bytes: bytes)
        self.init(
            bits: UInt64(bitPattern: Int64(hasher.finalize())) | 1 << 63,
            check: UInt32(truncatingIfNeeded: further.finalize()))
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

/// One part of the keys: a table with linear probing.
private struct Shard: Sendable {
    private var keys: [UInt64] = []
    private var lines: [UInt32] = []
    /// Empty where keys are values themselves.
    private var checks: [UInt32] = []
    private let hasChecks: Bool
    private var count = 0

    init(hasChecks: Bool) { self.hasChecks = hasChecks }

    /// Spreads the bits of a key (the finaliser of MurmurHash3).
    static func mix(_ key: UInt64) -> UInt64 {
        var bits = key
        bits ^= bits >> 33
        bits &*= 0xFF51_AFD7_ED55_8CCD
        bits ^= bits >> 33
        bits &*= 0xC4CE_B9FE_1A85_EC53
        return bits ^ bits >> 33
    }

    func line(of key: Key) -> UInt32? {
        guard !keys.isEmpty else { return nil }
        var slot = home(of: key.bits)
        while keys[slot] != 0 {
            if keys[slot] == key.bits, key.check == nil || checks[slot] == key.check { return lines[slot] }
            slot = slot + 1 == keys.count ? 0 : slot + 1
        }
        return nil
    }

    mutating func insert(_ key: Key, line: UInt32) {
        if count * 20 >= keys.count * 17 { grow() }
        var slot = home(of: key.bits)
        while keys[slot] != 0 { slot = slot + 1 == keys.count ? 0 : slot + 1 }
        keys[slot] = key.bits
        lines[slot] = line
        if let check = key.check { checks[slot] = check }
        count += 1
    }

    /// Any size will do, as the high half of a product picks the slot; growing by a third wastes less than doubling.
    private func home(of key: UInt64) -> Int {
        Int(((Self.mix(key) >> 32) &* UInt64(keys.count)) >> 32)
    }

    private mutating func grow() {
        let old = self
        let size = max(64, keys.count + keys.count / 3)
        keys = Array(repeating: 0, count: size)
        lines = Array(repeating: 0, count: size)
        if hasChecks { checks = Array(repeating: 0, count: size) }
        count = 0
        for (slot, key) in old.keys.enumerated() where key != 0 {
            insert(Key(bits: key, check: hasChecks ? old.checks[slot] : nil), line: old.lines[slot])
        }
    }
}
