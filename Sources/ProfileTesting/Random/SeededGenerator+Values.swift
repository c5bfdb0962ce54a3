public import ProfileCore

extension SeededGenerator {
    /// A value that a field may well take, or may just not.
    public mutating func value(for rules: FieldRules) -> String {
        if once(in: 8) { return text(0..<30) }
        var text =
            switch rules.type {
            case .integer: integer()
            case .number: once(in: 2) ? integer() : "\(Double.random(in: -20...120, using: &self))"
            case .boolean: ["true", "False", "1", "0", "TRUE", "no"].randomElement(using: &self) ?? ""
            case .date: date(in: rules.formats.randomElement(using: &self) ?? .iso)
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
        let characters = Array(palette.joined())
        let least = rules.minimumLength ?? 0
        let count = Int.random(in: least...max(least, min(rules.maximumLength ?? 12, 60)), using: &self)
        return String((0..<count).map { _ in characters.randomElement(using: &self) ?? "a" })
    }
}
