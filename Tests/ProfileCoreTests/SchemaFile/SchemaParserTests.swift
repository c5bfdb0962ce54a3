import ProfileCore
import Testing
import Watchdog

@Suite(.watched) struct SchemaParserTests {
    @Test func `S6: a schema file can set every property of a field`() throws {
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
            let failure = #expect(throws: SchemaFailure.self) { try ProfileSchema(parsing: document) }
            #expect(failure?.errors.map(\.path) == ["$.fields"])
        }
    }

    @Test(arguments: [
        ("", "$"), ("{", "$"), ("[]", "$"), ("null", "$"), (#"{"fields":[],"fields":[]}"#, "$"), ("{}", "$.fields"),
        (#"{"fields":{}}"#, "$.fields"), (#"{"fields":[]}"#, "$.fields"), (#"{"fields":[1]}"#, "$.fields[0]"),
        (#"{"fields":[{"name":"email"}]}"#, "$.fields"), (#"{"fields":[{}]}"#, "$.fields[0].name"),
        (#"{"name":1,"fields":[{"name":"username","constraints":{"required":true,"unique":true}}]}"#, "$.name"),
        (#"{"colour":1,"fields":[\#(username)]}"#, "$.colour"),
        (#"{"fields":[\#(username)],"foreignKeys":[]}"#, "$.foreignKeys"),
        (#"{"fields":[\#(username)],"missingValues":"-"}"#, "$.missingValues"),
        (#"{"fields":[\#(username)],"missingValues":["-",1]}"#, "$.missingValues[1]"),
        (#"{"fields":[\#(username)],"missingValues":[{"label":"x"}]}"#, "$.missingValues[0].value"),
        (#"{"fields":[\#(username)],"primaryKey":"email"}"#, "$.primaryKey"),
        (#"{"fields":[\#(username)],"primaryKey":["username","email"]}"#, "$.primaryKey"),
        (#"{"fields":[\#(username)],"primaryKey":[]}"#, "$.primaryKey"),
        (#"{"fields":[\#(username)],"primaryKey":[1]}"#, "$.primaryKey"),
        (#"{"fields":[\#(username),{"name":"email"}],"primaryKey":"email"}"#, "$.fields[0].name"),
        (#"{"fields":[{"name":"no","type":"integer"}],"primaryKey":"no"}"#, "$.fields[0].type"),
        (
            #"{"fields":[{"name":"no","constraints":{"unique":false}}],"primaryKey":"no"}"#,
            "$.fields[0].constraints.unique"
        ),
        (#"{"fields":[{"name":"password","profiles":{"secret":true}}],"primaryKey":"password"}"#, "$.primaryKey"),
        (#"{"fields":[{"name":"username","constraints":{"required":true}}]}"#, "$.fields[0].constraints.unique"),
        (#"{"fields":[{"name":"username","constraints":{"unique":true}}]}"#, "$.fields[0].constraints.required"),
        (
            #"{"fields":[{"name":"username","type":"integer","constraints":{"required":true,"unique":true}}]}"#,
            "$.fields[0].type"
        ),
    ])
    func `S6: a document that is wrong as a whole is refused with the path`(document: String, path: String) {
        let failure = #expect(throws: SchemaFailure.self) { try ProfileSchema(parsing: document) }
        #expect(failure?.errors.map(\.path) == [path], "\(String(describing: failure))")
        #expect(failure?.errors.allSatisfy { !$0.reason.text.isEmpty } == true)
    }

    private static let username = #"{"name":"username","constraints":{"required":true,"unique":true}}"#

    /// What is wrong with `fields[1]`, and the end of the path that follows it.
    private static let wrongFields: [(String, String)] = [
        (#""x""#, ""), (#"{"title":"x"}"#, ".name"), (#"{"name":5}"#, ".name"), (#"{"name":""}"#, ".name"),
        (#"{"name":"E-mail"}"#, ".name"), (#"{"name":"Email"}"#, ".name"), (#"{"name":"1st"}"#, ".name"),
        (#"{"name":"_x"}"#, ".name"), (#"{"name":"é"}"#, ".name"), (#"{"name":"password_hash"}"#, ".name"),
        (#"{"name":"password_hash"}"#, ".name"),
        (#"{"name":"username","constraints":{"required":true,"unique":true}}"#, ".name"),
        (#"{"name":"\#(String(repeating: "x", count: 64))"}"#, ".name"),
        (#"{"name":"x","title":null}"#, ".title"), (#"{"name":"x","type":"object"}"#, ".type"),
        (#"{"name":"x","type":1}"#, ".type"),
        (#"{"name":"x","format":"mail"}"#, ".format"), (#"{"name":"x","type":"date","format":"%d"}"#, ".format"),
        (#"{"name":"x","type":"integer","format":"uuid"}"#, ".format"),
        (#"{"name":"x","type":"date","format":"dd.MM.yyyy"}"#, ".format"),
        (#"{"name":"x","type":"date","format":"%d/%m/%Y","profiles":{"formats":["yyyyMMdd"]}}"#, ".profiles.formats"),
        (#"{"name":"x","type":"date","profiles":{"formats":["dd/MM/yyyy","%d/%m/%Y"]}}"#, ".profiles.formats[1]"),
        (#"{"name":"x","type":"time","format":"%M:%S"}"#, ".format"),
        (#"{"name":"x","type":"time","format":"%I:%M"}"#, ".format"),
        (#"{"name":"x","type":"datetime","format":"%H:%M"}"#, ".format"),
        (#"{"name":"x","type":"datetime","profiles":{"formats":["yyyy-MM-dd"]}}"#, ".profiles.formats[0]"),
        (#"{"name":"x","profiles":{"mask":"+#"},"format":"uuid"}"#, ".format"),
        (#"{"name":"x","trueValues":["ja"]}"#, ".trueValues"),
        (#"{"name":"x","type":"boolean","trueValues":[]}"#, ".trueValues"),
        (#"{"name":"x","type":"boolean","trueValues":["0"]}"#, ".trueValues"),
        (#"{"name":"x","type":"boolean","trueValues":["a"],"falseValues":["b","a"]}"#, ".falseValues"),
        (#"{"name":"x","type":"boolean","falseValues":[" "]}"#, ".falseValues[0]"),
        (#"{"name":"x","decimalChar":","}"#, ".decimalChar"),
        (#"{"name":"x","type":"integer","decimalChar":","}"#, ".decimalChar"),
        (#"{"name":"x","type":"number","decimalChar":""}"#, ".decimalChar"),
        (#"{"name":"x","type":"number","decimalChar":"5"}"#, ".decimalChar"),
        (#"{"name":"x","type":"number","decimalChar":",,"}"#, ".decimalChar"),
        (#"{"name":"x","type":"number","groupChar":"."}"#, ".groupChar"),
        (#"{"name":"x","type":"integer","groupChar":"-"}"#, ".groupChar"),
        (#"{"name":"x","type":"integer","bareNumber":"no"}"#, ".bareNumber"),
        (#"{"name":"x","bareNumber":true}"#, ".bareNumber"),
        (#"{"name":"x","missingValues":"-"}"#, ".missingValues"),
        (#"{"name":"password","profiles":{"secret":true,"indexed":true}}"#, ".profiles.indexed"),
        (#"{"name":"x","missingValues":["a"],"constraints":{"enum":["a"]}}"#, ".constraints.enum[0]"),
        (#"{"name":"x","type":"year","constraints":{"minimum":-1}}"#, ".constraints.minimum"),
        (#"{"name":"x","type":"time","constraints":{"minimum":"9"}}"#, ".constraints.minimum"),
        (#"{"name":"x","type":"datetime","constraints":{"minimum":"today"}}"#, ".constraints.minimum"),
        (
            #"{"name":"x","type":"time","constraints":{"minimum":"09:00:01","maximum":"09:00:00"}}"#,
            ".constraints.minimum"
        ),
        (#"{"name":"x","profiles":{"indexed":1}}"#, ".profiles.indexed"),
        (#"{"name":"x","profiles":{"columns":"Mobile"}}"#, ".profiles.columns"),
        (#"{"name":"x","profiles":{"columns":["username"]}}"#, ".profiles.columns[0]"),
        (#"{"name":"x","profiles":{"columns":["A","Password-Hash"]}}"#, ".profiles.columns[1]"),
        (#"{"name":"x","profiles":{"hashColumns":["pw"]}}"#, ".profiles.hashColumns"),
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
        (#"{"name":"password","constraints":{"enum":["a"]},"profiles":{"secret":true}}"#, ".constraints.enum"),
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
        let failure = #expect(throws: SchemaFailure.self) { try ProfileSchema.with(field) }
        #expect(failure?.errors.map(\.path) == ["$.fields[1]" + path], "\(String(describing: failure))")
        #expect(failure?.errors.allSatisfy { !$0.reason.text.isEmpty } == true)
    }

    @Test func `S6: all errors of a schema file are reported at once, and each error once`() {
        let document = #"""
            {"colour":"red","foreignKeys":[],"fields":[
              {"name":"username","type":"strng","constraints":{"requird":true}},
              {"name":"E-mail","constraints":{"minLength":-1,"maxLength":"9"}},
              {"name":"since","type":"date","format":"%d","constraints":{"pattern":"x","enum":["never"]},
               "profiles":{"characters":["digits"],"message":{"no":"x"}}},
              {"name":"note","profiles":{"characters":["ascii-leters",7],"requires":["symbol"],"columns":[""]}},
              {"name":"note"},7
            ]}
            """#
        let failure = #expect(throws: SchemaFailure.self) { try ProfileSchema(parsing: document) }
        #expect(
            failure?.errors.map(\.path) == [
                "$.colour", "$.foreignKeys", "$.fields[0].constraints.requird", "$.fields[0].type",
                "$.fields[1].name", "$.fields[2].profiles.characters", "$.fields[2].constraints.pattern",
                "$.fields[2].format", "$.fields[2].profiles.message.no", "$.fields[3].profiles.characters[0]",
                "$.fields[3].profiles.characters[1]", "$.fields[3].profiles.requires[0]",
                "$.fields[3].profiles.columns[0]", "$.fields[5]", "$.fields[4].name",
            ], "\(String(describing: failure))")
        #expect(failure?.description.split(separator: "\n").count == 15)
    }

    @Test func `S6: the reason says what would be right`() {
        let failure = #expect(throws: SchemaFailure.self) {
            try ProfileSchema.with(#"{"name":"x","constraints":{"minlength":1}}"#)
        }
        #expect(
            failure?.description == """
                $.fields[1].constraints.minlength: it is not known here; known are required, unique, minLength, \
                maxLength, minimum, maximum, pattern, enum
                """)
        let malformed = #expect(throws: SchemaFailure.self) { try ProfileSchema(parsing: "{\n  \"fields\": [,]\n}") }
        #expect(malformed?.description == "$: it is not JSON: unexpected character (line 2, column 14)")
    }

    @Test(
        "S6: each error is reported once, together with all others",
        arguments: [
            (
                #"{"name":"username","constraints":{"required":"yes","unique":1,"minLength":"2","enum":"a","pattern":7}}"#,
                ["required", "unique", "minLength", "pattern", "enum"].map { ".constraints." + $0 }
            ),
            (#"{"name":"username","constraints":[]}"#, [".constraints"]),
            (
                #"{"name":"username","constraints":{"required":false,"enum":[1]}}"#,
                [".constraints.enum[0]", ".constraints.required", ".constraints.unique"]
            ),
            (
                #"{"name":"username","constraints":{"required":true,"unique":true,"enum":[],"maxLength":0}}"#,
                [".constraints.maxLength", ".constraints.enum"]
            ),
        ])
    func slips(field: String, places: [String]) {
        let failure = #expect(throws: SchemaFailure.self) { try ProfileSchema(parsing: #"{"fields":[\#(field)]}"#) }
        #expect(failure?.errors.map(\.path) == places.map { "$.fields[0]" + $0 }, "\(String(describing: failure))")
    }
}
