internal import CSVStream

/// The texts of an Excel workbook, to which its cells refer by number.
struct SharedStrings: ~Copyable {
    private var text: SpilledBytes
    /// The offset of the end of each text in `text`, as 8 bytes.
    private var ends: SpilledBytes

    /// The maximum number of bytes of the texts in memory. A workbook of a million rows with a different name in each
    /// row has about 20 MB of texts.
    private static let textLimit = 64 << 20
    private static let endsLimit = 16 << 20

    init(keptIn folder: String) {
        text = SpilledBytes(limit: Self.textLimit, folder: folder)
        ends = SpilledBytes(limit: Self.endsLimit, folder: folder)
    }

    mutating func append(_ string: [UInt8]) throws(ByteStreamError) {
        try string.span.withUnsafeBytes { bytes throws(ByteStreamError) in try text.append(bytes) }
        let end = Int64(text.count)
        try withUnsafeBytes(of: end) { bytes throws(ByteStreamError) in try ends.append(bytes) }
    }

    /// Appends the text at an index to `bytes`. Returns false if there is no such text.
    mutating func appendString(_ number: Int, to bytes: inout [UInt8]) throws(ByteStreamError) -> Bool {
        guard number >= 0, number < ends.count / Self.endSize else { return false }
        let start = number == 0 ? 0 : try end(of: number - 1)
        let end = try end(of: number)
        try text.read(start..<end) { bytes.append(contentsOf: $0) }
        return true
    }

    private static let endSize = MemoryLayout<Int64>.size

    private mutating func end(of number: Int) throws(ByteStreamError) -> Int {
        var end: Int64 = 0
        var filled = 0
        try withUnsafeMutableBytes(of: &end) { end throws(ByteStreamError) in
            try ends.read(number * Self.endSize..<(number + 1) * Self.endSize) { piece in
                UnsafeMutableRawBufferPointer(rebasing: end[filled...]).copyMemory(from: piece)
                filled += piece.count
            }
        }
        return Int(end)
    }
}

/// Reads the part of the shared strings.
final class SharedStringsReader: XMLHandler {
    private(set) var strings: SharedStrings
    private var item = RichText()

    init(keptIn folder: String) { strings = SharedStrings(keptIn: folder) }

    func start(_ name: XMLName, _ attributes: XMLAttributes) throws(ByteStreamError) {
        if "si" ~= name { item.begin() } else { item.start(name) }
    }

    func end(_ name: XMLName) throws(ByteStreamError) -> Bool {
        if "si" ~= name {
            item.end()
            try strings.append(item.bytes)
        } else {
            item.end(name)
        }
        return false
    }

    func text(_ text: UnsafeBufferPointer<UInt8>) { item.append(text) }

    /// Appends the text at an index, counted from 0, to `bytes`. Returns false if there is no such text.
    func appendString(_ number: Int, to bytes: inout [UInt8]) throws(ByteStreamError) -> Bool {
        try strings.appendString(number, to: &bytes)
    }
}

/// The text of a shared string or of a cell: the `t` elements of its runs. Phonetic runs, which give the pronunciation
/// of Japanese text, are left out.
struct RichText {
    private(set) var bytes: [UInt8] = []
    private var isOpen = false
    private var isInText = false
    private var isPhonetic = false

    mutating func begin() {
        bytes.removeAll(keepingCapacity: true)
        (isOpen, isInText, isPhonetic) = (true, false, false)
    }

    mutating func start(_ name: XMLName) {
        guard isOpen else { return }
        if "t" ~= name { isInText = !isPhonetic } else if "rPh" ~= name { isPhonetic = true }
    }

    mutating func end(_ name: XMLName) {
        guard isOpen else { return }
        if "t" ~= name { isInText = false } else if "rPh" ~= name { isPhonetic = false }
    }

    mutating func append(_ text: UnsafeBufferPointer<UInt8>) {
        // A longer text is refused as too long anyway, so the rest is not needed.
        if isInText, bytes.count < RowWriter.mostBytes { bytes.append(contentsOf: text) }
    }

    mutating func end() {
        isOpen = false
        Self.unescape(&bytes)
    }

    /// Replaces escapes such as `_x000D_` with their characters (ECMA-376 part 1, 22.9.2.19, ST_Xstring).
    static func unescape(_ bytes: inout [UInt8]) {
        guard bytes.contains(UInt8(ascii: "_")) else { return }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "_"), let scalar = scalar(ofEscape: bytes[index...].prefix(7)) {
                result += Array(String(scalar).utf8)
                index += 7
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        bytes = result
    }

    private static func scalar(ofEscape escape: ArraySlice<UInt8>) -> Character? {
        guard escape.count == 7, escape.dropFirst().first == UInt8(ascii: "x"), escape.last == UInt8(ascii: "_") else {
            return nil
        }
        var code: UInt32 = 0
        for byte in escape.dropFirst(2).dropLast() {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else { return nil }
            code = code << 4 | UInt32(digit)
        }
        // Half of a surrogate pair is no character, so its escape stays as it is.
        return Unicode.Scalar(code).map(Character.init)
    }
}
