internal import ProfileCore

/// Counts how often each value occurs, in bounded memory.
///
/// If there are more different values than the table can hold, it removes the rarest ones, and remembers how often a
/// removed value may have occurred ("lossy counting", Manku and Motwani 2002). A value that is more frequent than this
/// number is always in the table.
struct ValueTable {
    private struct Entry {
        let start: UInt64
        let end: UInt64
        /// The index of the value's first byte in `bytes`.
        var offset: UInt32
        let length: UInt32
        var count = 1
        /// The greatest possible number of occurrences before the value came into the table.
        let mostMissed: Int

        var value: Range<Int> { Int(offset)..<Int(offset) + Int(length) }

        /// Whether the lengths, starts and ends are equal.
        func resembles(_ digest: ValueDigest) -> Bool {
            start == digest.start && end == digest.end && Int(length) == digest.length
        }
    }

    private var entries: [Entry] = []
    private var bytes: [UInt8] = []
    /// The slots of the hash table; their number is a power of 2. A free slot is 0. In a slot that is taken, the low
    /// bits are the index of an entry plus one. The high bits are a part of the hash of the entry's value: if this part
    /// differs from the hash that is searched, the entry need not be read.
    private var slots: [UInt32] = Array(repeating: 0, count: 64)
    /// For each digest in ``countKnown(_:)``, the contents of the first slot for its hash.
    private var firstSlots: [UInt32] = []
    /// The key of the digests.
    let key: ValueDigest.Key
    private let mostEntries: Int
    private let mostBytes: Int
    private var mostMissed = 0
    /// The number of entries when the table was full for the first time; nil if it was never full.
    private var countWhenFull: Int?
    private static let indexMask: UInt32 = 1 << 17 - 1

    /// - Parameters:
    ///   - mostEntries: The maximum number of values, below 2¹⁷.
    ///   - mostBytes: The maximum number of bytes of the table, below 2³².
    ///   - key: The key of the digests.
    init(mostEntries: Int, mostBytes: Int, key: ValueDigest.Key = ValueDigest.Key()) {
        self.key = key
        let entryBytes = MemoryLayout<Entry>.stride + 12
        self.mostEntries = max(1, min(mostEntries, Int(Self.indexMask), mostBytes / entryBytes))
        self.mostBytes = min(mostBytes, Int(UInt32.max)) - self.mostEntries * entryBytes
    }

    /// The number of different values.
    var distinct: ProfileSummary.DistinctCount {
        ProfileSummary.DistinctCount(count: countWhenFull ?? entries.count, isExact: countWhenFull == nil)
    }

    /// Counts each value that is in the first slot for its hash, and removes the value's digest from `digests`. The
    /// caller must add the remaining values one by one. Some of these values may be in other slots of the table.
    ///
    /// The table is larger than the processor's caches. In both loops, an iteration can read the table before the
    /// earlier iterations have finished. So the processor reads several places of the table at the same time.
    mutating func countKnown(_ digests: inout [ValueDigest]) {
        firstSlots.removeAll(keepingCapacity: true)
        for digest in digests { firstSlots.append(slots[firstSlot(of: digest.hash)]) }
        var left = 0
        for index in digests.indices {
            let slot = firstSlots[index]
            if slot != 0, Self.hasPart(of: digests[index].hash, slot),
                digests[index].length <= ValueDigest.mostDecidedBytes
            {
                let entry = Int(slot & Self.indexMask) - 1
                if entries[entry].resembles(digests[index]) {
                    entries[entry].count += 1
                    continue
                }
            }
            digests[left] = digests[index]
            left += 1
        }
        digests.removeLast(digests.count - left)
    }

