@testable import ProfileCore
import ProfileTesting

/// Makes schema files that are right, and values that fields of them might be given.
struct RandomSchema {
    var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

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
}
