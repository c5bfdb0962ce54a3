@testable import ProfileCore
import Testing
import Watchdog

/// D6: fields that are renamed keep their columns; new fields never get a used one.
@Suite(.watched) struct RenamingTests {
    private static func schema(_ fields: String...) throws -> ProfileSchema {
        try ProfileSchema(
            parsing: #"{"fields":[{"name":"username","constraints":{"required":true,"unique":true}},"#
                + fields.joined(separator: ",") + "]}")
    }

    private static func field(_ name: String, was former: String? = nil) -> String {
        former.map { #"{"name":"\#(name)","profiles":{"was":"\#($0)"}}"# } ?? #"{"name":"\#(name)"}"#
    }

    /// Adopts schemas one after another.
    private static func adopted(_ schemas: ProfileSchema...) -> [ProfileSchema] {
        schemas.reduce(into: []) { versions, schema in versions.append(schema.placed(after: versions)) }
    }

    private static func columns(_ schema: ProfileSchema?) -> [String] {
        schema?.openFields.dropFirst().map { "\($0.name) in \($0.column.text)" } ?? []
    }

    // MARK: Columns

    @Test func `D6: a renamed field keeps its column, also when the file is adopted again with other changes`() throws {
        let versions = Self.adopted(
            try Self.schema(Self.field("city")), try Self.schema(Self.field("town", was: "city")),
            try Self.schema(Self.field("town", was: "city"), Self.field("more")))
        #expect(versions.map(Self.columns) == [["city in city"], ["town in city"], ["town in city", "more in more"]])
    }

    @Test func `D6: two fields swap their names once, however often the file is adopted`() throws {
        let swapped = try Self.schema(Self.field("b", was: "a"), Self.field("a", was: "b"))
        let versions = Self.adopted(
            try Self.schema(Self.field("a"), Self.field("b")), swapped, swapped,
            try Self.schema(Self.field("a", was: "b"), Self.field("b", was: "a"), Self.field("c")))
        #expect(Self.columns(versions[1]) == ["b in a", "a in b"])
        #expect(Self.columns(versions[2]) == ["b in a", "a in b"])
        #expect(Self.columns(versions[3]) == ["a in b", "b in a", "c in c"])
        // The command swaps them again, and the columns with them.
        let again = try versions[2].renaming(["a": "b", "b": "a"])
        #expect(Self.columns(again.placed(after: versions)) == ["a in a", "b in b"])
    }

    @Test func `D6: the name of a removed field gets a new column; its former name finds the values again`() throws {
        let (with, without) = (try Self.schema(Self.field("city")), try Self.schema(Self.field("other")))
        let versions = Self.adopted(with, without, with, without, with)
        #expect(Self.columns(versions[2]) == ["city in city$2"])
        #expect(Self.columns(versions[4]) == ["city in city$3"])
        let found = try Self.schema(Self.field("city", was: "city"))
        #expect(Self.columns(found.placed(after: Array(versions.prefix(2)))) == ["city in city"])
        #expect(Self.columns(found.placed(after: Array(versions.prefix(4)))) == ["city in city$2"])
        // As long as a field has the name, `was` means this field, and not a removed one.
        #expect(Self.columns(found.placed(after: versions)) == ["city in city$3"])
    }

    @Test func `D6: a name that a renamed field has left gets a new column`() throws {
        let versions = Self.adopted(
            try Self.schema(Self.field("city")), try Self.schema(Self.field("city"), Self.field("town", was: "city")))
        #expect(Self.columns(versions[1]) == ["city in city$2", "town in city"])
    }

    @Test func `D6: the key can be renamed, and another field does not become the key`() throws {
        func schema(_ key: String, _ others: String) throws -> ProfileSchema {
            try ProfileSchema(parsing: #"{"primaryKey":"\#(key)","fields":[\#(others)]}"#)
        }
        let first = try schema("login", #"{"name":"login"},{"name":"mail"}"#)
        let renamed = try schema("user", #"{"name":"user","profiles":{"was":"login"}},{"name":"mail"}"#)
        #expect(renamed.sources(in: first) == [0, 1])
        #expect(try first.renaming(["login": "user"]).primaryKey.column == .username)
        let other = try schema("mail", #"{"name":"login"},{"name":"mail"}"#)
        #expect(other.sources(in: first) == [nil, nil])
        let taken = try schema("login", #"{"name":"login"},{"name":"mail","profiles":{"was":"login"}}"#)
        #expect(taken.sources(in: first) == [0, 1])
    }

    @Test func `D6: a schema from another store gets the columns of this one`() throws {
        let foreign = Self.adopted(
            try Self.schema(Self.field("city")), try Self.schema(Self.field("town", was: "city")))
        #expect(Self.columns(foreign[1].placed(after: [])) == ["town in town"])
        let own = Self.adopted(try Self.schema(Self.field("city")))
        #expect(Self.columns(foreign[1].withoutColumns.placed(after: own)) == ["town in city"])
    }

    @Test func `D6: the same rules in other columns are equal, but their difference and hasColumns show it`() throws {
        let (with, without) = (try Self.schema(Self.field("city")), try Self.schema(Self.field("other")))
        let versions = Self.adopted(with, without, with)
        #expect(versions[0] == versions[2] && versions[0].hashValue == versions[2].hashValue)
        #expect(!versions[0].hasColumns(of: versions[2]))
        #expect(with.hasColumns(of: versions[2]), "one that no store has adopted")
        #expect(SchemaDifference(from: versions[0], to: versions[2]).changes.count == 2)
    }

    @Test func `D6: the document that a store keeps of a schema has the columns, and a schema file has not`() throws {
        let versions = Self.adopted(
            try Self.schema(Self.field("city"), Self.field("id")),
            try Self.schema(Self.field("town", was: "city"), Self.field("city"), Self.field("id")))
        for version in versions {
            let read = try ProfileSchema(parsingStored: version.storedDocument)
            #expect(read == version && Self.columns(read) == Self.columns(version))
        }
        #expect(versions[0].storedDocument == versions[0].document())
        #expect(versions[1].storedDocument.contains(#""column":"city$2""#))
        #expect(!versions[1].document().contains("column"))
        #expect(throws: SchemaFailure.self) { try ProfileSchema(parsing: versions[1].storedDocument) }
        #expect(throws: SchemaFailure.self) {
            try ProfileSchema(parsingStored: versions[1].storedDocument.replacing("city$2", with: "city$1"))
        }
    }

    @Test(arguments: [
        ("city", "city"), ("city$2", "city$2"), ("id$", "id$"), ("id$2", "id$2"), ("city$", nil), ("city$1", nil),
        ("id", nil), ("city$02", nil), ("city$+2", nil), ("username$key", nil), ("City", nil), ("$2", nil), ("", nil),
        ("city$2$2", nil), ("city$99999999999999999999", nil),
    ])
    func `D6: only names that a field can have are read as columns`(text: String, column: String?) {
        #expect(FieldColumn(text)?.text == column)
    }

    @Test func `D6: a long name with a number is no longer than a server allows, and still is one column`() throws {
        let name = try #require(FieldName(String(repeating: "a", count: FieldName.longestLength)))
        var used: Set<FieldColumn> = []
        for _ in 0..<12 { used.insert(FieldColumn(of: name, besides: used)) }
        #expect(used.count == 12)
        #expect(used.allSatisfy { $0.text.utf8.count <= FieldName.longestLength && FieldColumn($0.text) == $0 })
    }

    // MARK: Names

    @Test func `D6: a renamed field keeps its rules and its title; a title that is the name follows it`() throws {
        let schema = try Self.schema(
            #"{"name":"home_town","constraints":{"maxLength":3},"profiles":{"was":"place","columns":["Ort"]}}"#,
            #"{"name":"born","title":"Born in"}"#)
        let renamed = try schema.renaming(["home_town": "city", "born": "birth_place", "none": "x"])
        let (city, born) = (renamed.fields[1], renamed.fields[2])
        #expect((city.name, city.title, city.formerName, city.maximumLength) == ("city", "City", "home_town", 3))
        #expect(city.columns == ["Ort", "place"], "an older name stays a header")
        #expect((born.name, born.title, born.formerName) == ("birth_place", "Born in", "born"))
        #expect(born.originalHeader == "born")
    }

    @Test func `D6: names that are taken, reserved or the password's are refused`() throws {
        let schema = try Self.schema(
            Self.field("a"), Self.field("b"),
            #"{"name":"password","constraints":{"required":true},"profiles":{"secret":true}}"#)
        for (old, new) in [("a", "b"), ("a", "password"), ("a", "password_hash"), ("password", "secret")] {
            let names = [try #require(FieldName(old)): try #require(FieldName(new))]
            #expect(throws: SchemaFailure.self, "\(old) to \(new)") { try schema.renaming(names) }
        }
        #expect(throws: SchemaFailure.self) {
            try Self.schema(Self.field("a", was: "c"), Self.field("b", was: "c"))
        }
        #expect(throws: SchemaFailure.self) { try Self.schema(Self.field("a", was: "password")) }
        #expect(throws: SchemaFailure.self) { try Self.schema(Self.field("a", was: "C")) }
    }

    @Test func `D6: the fields of a key of the content are renamed too`() throws {
        let schema = try ProfileSchema(
            parsing: """
                {"profiles":{"key":"content","contentFields":["city"]},"fields":[
                  {"name":"username","constraints":{"required":true,"unique":true}},{"name":"city"}]}
                """)
        #expect(try schema.renaming(["city": "town"]).importSettings.contentFields == ["town"])
    }

    @Test func `D6: a difference shows a renamed field as one change`() throws {
        let old = try Self.schema(Self.field("city"), Self.field("b"))
        let new = try Self.schema(Self.field("b"), Self.field("town", was: "city"))
        let changes = SchemaDifference(from: old, to: new).changes
        #expect(changes == [.changed(before: old.fields[1], after: new.fields[2]), .reordered])
        #expect(new.fields[2].changes(from: old.fields[1]).map(\.rule) == ["name", "title", "was"])
        #expect(!SchemaDifference(from: old, to: new).mayInvalidate)
    }
}
