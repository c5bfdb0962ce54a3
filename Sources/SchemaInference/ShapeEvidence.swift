internal import ProfileCore

/// The common shape of all values of a column: which characters are digits, and which are literals.
enum ShapeEvidence: Sendable {
    case noValues
    /// All values so far have this shape. `#` stands for a digit, every other character for itself, as in a
    /// ``ProfileCore/Mask``.
    case shape([UInt8])
    case several

    private static let longest = 64

    @inline(__always)
    mutating func add(_ value: Span<UInt8>) {
        switch self {
        case .several: return
        case .noValues: self = Self.shape(of: value)
        case .shape(let shape): if !Self.fits(value, shape) { self = .several }
        }
    }

    mutating func merge(_ other: ShapeEvidence) {
        switch (self, other) {
        case (_, .noValues), (.several, _): return
        case (.noValues, _), (_, .several): self = other
        case (.shape(let one), .shape(let another)): if one != another { self = .several }
        }
    }

    /// The mask; nil if there is no common shape, or if it has only digits or only literals.
    var mask: String? {
        guard case .shape(let shape) = self, shape.contains(Mask.digit), shape.contains(where: { $0 != Mask.digit })
        else { return nil }
        return String(decoding: shape, as: UTF8.self)
    }

    /// The number of digits, if all values consist of the same number of digits and nothing else; otherwise nil.
    var digitCount: Int? {
        guard case .shape(let shape) = self, shape.allSatisfy({ $0 == Mask.digit }) else { return nil }
        return shape.count
    }

    private static func shape(of value: Span<UInt8>) -> ShapeEvidence {
        guard value.count <= longest else { return .several }
        var shape: [UInt8] = []
        for index in value.indices {
            let byte = value[index]
            // A space or `#` cannot be a literal of a mask.
            guard 0x21...0x7E ~= byte, byte != Mask.digit else { return .several }
            shape.append(byte.isASCIIDigit ? Mask.digit : byte)
        }
        return .shape(shape)
    }

    private static func fits(_ value: Span<UInt8>, _ shape: [UInt8]) -> Bool {
        guard value.count == shape.count else { return false }
        for index in value.indices {
            let byte = value[index]
            if shape[index] == Mask.digit ? !byte.isASCIIDigit : byte != shape[index] { return false }
        }
        return true
    }
}
