internal import ProfileCore

/// The name of a column, and what the name suggests about the values of the column.
package struct ColumnName: Sendable {
    /// The header of the column, without surrounding white space.
    package let header: String
    /// The words of the header in lower-case ASCII letters and digits: `Geburts-Datum` and `geburtsDatum` both consist
    /// of two words.
    package let words: [String]
    package let meaning: ColumnMeaning?
    /// The rank of the column as a candidate for the primary key. The best candidate has the lowest rank. If the name
    /// of the column does not suggest a key, the rank is nil.
    package let keyRank: Int?
    package let secrecy: Secrecy

    /// The kind of secret in a column.
    package enum Secrecy: Sendable {
        case none
        /// The name suggests that the column contains secrets. The secrets are not passwords that can be imported. The
        /// values are never shown.
        case hidden
        case password
        case hash
    }

    package init(_ header: String) {
        self.header = String(Array(header.utf8).span.trimmed())
        words = Self.words(of: self.header)
        meaning = ColumnMeaning(words)
        keyRank = Self.keyRank(words)
        secrecy = Self.secrecy(words)
    }

    /// The maximum length of a name in bytes. No field matches a longer name.
    package static let longestLength = 1_000

    /// Whether the column may be the primary key. A column of secrets must not be the primary key, because keys are
    /// visible.
    package var mayBeKey: Bool { secrecy == .none }

    // MARK: Words

    /// Splits a header into words. A word ends before a character that is neither a Latin letter nor an ASCII digit. A
    /// word also ends if an upper-case letter follows a lower-case letter.
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

    /// Returns a Latin letter in lower case without diacritics, or a digit. Returns an empty string for any other
    /// character.
    private static func latin(_ scalar: Unicode.Scalar) -> String {
        if scalar.isASCII {
            let byte = UInt8(truncatingIfNeeded: scalar.value)
            return byte.isASCIILetter || byte.isASCIIDigit ? String(Unicode.Scalar(byte.asciiFolded)) : ""
        }
        // The Unicode name contains the base letter: the name of é is LATIN SMALL LETTER E WITH ACUTE.
        guard let name = scalar.properties.name, name.hasPrefix("LATIN ") else { return "" }
        let parts = name.split(separator: " ")
        guard parts.count > 3, parts[2] == "LETTER" else { return "" }
        if parts[3] == "SHARP" { return "ss" }
        return parts[3].count <= 2 ? parts[3].lowercased() : ""
    }

    // MARK: Implications

    /// The names of likely keys, in the order of preference (N3).
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
    /// Stems of compound words. A word refers to passwords if it starts or ends with one of these stems.
    private static let passwordStems = ["password", "passwort", "passwd", "kennwort"]
    private static let hashWords = ["hash", "digest", "crypted", "bcrypt", "argon"]
    /// Short words for a password. Such a word means a password only in two cases: the word is the whole column name,
    /// or the word follows `user` or `login`.
    private static let shortPasswords: Set = ["pass", "pw", "userpass", "userpw", "loginpass", "loginpw"]
    /// If a column name ends with one of these words, the column contains secrets that are not passwords.
    private static let secretEndings = [
        "pass", "pw", "pin", "otp", "cvv", "cvc", "salt", "token", "apikey", "privatekey", "secretkey", "accesskey",
    ]

    /// Returns the kind of secret that a name suggests: `.password` for `user_password`, `.hidden` for `password_hint`.
    private static func secrecy(_ words: [String]) -> Secrecy {
        // A number at the end is ignored: `password1` and `password_2` are passwords.
        var words = words.map(withoutNumber)
        while words.count > 1, words.last?.allSatisfy(\.isNumber) == true { words.removeLast() }
        let name = words.joined()
        if name == "hash" { return .hash }
        if shortPasswords.contains(name) { return .password }
        let speaksOfPasswords = speaksOfPassword(name) || words.contains(where: speaksOfPassword)
        guard speaksOfPasswords else {
            let ending = words.suffix(2)
            let isSecret =
                words.contains("secret") || secretEndings.contains { $0 == ending.joined() || $0 == ending.last }
            return isSecret ? .hidden : .none
        }
        if hashWords.contains(where: name.contains) { return .hash }
        let isPassword =
            passwordWords.contains(name)
            || words.last.map { word in
                passwordWords.contains(word) || passwordStems.contains(where: word.hasSuffix)
            } ?? false
        return isPassword ? .password : .hidden
    }

    /// Removes the digits at the end of a word. If the word consists only of digits, it stays unchanged.
    private static func withoutNumber(_ word: String) -> String {
        word.lastIndex { !$0.isNumber }.map { String(word[...$0]) } ?? word
    }

    private static func speaksOfPassword(_ word: String) -> Bool {
        passwordWords.contains(word) || passwordStems.contains { word.hasPrefix($0) || word.hasSuffix($0) }
    }
}
