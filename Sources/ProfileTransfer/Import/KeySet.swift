internal import ProfileCore

/// The values of one unique field that an input contains so far. Each value has the line on which it first occurs.
///
/// Two values are the same key only if their bytes are the same. For the primary key, the comparison ignores the case
/// of ASCII letters. A value of up to ten ASCII letters and digits is stored as a 52-bit key, so ten million usernames
/// take about 100 MB. If the case counts, this applies only to lower-case letters. Any other value is stored as 84 bits
/// of its hash, so ten million such values take about 150 MB. In one of 10¹¹ inputs with so many hashed values, two
/// different values have the same hash bits. An attacker cannot construct a collision, because each process uses a new
/// random seed for the hash.
struct KeySet: Sendable {
    private var packed = Array(repeating: Shard(), count: Shard.count)
    private var hashed = Array(repeating: Shard(), count: Shard.count)
    private let foldsCase: Bool
    /// A random factor that distributes the packed keys differently in each set. Otherwise an attacker could construct
    /// values whose keys all belong to the same block of a `Shard`, and the shard would become too large.
    private let multiplier = UInt64.random(in: 0..<1 << 51) << 1 | 1

    /// - Parameter foldsCase: Whether ASCII letters match regardless of case.
    init(foldsCase: Bool) { self.foldsCase = foldsCase }

    /// Returns the line on which this value first occurs, or nil for a new value.
    func line(of value: UnsafeBufferPointer<UInt8>) -> Int? {
        let key = key(of: value)
        return (key.check == nil ? packed : hashed)[key.shard].line(of: key).map(Int.init)
    }

    /// Adds a value, unless it is there already.
    ///
    /// - Returns: The line on which the value first occurs, or nil for a new value.
    @discardableResult
    mutating func insert(_ value: UnsafeBufferPointer<UInt8>, line: Int) -> Int? {
        let key = key(of: value)
        let line = UInt32(clamping: line)
        let before =
            key.check == nil
            ? packed[key.shard].insert(key, line: line) : hashed[key.shard].insert(key, line: line)
        return before.map(Int.init)
    }

    /// Removes a value. It must be the value that was added last.
    mutating func removeLast(_ value: UnsafeBufferPointer<UInt8>) {
        let key = key(of: value)
        if key.check == nil { packed[key.shard].removeLast(key) } else { hashed[key.shard].removeLast(key) }
    }

    private func key(of value: UnsafeBufferPointer<UInt8>) -> Key {
        if let key = Key(packing: value, foldsCase: foldsCase, multiplier: multiplier) { return key }
        guard foldsCase else { return Key(hashing: UnsafeRawBufferPointer(value)) }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: value.count) { folded in
            for (index, byte) in value.enumerated() { folded[index] = byte.asciiFolded }
            return Key(hashing: UnsafeRawBufferPointer(folded))
        }
    }
}

/// A value as a key of the set. The high 13 of its 52 bits select the shard and the block that contain the key.
/// Therefore the block stores only the low 39 bits.
private struct Key {
    let shard: Int
    let block: Int
    /// The low 39 bits of the packed value or of the hash.
    let rest: UInt64
    /// 32 more bits of the hash. Nil if the key is a packed value, not a hash.
    let check: UInt32?

    /// - Parameters:
    ///   - bits: 52 evenly distributed bits.
    ///   - check: More bits of the hash.
    private init(_ bits: UInt64, check: UInt32?) {
        shard = Int(bits >> 47)
        block = Int(bits >> 39) & (Shard.blockCount - 1)
        rest = bits & (1 << 39 - 1)
        self.check = check
    }

    init(hashing bytes: UnsafeRawBufferPointer) {
        var hasher = Hasher()
        hasher.combine(bytes: bytes)
        // The second hash is independent of the first hash, because a prefix byte is hashed first.
        var further = Hasher()
        further.combine(UInt8(1))
        further.combine(bytes: bytes)
        self.init(
            UInt64(UInt(bitPattern: hasher.finalize()) >> 12), check: UInt32(truncatingIfNeeded: further.finalize()))
    }

    /// Returns nil if the value cannot be packed. `multiplier` is an odd number of up to 52 bits.
    init?(packing value: UnsafeBufferPointer<UInt8>, foldsCase: Bool, multiplier: UInt64) {
        guard 1...10 ~= value.count else { return nil }
        // A number to base 36 with the digits 1 to 36. Because there is no digit 0, values of different lengths are
        // different numbers. With ten digits, the number is less than 2⁵².
        var bits: UInt64 = 0
        for byte in value {
            let folded = foldsCase ? byte.asciiFolded : byte
            let digit: UInt8
            if folded.isASCIILowercase {
                digit = folded &- UInt8(ascii: "a") &+ 11
            } else if folded.isASCIIDigit {
                digit = folded &- UInt8(ascii: "0") &+ 1
            } else {
                return nil
            }
            bits = bits &* 36 &+ UInt64(digit)
        }
        self.init(Self.mix(bits, multiplier), check: nil)
    }

    /// Distributes the numbers below 2⁵² evenly. Each step can be reversed, so different numbers stay different.
    private static func mix(_ number: UInt64, _ multiplier: UInt64) -> UInt64 {
        let mask: UInt64 = 1 << 52 - 1
        var bits = number &* multiplier & mask
        bits ^= bits >> 26
        bits = bits &* 0xFF51_AFD7_ED55_8CCD & mask
        bits ^= bits >> 26
        bits = bits &* multiplier & mask
        return bits ^ bits >> 26
    }
}

