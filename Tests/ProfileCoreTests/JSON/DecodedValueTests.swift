import Foundation
import ProfileCore
import Testing
import Watchdog

/// Drafts, values and schemas that a decoder reads from JSON.
@Suite(.watched) struct DecodedValueTests {
    private static let custom = """
        {"fields":[{"name":"username","constraints":{"required":true,"unique":true}},
         {"name":"fee","type":"number","decimalChar":",","groupChar":"."},
         {"name":"member","type":"boolean","trueValues":["ja"],"falseValues":["nein"]},
         {"name":"age","type":"integer"},{"name":"note"}]}
        """

    private func draft(_ text: String) throws -> ProfileDraft {
        try JSONDecoder().decode(ProfileDraft.self, from: Data(text.utf8))
    }

    @Test func `numbers and booleans of JSON are valid whatever the notation of their field`() throws {
        let schema = try ProfileSchema(parsing: Self.custom)
        let draft = try draft(#"{"username":"ann","fee":1234.5,"member":true,"age":-7,"note":null}"#)
        let valid = try ProfileValidator(schema).validate(draft, on: .latest)
        #expect(valid["fee"] == "1234.5")
        #expect(valid["member"] == "true")
        #expect(valid["age"] == "-7")
        #expect(valid["note"] == nil)
        // Typed text has the notation of the field. There this is one thousand two hundred and thirty-four.
        var typed = draft
        typed["fee"] = "1.234"
        #expect(try ProfileValidator(schema).validate(typed, on: .latest)["fee"] == "1234")
    }

    @Test func `S6: a value keeps its notation wherever it is copied to`() throws {
        let validator = ProfileValidator(try ProfileSchema(parsing: Self.custom))
        let changes = try draft(#"{"fee":1.234,"member":false}"#)
        var copied = ProfileDraft(["username": "ann", "fee": "5", "member": "ja"])
        for (name, value) in changes.values { copied[name] = value }
        var assigned = ProfileDraft(["username": "ann"])
        let fee = changes["fee"]
        assigned["fee"] = fee
        let member = try FieldName.named("member")
        assigned[member] = changes[member]
        var merged = ProfileDraft(["username": "ann", "fee": "5", "age": "7"])
        merged.merge(changes)
        for draft in [copied, assigned, merged] {
            let valid = try validator.validate(draft, on: .latest)
            #expect(valid["fee"] == "1.234")
            #expect(valid["member"] == "false")
        }
        #expect(try validator.validate(merged, on: .latest)["age"] == "7")
        var typed = merged
        typed["fee"] = "\(changes["fee"]?.text ?? "")"
        #expect(try validator.validate(typed, on: .latest)["fee"] == "1234")
    }

    @Test func `S6: a missing value of the secret field is no hash, and may be a password`() throws {
        let schema = try ProfileSchema.with(
            #"{"name":"password","missingValues":["NULL"],"constraints":{"minLength":6},"profiles":{"secret":true}}"#)
        #expect(try ProfileSchema(parsing: schema.document()) == schema)
        let validator = ProfileValidator(schema)
        #expect(try validator.issues(of: ProfileDraft(["username": "a", "password_hash": " NULL "])).isEmpty)
        #expect(
            try validator.issues(of: ProfileDraft(["username": "a", "password": "NULL"])).map(\.code) == [.tooShort])
        let both = ProfileDraft(["username": "a", "password": "Sunflower7", "password_hash": "NULL"])
        #expect(try validator.issues(of: both).isEmpty)
    }

    @Test func `a draft with changes brings its password or its hash, and else leaves both`() throws {
        var draft = ProfileDraft(["password_hash": "$x", "username": "ann"])
        draft.merge(ProfileDraft(["username": "bob"]))
        #expect(draft.passwordHash == "$x" && draft[.username]?.text == "bob")
        draft.merge(ProfileDraft(["password": "aK8oio"]))
        #expect(draft.passwordHash == nil && draft.password == Secret("aK8oio"))
    }

    @Test func `S6: a fraction of JSON is no integer, also where points group its digits`() throws {
        let schema = try ProfileSchema.with(#"{"name":"n","type":"integer","groupChar":"."}"#)
        let validator = ProfileValidator(schema)
        #expect(try validator.validate(ProfileDraft(["username": "a", "n": "1.234"]), on: .latest)["n"] == "1234")
        let draft = try draft(#"{"username":"a","n":1.234}"#)
        #expect(try validator.issues(of: draft).map(\.code) == [.badFormat])
        #expect(throws: SchemaFailure.self) {
            try ProfileSchema.with(#"{"name":"n","type":"integer","groupChar":".","constraints":{"enum":[1.234]}}"#)
        }
    }

    @Test(arguments: ["1e-400", "1e400", "-1e-400", "-1e400"])
    func `S6: a number that is too small or too large for a double is an issue, and does not become 0`(text: String)
        throws
    {
        let validator = ProfileValidator(try ProfileSchema.with(#"{"name":"x","type":"number"}"#))
        var draft = ProfileDraft(["username": "a", "x": text])
        #expect(try validator.issues(of: draft).map(\.code) == [.badFormat])
        draft["x"] = DraftValue(canonical: text)
        #expect(try validator.issues(of: draft).map(\.code) == [.badFormat])
        for bound in ["minimum", "maximum"] {
            #expect(throws: SchemaFailure.self) {
                try ProfileSchema.with(#"{"name":"x","type":"number","constraints":{"\#(bound)":\#(text)}}"#)
            }
        }
    }

    /// Text that means no value or another value, but only in the notation of the field.
    @Test(arguments: [
        (#""type":"number","decimalChar":",","groupChar":".","missingValues":["1.234"]"#, "1.234", "1.234"),
        (#""type":"date","format":"%d/%m/%Y","missingValues":["1900-01-01"]"#, "1900-01-01", "1900-01-01"),
        (#""type":"date","format":"%d.%m.%y""#, "1924-03-05", "1924-03-05"),
        (#""type":"datetime","format":"%d.%m.%Y %H:%M""#, "2024-03-05T07:05:09", "2024-03-05T07:05:09"),
        (#""type":"time","format":"%H:%M""#, "07:05:09", "07:05:09"),
        (#""type":"boolean","trueValues":["no"],"falseValues":["true"]"#, "true", "true"),
        (#""type":"boolean","missingValues":["true"],"trueValues":["true","yes"]"#, "true", "true"),
        (#""type":"boolean","trueValues":["1"],"falseValues":["0"]"#, "1", "true"),
        (#""type":"date","profiles":{"formats":["yyyyMMdd"]}"#, "19980115", "1998-01-15"),
        (#""type":"number","missingValues":["-99"]"#, "-99.0", nil),
        (#""type":"string","missingValues":["7"]"#, "7", nil),
    ])
    func `S6: a canonical value is read as the store and JSON write it`(
        rules: String, text: String, stored: String?
    ) throws {
        let validator = ProfileValidator(try ProfileSchema.with(#"{"name":"x",\#(rules)}"#))
        var draft = ProfileDraft(["username": "a"])
        draft["x"] = DraftValue(canonical: text)
        #expect(try validator.validate(draft, on: .latest)["x"] == stored)
    }

    @Test func `a draft takes a password as a secret, and a hash as one`() throws {
        let draft = try draft(#"{"username":"ann","password":"aK8oio","password_hash":"$x"}"#)
        #expect(draft.values.mapValues(\.text) == ["username": "ann"])
        #expect(draft.password == Secret("aK8oio"))
        #expect(draft.passwordHash == "$x")
    }

    @Test(arguments: [
        (#"{"username":["ann"]}"#, "username"), (#"{"username":"a","note":{"a":1}}"#, "note"), ("[]", nil), ("3", nil),
    ])
    func `JSON that is not an object of single values is refused with its path`(text: String, key: String?) throws {
        let error = try #require(throws: DecodingError.self) { try draft(text) }
        guard case .typeMismatch(_, let context) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(context.codingPath.map(\.stringValue) == [key].compactMap(\.self))
    }

    @Test func `a draft is made of values by the names of fields`() {
        var draft = ProfileDraft([.username: "ann", "note": "hi"])
        #expect(draft.values.mapValues(\.text) == ["username": "ann", "note": "hi"])
        draft[.phone] = "78761241"
        draft[.username] = nil
        #expect(draft[.phone]?.text == "78761241")
        #expect(draft.values.mapValues(\.text) == ["note": "hi", "phone": "78761241"])
        draft[.password] = "aK8oio"
        #expect(draft.password == Secret("aK8oio"))
    }

    @Test func `a schema comes through an encoder and a decoder as it was`() throws {
        for schema in [ProfileSchema.standard, try ProfileSchema(parsing: Self.custom)] {
            let decoded = try JSONDecoder().decode(ProfileSchema.self, from: JSONEncoder().encode(schema))
            #expect(decoded == schema)
            #expect(decoded.document() == schema.document())
        }
    }

    @Test func `S5: a schema is refused with every path, as its parser does`() throws {
        let text =
            #"{"fields":[{"name":"Username"},{"name":"age","type":"integer","constraints":{"minLength":2}}],"x":1}"#
        let error = try #require(throws: DecodingError.self) {
            try JSONDecoder().decode(ProfileSchema.self, from: Data(text.utf8))
        }
        let failure = try #require(throws: SchemaFailure.self) { try ProfileSchema(parsing: text) }
        guard case .dataCorrupted(let context) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(context.underlyingError as? SchemaFailure == failure)
        #expect(context.debugDescription == failure.description)
        #expect(failure.errors.count == 3)
    }

    @Test func `a field name can be a literal, and a decoded one is validated`() throws {
        let name: FieldName = "postal_code"
        #expect(name == .postalCode)
        #expect(try JSONDecoder().decode([FieldName].self, from: Data(#"["phone"]"#.utf8)) == [.phone])
        #expect(try JSONEncoder().encode([FieldName.phone]) == Data(#"["phone"]"#.utf8))
        let error = try #require(throws: DecodingError.self) {
            try JSONDecoder().decode([FieldName].self, from: Data(#"["phone","Phone"]"#.utf8))
        }
        guard case .dataCorrupted(let context) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(context.codingPath.map(\.intValue) == [1])
    }

    @Test func `a literal that is no name of a field stops the program`() async {
        await #expect(processExitsWith: .failure) {
            let name: FieldName = "Not a name"
            print(name)
        }
    }

    @Test func `an issue is encoded with its field, code and message`() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let issues = [ValidationIssue(.phone, .tooShort(minimum: 8)), ValidationIssue(nil, .badEncoding)]
        #expect(
            String(decoding: try encoder.encode(issues), as: UTF8.self) == """
                [{"code":"too_short","field":"phone","message":"phone should have at least 8 characters"},\
                {"code":"bad_encoding","field":null,"message":"\(issues[1].message(label: "The row"))"}]
                """)
    }

    @Test func `JSON that is nested deeper than the parser takes is refused, and nothing traps`() throws {
        let text = String(repeating: "[", count: 400) + String(repeating: "]", count: 400)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(ProfileSchema.self, from: Data(text.utf8)) }
    }
}
