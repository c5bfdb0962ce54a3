internal import ProfileCore

/// Counts how often the values of a column rise and fall from one row to the next.
///
/// The values of a random order rise as often as they fall. In a sorted file, the values only rise or only fall. In a
/// grouped file, most rows have the same value as the row before. In a sorted or grouped file, some values occur only in the later rows.
struct RowOrder: Sendable {
    private(set) var rises = 0
    private(set) var falls = 0
    private var first: SortKey?
    private var last: SortKey?

    @inline(__always)
    mutating func add(_ value: Span<UInt8>) {
        let key = SortKey(value)
        if let last { compare(last, key) } else { first = key }
        last = key
    }

    /// Adds the values of later rows.
    mutating func merge(_ later: RowOrder) {
        rises += later.rises
        falls += later.falls
        if let last, let next = later.first { compare(last, next) }
        first = first ?? later.first
        last = later.last ?? last
    }

    @inline(__always)
    private mutating func compare(_ one: SortKey, _ next: SortKey) {
        if one < next { rises += 1 } else if next < one { falls += 1 }
    }
}

/// The first 16 and the last eight bytes of a value. These bytes give the same order as all bytes if no value has more
/// than 16 bytes, or if all values have the same length of at most 24 bytes, as times do. For longer values with a
/// common beginning, such as links, the order is similar.
private struct SortKey: Comparable {
    private let start: UInt64
    private let middle: UInt64
    private let end: UInt64

    @inline(__always)
    init(_ value: Span<UInt8>) {
        start = value.word(at: 0)
        middle = value.word(at: 8)
        end = value.count <= 16 ? 0 : value.word(at: value.count - 8)
    }

    @inline(__always)
    static func < (one: Self, other: Self) -> Bool {
        (one.start, one.middle, one.end) < (other.start, other.middle, other.end)
    }
}

extension Span<UInt8> {
    /// Returns the eight bytes from `offset` as a big-endian number. Bytes after the end count as 0.
    @inline(__always)
    func word(at offset: Int) -> UInt64 {
        let end = Swift.min(offset + 8, count)
        guard offset < end else { return 0 }
        var word: UInt64 = 0
        for index in offset..<end { word = word << 8 | UInt64(self[index]) }
        return word << UInt64(8 * (offset + 8 - end))
    }
}
