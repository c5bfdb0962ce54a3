/// The values of a statement's parameters `$1`, `$2`, …, in PostgreSQL's binary format.
///
/// A text is sent without quotes or escapes. A number is sent as `bigint`. So the SQL must use the type `bigint` for
/// this parameter.
package struct Values: Sendable, ExpressibleByArrayLiteral {
    private(set) var bytes: [UInt8] = []
    /// The end offset of each value in `bytes`. Nil for NULL.
    private(set) var ends: [Int?] = []

    package init() {}

    package init(arrayLiteral values: Value...) {
        for value in values { append(value) }
    }

    /// A value of a supported type.
    package enum Value: Sendable {
        case number(Int64)
        case text(String?)
        case flag(Bool)
        case numbers([Int64])
        case optionalNumbers([Int64?])
        case texts([String?])

        /// A number. If it is nil, the value is NULL.
        package static func number(_ number: Int64?) -> Value { number.map { .number($0) } ?? .text(nil) }
    }

    package mutating func append(_ value: Value) {
        switch value {
        case .number(let number): append(number)
        case .text(let text): append(text)
        case .flag(let flag):
            bytes.append(flag ? 1 : 0)
            ends.append(bytes.count)
        case .numbers(let numbers): append(.optionalNumbers(numbers))
        case .optionalNumbers(let numbers):
            beginArray(of: .bigint, count: numbers.count)
            for number in numbers {
                append(size: number == nil ? -1 : 8)
                if let number { write(number) }
            }
            ends.append(bytes.count)
        case .texts(let texts):
            beginArray(of: .text, count: texts.count)
            for text in texts {
                guard let text else {
                    append(size: -1)
                    continue
                }
                append(size: Int32(text.utf8.count))
                bytes.append(contentsOf: text.utf8)
            }
            ends.append(bytes.count)
        }
    }

    package mutating func append(_ number: Int64) {
        write(number)
        ends.append(bytes.count)
    }

    package mutating func append(_ text: String?) {
        if let text {
            bytes.append(contentsOf: text.utf8)
            ends.append(bytes.count)
        } else {
            ends.append(nil)
        }
    }

    /// Appends text from UTF-8 bytes.
    package mutating func append(utf8 text: Span<UInt8>) {
        text.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
        ends.append(bytes.count)
    }

    // MARK: Arrays of texts that need not be Strings

    /// Begins an array of `count` texts. After this call, the caller must append each element and then call
    /// `endArray()`.
    package mutating func beginTexts(count: Int) { beginArray(of: .text, count: count) }

    package mutating func appendElement(utf8 text: Span<UInt8>) {
        append(size: Int32(text.count))
        text.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
    }

    package mutating func appendMissingElement() { append(size: -1) }

    package mutating func endArray() { ends.append(bytes.count) }

    // MARK: The binary form

    /// The element types of arrays. The raw value is the type's object identifier, which PostgreSQL never changes
    /// (`pg_type.dat`).
    private enum ElementType: Int32 {
        case bigint = 20
        case text = 25
    }

    /// Appends the header of a one-dimensional array. The elements follow the header. Each element consists of its size
    /// and its bytes.
    private mutating func beginArray(of type: ElementType, count: Int) {
        append(size: count == 0 ? 0 : 1)
        append(size: 1)
        append(size: type.rawValue)
        guard count > 0 else { return }
        append(size: Int32(count))
        append(size: 1)
    }

    private mutating func append(size: Int32) { withUnsafeBytes(of: size.bigEndian) { bytes.append(contentsOf: $0) } }

    private mutating func write(_ number: Int64) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }
}
