/// Parses the text after `$2b$`. It consists of two digits for the cost, `$`, 22 characters for the salt, and 31
/// characters for the hash.
///
/// The last character of the salt and the last character of the hash have unused bits. These bits must be zero, because
/// crypt(3) always returns zero for them. If one of the bits were not zero, no password would match.
///
/// - Returns: The cost.
func parseBcrypt(_ reader: inout HashReader) throws(UnsupportedHash) -> Int {
    guard let tens = reader.takeDigit(), let ones = reader.takeDigit(), reader.take("$") else {
        throw .malformed(.bcrypt)
    }
    let cost = tens * 10 + ones
    try UnsupportedHash.require(.logarithmicCost, cost, in: 4...16)
    guard reader.take(.bcrypt, atMost: 22).byteCount(highBitsFirst: true) == 16,
        reader.take(.bcrypt).byteCount(highBitsFirst: true) == 23, reader.isAtEnd
    else { throw .malformed(.bcrypt) }
    return cost
}

/// Parses the text after `$6$`. It consists of an optional `rounds=N$`, a salt of 1 to 16 characters, `$`, and 86
/// characters for the hash.
///
/// - Returns: The number of rounds; 5,000 if the text has no `rounds`.
func parseSHA512Crypt(_ reader: inout HashReader) throws(UnsupportedHash) -> Int {
    var rounds = 5000
    if reader.take("rounds=") {
        guard let number = reader.takeDecimal(), reader.take("$") else { throw .malformed(.sha512crypt) }
        rounds = number
        try UnsupportedHash.require(.iterations, rounds, in: 1000...1_000_000)
    }
    let saltBytes = reader.take(while: isSaltCharacter)
    guard reader.take("$"), reader.take(.crypt).isSHA512, reader.isAtEnd else { throw .malformed(.sha512crypt) }
    try UnsupportedHash.require(.saltBytes, saltBytes, in: 1...16)
    return rounds
}

/// Whether libxcrypt allows the character in a salt. It allows printable ASCII except for `$`, which ends the salt, and
/// characters that have a meaning in password files.
private func isSaltCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "$"), UInt8(ascii: "!"), UInt8(ascii: "*"), UInt8(ascii: ":"), UInt8(ascii: ";"),
        UInt8(ascii: "\\"):
        false
    default: (0x21...0x7E).contains(byte)
    }
}

extension Base64Text {
    /// Whether this is a hash of SHA-512-crypt. The hash has 64 bytes. The last byte is encoded separately, as two
    /// characters.
    fileprivate var isSHA512: Bool { length == 86 && lastValue < 4 }
}

extension HashReader {
    fileprivate mutating func takeDigit() -> Int? {
        guard let byte = next, byte &- UInt8(ascii: "0") < 10 else { return nil }
        _ = takeByte()
        return Int(byte &- UInt8(ascii: "0"))
    }
}
