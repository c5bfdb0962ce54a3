import ProfileCore
import Testing
import Watchdog

@Suite(.watched) struct SchemaParserTests {
    @Test func `S6: a schema file may say everything that there is to say of a field`() throws {
        let schema = try ProfileSchema(
            parsing: #"""
                {"$schema":"https://example.org/schema.json","name":"club","title":"Club","description":"Members",
                 "missingValues":[""],"primaryKey":["username"],"fields":[
                  {"name":"username","constraints":{"required":true,"unique":true,"maxLength":20}},
                  {"name":"display_name","title":"Shown as","type":"string","format":"default","description":"x",
                   "example":"Foo","rdfType":"x",
                   "constraints":{"minLength":1,"maxLength":40,"pattern":"\\p{L}.*","enum":["Foo","Bär"]},
                   "profiles":{"characters":["letters","digits","spaces","-'"],"requires":["uppercase","lowercase"],
                   "message":{"too_long":"Too much","bad_character":"No"},"contentType":"nickname"}},
                  {"name":"code","profiles":{"mask":"(##/##"}},
                  {"name":"age","type":"integer","constraints":{"minimum":-5,"maximum":150,"enum":[18,"021"]}},
                  {"name":"height","type":"number","constraints":{"minimum":0.5,"maximum":2.5e0}},
                  {"name":"active","type":"boolean","constraints":{"required":true,"enum":[true]}},
                  {"name":"since","type":"date","format":"%Y-%m-%d",
                   "constraints":{"minimum":"2000-02-29","maximum":"today","enum":["15/01/2001"]},
                   "profiles":{"formats":["dd/MM/yyyy","yyyyMMdd"]}}
                ]}
                """#)
        #expect(schema.name == "club")
        #expect(schema.fields.map(\.title) == ["Username", "Shown as", "Code", "Age", "Height", "Active", "Since"])
        let shown = schema.fields[1]
        #expect(shown.characters == [.letters, .digits, .spaces, .list("-'")])
        #expect(shown.requirements == [.uppercase, .lowercase])
        #expect(shown.pattern?.text == "\\p{L}.*")
        #expect(shown.allowedValues == ["Foo", "Bär"])
        #expect(shown.messages == [.tooLong: "Too much", .badCharacter: "No"])
        #expect(shown.contentType == "nickname")
        #expect(schema.fields[2].mask == Mask("(##/##"))
        #expect(schema.fields[3].minimum == .integer(-5))
        #expect(schema.fields[3].maximum == .integer(150))
        #expect(schema.fields[3].allowedValues == ["18", "21"])
        #expect(schema.fields[4].minimum == .number(0.5))
        #expect(schema.fields[4].maximum == .number(2.5))
        #expect(schema.fields[5].type == .boolean)
        #expect(schema.fields[5].allowedValues == ["true"])
        #expect(schema.fields[6].minimum == .day(try ProfileSchema.day(2000, 2, 29)))
        #expect(schema.fields[6].maximum == .today)
        #expect(schema.fields[6].formats.map(\.pattern) == ["dd/MM/yyyy", "yyyyMMdd"])
        #expect(schema.fields[6].allowedValues == ["2001-01-15"])
        #expect(try ProfileSchema(parsing: schema.document()) == schema)
    }

    @Test func `S6: a schema needs a username and no other field, and is named by its caller if it does not say`()
        throws
    {
        let text = #"{"fields":[{"name":"username","constraints":{"required":true,"unique":true}}]}"#
        let schema = try ProfileSchema(parsing: text, defaultName: "mine")
        #expect(schema.name == "mine")
        #expect(schema.fields.count == 1)
        #expect(!schema.hasPassword)
        #expect(try ProfileSchema(parsing: text).name == "custom")
    }

    @Test(arguments: [1, 99, 100])
    func `S6: a schema may have a hundred fields`(others: Int) throws {
        let fields = (1...others).map { #"{"name":"f\#($0)"}"# }.joined(separator: ",")
        let document = ProfileSchema.documentWith(fields)
        if others < 100 {
            #expect(try ProfileSchema(parsing: document).fields.count == others + 1)
        } else {
            let error = #expect(throws: SchemaError.self) { try ProfileSchema(parsing: document) }
            #expect(error?.path == "$.fields")
        }
    }

    @Test(arguments: [
        ("", "$"), ("{", "$"), ("[]", "$"), ("null", "$"), (#"{"fields":[],"fields":[]}"#, "$"), ("{}", "$.fields"),
        (#"{"fields":{}}"#, "$.fields"), (#"{"fields":[]}"#, "$.fields"), (#"{"fields":[1]}"#, "$.fields[0]"),
        (#"{"fields":[{"name":"email"}]}"#, "$.fields"), (#"{"fields":[{}]}"#, "$.fields[0].name"),
        (#"{"name":1,"fields":[{"name":"username","constraints":{"required":true,"unique":true}}]}"#, "$.name"),
        (#"{"fields":[],"foreignKeys":[]}"#, "$.foreignKeys"),
        (#"{"fields":[],"missingValues":["-"]}"#, "$.missingValues"),
        (#"{"fields":[],"primaryKey":"id"}"#, "$.primaryKey"),
        (#"{"fields":[{"name":"username"}]}"#, "$.fields[0].constraints.required"),
        (#"{"fields":[{"name":"username","constraints":{"required":true}}]}"#, "$.fields[0].constraints.unique"),
        (#"{"fields":[{"name":"username","constraints":{"unique":true}}]}"#, "$.fields[0].constraints.required"),
        (
            #"{"fields":[{"name":"username","type":"integer","constraints":{"required":true,"unique":true}}]}"#,
            "$.fields[0].type"
        ),
    ])
    func `S6: a document that is wrong as a whole is refused with the path`(document: String, path: String) {
        let error = #expect(throws: SchemaError.self) { try ProfileSchema(parsing: document) }
        #expect(error?.path == path, "\(String(describing: error))")
        #expect(error?.reason.text.isEmpty == false)
    }

    /// What is wrong with `fields[1]`, and the end of the path that follows it.
    private static let wrongFields: [(String, String)] = [
        (#""x""#, ""), (#"{"title":"x"}"#, ".name"), (#"{"name":5}"#, ".name"), (#"{"name":""}"#, ".name"),
        (#"{"name":"E-mail"}"#, ".name"), (#"{"name":"Email"}"#, ".name"), (#"{"name":"1st"}"#, ".name"),
        (#"{"name":"_x"}"#, ".name"), (#"{"name":"é"}"#, ".name"), (#"{"name":"id"}"#, ".name"),
        (#"{"name":"password_hash"}"#, ".name"),
        (#"{"name":"username","constraints":{"required":true,"unique":true}}"#, ".name"),
        (#"{"name":"\#(String(repeating: "x", count: 64))"}"#, ".name"),
        (#"{"name":"x","title":null}"#, ".title"), (#"{"name":"x","type":"object"}"#, ".type"),
        (#"{"name":"x","type":1}"#, ".type"),
        (#"{"name":"x","format":"email"}"#, ".format"), (#"{"name":"x","type":"date","format":"%d"}"#, ".format"),
        (#"{"name":"x","requird":true}"#, ".requird"), (#"{"name":"x","required":true}"#, ".required"),
        (#"{"name":"x","constraints":[]}"#, ".constraints"), (#"{"name":"x","profiles":true}"#, ".profiles"),
        (#"{"name":"x","constraints":{"minlength":1}}"#, ".constraints.minlength"),
        (#"{"name":"x","constraints":{"jsonSchema":{}}}"#, ".constraints.jsonSchema"),
        (#"{"name":"x","constraints":{"mask":"+#"}}"#, ".constraints.mask"),
        (#"{"name":"x","profiles":{"pattern":"a"}}"#, ".profiles.pattern"),
        (#"{"name":"x","constraints":{"required":"yes"}}"#, ".constraints.required"),
        (#"{"name":"x","constraints":{"unique":1}}"#, ".constraints.unique"),
        (#"{"name":"x","constraints":{"minLength":-1}}"#, ".constraints.minLength"),
        (#"{"name":"x","constraints":{"minLength":1.5}}"#, ".constraints.minLength"),
        (#"{"name":"x","constraints":{"maxLength":"5"}}"#, ".constraints.maxLength"),
        (#"{"name":"x","constraints":{"maxLength":0}}"#, ".constraints.maxLength"),
        (#"{"name":"x","constraints":{"maxLength":1048577}}"#, ".constraints.maxLength"),
        (#"{"name":"x","constraints":{"maxLength":99999999999999999999}}"#, ".constraints.maxLength"),
        (#"{"name":"x","constraints":{"minLength":3,"maxLength":2}}"#, ".constraints.minLength"),
        (#"{"name":"x","constraints":{"minimum":1}}"#, ".constraints.minimum"),
        (#"{"name":"x","type":"boolean","constraints":{"maximum":1}}"#, ".constraints.maximum"),
        (#"{"name":"x","type":"integer","constraints":{"minimum":"1"}}"#, ".constraints.minimum"),
        (#"{"name":"x","type":"integer","constraints":{"minimum":1.5}}"#, ".constraints.minimum"),
        (#"{"name":"x","type":"integer","constraints":{"maximum":9223372036854775808}}"#, ".constraints.maximum"),
        (#"{"name":"x","type":"integer","constraints":{"minimum":2,"maximum":1}}"#, ".constraints.minimum"),
        (#"{"name":"x","type":"number","constraints":{"maximum":1e400}}"#, ".constraints.maximum"),
        (#"{"name":"x","type":"number","constraints":{"minimum":0.2,"maximum":0.1}}"#, ".constraints.minimum"),
        (#"{"name":"x","type":"date","constraints":{"minimum":"1900-02-29"}}"#, ".constraints.minimum"),
        (#"{"name":"x","type":"date","constraints":{"minimum":"tomorrow"}}"#, ".constraints.minimum"),
        (#"{"name":"x","type":"date","constraints":{"minimum":19000101}}"#, ".constraints.minimum"),
        (
            #"{"name":"x","type":"date","constraints":{"minimum":"2000-01-02","maximum":"2000-01-01"}}"#,
            ".constraints.minimum"
        ),
        (#"{"name":"x","type":"integer","constraints":{"minLength":1}}"#, ".constraints.minLength"),
        (#"{"name":"x","type":"date","constraints":{"pattern":"a"}}"#, ".constraints.pattern"),
        (#"{"name":"x","constraints":{"pattern":"(a"}}"#, ".constraints.pattern"),
        (#"{"name":"x","constraints":{"pattern":5}}"#, ".constraints.pattern"),
        (#"{"name":"x","constraints":{"enum":[]}}"#, ".constraints.enum"),
        (#"{"name":"x","constraints":{"enum":"a"}}"#, ".constraints.enum"),
        (#"{"name":"x","constraints":{"enum":["a",1]}}"#, ".constraints.enum[1]"),
        (#"{"name":"x","constraints":{"enum":[""]}}"#, ".constraints.enum[0]"),
        (#"{"name":"x","constraints":{"maxLength":1,"enum":["a","bb"]}}"#, ".constraints.enum[1]"),
        (#"{"name":"x","type":"integer","constraints":{"enum":[1.5]}}"#, ".constraints.enum[0]"),
        (#"{"name":"x","type":"boolean","constraints":{"enum":["maybe"]}}"#, ".constraints.enum[0]"),
        (#"{"name":"x","type":"date","constraints":{"enum":["1.1.2000"]}}"#, ".constraints.enum[0]"),
        (#"{"name":"x","profiles":{"characters":"digits"}}"#, ".profiles.characters"),
        (#"{"name":"x","profiles":{"characters":[]}}"#, ".profiles.characters"),
        (#"{"name":"x","profiles":{"characters":["digits","ascii-leters"]}}"#, ".profiles.characters[1]"),
        (#"{"name":"x","profiles":{"characters":[""]}}"#, ".profiles.characters[0]"),
        (#"{"name":"x","profiles":{"characters":["-\u0000"]}}"#, ".profiles.characters[0]"),
        (#"{"name":"x","profiles":{"characters":[7]}}"#, ".profiles.characters[0]"),
        (#"{"name":"x","profiles":{"requires":["symbol"]}}"#, ".profiles.requires[0]"),
        (#"{"name":"x","type":"number","profiles":{"requires":["digit"]}}"#, ".profiles.requires"),
        (#"{"name":"x","profiles":{"mask":"----"}}"#, ".profiles.mask"),
        (#"{"name":"x","profiles":{"mask":"+## ##"}}"#, ".profiles.mask"),
        (#"{"name":"x","type":"integer","profiles":{"mask":"+##"}}"#, ".profiles.mask"),
        (#"{"name":"x","constraints":{"maxLength":2},"profiles":{"mask":"+##"}}"#, ".constraints.maxLength"),
        (#"{"name":"x","profiles":{"mask":"+##","characters":["digits"]}}"#, ".profiles.characters"),
        (#"{"name":"x","profiles":{"secret":true}}"#, ".profiles.secret"),
        (#"{"name":"password"}"#, ".profiles.secret"),
        (#"{"name":"password","constraints":{"unique":true},"profiles":{"secret":true}}"#, ".constraints.unique"),
        (#"{"name":"password","constraints":{"enum":["a"]},"profiles":{"secret":true}}"#, ""),
        (#"{"name":"x","profiles":{"formats":["yyyyMMdd"]}}"#, ".profiles.formats"),
        (#"{"name":"x","type":"date","profiles":{"formats":[]}}"#, ".profiles.formats"),
        (#"{"name":"x","type":"date","profiles":{"formats":["yyyyMMdd","yy-MM-dd"]}}"#, ".profiles.formats[1]"),
        (#"{"name":"x","type":"date","profiles":{"formats":["yyyyMMdd","ddMMyyyy"]}}"#, ".profiles.formats[1]"),
        (#"{"name":"x","type":"date","profiles":{"formats":[" yyyyMMdd"]}}"#, ".profiles.formats[0]"),
        (#"{"name":"x","profiles":{"message":{"too_big":"x"}}}"#, ".profiles.message.too_big"),
        (#"{"name":"x","profiles":{"message":{"required":1}}}"#, ".profiles.message.required"),
        (#"{"name":"x","profiles":{"message":"x"}}"#, ".profiles.message"),
        (#"{"name":"x","profiles":{"contentType":1}}"#, ".profiles.contentType"),
        (#"{"name":"x","profiles":{"colour":"red"}}"#, ".profiles.colour"),
    ]

    @Test(arguments: wrongFields)
    func `S6: a field that is wrong is refused with the path and the reason`(field: String, path: String) {
        let error = #expect(throws: SchemaError.self) { try ProfileSchema.with(field) }
        #expect(error?.path == "$.fields[1]" + path, "\(String(describing: error))")
        #expect(error?.reason.text.isEmpty == false)
    }

    @Test func `S6: the reason says what would be right`() {
        let error = #expect(throws: SchemaError.self) {
            try ProfileSchema.with(#"{"name":"x","constraints":{"minlength":1}}"#)
        }
        #expect(
            error?.description == """
                $.fields[1].constraints.minlength: it is not known here; known are required, unique, minLength, \
                maxLength, minimum, maximum, pattern, enum
                """)
        let malformed = #expect(throws: SchemaError.self) { try ProfileSchema(parsing: "{\n  \"fields\": [,]\n}") }
        #expect(malformed?.description == "$: it is not JSON: unexpected character (line 2, column 14)")
    }
}
