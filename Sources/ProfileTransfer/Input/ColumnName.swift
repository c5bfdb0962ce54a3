internal import ProfileCore

/// The name of a column, and what it says about the values below.
package struct ColumnName: Sendable {
    /// As it stands in the header, without the white space around it.
    package let header: String
    /// In lower-case ASCII letters and digits: `Geburts-Datum` and `geburtsDatum` have two.
    package let words: [String]
    package let meaning: ColumnMeaning?
    /// How early it is asked for the key; nil where its name does not speak for it.
    package let keyRank: Int?
    package let secrecy: Secrecy

    /// What may be below that nobody must see.
    package enum Secrecy: Sendable {
        case none
        /// The name speaks of passwords, but does not say that the values are some: nothing is shown of them.
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

    /// Nobody is to see secrets, and so they are no key.
    package var mayBeKey: Bool { secrecy == .none }

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
    /// Words that many others have in them: where these begin or end a word it speaks of passwords.
    private static let passwordStems = ["password", "passwort", "passwd", "kennwort"]
    private static let hashWords = ["hash", "digest", "crypted", "bcrypt", "argon"]
    /// Passwords too, where nothing else stands beside them but whose they are.
    private static let shortPasswords: Set = ["pass", "pw", "userpass", "userpw", "loginpass", "loginpw"]
    /// Secrets that are no passwords, as the last words of a name.
    private static let secretEndings = [
        "pass", "pw", "pin", "otp", "cvv", "cvc", "salt", "token", "apikey", "privatekey", "secretkey", "accesskey",
    ]

    /// `user_password` is one; a `password_hint` is none, and is hidden all the same.
    private static func secrecy(_ words: [String]) -> Secrecy {
        // `password1` is one like others.
        let words = words.map(withoutNumber)
        let name = words.joined()
        if name == "hash" { return .hash }
        if shortPasswords.contains(name) { return .password }
        let speaksOfPasswords = passwordWords.contains(name) || words.contains(where: speaksOfPassword)
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

    /// Without the digits at its end, unless there is nothing else.
    private static func withoutNumber(_ word: String) -> String {
        word.lastIndex { !$0.isNumber }.map { String(word[...$0]) } ?? word
    }

    private static func speaksOfPassword(_ word: String) -> Bool {
        passwordWords.contains(word) || passwordStems.contains { word.hasPrefix($0) || word.hasSuffix($0) }
    }
}
