internal import ProfileCore
internal import ProfileStore

/// Collects the statistics of the values of one column for a summary.
struct ColumnTally {
    private let rules: FieldRules
    private let order: ValueOrder
    private var filled = 0
    private var least: Extreme?
    private var greatest: Extreme?
    private var integers: NumberTally<Int64>
    private var numbers: NumberTally<Double>
    private var shortest = Int.max
    private var longest = 0
    private var totalLength = 0
    /// Nil for a unique field: each of its values occurs once.
    private var values: ValueTable?
    /// The digests of some values of a page. The memory is used again for the next values.
    private var digests: [ValueDigest] = []

    /// The least or the greatest value.
    private struct Extreme {
        let bytes: [UInt8]
        /// The ``ValueDigest/start`` of the value.
        let start: UInt64
    }

    /// - Parameters:
    ///   - rules: The rules of the column.
    ///   - mostBytes: The maximum number of bytes of memory for the values.
    init(_ rules: FieldRules, mostBytes: Int) {
        self.rules = rules
        order = ValueOrder(rules)
        integers = NumberTally()
        numbers = NumberTally()
        let isUnique = rules.isUnique || rules.isPrimaryKey || rules.column.fact == .id
        values = isUnique ? nil : ValueTable(mostEntries: Self.mostDistinct, mostBytes: mostBytes)
    }

    /// The maximum number of different values that are counted exactly.
    static let mostDistinct = 100_000

    /// Adds the values of a column in some rows of a page.
    mutating func add(_ rows: StoredRows, _ selected: [Int], by selection: RowSelection, column: Int) {
        let type = rules.type
        let key = values?.key ?? ValueDigest.Key()
        for first in stride(from: 0, to: selected.count, by: Self.valuesAtOnce) {
            let block = selected[first..<min(first + Self.valuesAtOnce, selected.count)]
            digests.removeAll(keepingCapacity: true)
            selection.forEachValue(ofColumn: column, in: block, of: rows) { row, value in
                let digest = ValueDigest(value, row: row, key: key)
                digests.append(digest)
                add(value, digest, type)
            }
            values?.countKnown(&digests)
            guard values != nil else { continue }
            for digest in digests {
                selection.withValue(ofColumn: column, row: digest.row, of: rows) { values?.add($0, digest) }
            }
        }
    }

    /// The number of values that are added to the table as one block. The number is small, so the table entries of
    /// these values fit into the processor's caches.
    private static let valuesAtOnce = 128

    @inline(__always)
    private mutating func add(_ value: Span<UInt8>, _ digest: ValueDigest, _ type: FieldType) {
        filled += 1
        addLength(digest.isASCII ? digest.length : String(value).count)
        switch type {
        // A value that was stored under earlier rules may not be a number.
        case .integer: if let integer = NumberText.integer(value) { integers.add(integer) }
        case .number: if let number = NumberText.number(value) { numbers.add(number) }
        case .boolean: break
        case .string, .date, .dateTime, .time, .year: addExtreme(value, digest)
        }
    }

    private mutating func addLength(_ length: Int) {
        shortest = min(shortest, length)
        longest = max(longest, length)
        totalLength += length
    }

    @inline(__always)
    private mutating func addExtreme(_ value: Span<UInt8>, _ digest: ValueDigest) {
        // For nearly every value, the comparison of the starts is enough to show that the value is between the
        // extremes.
        if case .bytes = order, let least, let greatest, digest.start > least.start, digest.start < greatest.start {
            return
        }
        replaceExtremes(value, digest)
    }

    private mutating func replaceExtremes(_ value: Span<UInt8>, _ digest: ValueDigest) {
        let isLeast = least.map { order.compare(value, $0.bytes.span) < 0 } ?? true
        let isGreatest = greatest.map { order.compare(value, $0.bytes.span) > 0 } ?? true
        // The type is checked only for new extremes, because they are few. A value that was stored under earlier rules
        // may not be a date.
        guard isLeast || isGreatest, rules.type.holds(value) else { return }
        let extreme = Extreme(bytes: value.withUnsafeBufferPointer { Array($0) }, start: digest.start)
        if isLeast { least = extreme }
        if isGreatest { greatest = extreme }
    }

    /// Returns the summary of the values so far.
    func summary(mostValues: Int) -> ProfileSummary.Field {
        let numeric: (least: String?, greatest: String?, mean: Double?)? =
            switch rules.type {
            case .integer: (integers.least.map(String.init), integers.greatest.map(String.init), integers.mean)
            case .number:
                (numbers.least.map(NumberText.canonical), numbers.greatest.map(NumberText.canonical), numbers.mean)
            default: nil
            }
        return ProfileSummary.Field(
            rules: rules, filled: filled,
            distinct: values?.distinct ?? ProfileSummary.DistinctCount(count: filled, isExact: true),
            frequentValues: values?.mostFrequent(mostValues) { order.compare($0, $1) } ?? [],
            minimum: numeric?.least ?? least.map { String(decoding: $0.bytes, as: UTF8.self) },
            maximum: numeric?.greatest ?? greatest.map { String(decoding: $0.bytes, as: UTF8.self) },
            mean: numeric?.mean,
            shortest: filled > 0 ? shortest : nil, longest: filled > 0 ? longest : nil,
            meanLength: filled > 0 ? Double(totalLength) / Double(filled) : nil)
    }
}

/// The extremes and the sum of numbers.
private struct NumberTally<Number: Comparable> {
    private(set) var least: Number?
    private(set) var greatest: Number?
    private var count = 0
    private var wholeSum: Int128 = 0
    private var sum = 0.0
    /// What the rounding of `sum` has lost (Neumaier 1974).
    private var compensation = 0.0

    private mutating func addExtremes(_ number: Number) {
        count += 1
        if least.map({ number < $0 }) ?? true { least = number }
        if greatest.map({ number > $0 }) ?? true { greatest = number }
    }
}

extension NumberTally<Int64> {
    mutating func add(_ number: Int64) {
        addExtremes(number)
        wholeSum += Int128(number)
    }

    var mean: Double? { count > 0 ? Double(wholeSum) / Double(count) : nil }
}

extension NumberTally<Double> {
    mutating func add(_ number: Double) {
        addExtremes(number)
        let next = sum + number
        compensation += abs(sum) >= abs(number) ? (sum - next) + number : (number - next) + sum
        sum = next
    }

    var mean: Double? {
        let mean = (sum + compensation) / Double(count)
        return count > 0 && mean.isFinite ? mean : nil
    }
}
