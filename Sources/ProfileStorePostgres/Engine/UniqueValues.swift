internal import Platform
internal import PostgresAccess
internal import ProfileCore

/// The values that the rows of a batch have in one unique field.
///
/// The server returns the profiles that have these values, sorted by the value. So one pass over this answer and the
/// sorted rows finds the profile for each row. This pass is five times as fast as a dictionary whose keys are the
/// values.
struct UniqueValues {
    let field: FieldRules
    /// The bytes of all values, one value after another. Each value has the form that is used for comparisons.
    private let bytes: [UInt8]
    /// For each row, the range of its value in `bytes`; nil if the row has no value.
    private let ranges: [Range<Int>?]
    /// The rows that have a value, sorted by the bytes of the value. This array is computed when it is first needed. If
    /// the rows of a file are in the order of the ids, the array is usually not needed.
    private lazy var sorted = sortedRows()

    /// - Parameters:
    ///   - rows: The rows of the batch.
    ///   - index: The position of the field in the schema.
    ///   - field: The rules of the field.
    init(of rows: ValidProfiles, in index: Int, _ field: FieldRules) {
        self.field = field
        var (values, ranges) = ([UInt8](), [Range<Int>?]())
        ranges.reserveCapacity(rows.count)
        rows.bytes.withUnsafeBufferPointer { bytes in
            for row in 0..<rows.count {
                let slot = rows.slot(row: row, field: index)
                guard !slot.isAbsent else {
                    ranges.append(nil)
                    continue
                }
                let start = values.count
                let value = UnsafeBufferPointer(rebasing: bytes[slot.range])
                if field.isPrimaryKey {
                    values.append(contentsOf: value.lazy.map(ProfileTable.folded))
                } else {
                    values.append(contentsOf: value)
                }
                ranges.append(start..<values.count)
            }
        }
        (bytes, self.ranges) = (values, ranges)
    }

    private func sortedRows() -> [Int] {
        bytes.withUnsafeBufferPointer { bytes in
            func value(_ row: Int) -> UnsafeBufferPointer<UInt8> { Self.value(ranges[row] ?? 0..<0, of: bytes) }
            return ranges.indices.filter { ranges[$0] != nil }
                .sorted { Self.order(of: value($0), and: value($1)) < 0 }
        }
    }

    /// Returns the values of some rows as one parameter, an array of texts. Nil if these rows have no value.
    mutating func parameter(where isIncluded: (_ row: Int) -> Bool) -> Values? {
        guard ranges.indices.contains(where: { ranges[$0] != nil && isIncluded($0) }) else { return nil }
        let rows = sorted.filter(isIncluded)
        var values: Values = []
        values.beginTexts(count: rows.count)
        for row in rows { values.appendElement(utf8: bytes.span.extracting(ranges[row] ?? 0..<0)) }
        values.endArray()
        return values
    }

    /// The value of the first row that has a value.
    var first: String? {
        ranges.lazy.compactMap(\.self).first.map { String(decoding: bytes[$0], as: UTF8.self) }
    }

    /// For each row, finds the profile that has the row's value, and returns the position of this profile in `answer`.
    /// The rows of `answer` are sorted by the value in `column`.
    mutating func owners(in answer: Rows, column: Int) -> [Int?] {
        let sorted = sorted
        var owners = [Int?](repeating: nil, count: ranges.count)
        var position = 0
        bytes.withUnsafeBufferPointer { bytes in
            for row in sorted {
                let value = Self.value(ranges[row] ?? 0..<0, of: bytes)
                while position < answer.count {
                    let order = answer.withBytes(position, column) { Self.order(of: $0, and: value) } ?? 1
                    if order == 0 { owners[row] = position }
                    if order >= 0 { break }
                    position += 1
                }
            }
        }
        return owners
    }

    /// Does the same as `owners`, but `answer` need not be sorted by the value. The profile for a row is found only if
    /// the rows have the same order as `answer`.
    func ownersInOrder(in answer: Rows, column: Int) -> [Int?] {
        var next = 0
        return bytes.withUnsafeBufferPointer { bytes in
            ranges.map { range in
                guard let range else { return nil }
                let value = Self.value(range, of: bytes)
                let owner = (next..<min(next + Self.usualGap, answer.count)).first { position in
                    answer.withBytes(position, column) { Self.order(of: $0, and: value) } == 0
                }
                if let owner { next = owner + 1 }
                return owner
            }
        }
    }

    /// The maximum number of rows of an answer that are compared to find the profile for one row of the batch. More
    /// than one row must be compared, because some stored profiles may not be in the file.
    private static let usualGap = 16

    /// Returns a row of the batch that has this value; nil if no row has this value.
    mutating func row(with value: UnsafeBufferPointer<UInt8>) -> Int? {
        let sorted = sorted
        return bytes.withUnsafeBufferPointer { bytes in
            var (low, high) = (0, sorted.count)
            while low < high {
                let middle = (low + high) / 2
                let order = Self.order(of: Self.value(ranges[sorted[middle]] ?? 0..<0, of: bytes), and: value)
                if order == 0 { return sorted[middle] }
                if order < 0 { low = middle + 1 } else { high = middle }
            }
            return nil
        }
    }

    private static func value(
        _ range: Range<Int>, of bytes: UnsafeBufferPointer<UInt8>
    ) -> UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(rebasing: bytes[range]) }

    /// Compares two values as the collation `C` does: by the bytes, and then by the length. The result is negative if
    /// `one` sorts first.
    private static func order(of one: UnsafeBufferPointer<UInt8>, and other: UnsafeBufferPointer<UInt8>) -> Int {
        let count = min(one.count, other.count)
        if count > 0, let left = one.baseAddress, let right = other.baseAddress {
            let order = memcmp(left, right, count)
            if order != 0 { return Int(order) }
        }
        return one.count - other.count
    }
}
