internal import ProfileCore

/// The one shape of digits and literals that all values of a column have, as long as they have one.
enum ShapeEvidence: Sendable {
    case noValues
    /// `#` for a digit, all else for itself: a mask as ``ProfileCore/Mask`` has it.
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

    /// The mask; nil where the shape is of digits alone, or of literals alone.
    var mask: String? {
        guard case .shape(let shape) = self, shape.contains(Mask.digit), shape.contains(where: { $0 != Mask.digit })
        else { return nil }
        return String(decoding: shape, as: UTF8.self)
    }

    /// How many digits all values are of, and nothing else; nil where they are not.
    var digitCount: Int? {
        guard case .shape(let shape) = self, shape.allSatisfy({ $0 == Mask.digit }) else { return nil }
        return shape.count
    }

    private static func shape(of value: Span<UInt8>) -> ShapeEvidence {
        guard value.count <= longest else { return .several }
        var shape: [UInt8] = []
        for index in value.indices {
            let byte = value[index]
            // Neither spaces nor signs of digits can be literals of a mask.
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
