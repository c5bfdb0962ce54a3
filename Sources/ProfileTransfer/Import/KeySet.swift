internal import ProfileCore

/// The values of one unique field that an input contains so far. Each value has the line on which it first occurs.
///
/// Two values are the same key only if their bytes are the same. For the primary key, the comparison ignores the case
/// of ASCII letters. A value of up to ten ASCII letters and digits is stored as a 60-bit key, so ten million usernames
/// take about 160 MB. A longer value is stored as 95 bits of its hash, so ten million longer values take about 220 MB.
/// In one of 10¹⁵ inputs of that size, two different values have the same hash bits. An attacker cannot construct a
/// collision, because each process uses a new random seed for the hash.
struct KeySet: Sendable {
    private var packed = Array(repeating: Shard(hasChecks: false), count: Self.shardCount)
    private var hashed = Array(repeating: Shard(hasChecks: true), count: Self.shardCount)
    private let foldsCase: Bool

    /// - Parameter foldsCase: Whether ASCII letters match regardless of case.
    init(foldsCase: Bool) { self.foldsCase = foldsCase }

    /// Returns the line on which this value first occurs, or nil for a new value.
    func line(of value: UnsafeBufferPointer<UInt8>) -> Int? {
        let key = Key(value, foldsCase: foldsCase)
        return (key.check == nil ? packed : hashed)[key.shard].line(of: key).map(Int.init)
    }

    /// Adds a value, unless it is there already.
    ///
    /// - Returns: The line on which the value first occurs, or nil for a new value.
    @discardableResult
    mutating func insert(_ value: UnsafeBufferPointer<UInt8>, line: Int) -> Int? {
        let key = Key(value, foldsCase: foldsCase)
        let line = UInt32(clamping: line)
        let before =
            key.check == nil
            ? packed[key.shard].insert(key, line: line) : hashed[key.shard].insert(key, line: line)
        return before.map(Int.init)
    }

    /// Removes a value. It must be the value that was added last.
    mutating func removeLast(_ value: UnsafeBufferPointer<UInt8>) {
        let key = Key(value, foldsCase: foldsCase)
        if key.check == nil { packed[key.shard].removeLast(key) } else { hashed[key.shard].removeLast(key) }
    }

    /// The number of shards. Each shard grows separately. While a shard is copied to a larger table, only its keys are
    /// in memory twice: about 1/64 of all keys.
    private static let shardCount = 64
}

/// A value as a key of the table.
private struct Key {
    /// The packed value or the hash. It is never 0, because 0 marks an empty slot.
    let bits: UInt64
    /// 32 more bits of the hash. Nil if `bits` is the packed value, not a hash.
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
        // The second hash is independent of the first hash, because a prefix byte is hashed first.
        var further = Hasher()
        further.combine(UInt8(1))
        further.combine(bytes: bytes)
        self.init(
            bits: UInt64(bitPattern: Int64(hasher.finalize())) | 1 << 63,
            check: UInt32(truncatingIfNeeded: further.finalize()))
    }

    /// Returns the value in a packed form, with six bits per character. Returns nil if the value cannot be packed.
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

/// A part of the keys, as a hash table with linear probing.
private struct Shard: Sendable {
    private var keys: [UInt64] = []
    private var lines: [UInt32] = []
    /// The further hash bits. Empty if the keys are packed values, not hashes.
    private var checks: [UInt32] = []
    private let hasChecks: Bool
    private var count = 0

    init(hasChecks: Bool) { self.hasChecks = hasChecks }

    /// Mixes the bits of a key with the final step of MurmurHash3.
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
        let slot = slot(of: key)
        return keys[slot] == 0 ? nil : lines[slot]
    }

    /// Adds a key. If the key is already there, returns its line instead.
    @discardableResult
    mutating func insert(_ key: Key, line: UInt32) -> UInt32? {
        if count * 20 >= keys.count * 17 { grow() }
        let slot = slot(of: key)
        guard keys[slot] == 0 else { return lines[slot] }
        keys[slot] = key.bits
        lines[slot] = line
        if let check = key.check { checks[slot] = check }
        count += 1
        return nil
    }

    /// Removes a key. It must be the key that was added last. No later key depends on its slot, so the slot can become
    /// empty and no other key needs to move.
    mutating func removeLast(_ key: Key) {
        keys[slot(of: key)] = 0
        count -= 1
    }

    /// Returns the slot that contains the key. If there is none, returns the empty slot for the key.
    private func slot(of key: Key) -> Int {
        var slot = home(of: key.bits)
        while keys[slot] != 0 {
            if keys[slot] == key.bits, key.check == nil || checks[slot] == key.check { break }
            slot = slot + 1 == keys.count ? 0 : slot + 1
        }
        return slot
    }

    /// Returns the slot at which the search for a key begins. The hash is multiplied by the table size, and the high
    /// half of the product is the slot. Therefore the table can have any size. The table grows by a third, which wastes
    /// less memory than doubling its size.
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
