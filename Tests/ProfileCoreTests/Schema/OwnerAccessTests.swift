import ProfileCore
import Testing
import Watchdog

/// What the owner of a profile may read and change.
@Suite(.watched) struct OwnerAccessTests {
    private static let fields = #"""
        {"name":"username","constraints":{"required":true,"unique":true}},
        {"name":"password","profiles":{"secret":true}},
        {"name":"note"},{"name":"since","type":"date","profiles":{"owner":"read","formats":["dd.MM.yyyy"]}},
        {"name":"risk","type":"integer","profiles":{"owner":"hidden"}}
        """#
    private let schema: ProfileSchema

    init() throws { schema = try ProfileSchema(parsing: #"{"fields":[\#(Self.fields)]}"#) }

    private func patched(
        _ patch: String, in schema: ProfileSchema? = nil, _ change: (inout ProfileDraft) -> Void = { _ in }
    ) throws -> ProfileDraft {
        var draft = ProfileDraft(["username": "ann", "note": "old", "risk": "5"])
        draft["since"] = DraftValue(canonical: "2024-01-15")
        change(&draft)
        try draft.merge(JSONValue(parsing: patch), ofOwnerIn: schema ?? self.schema)
        return draft
    }

    // MARK: The key of a schema

    @Test func `S6: an owner edits every field and reads the primary key, unless the schema says otherwise`() throws {
        #expect(schema.fields.map(\.owner) == [.read, .edit, .edit, .read, .hidden])
        #expect(ProfileSchema.standard.fields.map(\.owner) == [.read, .edit, .edit, .edit, .edit, .edit])
        let given = try ProfileSchema(
            parsing: #"""
                {"fields":[{"name":"username","constraints":{"required":true,"unique":true},"profiles":{"owner":"edit"}},
                 {"name":"note","profiles":{"owner":"edit"}}]}
                """#)
        #expect(given.fields.map(\.owner) == [.edit, .edit])
        #expect(try given[.username] != ProfileSchema.with(#"{"name":"note"}"#)[.username])
        #expect(try given["note"] == ProfileSchema.with(#"{"name":"note"}"#)["note"])
    }

    @Test func `S6: the access is written back, and the default is left out`() throws {
        #expect(try ProfileSchema(parsing: schema.document()) == schema)
        #expect(schema.document().contains(#""profiles":{"owner":"hidden"}"#))
        #expect(!schema.document().contains("edit"))
        #expect(!ProfileSchema.standard.document().contains("owner"))
    }

    @Test(arguments: [
        (#"{"name":"x","profiles":{"owner":"write"}}"#, #""write" is not supported; known are edit, read, hidden"#),
        (#"{"name":"x","profiles":{"owner":true}}"#, "it is a boolean where a string is expected"),
        (
            #"{"name":"password","profiles":{"secret":true,"owner":"read"}}"#,
            "a password is never shown, and its owner can always change it"
        ),
    ])
    func `S6: an unknown kind of access, or an access to the password, is an error of the schema`(
        field: String, text: String
    ) {
        let failure = #expect(throws: SchemaFailure.self) { try ProfileSchema.with(field) }
        #expect(failure?.errors.map(\.path) == ["$.fields[1].profiles.owner"])
        #expect(failure?.errors.map(\.reason.text) == [text])
    }

    @Test func `S6: the primary key is not hidden`() {
        let failure = #expect(throws: SchemaFailure.self) {
            try ProfileSchema(
                parsing: #"{"primaryKey":"no","fields":[{"name":"no","profiles":{"owner":"hidden"}}]}"#)
        }
        #expect(failure?.errors.map(\.reason) == [.keyIsHidden])
    }

    @Test func `a field whose type is loosened stays hidden`() throws {
        let satisfied = try #require(ProfileSchema.with(#"{"name":"risk"}"#)["risk"])
        let broken = BrokenFieldRules(codes: [.badFormat], choices: nil, satisfied: satisfied)
        let loosened = schema.loosened(where: ["risk": broken])
        #expect(loosened["risk"]?.type == .string)
        #expect(loosened["risk"]?.owner == .hidden)
    }

    @Test func `a key of a file that becomes a plain field of a store can be edited`() throws {
        let file = try ProfileSchema(parsing: #"{"primaryKey":"no","fields":[{"name":"no"}]}"#)
        #expect(schema.adding(file.fields)["no"]?.owner == .edit)
    }

    // MARK: What the owner sees

    @Test func `an owner does not see hidden fields, nor the settings of imports that may name them`() throws {
        let document = #"{"profiles":{"ignoredColumns":["risk class"]},"fields":[\#(Self.fields)]}"#
        let shown = try ProfileSchema(parsing: document).forOwner
        #expect(shown.fields.map(\.name) == [.username, .password, "note", "since"])
        #expect(shown.primaryKey.name == .username)
        #expect(!shown.document().contains("risk"))
        #expect(try ProfileSchema(parsing: shown.document()) == shown)
    }

    // MARK: What the owner changes

    @Test func `an owner changes and clears fields that may be edited`() throws {
        #expect(try patched(#"{"note":"new"}"#)["note"]?.text == "new")
        #expect(try patched(#"{"note":null}"#)["note"] == nil)
        #expect(try patched(#"{"note":null}"#)["risk"]?.text == "5")
    }

    @Test(arguments: [
        (#"{"since":"16.01.2024"}"#, "since"), (#"{"since":null}"#, "since"), (#"{"username":"bob"}"#, "username"),
        (#"{"note":"new","since":"2024-01-16"}"#, "since"), (#"{"password":"Sunflower7"}"#, "password"),
    ])
    func `an owner cannot change what an owner only reads, nor the password without the old one`(
        patch: String, name: String
    ) throws {
        let error = #expect(throws: JSONMemberError.self) { try patched(patch) }
        #expect(error == JSONMemberError(.readOnly, at: name))
    }

    @Test func `an owner may repeat what an owner only reads`() throws {
        let draft = try patched(#"{"username":"ann","since":"2024-01-15","note":"new"}"#)
        #expect(draft["note"]?.text == "new")
        // The value keeps its notation: as a typed text, this day would not fit the format of the field.
        #expect(try ProfileValidator(schema).issues(of: draft, hasPassword: true).isEmpty)
        let absent = try patched(#"{"since":null}"#) { $0["since"] = nil as DraftValue? }
        #expect(absent["since"] == nil && absent.clearedNames.isEmpty)
    }

    @Test(arguments: [#"{"risk":1}"#, #"{"risk":null}"#, #"{"risk":5}"#, #"{"shoe":1}"#, #"{"password_hash":"$x"}"#])
    func `a hidden field is as unknown to an owner as one that does not exist`(patch: String) throws {
        let error = #expect(throws: JSONMemberError.self) { try patched(patch) }
        #expect(error?.reason == .unknownName(known: ["username", "password", "note", "since"]))
    }

    @Test func `the fields that form the primary key have the access of the key`() throws {
        let fields = #"""
            {"name":"key","profiles":{"owner":"ACCESS"}},{"name":"first"},{"name":"last"},{"name":"note"}
            """#
        func schema(_ access: String) throws -> ProfileSchema {
            try ProfileSchema(
                parsing: #"{"primaryKey":"key","profiles":{"key":["first","last"]},"fields":["#
                    + fields.replacing("ACCESS", with: access) + "]}")
        }
        func patched(_ patch: String, _ schema: ProfileSchema) throws -> ProfileDraft {
            var draft = ProfileDraft(["first": "ann", "last": "lee"])
            draft.stored = ProfileDraft.StoredKey("ann lee", values: draft.values)
            try draft.merge(JSONValue(parsing: patch), ofOwnerIn: schema)
            return draft
        }
        #expect(try patched(#"{"key":"ann lee","first":"ann","note":"x"}"#, schema("read"))["note"]?.text == "x")
        for patch in [#"{"first":"bob"}"#, #"{"key":"bob lee"}"#] {
            let error = #expect(throws: JSONMemberError.self) { try patched(patch, schema("read")) }
            #expect(error?.reason == .readOnly)
        }
        #expect(try patched(#"{"first":"bob"}"#, schema("edit"))["first"]?.text == "bob")
        let own = try ProfileDraft(JSONValue(parsing: #"{"first":"ann","last":"lee"}"#), ofOwnerIn: schema("read"))
        #expect(try ProfileValidator(schema("read")).issues(of: own).isEmpty)
    }

    @Test func `a person who registers gives the key, the password and the fields that may be edited`() throws {
        let draft = try ProfileDraft(
            JSONValue(parsing: #"{"username":"ann","password":"Sunflower7","note":"x"}"#), ofOwnerIn: schema)
        #expect(draft[.username]?.text == "ann" && draft.password == Secret("Sunflower7"))
        for (text, reason) in [
            (#"{"username":"ann","since":"15.01.2024"}"#, JSONMemberError.Reason.readOnly),
            (#"{"username":"ann","risk":1}"#, .unknownName(known: schema.forOwner.fields.map(\.name.text))),
        ] {
            let error = #expect(throws: JSONMemberError.self) {
                try ProfileDraft(JSONValue(parsing: text), ofOwnerIn: schema)
            }
            #expect(error?.reason == reason)
        }
    }
}
