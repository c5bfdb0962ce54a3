internal import ProfileCore

/// A value of a column that a person should look at.
public struct UnusualValue: Hashable, Sendable {
    /// The value; its first ``longestText`` bytes if it is longer.
    public let text: String
    /// The line of the first row with this value.
    public let line: Int
    /// The reason why the value is unusual.
    public let oddity: Oddity

    /// Makes an unusual value.
    public init(text: String, line: Int, oddity: Oddity) {
        self.text = text
        self.line = line
        self.oddity = oddity
    }

    /// The reason why a value is unusual.
    public enum Oddity: Hashable, Sendable {
        /// The value is among the rarest of a column with few distinct values. It occurs this number of times.
        case rare(count: Int)
        /// No value has fewer bytes.
        case shortest
        /// No value has more bytes.
        case longest
    }

    /// The maximum length of ``text`` in bytes.
    public static let longestText = 200
}

/// The shortest and the longest value of a column, by their number of bytes.
struct ExtremeValues: Sendable {
    private struct Value: Sendable {
        /// The beginning of the value.
        let bytes: [UInt8]
        let count: Int
        let line: Int
    }

    private var shortest: Value?
    private var longest: Value?
    private var fewestBytes = Int.max
    private var mostBytes = 0

    @inline(__always)
    mutating func add(_ value: Span<UInt8>, line: Int) {
        if value.count < fewestBytes { take(value, line, as: \.shortest) }
        if value.count > mostBytes { take(value, line, as: \.longest) }
    }

    private mutating func take(_ value: Span<UInt8>, _ line: Int, as place: WritableKeyPath<ExtremeValues, Value?>) {
        let beginning = value.extracting(first: min(value.count, UnusualValue.longestText))
        self[keyPath: place] = Value(
            bytes: beginning.withUnsafeBufferPointer { Array($0) }, count: value.count, line: line)
        fewestBytes = shortest?.count ?? .max
        mostBytes = longest?.count ?? 0
    }

    /// Adds the values of later rows.
    mutating func merge(_ later: ExtremeValues) {
        if later.fewestBytes < fewestBytes { (shortest, fewestBytes) = (later.shortest, later.fewestBytes) }
        if later.mostBytes > mostBytes { (longest, mostBytes) = (later.longest, later.mostBytes) }
    }

    /// The two values; none if all values have the same number of bytes.
    var unusual: [UnusualValue] {
        guard fewestBytes < mostBytes else { return [] }
        return [(shortest, UnusualValue.Oddity.shortest), (longest, .longest)].compactMap { value, oddity in
            value.map { UnusualValue(text: String(decoding: $0.bytes, as: UTF8.self), line: $0.line, oddity: oddity) }
        }
    }
}

extension ColumnEvidence {
    /// The rarest values of a column with few distinct ones. For other columns, the shortest and the longest value.
    var unusual: [UnusualValue] {
        guard let entries = distinct.entries else { return extremes.unusual }
        let rarest = entries.sorted { ($0.count, $0.line) < ($1.count, $1.line) }.prefix(Self.mostRare)
        return rarest.map {
            UnusualValue(
                text: String(decoding: $0.bytes, as: UTF8.self), line: $0.line, oddity: .rare(count: $0.count))
        }
    }

    /// The maximum number of rare values.
    private static let mostRare = 10
}
