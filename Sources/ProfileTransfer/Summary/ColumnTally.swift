internal import ProfileCore
internal import ProfileStore

/// Gathers the facts about the values of one column.
struct ColumnTally {
    private let rules: FieldRules
    private let order: ValueOrder
    private var filled = 0
    private var least: [UInt8]?
    private var greatest: [UInt8]?
    private var integers: NumberTally<Int64>
    private var numbers: NumberTally<Double>
    private var shortest = Int.max
    private var longest = 0
    private var totalLength = 0
    /// Nil for a unique field: each of its values occurs once.
    private var values: ValueTable?

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
        selection.forEachValue(ofColumn: column, in: selected, of: rows) { add($0, type) }
    }

    private mutating func add(_ value: Span<UInt8>, _ type: FieldType) {
        filled += 1
        values?.add(value)
        addLength(of: value)
        switch type {
        // A value that was stored under other rules may not be a number.
        case .integer: if let integer = NumberText.integer(value) { integers.add(integer) }
        case .number: if let number = NumberText.number(value) { numbers.add(number) }
        case .boolean: break
        case .string, .date, .dateTime, .time, .year: addExtreme(value)
        }
    }

    private mutating func addLength(of value: Span<UInt8>) {
        var isASCII = true
        for index in value.indices where value[index] >= 0x80 { isASCII = false }
        let length = isASCII ? value.count : String(value).count
        shortest = min(shortest, length)
        longest = max(longest, length)
        totalLength += length
    }

    private mutating func addExtreme(_ value: Span<UInt8>) {
        let isLeast = least.map { order.compare(value, $0.span) < 0 } ?? true
        let isGreatest = greatest.map { order.compare(value, $0.span) > 0 } ?? true
        // Few values are extremes, so few are checked. A value that was stored under other rules may not be a date.
        guard isLeast || isGreatest, rules.type.holds(value) else { return }
        let bytes = value.withUnsafeBufferPointer { Array($0) }
        if isLeast { least = bytes }
        if isGreatest { greatest = bytes }
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
            minimum: numeric?.least ?? least.map { String(decoding: $0, as: UTF8.self) },
            maximum: numeric?.greatest ?? greatest.map { String(decoding: $0, as: UTF8.self) }, mean: numeric?.mean,
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
