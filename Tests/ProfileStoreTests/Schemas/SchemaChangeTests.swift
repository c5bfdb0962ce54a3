@testable import ProfileStore
import ProfileCore
import ProfileTesting
import StoreFixtures
import Testing
import Watchdog

/// D6, D7: fields that are renamed, and values that are converted.
@Suite(.watched) struct SchemaChangeTests {
    private let store: TemporaryStore
    private let repository: ProfileRepository

    init() async throws {
        store = try TemporaryStore()
        let schema = try Self.schema(
            #"{"name":"city","constraints":{"unique":true}}"#, #"{"name":"home","profiles":{"indexed":true}}"#,
            #"{"name":"born"}"#)
        repository = try await store.open(store.options { $0.initialSchema = schema })
    }

    private static func schema(_ fields: String...) throws -> ProfileSchema {
        try ProfileSchema(
            parsing: #"{"fields":[{"name":"username","constraints":{"required":true,"unique":true}},"#
                + fields.joined(separator: ",") + "]}")
    }

    private func register(_ username: String, _ values: [String: String]) async throws {
        let draft = ProfileDraft(values.merging(["username": username]) { $1 })
        _ = try await repository.register(try repository.judged(draft))
    }

    private func values(_ username: String) async throws -> [String: String] {
        let profile = try #require(try await repository.profile(username: username))
        let named = profile.fields.compactMap { field in field.value.map { (field.rules.name.text, $0) } }
        return Dictionary(uniqueKeysWithValues: named.filter { $0.0 != "username" })
    }

    // MARK: Renaming

    @Test func `D6: of renames at the same time none is lost: each is done or refused`() async throws {
        for round in 1...5 {
            let names = repository.rules.inForce.schema.fields.map(\.name).dropFirst()
            let renames = try names.enumerated().map { index, name in
                (name, try #require(FieldName("field_\(round)_\(index)")))
            }
            let done = await withTaskGroup(of: FieldName?.self) { group in
                for (old, new) in renames {
                    group.addTask {
                        do {
                            try await repository.rules.rename([old: new])
                            return new
                        } catch let error as ProfileStoreError where error.code == .schemaChanged {
                            return nil
                        } catch {
                            Issue.record(error)
                            return nil
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }.compactMap(\.self)
            }
            #expect(!done.isEmpty)
            #expect(Set(repository.rules.inForce.schema.fields.map(\.name)).isSuperset(of: done))
        }
        await repository.close()
    }

    @Test func `D6: a renamed field keeps its values, its index and its history, and the table does not change`()
        async throws
    {
        try await register("abel", ["city": "Ulm", "home": "here"])
        _ = try await repository.edit("abel") { $0["city"] = "Bonn" }
        let table = store.engine == .sqlite ? try store.rows("sqlite_schema") : []
        try await repository.rules.rename(["city": "town"], by: Author("eve"))
        #expect(try await values("abel") == ["town": "Bonn", "home": "here"])
        if store.engine == .sqlite { #expect(try store.rows("sqlite_schema") == table) }
        #expect(try await repository.profiles(ProfileQuery([.init("town", .equals("Bonn"))])).profiles.count == 1)
        await #expect(throws: ProfileStoreError.duplicate(["town"])) { try await register("bert", ["town": "Bonn"]) }
        let edit = try #require(try await repository.history(of: "abel")?.first)
        #expect(edit.values == [.init(field: "town", before: "Ulm", after: "Bonn")])
        // An undo finds the field by its column.
        let change = try #require(try await repository.historyChanges().first)
        #expect(try await repository.undo(change).reverted == 1)
        #expect(try await values("abel") == ["town": "Ulm", "home": "here"])
        await repository.close()
    }

    @Test func `D6: a write and a query by the old name are refused as an unknown field`() async throws {
        try await register("abel", ["city": "Ulm"])
        try await repository.rules.rename(["city": "town"])
        let unknown = ValidationIssue(nil, .unknownField("city"))
        let draft = ProfileDraft(["username": "bert", "city": "Bonn"])
        let error = await #expect(throws: ProfileStoreError.self) { try await repository.register(draft) }
        guard case .invalid(let failure)? = error?.reason else { return #expect(error == nil) }
        #expect(failure.issues == [unknown])
        await #expect(throws: ProfileStoreError.invalidQuery([unknown])) {
            try await repository.profiles(ProfileQuery([.init("city", .equals("Ulm"))]))
        }
        await repository.close()
    }

    @Test func `D6: two fields swap their names, twice, and each keeps its values`() async throws {
        try await register("abel", ["city": "Ulm", "home": "here"])
        try await repository.rules.rename(["city": "home", "home": "city"])
        #expect(try await values("abel") == ["home": "Ulm", "city": "here"])
        // The unique constraint follows its field.
        await #expect(throws: ProfileStoreError.duplicate(["home"])) { try await register("bert", ["home": "Ulm"]) }
        try await register("bert", ["home": "Bonn", "city": "here"])
        try await repository.rules.rename(["city": "home", "home": "city"])
        #expect(try await values("abel") == ["city": "Ulm", "home": "here"])
        await repository.close()
    }

    @Test func `D6: a field that replaces a removed one is empty, and its former name finds the values again`()
        async throws
    {
        try await register("abel", ["city": "Ulm"])
        let city = #"{"name":"city"}"#
        try await repository.rules.adopt(try Self.schema(#"{"name":"home"}"#))
        try await repository.rules.adopt(try Self.schema(city))
        #expect(try await values("abel").isEmpty)
        try await register("bert", ["city": "Bonn"])
        let named = #"{"name":"town","profiles":{"was":"city"}}"#
        try await repository.rules.adopt(try Self.schema(named, city))
        #expect(try await values("bert") == ["town": "Bonn"])
        // An earlier version has the values of its own field again.
        let first = try #require(try await repository.rules.versions().first)
        #expect(try await repository.rules.adopt(again: first) == 5)
        #expect(try await values("abel") == ["city": "Ulm"])
        #expect(try await values("bert").isEmpty)
        #expect(try await repository.rules.adopt(again: first) == 5, "it is in force already")
        await repository.close()
    }

    @Test func `D6: the history distinguishes the values of a removed field from those of a new one`() async throws {
        try await register("abel", ["city": "Ulm"])
        _ = try await repository.edit("abel") { $0["city"] = "Bonn" }
        let change = try #require(try await repository.historyChanges().first)
        try await repository.rules.adopt(try Self.schema(#"{"name":"home"}"#))
        try await repository.rules.adopt(try Self.schema(#"{"name":"city"}"#))
        let edit = try #require(try await repository.history(of: "abel")?.first)
        #expect(edit.values == [.init(field: "city (former)", before: "Ulm", after: "Bonn")])
        let report = try await repository.undo(change)
        #expect(report.left.map(\.reason) == [.formerFields(["city (former)"])])
        #expect(try await values("abel").isEmpty)
        await repository.close()
    }

    @Test func `D6: values that the rules of a file have judged are recorded in the columns of the store`() async throws
    {
        try await register("abel", ["city": "Ulm"])
        try await repository.rules.rename(["city": "town"])
        let file = try ProfileSchema(parsing: repository.schema.document())
        let profile = try #require(try await repository.profile(username: "abel"))
        let draft = ProfileDraft(["username": "abel", "town": "Bonn"])
        let valid = try ProfileValidator(file).validate(draft, on: repository.today)
        _ = try await repository.replace(profile, with: valid)
        #expect(try await values("abel") == ["town": "Bonn"])
        let edit = try #require(try await repository.history(of: "abel")?.first)
        #expect(edit.values == [.init(field: "town", before: "Ulm", after: "Bonn")])
        await repository.close()
    }

    @Test func `D6: the key can be renamed while profiles are stored`() async throws {
        try await register("abel", [:])
        try await repository.rules.rename(["username": "login"])
        #expect(repository.schema.primaryKey.name == "login")
        #expect(try await repository.profile(username: "abel")?["login"] == "abel")
        let first = try #require(try await repository.rules.versions().first)
        try await repository.rules.adopt(again: first)
        #expect(repository.schema.primaryKey.name == .username)
        await repository.close()
    }

    @Test func `D6: a cursor follows the field by which its page was sorted`() async throws {
        for (name, home) in [("abel", "c"), ("bert", "b"), ("carl", "a")] { try await register(name, ["home": home]) }
        var query = ProfileQuery(order: ProfileQuery.Order("home"), limit: 1)
        query.after = try await repository.profiles(query).next
        try await repository.rules.rename(["home": "house"])
        query.order = ProfileQuery.Order("house")
        #expect(try await repository.profiles(query).profiles.map(\.username) == ["bert"])
        await repository.close()
    }

    @Test func `D6: another repository with the old rules writes nothing by them`() async throws {
        let other = try await store.open(store.options())
        try await register("abel", ["city": "Ulm", "home": "here"])
        try await repository.rules.rename(["city": "home", "home": "city"])
        let edited = try await other.edit("abel") { $0["home"] = "there" }
        // The edit used the rules in force.
        #expect(edited["home"] == "there")
        #expect(try await values("abel") == ["home": "there", "city": "here"])
        for repository in [repository, other] { await repository.close() }
    }

    // MARK: Converting

    private static let born = #"{"name":"born","type":"date","format":"%d.%m.%Y"}"#

    @Test func `D7: texts become dates, and texts that are not dates are listed and stay`() async throws {
        for (name, born) in [("abel", "03.02.1999"), ("bert", "soon"), ("carl", "31.02.1999")] {
            try await register(name, ["born": born])
        }
        try await register("dora", ["home": "x"])
        let schema = try Self.schema(#"{"name":"home"}"#, Self.born)
        let effects = try await repository.rules.effects(of: schema)
        let texts = effects.map { "\($0.kind) \($0.field) \($0.values) \($0.failing) \($0.example ?? "")" }
        #expect(texts == ["retyped born 3 2 soon"])
        try await repository.rules.adopt(schema)
        let report = try await repository.rules.convert(by: Author("eve"))
        #expect((report.edited, report.unchanged, report.leftCount) == (1, 1, 2))
        #expect(report.left.map(\.username) == ["bert", "carl"])
        #expect(try await values("abel") == ["born": "1999-02-03"])
        #expect(try await values("bert") == ["born": "soon"])
        let change = try #require(try await repository.historyChanges().first)
        #expect((change.updated, change.author) == (1, "eve"))
        await repository.close()
    }

    @Test func `D7: numbers are converted once, however often the conversion runs`() async throws {
        try await register("abel", ["born": "1.500"])
        try await register("bert", ["born": "12,345"])
        let number = #"{"name":"born","type":"number","decimalChar":",","groupChar":"."}"#
        try await repository.rules.adopt(try Self.schema(number))
        for edited in [2, 0, 0] { #expect(try await repository.rules.convert().edited == edited) }
        #expect(try await values("abel") == ["born": "1500"])
        // If the stored number were converted again, it would become 12345.
        #expect(try await values("bert") == ["born": "12.345"])
        await repository.close()
    }

    @Test func `D7: a revalidation in between marks what is not converted, and hinders no conversion`() async throws {
        try await register("abel", ["born": "03.02.1999"])
        try await repository.rules.adopt(try Self.schema(Self.born))
        #expect(try await repository.rules.revalidate().invalid == 1)
        #expect(try await repository.rules.convert().edited == 1)
        #expect(try await values("abel") == ["born": "1999-02-03"])
        #expect(try await repository.profile(username: "abel")?.issues.isEmpty == true)
        await repository.close()
    }

    @Test func `D7: another mask rewrites values, and a field that is renamed at the same time is converted`()
        async throws
    {
        try await repository.rules.adopt(try Self.schema(###"{"name":"born","profiles":{"mask":"##-##"}}"###))
        try await register("abel", ["born": "1234"])
        #expect(try await values("abel") == ["born": "12-34"])
        let schema = try Self.schema(##"{"name":"code","profiles":{"mask":"#-###","was":"born"}}"##)
        try await repository.rules.adopt(schema)
        #expect(try await repository.rules.convert().edited == 1)
        #expect(try await values("abel") == ["code": "1-234"])
        await repository.close()
    }

    @Test func `D7: a candidate is judged as its conversion would store the values`() async throws {
        try await register("abel", ["born": "03.02.1999"])
        try await register("bert", ["born": "soon"])
        let schema = try Self.schema(Self.born)
        #expect(try await repository.rules.revalidate(candidate: schema).invalid == 2)
        let report = try await repository.rules.revalidate(
            candidate: schema, converting: true, all: true, progress: { _ in })
        #expect((report.checked, report.invalid) == (2, 1))
        #expect(repository.rules.inForce.number == 1)
        await repository.close()
    }

    @Test func `D7: the effects of a schema count the values that it does not read`() async throws {
        try await register("abel", ["city": "Ulm", "home": "here"])
        try await register("bert", ["home": "there"])
        func effects(_ fields: String...) async throws -> [String] {
            let schema = try ProfileSchema(
                parsing: #"{"fields":[{"name":"username","constraints":{"required":true,"unique":true}},"#
                    + fields.joined(separator: ",") + "]}")
            return try await repository.rules.effects(of: schema).map { "\($0.kind) \($0.field) \($0.values)" }
        }
        #expect(try await effects(#"{"name":"home"}"#) == ["unread city 1"])
        #expect(try await effects(#"{"name":"born"}"#) == ["unread city 1", "unread home 2"])
        #expect(try await effects(#"{"name":"town","profiles":{"was":"city"}}"#, #"{"name":"home"}"#).isEmpty)
        try await repository.rules.adopt(try Self.schema(#"{"name":"city"}"#))
        #expect(try await effects(#"{"name":"city"}"#, #"{"name":"home"}"#) == ["formerUnread home 2"])
        await repository.close()
    }
}
