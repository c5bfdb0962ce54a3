import Testing
import Watchdog

@testable import ProfileCore

@Suite(.watched) struct StandardSchemaTests {
    @Test func `the standard schema's fields are in the order of its table`() {
        #expect(
            ProfileSchema.standard.fields.map(\.name.text)
                == ["username", "password", "phone", "address", "postal_code", "birthday"])
        #expect(ProfileSchema.standard.name == "standard")
        #expect(
            ProfileSchema.standard.openFields.map(\.name.text) == [
                "username", "phone", "address", "postal_code", "birthday",
            ])
    }

    @Test func `the standard schema's rules are those of its table`() throws {
        let schema = ProfileSchema.standard
        func rules(_ name: String) throws -> FieldRules { try #require(schema[.named(name)]) }
        #expect(schema.fields.filter(\.isRequired).map(\.name.text) == ["username", "password", "phone", "address"])
        #expect(schema.fields.filter(\.isUnique).map(\.name.text) == ["username"])
        #expect(schema.fields.filter(\.isSecret).map(\.name.text) == ["password"])
        #expect(schema.fields.map(\.title) == ["Username", "Password", "Phone", "Address", "Postal code", "Birthday"])
        #expect(schema.fields.map(\.longestLength) == [10, 64, 9, 70, 5, 10])
        #expect(schema.fields.map(\.minimumLength) == [2, 3, nil, 1, 5, nil])
        #expect(
            schema.openFields.map(\.column.text) == ["username", "phone", "address", "postal_code", "birthday"])
        #expect(schema.primaryKey.name == .username)
        #expect(try rules("password").requirements == [.uppercase, .digit])
        #expect(try rules("password").characters == [.asciiLetters, .asciiDigits, .special])
        #expect(try rules("phone").mask?.pattern == "####-####")
        #expect(try rules("birthday").type == .date)
        #expect(try rules("birthday").formats.map(\.pattern) == ["yyyy.MM.dd", "yyyyMMdd", "yyyy-MM-dd"])
        #expect(try rules("birthday").minimum == .day(ProfileSchema.day(1900, 1, 1)))
        #expect(try rules("birthday").maximum == .today)
    }

    @Test func `the standard schema's document is a schema file of the same schema`() throws {
        #expect(try ProfileSchema(parsing: ProfileSchema.standard.document()) == .standard)
        #expect(try ProfileSchema(parsing: ProfileSchema.standard.document(indented: true)) == .standard)
    }

    @Test func `the standard schema's document is the one that fingerprints were taken of`() {
        #expect(
            ProfileSchema.standard.document() == """
                {"name":"standard","fields":[\
                {"name":"username","title":"Username","type":"string",\
                "constraints":{"required":true,"unique":true,"minLength":2,"maxLength":10},\
                "profiles":{"characters":["ascii-letters","ascii-digits"],"contentType":"username"}},\
                {"name":"password","title":"Password","type":"string",\
                "constraints":{"required":true,"minLength":3,"maxLength":64},\
                "profiles":{"secret":true,"characters":["ascii-letters","ascii-digits","special"],\
                "requires":["uppercase","digit"],"contentType":"new-password"}},\
                {"name":"phone","title":"Phone","type":"string","constraints":{"required":true},\
                "profiles":{"mask":"####-####","contentType":"tel"}},\
                {"name":"address","title":"Address","type":"string",\
                "constraints":{"required":true,"minLength":1,"maxLength":70},\
                "profiles":{"characters":["ascii-letters","ascii-digits","spaces"],"contentType":"street-address"}},\
                {"name":"postal_code","title":"Postal code","type":"string",\
                "constraints":{"minLength":5,"maxLength":5},\
                "profiles":{"characters":["ascii-digits"],"contentType":"postal-code"}},\
                {"name":"birthday","title":"Birthday","type":"date",\
                "constraints":{"minimum":"1900-01-01","maximum":"today"},\
                "profiles":{"formats":["yyyy.MM.dd","yyyyMMdd","yyyy-MM-dd"],"contentType":"bday"}}]}
                """)
    }

    @Test func `every schema has its limits on bytes`() throws {
        let schema = try ProfileSchema.with(
            #"{"name":"short","constraints":{"maxLength":10}},{"name":"long","constraints":{"maxLength":1000}},{"name":"any"}"#
        )
        #expect(schema.fields.map(\.longestByteCount) == [1_048_576, 1_024, 4_000, 1_048_576])
    }
}