/// A part of the keys, as 256 blocks of the same size. Each block is a hash table with linear probing.
///
/// Each shard grows separately. While a shard is copied to larger blocks, only its keys are in memory twice: about 1/32
/// of all keys. With 128 shards, the arrays would be so small that the allocator takes them from the heap of a thread.
/// With ten million keys, the freed arrays left gaps of 15 MB in this heap.
private struct Shard: Sendable {
    static let count = 32
    static let blockCount = 256

    /// The slots of all blocks. An empty slot is 0. Any other slot has the bit 1 first, then the 39 bits of the key, then
    /// the low 24 bits of the line.
    private var slots: [UInt64] = []
    /// The high 8 bits of each line. Empty if all lines are below 2²⁴.
    private var highLines: [UInt8] = []
    /// The further hash bits. Empty if the keys are packed values, not hashes.
    private var checks: [UInt32] = []
    /// The number of slots in each block.
    private var blockSize = 0
    private var keyCount = 0

    func line(of key: Key) -> UInt32? {
        guard let slot = slot(of: key), slots[slot] != 0 else { return nil }
        return line(at: slot)
    }

    /// Adds a key. If the key is already there, returns its line instead.
    mutating func insert(_ key: Key, line: UInt32) -> UInt32? {
        while true {
            // `slot(of:)` returns nil if the block of the key is full, even if other blocks have empty slots. Growth
            // moves the keys. Then another key may depend on the slot of the key that was added last, and `removeLast`
            // must not empty that slot. Therefore the shard grows only for a new key, which then becomes the last key.
            if let slot = slot(of: key) {
                guard slots[slot] == 0 else { return self.line(at: slot) }
                if keyCount * 8 < slots.count * 7 {
                    fill(slot, with: key, line: line)
                    keyCount += 1
                    return nil
                }
            }
            grow()
        }
    }

    /// Removes a key. It must be the key that was added last. No later key depends on its slot, so the slot can become
    /// empty and no other key needs to move.
    mutating func removeLast(_ key: Key) {
        guard let slot = slot(of: key), slots[slot] != 0 else { return }
        slots[slot] = 0
        keyCount -= 1
    }

    /// Returns the slot that contains the key. If there is none, returns the empty slot for the key, or nil if its
    /// block is full.
    private func slot(of key: Key) -> Int? {
        let start = key.block * blockSize
        let content = Self.content(key.rest, line: 0)
        var slot = start + home(of: key.rest)
        for _ in 0..<blockSize {
            if slots[slot] == 0 { return slot }
            if (slots[slot] ^ content) >> 24 == 0, key.check == nil || checks[slot] == key.check { return slot }
            slot = slot + 1 == start + blockSize ? start : slot + 1
        }
        return nil
    }

    /// Returns the slot of the block at which the search for a key begins: the key as a fraction of 2³⁹, multiplied by
    /// the size of the block. Therefore a block can have any size. It grows by an eighth, which wastes less memory than
    /// doubling its size.
    private func home(of rest: UInt64) -> Int { Int((rest &* UInt64(blockSize)) >> 39) }

    private static func content(_ rest: UInt64, line: UInt32) -> UInt64 {
        1 << 63 | rest << 24 | UInt64(line & 0xFF_FFFF)
    }

    private static func rest(of content: UInt64) -> UInt64 { content >> 24 & (1 << 39 - 1) }

    private func line(at slot: Int) -> UInt32 {
        let line = UInt32(truncatingIfNeeded: slots[slot] & 0xFF_FFFF)
        return highLines.isEmpty ? line : UInt32(highLines[slot]) << 24 | line
    }

    private mutating func fill(_ slot: Int, with key: Key, line: UInt32) {
        slots[slot] = Self.content(key.rest, line: line)
        if let check = key.check {
            if checks.isEmpty { checks = Array(repeating: 0, count: slots.count) }
            checks[slot] = check
        }
        let highLine = UInt8(line >> 24)
        if highLine > 0, highLines.isEmpty { highLines = Array(repeating: 0, count: slots.count) }
        if !highLines.isEmpty { highLines[slot] = highLine }
    }

    private mutating func grow() {
        let old = self
        blockSize = max(4, blockSize + blockSize / 8 + 1)
        slots = Array(repeating: 0, count: blockSize * Self.blockCount)
        if !checks.isEmpty { checks = Array(repeating: 0, count: slots.count) }
        if !highLines.isEmpty { highLines = Array(repeating: 0, count: slots.count) }
        for block in 0..<Self.blockCount {
            let start = block * blockSize
            for oldSlot in block * old.blockSize..<(block + 1) * old.blockSize where old.slots[oldSlot] != 0 {
                let content = old.slots[oldSlot]
                var slot = start + home(of: Self.rest(of: content))
                while slots[slot] != 0 { slot = slot + 1 == start + blockSize ? start : slot + 1 }
                slots[slot] = content
                if !checks.isEmpty { checks[slot] = old.checks[oldSlot] }
                if !highLines.isEmpty { highLines[slot] = old.highLines[oldSlot] }
            }
        }
    }
}
