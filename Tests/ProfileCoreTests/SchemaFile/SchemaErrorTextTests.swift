import ProfileCore
import Testing
import Watchdog

/// The error messages for a schema file that is refused.
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
        (
            #"{"fields":[{"name":"a"}]}"#,
            #"$.fields: the field "username" is missing; it is the key of every profile, unless primaryKey names another"#
        ),
        (
            #"{"fields":[\#(username)],"colour":1}"#,
            "$.colour: it is not known here; known are name, title, description, $schema, fields, missingValues, "
                + "primaryKey, profiles"
        ),
        (
            #"{"fields":[\#(username)],"foreignKeys":[]}"#,
            "$.foreignKeys: a store holds one table, and there is nothing to refer to"
        ),
        (#"{"fields":[\#(username)],"primaryKey":"no"}"#, #"$.primaryKey: there is no field "no""#),
        (
            #"{"fields":[\#(username)],"primaryKey":["a","b"]}"#,
            "$.primaryKey: it names 2 fields; profiles are known by one"
        ),
        (
            #"{"fields":[\#(username),{"name":"no"}],"primaryKey":"no"}"#,
            #"$.fields[0].name: the store keeps "no", the primary key, in the column "username"; give this field "#
                + "another name"
        ),
        (
            #"{"fields":[{"name":"username"}]}"#,
            "$.fields[0].constraints.required: it must be true for username, the key of every profile\n"
                + "$.fields[0].constraints.unique: it must be true for username, the key of every profile"
        ),
        (
            #"{"fields":[{"name":"username","constraints":{"required":true}}]}"#,
            "$.fields[0].constraints.unique: it must be true for username, the key of every profile"
        ),
        (
            #"{"fields":[{"name":"no","type":"integer"}],"primaryKey":"no"}"#,
            "$.fields[0].type: no must be a string: it is the key of every profile, and its text is compared"
        ),
        (#"{"name":1,"fields":[\#(username)]}"#, "$.name: it is a number where a string is expected"),
        (
            #"{"name":"\#(String(repeating: "é", count: 2_049))","fields":[\#(username)]}"#,
            "$.name: it is 4098 bytes long; 4096 are allowed"
        ),
    ]

    @Test(arguments: documents)
    func `S6: an error of a document is described in words`(document: String, text: String) {
        let error = #expect(throws: SchemaFailure.self) { try ProfileSchema(parsing: document) }
        #expect(error?.description == text)
    }

    /// A field, and its error behind the path `$.fields[1]`.
    private static let fields: [(String, String)] = [
        ("{}", ".name: it is missing"),
        (#"{"name":true}"#, ".name: it is a boolean where a string is expected"),
        (
            #"{"name":"E-mail"}"#,
            #".name: "E-mail" is no field name: a lower-case letter, then lower-case letters, digits and _, 63 at most; "#
                + "profiles.columns says what a file calls it"
        ),
        (
            #"{"name":"password_hash"}"#,
            #".name: "password_hash" is reserved: a column of that name contains the hash of the password"#
        ),
        (username, #".name: the field "username" is there twice"#),
        (#"{"name":"user_name"}"#, #".name: "user_name" and "username" differ in underscores alone"#),
        (
            #"{"name":"x","type":"text"}"#,
            #".type: "text" is not supported; known are string, integer, number, boolean, date, datetime, time, year, any"#
        ),
        (
            #"{"name":"x","type":"geojson"}"#,
            #".type: a field holds one value; write the type "string" to keep JSON or a list as a text"#
        ),
        (
            #"{"name":"x","format":"mail"}"#, #".format: "mail" is not supported; known are default, email, uri, uuid"#
        ),
        (
            #"{"name":"x","type":"year","format":"%Y"}"#,
            #".format: "%Y" is not supported; leave it out or write "default""#
        ),
        (
            #"{"name":"x","type":"date","format":"any"}"#,
            #".format: how a value is read has to be said; write a pattern such as "%d/%m/%Y""#
        ),
        (
            #"{"name":"x","type":"time","format":"%I:%M"}"#,
            #".format: "%I:%M" is no pattern for a time: %Y %y %m %b %B %d %H %I %p %M %S %f %z %% are known, each once, "#
                + "32 characters at most"
        ),
        (
            #"{"name":"x","type":"number","profiles":{"written":"$0.00"}}"#,
            #".profiles.written: "$0.00" is no zero that the field reads, such as 0.00 or, if bareNumber is false, "#
                + "$0.00; a point is before the fraction, and only a number has one"
        ),
        (
            #"{"name":"x","type":"date","profiles":{"written":"%-d.%-m.%Y"}}"#,
            #".profiles.written: "%-d.%-m.%Y" is no pattern for a day that the field reads, such as %-d.%-m.%Y"#
        ),
        (
            #"{"name":"x","missingValues":["NA"],"profiles":{"missing":"-"}}"#,
            #".profiles.missing: "-" is not in missingValues; add it there"#
        ),
        (
            #"{"name":"x","type":"number","groupChar":"."}"#,
            ".groupChar: it stands before the fraction already (decimalChar)"
        ),
        (
            #"{"name":"x","type":"number","decimalChar":"e"}"#,
            #".decimalChar: "e" is no separator: one character that is neither letter, digit nor sign"#
        ),
        (
            #"{"name":"x","type":"boolean","falseValues":["1"]}"#,
            #".falseValues: "1" would be both true and false"#
        ),
        (
            #"{"name":"x","profiles":{"columns":["username"]}}"#,
            #".profiles.columns[0]: "username" means "username" already"#
        ),
        (
            #"{"name":"x","profiles":{"hashColumns":["pw"]}}"#,
            #".profiles.hashColumns: only the field "password" can have this"#
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
            #".profiles.formats: only a field of the type "date", "datetime" or "time" can have this"#
        ),
        (
            #"{"name":"x","constraints":{"minimum":1}}"#,
            #".constraints.minimum: only a field of the type "integer", "number", "date", "datetime", "time" or "year" "#
                + "can have this"
        ),
        (
            #"{"name":"x","constraints":{"pattern":"a("}}"#,
            ".constraints.pattern: missing closing parenthesis, at byte 2 of the pattern"
        ),
        (
            #"{"name":"x","constraints":{"pattern":"\#(String(repeating: "a", count: 4_097))"}}"#,
            ".constraints.pattern: it is longer than 4096 bytes"
        ),
        (
            ###"{"name":"x","profiles":{"mask":"##-1"}}"###,
            ###".profiles.mask: "##-1" is no mask: printable ASCII with a # for each digit, no other digit and no space, "###
                + "256 characters at most"
        ),
        (
            ###"{"name":"x","profiles":{"mask":"##","requires":["digit"]}}"###,
            ".profiles.requires: the mask determines this already; remove one of the two"
        ),
        (#"{"name":"x","profiles":{"characters":[]}}"#, ".profiles.characters: it allows nothing"),
        (
            #"{"name":"x","profiles":{"characters":[\#(Array(repeating: #""a""#, count: 17).joined(separator: ","))]}}"#,
            ".profiles.characters: there are 17 entries; 16 are allowed"
        ),
        (
            #"{"name":"x","profiles":{"characters":["ascii-leters"]}}"#,
            #".profiles.characters[0]: "ascii-leters" is none of ascii-letters, ascii-digits, letters, digits, spaces, "#
                + "special; a literal list of lower-case letters has at most 3 in each entry; control characters are "
                + "not allowed"
        ),
        (
            #"{"name":"x","profiles":{"requires":["symbol"]}}"#,
            #".profiles.requires[0]: "symbol" is not supported; known are uppercase, lowercase, digit, special"#
        ),
        (
            #"{"name":"x","type":"date","profiles":{"formats":["yy"]}}"#,
            #".profiles.formats[0]: "yy" is no date format: yyyy, MM and dd once each, with punctuation or spaces "#
                + "between, or a pattern such as %d/%m/%Y; 32 characters at most"
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
            ".constraints.unique: a secret can be compared with nothing"
        ),
        (
            #"{"name":"password","constraints":{"pattern":"a"},"profiles":{"secret":true}}"#,
            ".constraints.pattern: a secret can be compared with nothing"
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
    func `S6: an error of a field is described in words`(field: String, text: String) {
        let error = #expect(throws: SchemaFailure.self) {
            try ProfileSchema(parsing: #"{"fields":[\#(Self.username),\#(field)]}"#)
        }
        #expect(error?.description == "$.fields[1]" + text)
    }
}
