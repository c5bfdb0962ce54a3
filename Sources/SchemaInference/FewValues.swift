/// The distinct values of a column with their counts, as long as there are few.
struct FewValues: Sendable {
    struct Entry: Sendable {
        let bytes: [UInt8]
        /// The line of the first value of this entry.
        let line: Int
        /// The first eight bytes.
        fileprivate let key: UInt64
        /// The number of values before the first one of this entry.
        fileprivate let arrival: Int
        var count: Int
    }

    /// The distinct values; nil if there are more than ``most`` or one is longer than ``longest``. Frequent values are
    /// near the front.
    private(set) var entries: [Entry]? = []
    /// The number of values before the last new value. A value is new if no earlier value equals it.
    private(set) var lastArrival = 0
    private var values = 0

    static let most = 50
    /// The maximum length of a value in bytes. A longer value is free text, not a choice.
    static let longest = 100

    @inline(__always)
    mutating func add(_ value: Span<UInt8>, line: Int) {
        guard entries != nil else { return }
        addToEntries(value, count: 1, arrival: values, line: line)
        values += 1
    }

    /// Adds the values of later rows.
    mutating func merge(_ later: FewValues) {
        guard entries != nil else { return }
        guard let others = later.entries else { return entries = nil }
        for entry in others where entries != nil {
            addToEntries(entry.bytes.span, count: entry.count, arrival: values + entry.arrival, line: entry.line)
        }
        values += later.values
    }

    private mutating func addToEntries(_ value: Span<UInt8>, count: Int, arrival: Int, line: Int) {
        let key = value.word(at: 0)
        let found = entries?.firstIndex { entry in
            entry.key == key && entry.bytes.count == value.count
                && (value.count <= 8 || entry.bytes.span.isSame(as: value))
        }
        if let found {
            entries?[found].count += count
            // The entry moves one step to the front. So frequent values are found quickly.
            if found > 0 { entries?.swapAt(found, found - 1) }
        } else if value.count <= Self.longest, let known = entries?.count, known < Self.most {
            let bytes = value.withUnsafeBufferPointer { Array($0) }
            entries?.append(Entry(bytes: bytes, line: line, key: key, arrival: arrival, count: count))
            lastArrival = max(lastArrival, arrival)
        } else {
            entries = nil
        }
    }
}

extension Span<UInt8> {
    fileprivate func isSame(as other: Span<UInt8>) -> Bool {
        for index in indices where self[index] != other[index] { return false }
        return true
    }
}
