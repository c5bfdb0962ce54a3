public import ProfileCore

extension SeededGenerator {
    /// Returns a random value for a field. Most values are either valid or nearly valid.
    public mutating func value(for rules: FieldRules) -> String {
        if once(in: 8) { return text(0..<30) }
        var text =
            switch rules.type {
            case .integer: integer()
            case .number:
                once(in: 2) ? integer() : rules.typedForm(of: "\(Double.random(in: -20...120, using: &self))")
            case .boolean: (rules.trueValues + rules.falseValues + ["no"]).randomElement(using: &self) ?? ""
            case .date: date(in: rules.formats.randomElement(using: &self) ?? .iso)
            case .dateTime: moment(for: rules)
            case .time: rules.typedForm(of: time())
            case .year: once(in: 4) ? integer() : String(Int.random(in: 1000...9999, using: &self))
            case .string: string(for: rules)
            }
        if let listed = rules.allowedValues.randomElement(using: &self), once(in: 2) {
            text = rules.typedForm(of: listed)
        }
        if once(in: 8), let index = text.unicodeScalars.indices.randomElement(using: &self) {
            text.unicodeScalars.insert(scalar(), at: index)
        }
        if once(in: 8) { text = " \t" + text + "\r\n" }
        return text
    }

    private mutating func integer() -> String {
        let number = Int64(bitPattern: next()) >> Int64.random(in: 0...63, using: &self)
        return (once(in: 4) && number >= 0 ? "+00" : "") + String(number)
    }

    private mutating func time() -> String {
        let parts = (0..<3).map { Int.random(in: 0..<($0 == 0 ? 24 : 60), using: &self) }
        return parts.map { $0 < 10 ? "0\($0)" : String($0) }.joined(separator: ":") + (once(in: 4) ? ".125Z" : "")
    }

    private mutating func moment(for rules: FieldRules) -> String {
        rules.typedForm(of: date(in: .iso) + "T" + time())
    }

    private mutating func date(in format: DateFormat) -> String {
        let year = Int.random(in: 1890...2030, using: &self)
        let month = Int.random(in: 1...12, using: &self)
        guard let day = CalendarDay(year: year, month: month, day: Int.random(in: 1...31, using: &self)) else {
            return "30.02.\(year)"
        }
        return format.text(of: once(in: 9) ? CalendarDay(year: 1998, month: 3, day: 4) ?? day : day)
    }

    private mutating func string(for rules: FieldRules) -> String {
        if let mask = rules.mask {
            let pattern = once(in: 2) ? mask.pattern : mask.pattern.filter { $0 == "#" }
            return String(pattern.map { $0 == "#" ? "0123456789".randomElement(using: &self) ?? "0" : $0 })
        }
        switch rules.stringFormat {
        case .email: return text(of: "abcXYZ019.-+é", 1...9) + "@" + text(of: "abc019-é", 1...9) + ".example"
        case .uri: return "https:" + text(of: "abcXYZ019/?#%é", 1...20)
        case .uuid: return [8, 4, 4, 4, 12].map { text(of: "0123456789abcdefABCDEF", $0...$0) }.joined(separator: "-")
        case nil: break
        }
        let palette = (rules.characters ?? [.letters, .spaces, .list("\t\u{300}👩‍👩‍👧🇸🇬")]).map { one in
            switch one {
            case .asciiLetters: "abcXYZ"
            case .asciiDigits: "0123456789"
            case .letters: "abcéßжあ"
            case .digits: "019٣५"
            case .spaces: " "
            case .special: "!#-.~"
            case .list(let characters): characters
            }
        }
        let least = rules.minimumLength ?? 0
        return text(of: palette.joined(), least...max(least, min(rules.maximumLength ?? 12, 60)))
    }

    private mutating func text(of palette: String, _ counts: ClosedRange<Int>) -> String {
        let characters = Array(palette)
        let count = Int.random(in: counts, using: &self)
        return String((0..<count).map { _ in characters.randomElement(using: &self) ?? "a" })
    }
}
