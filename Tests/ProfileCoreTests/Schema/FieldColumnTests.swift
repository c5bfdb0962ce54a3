import ProfileCore
import Testing
import Watchdog

@Suite(.watched) struct FieldColumnTests {
    @Test func `S9: a field with the name of a store's own column has another column, and no two fields share one`() {
        let names: [FieldName] = ["id", "revision", "created_at", "issues", "rowid", "oid", "status", "id_2", "phone"]
        let columns = names.map(FieldColumn.init(of:))
        #expect(
            columns.map(\.text) == [
                "id$", "revision$", "created_at$", "issues$", "rowid$", "oid$", "status", "id_2", "phone",
            ])
        for column in columns { #expect(FieldColumn(column.text) == column && column.fact == nil) }
        for text in ["id", "phone$", "_id", "id$$", "$", "", "Id$"] { #expect(FieldColumn(text) == nil, "\(text)") }
    }

    @Test func `S9: a fact has a name that no field can have, so a name in a query is a field's or a fact's`() {
        for fact in ProfileFact.allCases {
            #expect(FieldName(fact.name) == nil && ProfileFact(name: fact.name) == fact)
            #expect(ProfileFact(name: fact.rawValue) == nil)
            #expect(FieldName.inQuery(fact.name) == FieldName(of: fact))
            #expect(fact.rules.map { $0.column.fact == fact } ?? true)
        }
        #expect(FieldName.inQuery("id") == "id" && FieldName.inQuery("_ids") == nil)
    }

    @Test(arguments: [
        ("1234.5", ",", ".", "1.234,5"), ("-123.25", ",", ".", "-123,25"), ("-1234567", ",", ".", "-1.234.567"),
        ("999", ".", ",", "999"), ("1000", ".", ",", "1,000"), ("1e+20", ".", ",", "1e+20"), ("0.5", ",", nil, "0,5"),
    ])
    func `N13: a number is written with the signs of its format`(
        stored: String, decimal: Character, group: Character?, written: String
    ) throws {
        let format = NumberFormat(decimal: decimal, group: group)
        let group = group.map { ", \"groupChar\": \"\($0)\"" } ?? ""
        let schema = try ProfileSchema(
            parsing: """
                {"fields": [{"name": "username", "constraints": {"required": true, "unique": true}},
                  {"name": "sum", "type": "number", "decimalChar": "\(decimal)"\(group)}]}
                """)
        #expect(schema.fields[1].numberFormat == format)
        #expect(schema.fields[1].originalForm(of: stored) == written)
    }

    @Test func `N13: a boolean and a day are written in the first way that the schema accepts`() throws {
        let schema = try ProfileSchema(
            parsing: """
                {"fields": [{"name": "username", "constraints": {"required": true, "unique": true}},
                  {"name": "member", "type": "boolean", "trueValues": ["ja", "true"], "falseValues": ["nein", "false"],
                   "profiles": {"columns": ["Mitglied", "member?"]}},
                  {"name": "born", "type": "date", "profiles": {"formats": ["dd.MM.yyyy", "yyyy-MM-dd"]}}]}
                """)
        let (member, born) = (schema.fields[1], schema.fields[2])
        #expect(member.originalForm(of: "true") == "ja" && member.originalForm(of: "false") == "nein")
        #expect(member.originalForm(of: "perhaps") == "perhaps")
        #expect(born.originalForm(of: "2001-02-03") == "03.02.2001" && born.originalForm(of: "soon") == "soon")
        #expect(member.originalHeader == "Mitglied" && born.originalHeader == "born")
    }
}
