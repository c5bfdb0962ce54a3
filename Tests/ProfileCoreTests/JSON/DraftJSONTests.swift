import ProfileCore
import Testing
import Watchdog

/// Drafts that are read from JSON, and merge patches.
@Suite(.watched) struct DraftJSONTests {
    private let validator: ProfileValidator

    init() throws {
        validator = ProfileValidator(
            try ProfileSchema.with(
                #"{"name":"fee","type":"number","decimalChar":","},{"name":"note"},"#
                    + #"{"name":"password","profiles":{"secret":true}}"#))
    }

    private func draft(_ text: String) throws -> ProfileDraft { try ProfileDraft(JSONValue(parsing: text)) }

    @Test func `a draft is read from JSON with every digit, and its password becomes a secret`() throws {
        let draft = try draft(#"{"username":"ann","fee":0.12345678901234567890,"note":null,"password":"Sunflower7"}"#)
        #expect(draft["fee"]?.text == "0.12345678901234567890" && draft["fee"]?.isCanonical == true)
        #expect(draft.values.keys.sorted() == ["fee", "username"])
        #expect(draft.password == Secret("Sunflower7"))
        #expect(try draft.withoutFee.map { try validator.issues(of: $0) } == [])
    }

    @Test(arguments: [
        ("[]", [], JSONMemberError.Reason.wrongType(.array, expected: [.object])),
        (
            #"{"username":"a","note":["x"]}"#, ["note"],
            .wrongType(.array, expected: [.string, .number, .boolean, .null])
        ),
        (
            #"{"password":{"is":"Sunflower7"}}"#, ["password"],
            .wrongType(.object, expected: [.string, .number, .boolean, .null])
        ),
    ])
    func `a value of the wrong kind is refused with its name, and without the value`(
        text: String, path: [String], reason: JSONMemberError.Reason
    ) throws {
        let error = try #require(throws: JSONMemberError.self) { try draft(text) }
        #expect(error.path == path)
        #expect(error.reason == reason)
        #expect(!"\(error)\(error.description)".contains("Sunflower7"))
    }

    @Test func `a merge patch replaces, clears and keeps values`() throws {
        var stored = ProfileDraft(["username": "ann", "note": "old", "fee": "1,5"])
        try stored.merge(JSONValue(parsing: #"{"note":null,"fee":2.5}"#))
        let valid = try validator.validate(stored, on: .latest, hasPassword: true)
        #expect(valid["note"] == nil && valid["fee"] == "2.5" && valid[.username] == "ann")
    }

    @Test func `a patch that was read as a draft clears the same fields`() throws {
        var stored = ProfileDraft(["username": "ann", "note": "old"])
        stored.merge(try draft(#"{"note":null}"#))
        #expect(stored["note"] == nil)
        // A draft that was made of typed values does not clear the fields that it lacks.
        stored["note"] = "new"
        stored.merge(ProfileDraft(["username": "bob"]))
        #expect(stored["note"]?.text == "new")
    }

    @Test(arguments: [#"{"nickname":null}"#, #"{"nickname":"x"}"#])
    func `a field that the schema does not have is an issue, also if it is null`(patch: String) throws {
        var stored = ProfileDraft(["username": "ann", "password": "Sunflower7"])
        try stored.merge(JSONValue(parsing: patch))
        #expect(try validator.issues(of: stored).map(\.problem) == [.unknownField("nickname")])
        stored["nickname"] = nil as DraftValue?
        #expect(try validator.issues(of: stored).isEmpty)
    }

    @Test(arguments: ["password", "password_hash"])
    func `a patch cannot clear the password`(name: String) throws {
        var stored = ProfileDraft(["username": "ann"])
        let patch = try JSONValue(parsing: #"{"username":"bob","\#(name)":null}"#)
        let error = try #require(throws: JSONMemberError.self) { try stored.merge(patch) }
        #expect(error == JSONMemberError(.notClearable, at: name))
        #expect(stored[.username]?.text == "ann")
        // A new profile has no password that could be cleared.
        #expect(try validator.issues(of: ProfileDraft(patch)).isEmpty)
    }

    @Test func `an error about JSON says where and what in words`() throws {
        let error = try #require(throws: JSONMemberError.self) { try draft(#"{"note":{}}"#) }
        #expect(
            error.description
                == "note: it is an object where a string, a number, a boolean or null is expected")
        let malformed = try #require(throws: JSONError.self) { try JSONValue(parsing: "{\n \"a\": 01}") }
        #expect(malformed.text == "malformed number (line 2, column 8)")
    }
}

extension ProfileDraft {
    /// The draft without `fee`, because a double cannot represent its digits.
    fileprivate var withoutFee: ProfileDraft? {
        var draft = self
        draft["fee"] = nil as DraftValue?
        return draft
    }
}
