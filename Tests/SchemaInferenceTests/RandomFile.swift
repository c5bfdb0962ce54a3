import ProfileTesting

/// A file of a few columns, as CSV or as lines of JSON: each column has values of one kind, and others among them.
struct RandomFile {
    var bytes: [UInt8] { Array(text.utf8) }
    let text: String
    /// The hashes in the file, which must not be shown.
    let hashes: [String]

    /// What a cell holds.
    fileprivate enum Value {
        case text(String)
        /// JSON text: a number, a word or a list.
        case json(String)
        case absent

        var cell: String {
            switch self {
            case .text(let text), .json(let text): text
            case .absent: ""
            }
        }
    }

    // A recorded seed gives the same file only with the `lastKind` for which it was recorded.
    init(using random: inout SeededGenerator, lastKind: Int = RandomFile.lastKind) {
        let count = random.once(in: 25) ? random.number(98...101) : random.number(1...8)
        let isWide = count > 8
        var names: [String] = []
        for column in 0..<count {
            let name = random.header()
            names.append(isWide || random.once(in: 3) || names.contains(name) ? "\(name)\(column)" : name)
        }
        let kinds = (0..<count).map { _ in random.number(0...lastKind) }
        let controls = lastKind > Self.firstLastKind ? Self.controls : Array(Self.controls.prefix(6))
        // How often another value stands among those of a kind: never, seldom, often.
        let strangers = (0..<count).map { _ in random.one(of: [nil, nil, 200, 40, 6]) }
        let rowCount = random.once(in: 6) ? random.number(100...400) : random.number(0...60)
        var rows = (0..<(isWide ? min(rowCount, 12) : rowCount)).map { row in
            zip(kinds, strangers).map { random.value(of: $0, row, strangers: $1, controls) }
        }
        switch random.number(0...3) {
        case 0:
            let column = random.number(0...count - 1)
            rows.sort { $0[column].cell < $1[column].cell }
        case 1: rows.shuffle(using: &random)
        default: break
        }
        if random.once(in: 3), let again = rows.randomElement(using: &random) {
            rows.insert(again, at: random.number(0...rows.count))
        }
        let cells = rows.joined().map(\.cell)
        hashes = cells.filter { $0.hasPrefix("$argon2id$v=19$m=64,t=1,p=2$c29tZXNhbHQ$") }
        text = random.once(in: 3) ? random.lines(names, rows) : random.table(names, rows)
    }

    static let firstLastKind = 27
    static let lastKind = 32

    /// Cells with characters that no field takes, or that are white space for some programs and not for others.
    private static let controls = [
        "a\u{1}", "a\u{7F}", "a\u{85}", "a\u{1B}[31m", "a\u{9F}", "a\u{2028}", "a\u{B}", "a\u{C}", "\u{B}", "\u{C}7",
        "\u{B}12:30\u{C}",
    ]
}

extension SeededGenerator {
    fileprivate mutating func header() -> String {
        one(of: [
            "id", "user", "e-mail", "Phone ", "zip", "is_", "year", "Größe", "x", "password", "status", "first name",
            "名",
            "username", "Username", "row", "password_hash", "hash", "pwd", "PIN", "secret", "user_id", "1st", "note",
            "active", "pass_word", "created_at", "login", "email", "passwort",
        ])
    }

    fileprivate mutating func hash() -> String {
        "$argon2id$v=19$m=64,t=1,p=2$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRP"
            + one(of: ["Pc", "A0", "B4", "Cw"])
    }

    fileprivate mutating func value(
        of kind: Int, _ row: Int, strangers: Int?, _ controls: [String]
    ) -> RandomFile.Value {
        if let strangers, once(in: strangers) {
            switch number(0...6) {
            case 0: return .text(one(of: ["", " ", "NA", "-", "null", "NULL", "N/A", "0000-00-00", "none", "?"]))
            case 1: return .text(text(0..<8))
            case 2: return .text(one(of: controls))
            case 3: return .text(hash())
            case 4: return .absent
            case 5:
                return .json(
                    one(of: ["1.5", "true", "null", "1e400", "1e-400", "[1]", "{}", "-0", "12345678901234567890"]))
            default: return .text(one(of: ["!", "*", "$2b$", "$argon2id$", "007", "+5", "1e-400", "x"]))
            }
        }
        return .text(text(of: kind, row))
    }

