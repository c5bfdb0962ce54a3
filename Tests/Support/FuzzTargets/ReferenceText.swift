/// Decodes a whole input in the plainest way. Bytes that are invalid in their encoding become 0xFF.
enum ReferenceText {
    /// - Parameters:
    ///   - bytes: The input.
    ///   - isWindows1252: Whether an input without a byte order mark is Windows-1252. If false, such an input is UTF-8.
    /// - Returns: The input as UTF-8 without a byte order mark; nil for UTF-32.
    static func utf8(_ bytes: [UInt8], isWindows1252: Bool) -> [UInt8]? {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return Array(bytes.dropFirst(3)) }
        if bytes.starts(with: [0xFF, 0xFE, 0, 0]) || bytes.starts(with: [0, 0, 0xFE, 0xFF]) { return nil }
        if bytes.starts(with: [0xFF, 0xFE]) { return utf16(bytes.dropFirst(2), isBigEndian: false) }
        if bytes.starts(with: [0xFE, 0xFF]) { return utf16(bytes.dropFirst(2), isBigEndian: true) }
        guard isWindows1252 else { return bytes }
        return bytes.flatMap { byte -> [UInt8] in
            switch byte {
            case ..<0x80: [byte]
            case 0x80..<0xA0: upper[Int(byte) - 0x80].map { Array(String($0).utf8) } ?? [0xFF]
            default: Array(String(Unicode.Scalar(byte)).utf8)
            }
        }
    }

    /// The characters of Windows-1252 from 0x80 to 0x9F.
    private static let upper: [Unicode.Scalar?] = [
        "€", nil, "‚", "ƒ", "„", "…", "†", "‡", "ˆ", "‰", "Š", "‹", "Œ", nil, "Ž", nil,
        nil, "‘", "’", "“", "”", "•", "–", "—", "˜", "™", "š", "›", "œ", nil, "ž", "Ÿ",
    ]

    private static func utf16(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool) -> [UInt8] {
        let bytes = Array(bytes)
        let units = stride(from: 0, to: bytes.count - 1, by: 2).map { index -> UInt16 in
            let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            return isBigEndian ? first << 8 | second : second << 8 | first
        }
        var text: [UInt8] = []
        var index = 0
        while index < units.count {
            let unit = units[index]
            if UTF16.isLeadSurrogate(unit), index + 1 < units.count, UTF16.isTrailSurrogate(units[index + 1]) {
                text += String(decoding: units[index...index + 1], as: UTF16.self).utf8
                index += 2
            } else {
                text += UTF16.isSurrogate(unit) ? [0xFF] : Array(String(decoding: [unit], as: UTF16.self).utf8)
                index += 1
            }
        }
        return bytes.count % 2 == 1 ? text + [0xFF] : text
    }
}
