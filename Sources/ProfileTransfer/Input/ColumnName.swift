internal import ProfileCore

/// The name of a column, and what it says about the values below.
struct ColumnName: Sendable {
    /// As it stands in the header, without the white space around it.
    let header: String
    /// In lower-case ASCII letters and digits: `Geburts-Datum` and `geburtsDatum` have two.
    let words: [String]
    let meaning: ColumnMeaning?
    /// How early it is asked for the key; nil where its name does not speak for it.
    let keyRank: Int?
    let secrecy: Secrecy

    /// What may be below that nobody must see.
    enum Secrecy: Sendable {
        case none
        /// The name speaks of passwords, but does not say that the values are some: nothing is shown of them.
        case hidden
        case password
        case hash
    }

    init(_ header: String) {
        self.header = String(Array(header.utf8).span.trimmed())
        words = Self.words(of: self.header)
        meaning = ColumnMeaning(words)
        keyRank = Self.keyRank(words)
        secrecy = Self.secrecy(words)
    }

    /// Without what does not tell names apart, as an import matches them (I2).
    var folded: String { words.joined() }

    /// Nobody is to see secrets, and so they are no key.
    var mayBeKey: Bool { secrecy == .none }

    // MARK: Words

    /// Words end at what is neither letter nor digit, and where a lower-case letter is followed by an upper-case one.
    private static func words(of header: String) -> [String] {
        var words: [String] = []
        var word = ""
        var wasLowercase = false
        for scalar in header.unicodeScalars {
            let letters = latin(scalar)
            if letters.isEmpty || (wasLowercase && scalar.properties.isUppercase), !word.isEmpty {
                words.append(word)
                word = ""
            }
            word += letters
            wasLowercase = scalar.properties.isLowercase
        }
        return word.isEmpty ? words : words + [word]
    }

    /// A letter of the Latin script without its marks, a digit, or nothing.
    private static func latin(_ scalar: Unicode.Scalar) -> String {
        if scalar.isASCII {
            let byte = UInt8(truncatingIfNeeded: scalar.value)
            return byte.isASCIILetter || byte.isASCIIDigit ? String(Unicode.Scalar(byte.asciiFolded)) : ""
        }
        // Unicode calls é LATIN SMALL LETTER E WITH ACUTE.
        guard let name = scalar.properties.name, name.hasPrefix("LATIN ") else { return "" }
        let parts = name.split(separator: " ")
        guard parts.count > 3, parts[2] == "LETTER" else { return "" }
        if parts[3] == "SHARP" { return "ss" }
        return parts[3].count <= 2 ? parts[3].lowercased() : ""
    }

    // MARK: What it speaks for

    /// In the order in which they are asked for the key (N3).
    private static let keyNames = [["username"], ["user"], ["login"], ["id"], ["email"]]

    private static func keyRank(_ words: [String]) -> Int? {
        let name = words.joined()
        if let rank = keyNames.firstIndex(where: { $0.contains(name) }) { return rank }
        return words.last == "id" ? keyNames.count : nil
    }

    private static let passwordWords: Set = [
        "password", "passwd", "pwd", "passphrase", "passcode", "passwort", "kennwort", "motdepasse", "contrasena",
        "senha", "wachtwoord", "haslo",
    ]
    private static let hashWords: Set = ["hash", "hashed", "digest", "encrypted", "crypted", "bcrypt", "argon2"]

    /// `user_password` is one; a `password_hint` is none, and is hidden all the same.
    private static func secrecy(_ words: [String]) -> Secrecy {
        let name = words.joined()
        if name == "hash" { return .hash }
        let speaksOfPasswords = words.contains(where: passwordWords.contains) || passwordWords.contains(name)
        guard speaksOfPasswords else { return ["salt", "secret", "token", "apikey"].contains(name) ? .hidden : .none }
        if words.contains(where: hashWords.contains) { return .hash }
        return words.last.map(passwordWords.contains) ?? false || passwordWords.contains(name) ? .password : .hidden
    }
}
