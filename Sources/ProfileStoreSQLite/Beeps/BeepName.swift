internal import SQLiteAccess
internal import SecretHashing

/// The name of a beep in the forms that datagrams and socket file names use.
struct BeepName: Hashable, Sendable {
    /// The content of a datagram: the prefix, a dot, and the encoded identifier. At most 265 bytes.
    let onTheWire: [UInt8]
    /// The prefix of the listeners' file names: a hash and a dot. The hash is made from the store's path and the name.
    /// A hash is needed because a socket's path is limited to 108 bytes, and names and store paths can be longer.
    let filePrefix: String

    init(_ identifier: String, prefix: String, store: DatabasePath) {
        onTheWire = Array("\(prefix).\(Self.encoded(identifier))".utf8)
        // A NUL ends the path, and the path contains no other NUL. So different pairs of a path and a name always give
        // different bytes.
        let hash = SHA256.hexadecimal((store.database.map(UInt8.init(bitPattern:)) + onTheWire).span)
        filePrefix = "\(hash.prefix(32))."
    }

    static func isPrefix(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.percentEncoded(except: "-_.") == text
    }

    /// Returns the percent-encoded identifier, which contains no dot. If the identifier or the encoded identifier is
    /// longer than 200 bytes, returns `sha256:` and a hash. Such a text never equals an encoded identifier, because
    /// percent-encoded text contains no colon. The identifier is normalised first (NFC), because strings that are equal
    /// in Swift must give the same name.
    private static func encoded(_ identifier: String) -> String {
        let bytes = Array(NFC.form(of: identifier).utf8)
        guard bytes.count <= 200 else { return "sha256:\(SHA256.hexadecimal(bytes.span))" }
        let encoded = bytes.percentEncoded(except: "-_")
        guard encoded.utf8.count <= 200 else { return "sha256:\(SHA256.hexadecimal(bytes.span))" }
        return encoded
    }
}
