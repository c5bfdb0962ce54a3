internal import SQLiteAccess
internal import SecretHashing

/// A name as it goes from process to process, and the beginning of its listeners' file names.
struct BeepName: Hashable, Sendable {
    /// The prefix, a dot, and the encoded identifier: what a datagram holds. At most 265 bytes.
    let onTheWire: [UInt8]
    /// A hash of the store and the name, and a dot. Paths of sockets end at 108 bytes, names and stores do not.
    let filePrefix: String

    init(_ identifier: String, prefix: String, store: DatabasePath) {
        onTheWire = Array("\(prefix).\(Self.encoded(identifier))".utf8)
        // The path ends in a NUL, and holds none.
        let hash = SHA256.hexadecimal((store.database.map(UInt8.init(bitPattern:)) + onTheWire).span)
        filePrefix = "\(hash.prefix(32))."
    }

    static func isPrefix(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.percentEncoded(except: "-_.") == text
    }

    /// Percent-encoded, so that there is no dot in it; a hash in the place of a long one, behind a colon, which a
    /// percent-encoded text does not have either. Strings that Swift calls equal are one name, hence the normal form.
    private static func encoded(_ identifier: String) -> String {
        let bytes = Array(NFC.form(of: identifier).utf8)
        guard bytes.count <= 200 else { return "sha256:\(SHA256.hexadecimal(bytes.span))" }
        let encoded = bytes.percentEncoded(except: "-_")
        guard encoded.utf8.count <= 200 else { return "sha256:\(SHA256.hexadecimal(bytes.span))" }
        return encoded
    }
}
