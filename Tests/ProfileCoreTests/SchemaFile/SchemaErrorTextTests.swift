import ProfileCore
import Testing
import Watchdog

/// What people read of a schema file that is refused.
@Suite(.watched) struct SchemaErrorTextTests {
    private static let username = #"{"name":"username","constraints":{"required":true,"unique":true}}"#

    /// Documents that are wrong as a whole.
    private static let documents: [(String, String)] = [
        ("{", "$: it is not JSON: it ends too early (line 1, column 2)"),
        ("{]", "$: it is not JSON: unexpected character (line 1, column 2)"),
        (
            #"{"fields":[],"fields":[]}"#,
            #"$: it is not JSON: the name "fields" is there twice in one object (line 1, column 14)"#
        ),
        ("[]", "$: it is an array where an object is expected"),
        ("null", "$: it is null where an object is expected"),
        ("{}", "$.fields: it is missing; a schema lists its fields there"),
        (#"{"fields":{}}"#, "$.fields: it is an object where an array is expected"),
        (#"{"fields":[]}"#, "$.fields: there are 0 fields; 1 to 100 are allowed"),
        (#"{"fields":["x"]}"#, "$.fields[0]: it is a string where an object is expected"),
        (#"{"fields":[{"name":"a"}]}"#, #"$.fields: the field "username" is missing; it is the key of every profile"#),
        (
            #"{"fields":[],"foreignKeys":[]}"#,
            "$.foreignKeys: it is not known here; known are name, title, description, $schema, fields, missingValues, "
                + "primaryKey"
        ),
        (
            #"{"fields":[],"missingValues":["-"]}"#,
            #"$.missingValues: ["-"] is not supported; leave it out or write [""]"#
        ),
        (
            #"{"fields":[],"primaryKey":"id"}"#,
            #"$.primaryKey: "id" is not supported; leave it out or write "username" or ["username"]"#
        ),
        (
            #"{"fields":[{"name":"username"}]}"#,
            "$.fields[0].constraints.required: it must be true for username, the key of every profile"
        ),
        (
            #"{"fields":[{"name":"username","constraints":{"required":true}}]}"#,
            "$.fields[0].constraints.unique: it must be true for username, the key of every profile"
        ),
        (
            #"{"fields":[{"name":"username","type":"integer"}]}"#, "$.fields[0].type: username must be a string"
        ),
        (#"{"name":1,"fields":[\#(username)]}"#, "$.name: it is a number where a string is expected"),
        (
            #"{"name":"\#(String(repeating: "é", count: 2_049))","fields":[\#(username)]}"#,
            "$.name: it is 4098 bytes long; 4096 are allowed"
        ),
    ]

    @Test(arguments: documents)
    func `S6: what is wrong with a document is told in words`(document: String, text: String) {
        let error = #expect(throws: SchemaError.self) { try ProfileSchema(parsing: document) }
        #expect(error?.description == text)
    }

    /// The field's own path and what stands behind it.
    private static let fields: [(String, String)] = [
        ("{}", ".name: it is missing"),
        (#"{"name":true}"#, ".name: it is a boolean where a string is expected"),
        (
            #"{"name":"E-mail"}"#,
            #".name: "E-mail" is no field name: a lower-case letter, then lower-case letters, digits and _, 63 at most"#
        ),
        (#"{"name":"rowid"}"#, #".name: "rowid" is reserved: the store has a column of its own by that name"#),
        (username, #".name: the field "username" is there twice"#),
        (#"{"name":"user_name"}"#, #".name: "user_name" and "username" differ in underscores alone"#),
        (
            #"{"name":"x","type":"text"}"#,
            #".type: "text" is not supported; known are string, integer, number, boolean, date"#
        ),
        (#"{"name":"x","format":"email"}"#, #".format: "email" is not supported; leave it out or write "default""#),
        (
            #"{"name":"x","type":"date","format":"any"}"#,
            #".format: "any" is not supported; leave it out or write "default" or "%Y-%m-%d""#
        ),
        (
            #"{"name":"x","constraints":{"required":"yes"}}"#,
            ".constraints.required: it is a string where true or false is expected"
        ),
        (
            #"{"name":"x","constraints":{"minLength":-1}}"#,
            ".constraints.minLength: a whole number from 0 to 1048576 is expected"
        ),
        (
            #"{"name":"x","constraints":{"minLength":3,"maxLength":2}}"#,
            ".constraints.minLength: 3 is more than maxLength, 2"
        ),
        (#"{"name":"x","constraints":{"maxLength":0}}"#, ".constraints.maxLength: it allows nothing"),
        (
            #"{"name":"x","type":"date","constraints":{"pattern":"a"}}"#,
            #".constraints.pattern: only a field of the type "string" can have this"#
        ),
        (
            #"{"name":"x","profiles":{"formats":[]}}"#,
            #".profiles.formats: only a field of the type "date" can have this"#
        ),
        (
            #"{"name":"x","constraints":{"minimum":1}}"#,
            #".constraints.minimum: only a field of the type "integer", "number" or "date" can have this"#
        ),
        (
            #"{"name":"x","constraints":{"pattern":"a("}}"#,
            ".constraints.pattern: missing closing parenthesis, at byte 2 of it"
        ),
        (
            #"{"name":"x","constraints":{"pattern":"\#(String(repeating: "a", count: 4_097))"}}"#,
            ".constraints.pattern: it is longer than 4096 bytes, at byte 4096 of it"
        ),
        (
            ###"{"name":"x","profiles":{"mask":"##-1"}}"###,
            ###".profiles.mask: "##-1" is no mask: printable ASCII with a # for each digit, no other digit and no space, "###
                + "256 characters at most"
        ),
        (
            ###"{"name":"x","profiles":{"mask":"##","requires":["digit"]}}"###,
            ".profiles.requires: the mask says this already"
        ),
        (#"{"name":"x","profiles":{"characters":[]}}"#, ".profiles.characters: it allows nothing"),
        (
            #"{"name":"x","profiles":{"characters":[\#(Array(repeating: #""a""#, count: 17).joined(separator: ","))]}}"#,
            ".profiles.characters: there are 17 entries; 16 are allowed"
        ),
        (
            #"{"name":"x","profiles":{"characters":["ascii-leters"]}}"#,
            #".profiles.characters[0]: "ascii-leters" is none of ascii-letters, ascii-digits, letters, digits, spaces, "#
                + "special; a literal list of letters is written with a few each and without control characters"
        ),
        (
            #"{"name":"x","profiles":{"requires":["symbol"]}}"#,
            #".profiles.requires[0]: "symbol" is not supported; known are uppercase, lowercase, digit, special"#
        ),
        (
            #"{"name":"x","type":"date","profiles":{"formats":["yy"]}}"#,
            #".profiles.formats[0]: "yy" is no date format: yyyy, MM and dd once each, with punctuation or spaces "#
                + "between, 32 characters at most"
        ),
        (
            #"{"name":"x","type":"date","profiles":{"formats":["ddMMyyyy","MMddyyyy"]}}"#,
            #".profiles.formats[1]: what is written as "MMddyyyy" could be read as "ddMMyyyy" as well"#
        ),
        (
            #"{"name":"x","type":"integer","constraints":{"minimum":2,"maximum":1}}"#,
            ".constraints.minimum: it is more than maximum"
        ),
        (
            #"{"name":"x","type":"integer","constraints":{"minimum":1.5}}"#,
            ".constraints.minimum: 1.5 is no 64-bit integer"
        ),
        (
            #"{"name":"x","type":"number","constraints":{"minimum":1e999}}"#,
            ".constraints.minimum: 1e999 is out of a double's range"
        ),
        (
            #"{"name":"x","type":"date","constraints":{"minimum":"tomorrow"}}"#,
            #".constraints.minimum: "tomorrow" is neither a day as yyyy-MM-dd nor "today""#
        ),
        (
            #"{"name":"x","type":"date","constraints":{"minimum":1}}"#,
            #".constraints.minimum: it is a number, which does not fit the type "date""#
        ),
        (
            #"{"name":"x","profiles":{"message":{"too_big":"x"}}}"#,
            #".profiles.message.too_big: "too_big" is no code of an issue; there are "#
                + IssueCode.allCases.map(\.rawValue).joined(separator: ", ")
        ),
        (
            #"{"name":"x","profiles":{"secret":true}}"#,
            #".profiles.secret: only the field "password" can be secret; passcodes are no fields"#
        ),
        (
            #"{"name":"password"}"#,
            #".profiles.secret: it must be true for the field "password", which is kept as a hash only"#
        ),
        (
            #"{"name":"password","constraints":{"unique":true},"profiles":{"secret":true}}"#,
            ".constraints.unique: a secret cannot be compared with others"
        ),
        (
            #"{"name":"password","constraints":{"pattern":"a"},"profiles":{"secret":true}}"#,
            ": a secret can have neither enum nor pattern nor mask"
        ),
        (#"{"name":"x","constraints":{"enum":[]}}"#, ".constraints.enum: it allows nothing"),
        (
            #"{"name":"x","constraints":{"enum":[1]}}"#,
            ".constraints.enum[0]: it is a number, which does not fit the field's type"
        ),
        (
            #"{"name":"x","constraints":{"maxLength":1,"enum":["ab"]}}"#,
            #".constraints.enum[0]: "ab" breaks the other rules of the field"#
        ),
    ]

    @Test(arguments: fields)
    func `S6: what is wrong with a field is told in words`(field: String, text: String) {
        let error = #expect(throws: SchemaError.self) {
            try ProfileSchema(parsing: #"{"fields":[\#(Self.username),\#(field)]}"#)
        }
        #expect(error?.description == "$.fields[1]" + text)
    }
}
