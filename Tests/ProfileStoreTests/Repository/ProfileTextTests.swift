import Foundation
import ProfileCore
import ProfileStore
import ProfileTesting
import Testing
import Watchdog

/// The JSON text of profiles and pages, compared with the JSON of an encoder.
@Suite(.watched) struct ProfileTextTests {
    private static let schema = """
        {"fields":[{"name":"username","constraints":{"required":true,"unique":true}},{"name":"zeta"},
         {"name":"age","type":"integer"},{"name":"alpha"},{"name":"score","type":"number"},
         {"name":"member","type":"boolean"},{"name":"born","type":"year"},{"name":"since","type":"date"}]}
        """
    private static let facts = ["id", "revision", "created_at", "updated_at", "schema_version", "status"]

    private func profile(_ schema: ProfileSchema, _ random: inout SeededGenerator) -> Profile {
        let values: [String?] = schema.openFields.map { rules in
            guard rules.name == .username || !random.once(in: 4) else { return nil }
            // A value that another program wrote may not match the type of its field.
            if random.once(in: 10) { return random.text(0..<6) }
            return switch rules.type {
            case .integer: String(Int64.random(in: .min ... .max, using: &random))
            case .number: ["1.50", "-0.1", "12345678901234567890.123456789", "1e3"].randomElement(using: &random)
            case .boolean: random.once(in: 2) ? "true" : "false"
            case .year: "0099"
            case .date: "2024-02-29"
            default: random.text(0..<12) + ["", "\u{1B}[2J", "\u{9B}", "\u{202E}", "\u{2066}"][Int(random.next() % 5)]
            }
        }
        let issues = (0..<Int.random(in: 0..<3, using: &random)).map {
            ReportedIssue(field: $0 == 0 ? nil : "age", code: "bad_format", message: random.text(0..<9), count: 1 + $0)
        }
        return Profile(
            id: Int64.random(in: 1 ... .max, using: &random), revision: Int64.random(in: 1 ... .max, using: &random),
            createdAt: Timestamp(millisecondsSince1970: Int64.random(in: 0..<4_000_000_000_000, using: &random)),
            updatedAt: Timestamp(millisecondsSince1970: Int64.random(in: .min ... .max, using: &random)),
            schemaVersion: 3, issues: issues, hasPassword: false, schema: schema, values: values)
    }

    @Test func `an owner's profile lacks the values and issues of hidden fields`() throws {
        let fields = #"{"name":"username","constraints":{"required":true,"unique":true}},{"name":"zeta"}"#
        let schema = try ProfileSchema(
            parsing: #"{"fields":[\#(fields),{"name":"risk","profiles":{"owner":"hidden"}},{"name":"age"}]}"#)
        let time = Timestamp(millisecondsSince1970: 0)
        let issues = ["risk", "age", nil].map { ReportedIssue(field: $0, code: "bad_format", message: "x") }
        let profile = Profile(
            id: 1, revision: 1, createdAt: time, updatedAt: time, schemaVersion: 1, issues: issues, hasPassword: false,
            schema: schema, values: ["ann", nil, "high", "7"])
        #expect(profile.json["values"] == ["username": "ann", "zeta": nil, "risk": "high", "age": "7"])
        #expect(profile.ownerJSON["values"] == ["username": "ann", "zeta": nil, "age": "7"])
        #expect(profile.ownerJSON["issues"] == .array(issues.dropFirst().map(\.json)))
        #expect(!profile.ownerJSON.text().contains("risk"))
    }

    @Test func `profiles and pages write what an encoder writes, in the schema's order and with every digit`() throws {
        var random = SeededGenerator(printingSeedOf: "profiles as JSON")
        let schema = try ProfileSchema(parsing: Self.schema)
        for _ in 0..<60 {
            let profiles = (0..<Int.random(in: 1..<4, using: &random)).map { _ in profile(schema, &random) }
            let page = ProfilePage(profiles: profiles, next: random.once(in: 2) ? ProfileCursor("7") : nil)
            try expectSame(page, page.json.text(), page.json.utf8())
            for profile in profiles {
                let text = profile.json.text()
                try expectSame(profile, text, profile.json.utf8())
                guard case .object(let members) = try JSONValue(parsing: text) else {
                    Issue.record("no object: \(text)")
                    continue
                }
                #expect(members.map(\.name) == Self.facts + ["values"] + (profile.issues.isEmpty ? [] : ["issues"]))
                guard case .object(let values)? = members.first(where: { $0.name == "values" })?.value else {
                    Issue.record("no values: \(text)")
                    continue
                }
                #expect(values.map(\.name) == schema.openFields.map(\.name.text))
                for (member, value) in zip(values, profile.values) {
                    switch member.value {
                    case .number(let text), .string(let text): #expect(text == value)
                    case .bool(let flag): #expect(String(flag) == value)
                    case .null: #expect(value == nil)
                    default: Issue.record("\(member)")
                    }
                }
            }
        }
    }

    private func expectSame(_ value: some Encodable, _ text: String, _ bytes: [UInt8]) throws {
        #expect(Array(text.utf8) == bytes)
        #expect(!text.unicodeScalars.contains(where: isUnsafe))
        let encoded = try JSONValue(parsing: String(decoding: JSONEncoder().encode(value), as: UTF8.self))
        #expect(try JSONValue(parsing: text).comparable == encoded.comparable)
    }

    /// Controls, line separators and the marks that turn the direction of writing.
    private func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: scalar.properties.isBidiControl
        }
    }
}

extension JSONValue {
    /// The value with sorted members, and with numbers as an encoder rounds them.
    fileprivate var comparable: JSONValue {
        switch self {
        case .object(let members):
            .object(members.map { JSONMember($0.name, $0.value.comparable) }.sorted { $0.name < $1.name })
        case .array(let elements): .array(elements.map(\.comparable))
        case .number(let text):
            .number(
                (Int64(text) ?? Double(text).flatMap(Int64.init(exactly:))).map(String.init)
                    ?? Double(text)?.description ?? text)
        default: self
        }
    }
}
