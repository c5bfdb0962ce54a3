@testable import ProfileCore
import ProfileTesting

/// Makes valid schema files, and values, valid or not, for their fields.
struct RandomSchema {
    var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// A schema file with its members in any order and with white space or without.
    mutating func document() -> String {
        let key: JSONValue = random.once(in: 4) ? "member" : "username"
        var fields: [JSONValue] = [
            object([("name", key), ("constraints", object([("required", true), ("unique", true)] + lengths()))])
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
        return object(
            [("name", "random"), ("fields", .array(fields))] + (key == "username" ? [] : [("primaryKey", key)])
                + missingValues() + importSettings()
        ).text(indented: random.once(in: 2))
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
        if random.once(in: 6) { extensions.append(("columns", [.string("Column of \(name)"), .string(name)])) }
        if random.once(in: 6) { extensions.append(("indexed", .bool(random.once(in: 2)))) }
        if random.once(in: 6), let owner = OwnerAccess.allCases.randomElement(using: &random) {
            extensions.append(("owner", .string(owner.rawValue)))
        }
        var properties = missingValues()
        if case .array(let list) = properties.first?.1, list.contains("NA"), random.once(in: 2) {
            extensions.append(("missing", "NA"))
        }
        let type = FieldType.allCases.randomElement(using: &random) ?? .string
        switch type {
        case .string:
            if random.once(in: 4) {
                extensions.append(
                    ("mask", .string(["####-####", "#", "(###)###", "A#-#"].randomElement(using: &random) ?? "#")))
            } else if random.once(in: 6), let format = StringFormat.allCases.randomElement(using: &random) {
                properties.append(("format", .string(format.rawValue)))
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
            if random.once(in: 4) { properties.append(("groupChar", ",")) }
            if random.once(in: 4) { extensions.append(("unit", "kg")) }
            if random.once(in: 4) { extensions.append(("written", "0")) }
        case .number:
            if random.once(in: 2) { constraints.append(("minimum", .number("-12.50"))) }
            if random.once(in: 2) { constraints.append(("maximum", .number("1E2"))) }
            if random.once(in: 3) { properties.append(("decimalChar", ",")) }
            if random.once(in: 3) { extensions.append(("unit", "€")) }
            if random.once(in: 3) { extensions.append(("written", "0.00")) }
            if random.once(in: 3) { properties.append(("groupChar", random.once(in: 2) ? "'" : "\u{A0}")) }
            if random.once(in: 3) { properties.append(("bareNumber", .bool(random.once(in: 2)))) }
            if random.once(in: 6) { constraints = [("enum", [1, "20", .number("3e0"), .number("0.25")])] }
        case .boolean:
            if random.once(in: 3) { properties.append(("trueValues", ["ja", "J"])) }
            if random.once(in: 3) { properties.append(("falseValues", ["nein", "false"])) }
            if random.once(in: 3) { constraints.append(("enum", [.bool(random.once(in: 2))])) }
        case .date:
            if random.once(in: 2) { constraints.append(("minimum", "1900-01-01")) }
            if random.once(in: 2) { constraints.append(("maximum", "today")) }
            if random.once(in: 2) {
                let formats = [
                    "dd/MM/yyyy", "yyyyMMdd", "yyyy-MM-dd", "MM.dd.yyyy", "dd. MM. yyyy", "%d-%b-%y", "%B %d, %Y",
                ].shuffled(using: &random)
                let chosen = Array(formats.prefix(Int.random(in: 1...5, using: &random)))
                extensions.append(("formats", .array(chosen.map { .string($0) })))
                if random.once(in: 4), let day = CalendarDay(year: 1998, month: 3, day: 4),
                    let format = DateFormat(chosen[chosen.count - 1])
                {
                    constraints.append(("enum", [.string(format.text(of: day))]))
                }
            } else if random.once(in: 2) {
                properties.append(("format", random.once(in: 2) ? "%Y-%m-%d" : "%d/%m/%Y"))
            }
        case .dateTime:
            if random.once(in: 2) { constraints.append(("minimum", "1900-01-01T00:00:00")) }
            if random.once(in: 2) {
                properties.append(("format", "%d.%m.%Y %H:%M:%S"))
                if random.once(in: 2) { extensions.append(("written", "%-d.%m.%Y %-H:%M:%S")) }
            }
        case .time:
            if random.once(in: 2) { constraints.append(("maximum", "20:00:00.5")) }
            if random.once(in: 2) { properties.append(("format", "%I:%M:%S %p")) }
        case .year:
            if random.once(in: 2) { constraints.append(("minimum", 1900)) }
            if random.once(in: 4) { constraints = [("enum", [1999, "2001"])] }
        }
        return object(
            properties + [
                ("name", .string(name)), ("title", .string(name + " title")), ("type", .string(type.rawValue)),
                ("constraints", object(constraints)), ("profiles", object(extensions)),
            ])
    }

    private mutating func importSettings() -> [(String, JSONValue)] {
        guard random.once(in: 4) else { return [] }
        let settings: [(String, JSONValue)] = [
            ("key", ["a", "b/c"]), ("key", "row"), ("encoding", "latin1"), ("delimiter", ";"),
            ("header", false),
            ("skip", 3), ("headerLine", 2), ("comment", "#"), ("pad", true), ("sheet", "Data"),
            ("ignoredColumns", ["", "x"]),
        ]
        return [("profiles", object([settings.randomElement(using: &random) ?? ("pad", true)]))]
    }

    private mutating func missingValues() -> [(String, JSONValue)] {
        guard random.once(in: 4) else { return [] }
        return [("missingValues", [["", "NA"], ["-"], [], ["n/a", " NULL "]].randomElement(using: &random) ?? [])]
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
}
