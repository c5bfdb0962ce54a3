import ProfileCore
import Testing
import Watchdog

/// Reading the members of an object, as a service reads the body of a request.
@Suite(.watched) struct JSONMembersTests {
    private struct Request: JSONDecodable {
        let name: String
        let isUrgent: Bool?
        let limit: Int?
        let tags: [String]?
        let fields: [FieldName]?

        static let names = ["name", "urgent", "limit", "tags", "fields"]

        init(_ json: JSONValue) throws(JSONMemberError) {
            let members = try JSONMembers(json, known: Self.names)
            name = try members.requiredText("name")
            isUrgent = try members.flag("urgent")
            limit = try members.integer("limit")
            tags = try members.texts("tags")
            fields = try members.array("fields", FieldName.init(_:))
        }
    }

    @Test func `members are read by their types, and null is no value`() throws {
        let request = try Request(["name": "", "urgent": false, "limit": -7, "tags": ["a", ""], "fields": ["phone"]])
        #expect(request.name.isEmpty && request.isUrgent == false && request.limit == -7)
        #expect(request.tags == ["a", ""] && request.fields == [.phone])
        let least = try Request(["name": "a", "urgent": nil, "tags": nil])
        #expect(least.isUrgent == nil && least.limit == nil && least.tags == nil && least.fields == nil)
    }

    @Test(arguments: [
        ("[]", [], JSONMemberError.Reason.wrongType(.array, expected: [.object])), ("{}", ["name"], .missing),
        (#"{"name":null}"#, ["name"], .missing), (#"{"name":1}"#, ["name"], .wrongType(.number, expected: [.string])),
        (#"{"name":"a","Name":"b"}"#, ["Name"], .unknownName(known: Request.names)),
        (#"{"name":"a","urgent":"true"}"#, ["urgent"], .wrongType(.string, expected: [.boolean])),
        (#"{"name":"a","limit":"1"}"#, ["limit"], .wrongType(.string, expected: [.number])),
        (#"{"name":"a","limit":1.5}"#, ["limit"], .malformed),
        (#"{"name":"a","limit":9223372036854775808}"#, ["limit"], .malformed),
        (#"{"name":"a","tags":"b"}"#, ["tags"], .wrongType(.string, expected: [.array])),
        (#"{"name":"a","tags":["b",null]}"#, ["tags", "1"], .wrongType(.null, expected: [.string])),
        (#"{"name":"a","fields":["phone","Phone"]}"#, ["fields", "1"], .malformed),
    ])
    func `an error names the member`(text: String, path: [String], reason: JSONMemberError.Reason) throws {
        let error = try #require(throws: JSONMemberError.self) { try Request(JSONValue(parsing: text)) }
        #expect(error.path == path && error.reason == reason)
    }

    @Test func `each type has a method for required members`() throws {
        let members = try JSONMembers(["text": "a", "flag": true, "integer": 3, "texts": ["b"]], known: Self.names)
        #expect(try members.requiredText("text") == "a" && members.requiredFlag("flag"))
        #expect(try members.requiredInteger("integer") == 3 && members.requiredTexts("texts") == ["b"])
        #expect(try members.requiredArray("texts", FieldName.init(_:)) == ["b"])
        #expect(try members.require("text") { (json) throws(JSONMemberError) in json } == "a")
        let none = try JSONMembers([:], known: Self.names)
        let readers: [(String, () throws -> Void)] = [
            ("text", { _ = try none.requiredText("text") }), ("flag", { _ = try none.requiredFlag("flag") }),
            ("integer", { _ = try none.requiredInteger("integer") }),
            ("texts", { _ = try none.requiredTexts("texts") }),
            ("texts", { _ = try none.requiredArray("texts", FieldName.init(_:)) }),
        ]
        for (name, read) in readers {
            #expect(throws: JSONMemberError(.missing, at: name), "\(name)") { try read() }
        }
    }

    private static let names = ["text", "flag", "integer", "texts"]

    @Test func `an error of a closure gets the name of its member`() throws {
        let members = try JSONMembers(["text": "a"], known: Self.names)
        #expect(throws: JSONMemberError(.unknownWord(known: ["b"]), at: "text")) {
            try members.read("text") { (_) throws(JSONMemberError) -> String in
                throw JSONMemberError(.unknownWord(known: ["b"]))
            }
        }
    }
}