    private mutating func text(of kind: Int, _ row: Int) -> String {
        switch kind {
        case 0: String(row)
        case 1: String(number(-1_000...1_000))
        case 2: "\(number(0...99)).\(digits(2))"
        case 3: "\(number(1...9)).\(digits(3)),\(digits(1))"
        case 4: day(in: one(of: [.iso]))
        case 5: day(in: .dayFirst)
        case 6: "\(number(1...12))/\(number(1...12))/\(number(1990...2020))"
        case 7: one(of: ["yes", "no", "YES"])
        case 8: one(of: ["red", "green", "blue"])
        case 9: "\(digits(3))-\(digits(4))"
        case 10: "p\(number(0...200))@example.org"
        case 11: "00\(digits(4))"
        case 12: "\(day(in: .iso))T\(time())"
        case 13: uuid()
        case 14: hash()
        case 15: once(in: 4) ? one(of: ["NULL", "NA", "-", ""]) : hash()
        case 16: once(in: 150) ? one(of: ["none", "!", "secret"]) : hash()
        case 17: one(of: ["true", "tRUE", "False", "fALSE", "TRUE"])
        case 18: "tRUE"
        case 19:
            one(of: ["1e308", "-0", "-0.0", "1e-400", "1.0E-400", "5e-324", "9223372036854775807", "0.1e-320", "1e400"])
        case 20: one(of: ["1.234,5", "12.345,00", "7,5", "-1.234.567", "0,0"])
        case 21: one(of: ["1 234,5", "1'234.5", "1,234", "1.234", "12"])
        case 22: String(number(1950...2020))
        case 23: "user\(row)"
        case 24: one(of: ["User", "uSER"]) + String(number(0...400))
        case 25: one(of: ["9223372036854775807", "9223372036854775808", "-9223372036854775808", "999999999999999"])
        case 26: one(of: ["Ja", "nein", "NEIN", "j", "J"])
        case 27: text(1..<20)
        case 28: once(in: 30) ? one(of: ["24:00:00", "23:59:60", "12:30:15.5", "12:30:15Z", "7:05:00"]) : time()
        case 29: String(time().dropLast(3))
        case 30: "\(one(of: ["01", "09", "12"])):\(number(10...59)) \(one(of: ["AM", "PM", "am"]))"
        case 31:
            one(of: ["https", "http", "ftp", "HTTPS"]) + "://example.org/\(number(0...200))"
                + one(of: ["", "?q=1", "#top", "/ä", "/%20", "/%zz", "/a b"])
        default: once(in: 2) ? "https://example.org/\(row)" : "http://example.org/\(row)"
        }
    }

    // MARK: CSV

    fileprivate mutating func table(_ names: [String], _ rows: [[RandomFile.Value]]) -> String {
        let delimiter = one(of: [",", ";", "\t", "|"])
        var text = names.map { cell($0, delimiter) }.joined(separator: delimiter) + "\n"
        for row in rows {
            var cells = row.map(\.cell)
            if once(in: 40) { cells.append("surplus") }
            if once(in: 40), cells.count > 1 { cells.removeLast() }
            if once(in: 60) { cells = names }
            let line = cells.map { cell($0, delimiter) }.joined(separator: delimiter)
            text += (line.isEmpty ? "\"\"" : line) + one(of: ["\n", "\r\n"])
        }
        return text
    }

    private mutating func cell(_ text: String, _ delimiter: String) -> String {
        let isQuoted = text.unicodeScalars.contains { "\"\n\r\(delimiter)".unicodeScalars.contains($0) }
        return isQuoted || once(in: 10) ? "\"\(text.replacing("\"", with: "\"\""))\"" : text
    }

    // MARK: JSON

    fileprivate mutating func lines(_ names: [String], _ rows: [[RandomFile.Value]]) -> String {
        let isShuffled = once(in: 3)
        return rows.map { row in
            var members = zip(names, row).compactMap { name, value -> String? in
                switch value {
                case .absent: nil
                case .json(let text): "\(literal(name)):\(text)"
                case .text(let text): "\(literal(name)):\(literal(text))"
                }
            }
            if isShuffled { members.shuffle(using: &self) }
            if once(in: 60) { members.append(one(of: ["\"x\":\"a\\u0000b\"", "\"x\":1,\"x\":2", "7", "\"long\":[]"])) }
            return "{\(members.joined(separator: ","))}\n"
        }.joined()
    }

    private func literal(_ text: String) -> String {
        var literal = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": literal += "\\\(scalar)"
            case "\0"..." ", "\u{7F}": literal += "\\u" + String(String(0x10000 + scalar.value, radix: 16).dropFirst())
            default: literal.unicodeScalars.append(scalar)
            }
        }
        return "\"\(literal)\""
    }
}
