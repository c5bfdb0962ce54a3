import Testing
import Watchdog

@testable import ProfileCore

/// Every construct of the Table Schema specification (version 2.0). Each is accepted, or refused with the reason.
@Suite(.watched) struct TableSchemaTests {
    private static let key = #"{"name":"username","constraints":{"required":true,"unique":true}}"#

    // MARK: Constructs

    /// The properties of a schema beside `fields`, and why they are refused; nil for those that are taken.
    private static let properties: [(String, String?)] = [
        (#""$schema":"https://datapackage.org/profiles/2.0/tableschema.json""#, nil),
        (#""name":"n""#, nil), (#""title":"t""#, nil), (#""description":"d""#, nil),
        (#""missingValues":["","NA","-"]"#, nil), (#""missingValues":[]"#, nil),
        (#""missingValues":[{"value":"-99","label":"REFUSED"},{"value":"x"}]"#, nil),
        (#""primaryKey":"username""#, nil), (#""primaryKey":["username"]"#, nil),
        (#""primaryKey":["username","x"]"#, "profiles are known by one"),
        (#""fieldsMatch":"exact""#, "by their names"), (#""fieldsMatch":"subset""#, "by their names"),
        (#""uniqueKeys":[["x"]]"#, "write unique"), (#""foreignKeys":[]"#, "nothing to refer to"),
    ]

    @Test(arguments: properties)
    func `S6: a property of a schema is accepted, or refused with the reason`(property: String, refusal: String?) {
        expect(refusal, parsing: #"{\#(property),"fields":[\#(Self.key),{"name":"x"}]}"#)
    }

    /// The properties that a field may have beside its name, and why they are refused; nil for those that are taken.
    private static let fields: [(String, String?)] = [
        // Of every type.
        (#""title":"t""#, nil), (#""description":"d""#, nil), (#""example":"e""#, nil), (#""rdfType":"r""#, nil),
        (#""missingValues":["-"]"#, nil), (#""missingValues":[{"value":"-","label":"none"}]"#, nil),
        (#""categories":["a"]"#, "write the values as enum"), (#""categoriesOrdered":true"#, "as enum"),
        // Types and their formats.
        (#""type":"string""#, nil), (#""type":"any""#, nil),
        (#""type":"string","format":"default""#, nil), (#""type":"string","format":"email""#, nil),
        (#""type":"string","format":"uri""#, nil), (#""type":"string","format":"uuid""#, nil),
        (#""type":"string","format":"binary""#, "a field holds text"),
        (#""type":"number""#, nil), (#""type":"number","decimalChar":",","groupChar":".""#, nil),
        (#""type":"number","bareNumber":false"#, nil),
        (#""type":"integer""#, nil), (#""type":"integer","groupChar":",","bareNumber":false"#, nil),
        (#""type":"boolean""#, nil), (#""type":"boolean","trueValues":["y"],"falseValues":["n"]"#, nil),
        (#""type":"object""#, "one value"), (#""type":"array""#, "one value"), (#""type":"list""#, "one value"),
        (#""type":"list","delimiter":";","itemType":"integer""#, "one value"),
        (#""type":"datetime""#, nil), (#""type":"datetime","format":"default""#, nil),
        (#""type":"datetime","format":"%d/%m/%Y %H:%M:%S""#, nil),
        (#""type":"datetime","format":"any""#, "has to be said"),
        (#""type":"date""#, nil), (#""type":"date","format":"default""#, nil),
        (#""type":"date","format":"%d/%m/%y""#, nil), (#""type":"date","format":"fmt:%d/%m/%y""#, nil),
        (#""type":"date","format":"any""#, "has to be said"),
        (#""type":"date","format":"%A, %d %B %Y""#, "is no pattern"), (#""type":"date","format":"%j""#, "no pattern"),
        (#""type":"time""#, nil), (#""type":"time","format":"default""#, nil),
        (#""type":"time","format":"%H:%M""#, nil), (#""type":"time","format":"any""#, "has to be said"),
        (#""type":"year""#, nil), (#""type":"yearmonth""#, "a pattern among"), (#""type":"duration""#, "a pattern"),
        (#""type":"geopoint""#, "a pattern"), (#""type":"geojson""#, "one value"),
        // Constraints.
        (#""constraints":{"required":true}"#, nil), (#""constraints":{"unique":true}"#, nil),
        (#""constraints":{"minLength":1,"maxLength":2}"#, nil), (#""constraints":{"pattern":"a+"}"#, nil),
        (#""constraints":{"enum":["a"]}"#, nil), (#""constraints":{"jsonSchema":{}}"#, "one value"),
        (#""type":"integer","constraints":{"minimum":1,"maximum":2}"#, nil),
        (#""type":"integer","constraints":{"exclusiveMinimum":1}"#, "write minimum"),
        (#""type":"integer","constraints":{"exclusiveMaximum":1}"#, "write maximum"),
        (#""type":"number","constraints":{"minimum":0.5,"enum":[1.5,"2"]}"#, nil),
        (#""type":"date","format":"%d/%m/%Y","constraints":{"minimum":"31/12/1999"}"#, nil),
        (#""type":"datetime","constraints":{"minimum":"2000-01-01T00:00:00Z"}"#, nil),
        (#""type":"time","constraints":{"maximum":"18:00:00"}"#, nil),
        (#""type":"year","constraints":{"minimum":"1900","maximum":2100}"#, nil),
    ]

    @Test(arguments: fields)
    func `S6: a property that Table Schema has for a field is accepted, or refused with the reason`(
        field: String, refusal: String?
    ) {
        expect(refusal, parsing: #"{"fields":[\#(Self.key),{"name":"x",\#(field)}]}"#)
    }

    @Test func `S6: every construct that is refused has its reason and its case here`() {
        let texts = (Self.properties + Self.fields).map(\.0)
        for construct in TableConstruct.allCases {
            #expect(texts.contains { $0.contains("\"\(construct.rawValue)\"") }, "\(construct)")
            #expect(!SchemaError.Reason.noPlace(construct).text.isEmpty)
        }
    }

    private func expect(_ refusal: String?, parsing document: String) {
        do throws(SchemaFailure) {
            let schema = try ProfileSchema(parsing: document)
            #expect(refusal == nil, "\(document) is taken")
            #expect(try ProfileSchema(parsing: schema.document()) == schema)
        } catch {
            #expect(error.description.contains(refusal ?? "no refusal"), "\(error)")
        }
    }

    // MARK: Values

    /// How frictionless-py 5.21 judges a value.
    enum Verdict {
        case valid, invalid
        /// Frictionless accepts the value, and we do not.
        case tooWide(String)
        /// Frictionless refuses the value, and we accept it.
        case tooStrict(String)
    }

    /// The properties of a field, a value, and the verdict of frictionless.
    private static let values: [(String, String, Verdict)] = [
        (#""type":"any""#, "whatever", .valid),
        (#""type":"string""#, "NA", .valid),
        (#""type":"string","constraints":{"minLength":2}"#, "é", .invalid),
        (#""type":"string","constraints":{"pattern":"[a-c]+"}"#, "abcd", .invalid),
        (#""type":"string","missingValues":["NA"],"constraints":{"required":true}"#, "NA", .invalid),
        (#""type":"integer","missingValues":["NA","-"]"#, "NA", .valid),
        (#""type":"integer","missingValues":["NA","-"]"#, "-", .valid),
        (#""type":"integer","missingValues":["NA","-"]"#, "na", .invalid),
        (#""type":"integer""#, "NA", .invalid),
        (#""type":"integer""#, "007", .valid), (#""type":"integer""#, "+7", .valid),
        (#""type":"integer""#, "1.0", .invalid), (#""type":"integer""#, "1,000", .invalid),
        (#""type":"integer""#, "1_000", .tooWide("Python's own way to group digits")),
        (#""type":"integer""#, "99999999999999999999", .tooWide("more than 64 bits")),
        (#""type":"integer","bareNumber":false"#, "5 kg", .valid),
        (#""type":"integer","bareNumber":false"#, "€ -5", .valid),
        (#""type":"integer","bareNumber":false"#, "5.5 kg", .invalid),
        (#""type":"integer","bareNumber":false"#, "(5)", .tooWide("in accounts it is minus five")),
        (#""type":"number""#, "1.5", .valid), (#""type":"number""#, "1e3", .valid), (#""type":"number""#, ".5", .valid),
        (#""type":"number""#, "1,5", .invalid), (#""type":"number""#, "0x1A", .invalid),
        (#""type":"number""#, "NaN", .tooWide("nothing can be compared with it")),
        (#""type":"number""#, "INF", .tooWide("only finite numbers are stored")),
        (#""type":"number","decimalChar":",""#, "1,5", .valid),
        (#""type":"number","decimalChar":",""#, "1.5", .invalid),
        (#""type":"number","decimalChar":",","groupChar":".""#, "1.234,5", .valid),
        (#""type":"number","decimalChar":",","groupChar":".""#, "1.234.567", .valid),
        (#""type":"number","groupChar":",""#, "12,34", .tooWide("a fraction, more likely than a group of two digits")),
        (#""type":"number","groupChar":",""#, ",1", .tooWide("what groups digits stands between them")),
        (#""type":"number","groupChar":",""#, "1.5,0", .tooWide("a fraction is not grouped")),
        (#""type":"number","bareNumber":false"#, "95%", .valid),
        (#""type":"number","bareNumber":false"#, "$1.50", .valid),
        (#""type":"number","bareNumber":false"#, "none", .invalid),
        (#""type":"number","constraints":{"minimum":2}"#, "1.99", .invalid),
        (#""type":"boolean""#, "TRUE", .valid), (#""type":"boolean""#, "0", .valid),
        (#""type":"boolean""#, "yes", .invalid),
        (#""type":"boolean","trueValues":["yes"],"falseValues":["no"]"#, "yes", .valid),
        (#""type":"boolean","trueValues":["yes"],"falseValues":["no"]"#, "true", .invalid),
        (#""type":"boolean","trueValues":["yes"]"#, "false", .valid),
        (#""type":"date""#, "2024-02-29", .valid), (#""type":"date""#, "2023-02-29", .invalid),
        (#""type":"date""#, "2024-2-9", .tooWide("the specification asks for yyyy-mm-dd")),
        (#""type":"date""#, "20240229", .invalid),
        (#""type":"date","format":"%d/%m/%Y""#, "9/2/2024", .valid),
        (#""type":"date","format":"%d/%m/%Y""#, "2024-02-09", .invalid),
        (#""type":"date","format":"%d/%m/%Y""#, "30/02/2024", .invalid),
        (#""type":"date","format":"%d %B %Y""#, "9 february 2024", .valid),
        (#""type":"date","format":"%d/%m/%Y","constraints":{"minimum":"10/02/2024"}"#, "09/02/2024", .invalid),
        (#""type":"date","format":"%Y-%m-%d %H:%M:%S""#, "2024-02-09 00:00:00", .valid),
        (#""type":"datetime""#, "2024-01-26T15:00:00", .valid), (#""type":"datetime""#, "2024-01-26 15:00:00", .valid),
        (#""type":"datetime""#, "2024-01-26T15:00:00.300-05:00", .valid),
        (#""type":"datetime""#, "2024-01-26T15:00", .invalid), (#""type":"datetime""#, "2024-01-26", .invalid),
        (#""type":"datetime""#, "2024-01-26T25:00:00", .invalid),
        (#""type":"datetime""#, "2024-01-26T24:00:00", .tooWide("a moment has one name, that of the next day")),
        (#""type":"datetime","format":"%d.%m.%Y %H:%M""#, "26.1.2024 15:00", .valid),
        (#""type":"datetime","constraints":{"maximum":"2024-01-26T15:00:00"}"#, "2024-01-26T15:00:01", .invalid),
        (#""type":"time""#, "15:00:00", .valid), (#""type":"time""#, "15:00:00Z", .valid),
        (#""type":"time""#, "15:00", .invalid), (#""type":"time""#, "3:00:00", .invalid),
        (#""type":"time","format":"%I:%M %p""#, "3:00 pm", .valid),
        (#""type":"time","constraints":{"minimum":"09:00:00"}"#, "08:59:59", .invalid),
        (#""type":"year""#, "2024", .valid), (#""type":"year""#, "0001", .valid), (#""type":"year""#, "24", .invalid),
        (#""type":"year""#, "20245", .invalid), (#""type":"year""#, "+202", .tooWide("that is no year of four digits")),
        (#""type":"string","format":"email""#, "first.last@example.org", .valid),
        (#""type":"string","format":"email""#, "first.last", .invalid),
        (#""type":"string","format":"email""#, "a@b", .invalid),
        (#""type":"string","format":"uri""#, "https://example.org/a?b#c", .valid),
        (#""type":"string","format":"uri""#, "example.org", .invalid),
        (#""type":"string","format":"uri""#, "http://a b", .tooWide("a space is no part of a URI")),
        (#""type":"string","format":"uuid""#, "123e4567-e89b-12d3-a456-426614174000", .valid),
        (#""type":"string","format":"uuid""#, "123e4567", .invalid),
        (#""type":"string","format":"uuid""#, "123e4567e89b12d3a456426614174000", .tooWide("one way of writing it")),
    ]

    @Test(arguments: values)
    func `S6: a value is judged as frictionless judges it, unless the table has a reason`(
        field: String, value: String, verdict: Verdict
    ) throws {
        let validator = ProfileValidator(try .with(#"{"name":"x",\#(field)}"#))
        let isValid = try validator.codes(value, in: "x").isEmpty
        switch verdict {
        case .valid, .tooStrict: #expect(isValid)
        case .invalid, .tooWide: #expect(!isValid)
        }
    }

    // MARK: What is stored

    @Test(
        arguments: [
            (#""type":"number","decimalChar":",","groupChar":".""#, "1.234,50", "1234.5", "1234,5"),
            (#""type":"integer","groupChar":",","bareNumber":false"#, "$ 1,234", "1234", "1234"),
            (#""type":"boolean","trueValues":["ja","j"],"falseValues":["nein"]"#, "j", "true", "ja"),
            (#""type":"boolean","trueValues":["1","true"]"#, "1", "true", "true"),
            (#""type":"date","format":"%d/%m/%Y""#, "5/3/2024", "2024-03-05", "05/03/2024"),
            (#""type":"date","format":"%d/%m/%y""#, "5/3/24", "2024-03-05", "05/03/24"),
            (
                #""type":"datetime","format":"%d/%m/%Y %H:%M""#, "5/3/2024 7:05", "2024-03-05T07:05:00",
                "05/03/2024 07:05"
            ),
            (#""type":"datetime""#, "2024-03-05 07:05:00", "2024-03-05T07:05:00", "2024-03-05T07:05:00"),
            (#""type":"time","format":"%I:%M %p""#, "7:05 PM", "19:05:00", "07:05 PM"),
            (#""type":"year""#, "0987", "0987", "0987"), (#""type":"any""#, " x ", "x", "x"),
            (#""missingValues":["NA"]"#, "NAN", "NAN", "NAN"), (#""missingValues":["NA"]"#, "N", "N", "N"),
        ])
    func `S6: a value in any notation is stored in one form, and shown again in the field's notation`(
        field: String, typed: String, stored: String, again: String
    ) throws {
        let schema = try ProfileSchema.with(#"{"name":"x",\#(field)}"#)
        let validator = ProfileValidator(schema)
        #expect(try validator.stored(typed, in: "x", with: ["username": "sk"]) == stored)
        #expect(schema.fields[1].typedForm(of: stored) == again)
        #expect(try validator.stored(again, in: "x", with: ["username": "sk"]) == stored)
    }

    @Test func `a notation is not used for a value that it cannot represent`() throws {
        let schema = try ProfileSchema.with(#"{"name":"x","type":"date","format":"%d/%m/%y"}"#)
        #expect(schema.fields[1].typedForm(of: "1924-03-05") == "1924-03-05")
        #expect(try ProfileValidator(schema).codes("1924-03-05", in: "x") == [.badFormat])
    }

    // MARK: Missing values

    @Test func `S2: the text of a missing value is no value, whether the schema or the field names it`() throws {
        let schema = try ProfileSchema(
            parsing: #"""
                {"missingValues":["NA"," n/a "],"fields":[
                  {"name":"username","constraints":{"required":true,"unique":true}},
                  {"name":"a","constraints":{"required":true}},{"name":"b","missingValues":["-"]},
                  {"name":"c","type":"date"},{"name":"d","missingValues":[]},
                  {"name":"password","profiles":{"secret":true}}]}
                """#)
        let validator = ProfileValidator(schema)
        #expect(schema.fields.map(\.missingValues) == [["NA", "n/a"], ["NA", "n/a"], ["-"], ["NA", "n/a"], [], []])
        #expect(try validator.codes(" NA ", in: "a") == [.required])
        #expect(try validator.codes("na", in: "a").isEmpty)
        let valid = ["username": "sk", "a": "x"]
        for (field, value, stored) in [
            ("b", "-", nil), ("b", "NA", "NA"), ("b", "--", "--"), ("c", "n/a", nil), ("d", "NA", "NA"),
            ("d", " ", nil),
        ] {
            #expect(try validator.stored(value, in: field, with: valid) == stored, "\(field) \(value)")
        }
        #expect(try validator.codes("NA", in: "username") == [.required])
        #expect(try validator.issues(of: ProfileDraft(valid.merging(["password": "NA"]) { $1 })).isEmpty)
    }

    @Test func `S2: the text of a missing value may be written in every notation of its field`() throws {
        let validator = ProfileValidator(
            try .with(
                #"{"name":"n","type":"integer","missingValues":["-999"]}"#,
                #"{"name":"d","type":"date","format":"%d/%m/%Y","missingValues":["01/01/1900"]}"#,
                #"{"name":"b","type":"boolean","missingValues":["false"]}"#))
        for (field, value, stored) in [
            ("n", "-0999", nil), ("n", "999", "999"), ("d", "1/1/1900", nil), ("d", "2/1/1900", "1900-01-02"),
            // A boolean has other words for false.
            ("b", "false", nil), ("b", "0", "false"),
        ] {
            #expect(try validator.stored(value, in: field, with: ["username": "sk"]) == stored, "\(field) \(value)")
        }
        #expect(validator.schema.fields[3].typedForm(of: "false") == "False")
    }

    @Test func `R6: a stored value that the rules now read as a missing value is bad_format`() throws {
        let schema = try ProfileSchema.with(#"{"name":"x","missingValues":["NA"]}"#)
        var rows = RowValidator(ProfileValidator(schema), today: try ProfileSchema.day(2026, 1, 15))
        for (value, codes) in [("NA", [ValidationIssue.Code.badFormat]), ("na", [])] {
            rows.beginRow()
            rows.judge(value.utf8Span.span, index: 1, as: .stored)
            #expect(rows.issues.map(\.code) == codes)
        }
    }

    // MARK: The primary key

    @Test func `S6: the primary key is any string field, and keeps its name`() throws {
        let schema = try ProfileSchema(
            parsing: #"{"primaryKey":["member_no"],"fields":[{"name":"email"},{"name":"member_no"}]}"#)
        #expect(schema.primaryKey.name.text == "member_no")
        #expect(schema.primaryKeyIndex == 1)
        #expect(schema.primaryKey.isRequired && schema.primaryKey.isUnique)
        #expect(schema.openFields.map(\.column.text) == ["email", "username"])
        #expect(
            schema.document() == #"{"name":"custom","primaryKey":"member_no","fields":["#
                + #"{"name":"email","title":"Email","type":"string"},{"name":"member_no","title":"Member no","#
                + #""type":"string","constraints":{"required":true,"unique":true}}]}"#)
        let profile = try ProfileValidator(schema).validate(
            ProfileDraft(["member_no": "17", "email": "a"]), on: ProfileSchema.day(2026, 1, 15))
        #expect(profile.username == "17")
        #expect(profile[.username] == nil)
        #expect(try ProfileValidator(schema).codes("", in: "member_no") == [.required])
    }

    @Test func `S6: a field may be indexed, and say what files call it`() throws {
        let schema = try ProfileSchema.with(
            #"{"name":"phone","profiles":{"indexed":true,"columns":["Mobile"," Tel. "]}}"#,
            #"{"name":"password","profiles":{"secret":true,"columns":["Passwort"],"hashColumns":["pw_hash"]}}"#)
        #expect(schema.fields[1].isIndexed)
        #expect(schema.fields[1].columns == ["Mobile", "Tel."])
        #expect(schema.fields[2].hashColumns == ["pw_hash"])
        #expect(try ProfileSchema(parsing: schema.document()) == schema)
    }

    @Test func `missing values that all fields share are written once in the document`() throws {
        let text = #"""
            {"name":"n","missingValues":["","NA"],"fields":[{"name":"username","title":"Username","type":"string",\#
            "constraints":{"required":true,"unique":true}},{"name":"x","title":"X","type":"string"}]}
            """#
        #expect(try ProfileSchema(parsing: text).document() == text)
        let mixed = try ProfileSchema(
            parsing: text.replacing(#""type":"string"}]"#, with: #""type":"string","missingValues":["","-"]}]"#))
        #expect(mixed.fields.map(\.missingValues) == [["NA"], ["-"]])
        #expect(try ProfileSchema(parsing: mixed.document()) == mixed)
    }
}
