@testable import ProfileCore

/// Makes schema files that are right, and values that fields of them might be given.
struct RandomSchema {
    var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// A schema file with its members in any order and with white space or without.
    mutating func document() -> String {
        var fields: [JSONValue] = [
            object([("name", "username"), ("constraints", object([("required", true), ("unique", true)] + lengths()))])
        ]
        for index in 0..<Int.random(in: 0..<6, using: &random) { fields.append(field("field_\(index)")) }
        if random.once(in: 2) {
            fields.append(
                object([
                    ("name", "password"), ("constraints", object(lengths())),
                    ("profiles", object([("secret", true)] + characters() + requirements())),
                ]))
        }
        fields.shuffle(using: &random)
        return object([("name", "random"), ("fields", .array(fields))]).text(indented: random.once(in: 2))
    }

    private mutating func field(_ name: String) -> JSONValue {
        var constraints: [(String, JSONValue)] = []
        var extensions: [(String, JSONValue)] = []
        if random.once(in: 3) { constraints.append(("required", true)) }
        if random.once(in: 4) { constraints.append(("unique", .bool(random.once(in: 2)))) }
        if random.once(in: 4) {
            extensions.append(("message", object([("required", .string(random.text(0..<9))), ("bad_format", "No")])))
        }
        if random.once(in: 4) { extensions.append(("contentType", "tel")) }
        let type = FieldType.allCases.randomElement(using: &random) ?? .string
        switch type {
        case .string:
            if random.once(in: 4) {
                extensions.append(
                    ("mask", .string(["####-####", "#", "(###)###", "A#-#"].randomElement(using: &random) ?? "#")))
            } else {
                constraints += lengths()
                extensions += characters() + requirements()
            }
            if random.once(in: 6) { constraints.append(("pattern", "\\p{L}.*|[0-9-]+")) }
        case .integer:
            let least = Int64(bitPattern: random.next()) >> Int64.random(in: 0...63, using: &random)
            if random.once(in: 2) { constraints.append(("minimum", .number(least))) }
            if random.once(in: 2) { constraints.append(("maximum", .number(max(least, 100)))) }
            if random.once(in: 6) { constraints = [("enum", [1, "02", .number(-300)])] }
        case .number:
            if random.once(in: 2) { constraints.append(("minimum", .number("-12.50"))) }
            if random.once(in: 2) { constraints.append(("maximum", .number("1E2"))) }
            if random.once(in: 6) { constraints = [("enum", [1, "0.20", .number("3e0")])] }
        case .boolean:
            if random.once(in: 3) { constraints.append(("enum", [.bool(random.once(in: 2))])) }
        case .date:
            if random.once(in: 2) { constraints.append(("minimum", "1900-01-01")) }
            if random.once(in: 2) { constraints.append(("maximum", "today")) }
            if random.once(in: 2) {
                let formats = ["dd/MM/yyyy", "yyyyMMdd", "yyyy-MM-dd", "MM.dd.yyyy", "dd. MM. yyyy"].shuffled(
                    using: &random)
                let chosen = Array(formats.prefix(Int.random(in: 1...5, using: &random)))
                extensions.append(("formats", .array(chosen.map { .string($0) })))
                if random.once(in: 4), let day = CalendarDay(year: 1998, month: 3, day: 4),
                    let format = DateFormat(chosen[chosen.count - 1])
                {
                    constraints.append(("enum", [.string(format.text(of: day))]))
                }
            }
        }
        return object([
            ("name", .string(name)), ("title", .string(name + " title")), ("type", .string(type.rawValue)),
            ("constraints", object(constraints)), ("profiles", object(extensions)),
        ])
    }

    private mutating func object(_ members: [(String, JSONValue)]) -> JSONValue {
        .object(members.shuffled(using: &random).map(JSONMember.init))
    }

    private mutating func lengths() -> [(String, JSONValue)] {
        let least = Int.random(in: 0...3, using: &random)
        return (random.once(in: 2) ? [("minLength", .number(least))] : [])
            + (random.once(in: 2) ? [("maxLength", .number(least + Int.random(in: 1...20, using: &random)))] : [])
    }

    private mutating func characters() -> [(String, JSONValue)] {
        guard random.once(in: 2) else { return [] }
        let known: [JSONValue] = [
            "ascii-letters", "ascii-digits", "letters", "digits", "spaces", "special", "-.", "é€", "\r\n",
        ]
        return [
            ("characters", .array(Array(known.shuffled(using: &random).prefix(Int.random(in: 1...4, using: &random)))))
        ]
    }

    private mutating func requirements() -> [(String, JSONValue)] {
        guard random.once(in: 4), let one = Requirement.allCases.randomElement(using: &random) else { return [] }
        return [("requires", [.string(one.rawValue)])]
    }

    /// A value that a field may well take, or may just not.
    mutating func value(for rules: FieldRules) -> String {
        if random.once(in: 8) { return random.text(0..<30) }
        var text =
            switch rules.type {
            case .integer: integer()
            case .number: random.once(in: 2) ? integer() : "\(Double.random(in: -20...120, using: &random))"
            case .boolean: ["true", "False", "1", "0", "TRUE", "no"].randomElement(using: &random) ?? ""
            case .date: date(in: rules.formats.randomElement(using: &random) ?? .iso)
            case .string: string(for: rules)
            }
        if let listed = rules.allowedValues.randomElement(using: &random), random.once(in: 2) {
            text = rules.typedForm(of: listed)
        }
        if random.once(in: 8), let index = text.unicodeScalars.indices.randomElement(using: &random) {
            text.unicodeScalars.insert(random.scalar(), at: index)
        }
        if random.once(in: 8) { text = " \t" + text + "\r\n" }
        return text
    }

    private mutating func integer() -> String {
        let number = Int64(bitPattern: random.next()) >> Int64.random(in: 0...63, using: &random)
        return (random.once(in: 4) && number >= 0 ? "+00" : "") + String(number)
    }

    private mutating func date(in format: DateFormat) -> String {
        let year = Int.random(in: 1890...2030, using: &random)
        let month = Int.random(in: 1...12, using: &random)
        guard let day = CalendarDay(year: year, month: month, day: Int.random(in: 1...31, using: &random)) else {
            return "30.02.\(year)"
        }
        return format.text(of: random.once(in: 9) ? CalendarDay(year: 1998, month: 3, day: 4) ?? day : day)
    }

    private mutating func string(for rules: FieldRules) -> String {
        if let mask = rules.mask {
            let digits = (0..<mask.digitCount).map { _ in UInt8.random(in: 0x30...0x39, using: &random) }
            return random.once(in: 2) ? mask.text(ofDigits: digits.span) : String(decoding: digits, as: UTF8.self)
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
        let count = Int.random(in: least...max(least, min(rules.maximumLength ?? 12, 60)), using: &random)
        return String((0..<count).map { _ in characters.randomElement(using: &random) ?? "a" })
    }
}
