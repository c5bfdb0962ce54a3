internal import CSVStream
internal import ProfileCore

/// The kinds of characters in a cell. If the cell is empty or contains a token for a missing value, the set is empty.
struct CellShape: OptionSet, Sendable {
    let rawValue: UInt16

    static let letter = CellShape(rawValue: 1)
    static let digit = CellShape(rawValue: 1 << 1)
    static let hyphen = CellShape(rawValue: 1 << 2)
    static let point = CellShape(rawValue: 1 << 3)
    static let colon = CellShape(rawValue: 1 << 4)
    static let slash = CellShape(rawValue: 1 << 5)
    static let at = CellShape(rawValue: 1 << 6)
    static let space = CellShape(rawValue: 1 << 7)
    static let otherSign = CellShape(rawValue: 1 << 8)
    /// The cell is enclosed in apostrophes or in other quotes that CSV does not recognize.
    static let inOtherQuotes = CellShape(rawValue: 1 << 9)

    /// The signs in numbers, dates, times, URLs and e-mail addresses.
    static let signs: CellShape = [.hyphen, .point, .colon, .slash, .at]

    init(rawValue: UInt16) { self.rawValue = rawValue }

    init(of cell: Span<UInt8>) {
        self = []
        let value = cell.trimmed()
        guard MissingToken.index(of: value) == nil else { return }
        for index in 0..<min(value.count, Self.looked) { formUnion(Self(ofByte: value[index])) }
        if Self.otherQuotes.contains(where: { value.stands(between: $0) }) { insert(.inOtherQuotes) }
    }

    /// The maximum number of bytes to examine in a cell.
    private static let looked = 256

    private init(ofByte byte: UInt8) {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self = .digit
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x80...: self = .letter
        case UInt8(ascii: "-"): self = .hyphen
        case UInt8(ascii: "."): self = .point
        case UInt8(ascii: ":"): self = .colon
        case UInt8(ascii: "/"): self = .slash
        case UInt8(ascii: "@"): self = .at
        case UInt8(ascii: " "): self = .space
        default: self = .otherSign
        }
    }

    private static let otherQuotes = [("'", "'"), ("`", "`"), ("“", "”"), ("„", "“"), ("«", "»")]
        .map { (opening: Array($0.utf8), closing: Array($1.utf8)) }
}

extension Span<UInt8> {
    fileprivate func stands(between quotes: (opening: [UInt8], closing: [UInt8])) -> Bool {
        guard count >= quotes.opening.count + quotes.closing.count, self[0] == quotes.opening[0] else { return false }
        let end = count - quotes.closing.count
        return quotes.opening.indices.allSatisfy { self[$0] == quotes.opening[$0] }
            && quotes.closing.indices.allSatisfy { self[end + $0] == quotes.closing[$0] }
    }
}