    /// Adds a value. `digest` has the key of the table.
    mutating func add(_ value: Span<UInt8>, _ digest: ValueDigest) {
        var slot = firstSlot(of: digest.hash)
        while slots[slot] != 0 {
            let index = Int(slots[slot] & Self.indexMask) - 1
            if Self.hasPart(of: digest.hash, slots[slot]), entries[index].resembles(digest),
                digest.length <= ValueDigest.mostDecidedBytes
                    || bytes.span.extracting(entries[index].value).isEqual(to: value)
            {
                entries[index].count += 1
                return
            }
            slot = (slot + 1) & (slots.count - 1)
        }
        if entries.count >= mostEntries || bytes.count + value.count > mostBytes {
            if countWhenFull == nil { countWhenFull = entries.count }
            removeRareEntries()
            // A single value may be longer than the whole table.
            guard value.count <= mostBytes else {
                mostMissed = max(mostMissed, 1)
                return
            }
        }
        insert(value, digest)
    }

    /// Returns the most frequent values. If values were removed, returns only values that are more frequent than each of
    /// the removed ones.
    func mostFrequent(_ most: Int, by order: (Span<UInt8>, Span<UInt8>) -> Int) -> [ProfileSummary.ValueCount] {
        guard most > 0 else { return [] }
        // Sorting the counts gives the least count to return. So only a few of the entries must be sorted.
        var counts: [Int] = []
        for entry in entries where entry.count > mostMissed { counts.append(entry.count) }
        counts.sort()
        let least = counts.count > most ? counts[counts.count - most] : mostMissed + 1
        let chosen = entries.filter { $0.count >= least }.sorted { one, other in
            if one.count != other.count { return one.count > other.count }
            return order(bytes.span.extracting(one.value), bytes.span.extracting(other.value)) < 0
        }
        return chosen.prefix(most).map { entry in
            ProfileSummary.ValueCount(
                value: String(decoding: bytes[entry.value], as: UTF8.self), count: entry.count,
                mostMissed: entry.mostMissed)
        }
    }

    // MARK: Slots

    private func firstSlot(of hash: UInt64) -> Int { Int(truncatingIfNeeded: hash) & (slots.count - 1) }

    /// The part of a hash in a slot. The place of the slot depends on other bits of the hash.
    private static func part(of hash: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: hash >> 32) & ~indexMask }

    private static func hasPart(of hash: UInt64, _ slot: UInt32) -> Bool { slot & ~indexMask == part(of: hash) }

    private mutating func insert(_ value: Span<UInt8>, _ digest: ValueDigest) {
        let entry = Entry(
            start: digest.start, end: digest.end, offset: UInt32(bytes.count), length: UInt32(digest.length),
            mostMissed: mostMissed)
        value.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
        entries.append(entry)
        if entries.count * 2 > slots.count {
            slots = Array(repeating: 0, count: slots.count * 2)
            placeAll()
        } else {
            place(entries.count - 1, digest.hash)
        }
    }

    private mutating func placeAll() {
        for index in entries.indices {
            place(index, ValueDigest(bytes.span.extracting(entries[index].value), row: 0, key: key).hash)
        }
    }

    private mutating func place(_ index: Int, _ hash: UInt64) {
        var slot = firstSlot(of: hash)
        while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = Self.part(of: hash) | UInt32(index + 1)
    }

    /// Removes at least half of the entries: those with the smallest counts.
    private mutating func removeRareEntries() {
        let threshold = medianCount
        var left = 0
        var leftBytes = 0
        for index in entries.indices {
            var entry = entries[index]
            guard entry.count > threshold else {
                mostMissed = max(mostMissed, entry.count + entry.mostMissed)
                continue
            }
            let value = entry.value
            entry.offset = UInt32(leftBytes)
            for place in value {
                bytes[leftBytes] = bytes[place]
                leftBytes += 1
            }
            entries[left] = entry
            left += 1
        }
        entries.removeLast(entries.count - left)
        bytes.removeLast(bytes.count - leftBytes)
        for slot in slots.indices { slots[slot] = 0 }
        placeAll()
    }

    /// The upper median of the counts; 0 if there are no entries.
    private var medianCount: Int {
        var ones = 0
        for entry in entries where entry.count == 1 { ones += 1 }
        // Usually more than half of the values occurred once, so the median is 1. Sorting would take longer than the
        // rest of the removal.
        if ones > entries.count / 2 { return 1 }
        let counts = entries.map(\.count).sorted()
        return counts.isEmpty ? 0 : counts[counts.count / 2]
    }
}
