import ProfileCore
import ProfileStore
import Testing
import Watchdog

@testable import ProfileTransfer

@Suite(.watched) struct ProfileJSONTests {
    @Test func `a profile's JSON has the facts of the store, and the open fields in their order`() async throws {
        let store = try await ExportedStore()
        let profile = try await store.register(ExportTests.full)
        #expect(
            profile.json.text() == """
                {"id":1,"revision":1,"created_at":"2026-01-01T00:00:00.250Z","updated_at":"2026-01-01T00:00:00.250Z",\
                "schema_version":1,"status":"valid","values":{"username":"skboard","note":"say \\"hi\\",\\nthen go","age":42,\
                "score":1.5,"member":true,"since":"2024-01-31"}}
                """)
    }

    @Test func `a page's JSON has the cursor as a string, or null at the end`() async throws {
        let store = try await ExportedStore()
        for name in ["ann", "bob"] { try await store.register(["username": name]) }
        let first = try await store.repository.profiles(ProfileQuery(limit: 1))
        #expect(first.json["next"] == "1")
        let second = try await store.repository.profiles(ProfileQuery(limit: 1, after: first.next))
        #expect(second.json["next"] == .some(.null))
        #expect(second.json["profiles"] == .array([second.profiles[0].json]))
    }

    @Test func `a year is a string in JSON, whatever its digits`() throws {
        let schema = try ProfileSchema(
            parsing: """
                {"fields":[{"name":"username","constraints":{"required":true,"unique":true}},{"name":"born","type":"year"}]}
                """)
        let born = try #require(schema.fields.last)
        for year in ["1999", "0099"] { #expect(born.json(of: year) == .string(year)) }
    }

    @Test func `an invalid profile's JSON has its issues last, and a value of another type is a string`() throws {
        let schema = try ProfileSchema(parsing: ExportedStore.schema)
        let time = Timestamp(millisecondsSince1970: 0)
        let issue = ReportedIssue(field: "age", code: "bad_format", message: "age should be a whole number")
        let profile = Profile(
            id: 7, revision: 2, createdAt: time, updatedAt: time, schemaVersion: 3, issues: [issue], hasPassword: false,
            schema: schema, values: ["ann", nil, "007", " 5", "yes", "never"])
        #expect(
            profile.json.text() == """
                {"id":7,"revision":2,"created_at":"1970-01-01T00:00:00.000Z","updated_at":"1970-01-01T00:00:00.000Z",\
                "schema_version":3,"status":"invalid","values":{"username":"ann","note":null,"age":"007",\
                "score":" 5","member":"yes","since":"never"},"issues":[{"field":"age","code":"bad_format",\
                "message":"age should be a whole number"}]}
                """)
    }
}
