internal import ProfileCore

/// Counts how often each value occurs, in bounded memory.
///
/// If there are more different values than the table can hold, it removes the rarest ones, and remembers how often a
/// removed value may have occurred ("lossy counting", Manku and Motwani 2002). A value that is more frequent than this
/// number is always in the table.
struct ValueTable {
    private struct Entry {
        let hash: Int
        /// The bytes of the value in `bytes`.
        let value: Range<Int>
        var count = 1
        /// The greatest number of occurrences before the value came into the table.
        let mostMissed: Int
    }

    private var entries: [Entry] = []
    private var bytes: [UInt8] = []
    /// For each slot of the hash table: the upper half of an entry's hash and, in the lower half, the entry's index plus
    /// one; or 0. With the part of the hash, entries of other values are not read. The number of slots is a power of 2.
    private var slots: [UInt64] = Array(repeating: 0, count: 64)
    private let mostEntries: Int
    private let mostBytes: Int
    private var mostMissed = 0
    /// The number of entries when the table was full for the first time; nil if it was never full.
    private var countWhenFull: Int?
    private static let indexMask: UInt64 = 0xffff_ffff

    /// - Parameters:
    ///   - mostEntries: The maximum number of values.
    ///   - mostBytes: The maximum number of bytes of the table.
    init(mostEntries: Int, mostBytes: Int) {
        self.mostEntries = max(1, min(mostEntries, mostBytes / (MemoryLayout<Entry>.stride + 12)))
        self.mostBytes = mostBytes - self.mostEntries * (MemoryLayout<Entry>.stride + 12)
    }

    /// The number of different values.
    var distinct: ProfileSummary.DistinctCount {
        ProfileSummary.DistinctCount(count: countWhenFull ?? entries.count, isExact: countWhenFull == nil)
    }

    mutating func add(_ value: Span<UInt8>) {
        let hash = Self.hash(of: value)
        var slot = hash & (slots.count - 1)
        while slots[slot] != 0 {
            let index = Int(slots[slot] & Self.indexMask) - 1
            if (slots[slot] ^ UInt64(bitPattern: Int64(hash))) & ~Self.indexMask == 0,
                bytes.span.extracting(entries[index].value).isEqual(to: value)
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
        insert(value, hash)
    }

    /// Returns the most frequent values. If values were removed, returns only values that are more frequent than each of
    /// the removed ones.
    func mostFrequent(_ most: Int, by order: (Span<UInt8>, Span<UInt8>) -> Int) -> [ProfileSummary.ValueCount] {
        guard most > 0 else { return [] }
        let entries = entries.filter { $0.count > mostMissed }
        // Only the greatest counts are sorted, because there may be very many values.
        let counts = entries.map(\.count).sorted(by: >)
        let least = counts.count > most ? counts[most - 1] : 0
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

    /// Each process has a random seed for the hash. So no input can make all values collide.
    private static func hash(of value: Span<UInt8>) -> Int {
        value.withUnsafeBufferPointer { value in
            var hasher = Hasher()
            hasher.combine(bytes: UnsafeRawBufferPointer(value))
            return hasher.finalize()
        }
    }

    private mutating func insert(_ value: Span<UInt8>, _ hash: Int) {
        let start = bytes.count
        value.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
        entries.append(Entry(hash: hash, value: start..<bytes.count, mostMissed: mostMissed))
        if entries.count * 2 > slots.count {
            slots = Array(repeating: 0, count: slots.count * 2)
            for index in entries.indices { place(index) }
        } else {
            place(entries.count - 1)
        }
    }

    private mutating func place(_ index: Int) {
        var slot = entries[index].hash & (slots.count - 1)
        while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = UInt64(bitPattern: Int64(entries[index].hash)) & ~Self.indexMask | UInt64(index + 1)
    }

    /// Removes at least half of the entries: those with the smallest counts.
    private mutating func removeRareEntries() {
        guard !entries.isEmpty else { return }
        let counts = entries.map(\.count).sorted()
        let threshold = counts[counts.count / 2]
        var kept: [Entry] = []
        var keptBytes: [UInt8] = []
        for entry in entries {
            guard entry.count > threshold else {
                mostMissed = max(mostMissed, entry.count + entry.mostMissed)
                continue
            }
            let start = keptBytes.count
            keptBytes += bytes[entry.value]
            kept.append(
                Entry(
                    hash: entry.hash, value: start..<keptBytes.count, count: entry.count, mostMissed: entry.mostMissed))
        }
        entries = kept
        bytes = keptBytes
        slots = Array(repeating: 0, count: slots.count)
        for index in entries.indices { place(index) }
    }
}
