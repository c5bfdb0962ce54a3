import ProfileCore
@testable import ProfileStore
import StoreFixtures
import Testing
import Watchdog

@Suite(.watched) struct ProfileTests {
    /// A profile of so many fields besides `username`, and their names.
    private func profile(fields count: Int) throws -> (profile: Profile, names: [FieldName]) {
        let others = (0..<count).map { #"{"name":"field_\#($0)"}"# }.joined(separator: ",")
        let schema = try ProfileSchema(
            parsing: #"{"fields":[{"name":"username","constraints":{"required":true,"unique":true}},\#(others)]}"#)
        let time = Timestamp(millisecondsSince1970: 0)
        let profile = Profile(
            id: 1, revision: 1, createdAt: time, updatedAt: time, schemaVersion: 1, issues: [], hasPassword: false,
            schema: schema, values: schema.openFields.map(\.name.text))
        return (profile, schema.fields.map(\.name))
    }

    @Test func `a profile gives the value of each of its fields by name`() throws {
        let (profile, names) = try profile(fields: 99)
        #expect(names.count == 100)
        for name in names { #expect(profile[name] == name.text) }
        #expect(profile.username == "username")
        #expect(profile[.password] == nil)
        #expect(profile[.phone] == nil)
    }

    @Test func `the size of a profile is that of its values and of the messages of its issues`() throws {
        let schema = try profile(fields: 2).profile.schema
        let time = Timestamp(millisecondsSince1970: 0)
        let issues = [ReportedIssue(field: "username", code: "required", message: "Name is empty")]
        let profile = Profile(
            id: 1, revision: 1, createdAt: time, updatedAt: time, schemaVersion: 1, issues: issues, hasPassword: false,
            schema: schema, values: ["abc", nil, "é"])
        #expect(profile.byteCount == 5 + issues[0].message.utf8.count)
    }

    /// The time to read all fields of a profile by name. It is the least of a few measurements.
    private func costOfAllFields(_ count: Int) throws -> Duration {
        let (profile, names) = try profile(fields: count)
        return try #require(
            (0..<20).map { _ in
                ContinuousClock().measure { for name in names { _ = profile[name] } }
            }.min())
    }

    // Ten times as many fields would take a hundred times as long if each look-up went through all fields.
    @Test(.alone) func `a field of a profile is found without a walk through the others`() throws {
        #expect(try costOfAllFields(99) < costOfAllFields(9) * 40)
    }

    @Test func `schemas are equal if their contents are equal`() throws {
        let first = try profile(fields: 3).profile.schema
        let second = try profile(fields: 3).profile.schema
        #expect(first == second)
        #expect(first.hashValue == second.hashValue)
        #expect(try profile(fields: 4).profile.schema != first)
        #expect(try ProfileSchema(parsing: first.document(), defaultName: "other") == first)
        #expect(try ProfileSchema(parsing: first.document().replacing("custom", with: "other")) != first)
    }
}
