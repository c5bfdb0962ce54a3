/// The values of a column and how often each is there, as long as they are few.
struct FewValues: Sendable {
    struct Entry: Sendable {
        let bytes: [UInt8]
        fileprivate let key: UInt64
        var count: Int
    }

    /// Nil once there are more than ``most``, or a long one. Those that are there often come first, more or less.
    private(set) var entries: [Entry]? = []

    static let most = 50
    /// In bytes: what is longer is text, and no name of something.
    static let longest = 100

    @inline(__always)
    mutating func add(_ value: Span<UInt8>) {
        if entries != nil { addToEntries(value, count: 1) }
    }

    mutating func merge(_ other: FewValues) {
        guard entries != nil else { return }
        guard let others = other.entries else { return entries = nil }
        for entry in others where entries != nil { addToEntries(entry.bytes.span, count: entry.count) }
    }

    private mutating func addToEntries(_ value: Span<UInt8>, count: Int) {
        let key = Self.key(of: value)
        let found = entries?.firstIndex { entry in
            entry.key == key && entry.bytes.count == value.count
                && (value.count <= 8 || entry.bytes.span.isSame(as: value))
        }
        if let found {
            entries?[found].count += count
            // A step to the front, so that values that are there often are found soon.
            if found > 0 { entries?.swapAt(found, found - 1) }
        } else if value.count <= Self.longest, let known = entries?.count, known < Self.most {
            entries?.append(Entry(bytes: value.withUnsafeBufferPointer { Array($0) }, key: key, count: count))
        } else {
            entries = nil
        }
    }

    /// The first eight bytes.
    @inline(__always)
    private static func key(of value: Span<UInt8>) -> UInt64 {
        var key: UInt64 = 0
        for index in 0..<min(8, value.count) { key = key << 8 | UInt64(value[index]) }
        return key
    }
}

extension Span<UInt8> {
    fileprivate func isSame(as other: Span<UInt8>) -> Bool {
        for index in indices where self[index] != other[index] { return false }
        return true
    }
}
