import ProfileCore
import ProfileTransfer
import SchemaInference
import StoreFixtures
import Testing
import Watchdog

/// N1: nested JSON becomes columns, and an import by the proposal takes each row that is not refused.
@Suite(.watched) struct NestedInferenceTests {
    private func expectSame(_ text: String, columns: [String: String]) async throws {
        let proposal = try await inferring(text)
        #expect(proposal.labels == columns)
        let report = try await proposal.validating(Array(text.utf8))
        #expect(report.rejected == proposal.refusedRows && report.rows == proposal.rows, "\(report.lines)")
        // The document of the schema has all settings that a later file needs.
        let again = try ProfileSchema(parsing: #require(proposal.schema).document())
        #expect(again == proposal.schema)
    }

    @Test func `N1: members of objects are columns of their joined names`() async throws {
        let text = """
            {"id":"u1","address":{"city":"Rome","geo":{"lat":1.5}},"tags":["a","b"]}
            {"id":"u2","address":null,"tags":[]}
            {"id":"u3","address":{"city":"Oslo","zip":null},"tags":null}

            """
        try await expectSame(
            text,
            columns: [
                "id": "key string", "address.city": "string", "address.geo.lat": "number", "address.zip": "string",
                "tags": "string",
            ])
        let proposal = try await inferring(text)
        #expect(proposal["address.city"]?.rules?.name.text == "address_city")
        #expect(proposal["tags"]?.doubts.contains(.joinedLists) == true && proposal["tags"]?.examples == ["a, b"])
        #expect(proposal.ignoredColumns == [])
        let schema = try #require(proposal.schema)
        let plain = try await ProfileImporter(schema: schema, today: .latest).run(text)
        #expect(plain.outcomes == [3, 0, 0, 0], "\(plain.lines)")
    }

    @Test func `N1: a member that is an object in one row and a value in another is left out`() async throws {
        try await expectSame(
            #"{"id":1,"a":{"b":1,"c":{"d":2}}}"# + "\n" + #"{"id":2,"a":"x"}"# + "\n" + #"{"id":3,"a":{"e":3}}"# + "\n",
            columns: [
                "id": "key string", "a": "left out", "a.b": "left out", "a.c.d": "left out", "a.e": "left out",
            ])
        try await expectSame(
            #"{"id":1,"a":{"b":1}}"# + "\n" + #"{"id":2,"a":{"b":1},"a.b":2}"# + "\n",
            columns: ["id": "key string", "a.b": "left out"])
        try await expectSame(
            #"{"id":1,"a":{}}"# + "\n" + #"{"id":2,"a":null}"# + "\n", columns: ["id": "key string", "a": "left out"])
    }

    @Test func `N4: a list of passwords or hashes is no field`() async throws {
        try await expectSame(
            #"{"id":1,"password":["a","b"]}"# + "\n" + #"{"id":2,"x":["\#(broughtHash)"],"password":"c"}"# + "\n"
                + #"{"id":3,"x":"\#(broughtHash)"}"# + "\n",
            columns: ["id": "key string", "password": "left out", "x": "left out"])
    }

    @Test func `N1: an import by chosen columns reads members of objects that are not chosen`() async throws {
        let text = #"{"id":"a","address":{"city":"Rome","zip":1},"b":{"c":2}}"# + "\n"
        let proposal = try await inferring(text) { $0.columns = ["id", "address.city"] }
        #expect(proposal.columns.map(\.header) == ["id", "address.city"])
        #expect(try await proposal.validating(Array(text.utf8)).outcomes == [1, 0, 0, 0])
    }
}
