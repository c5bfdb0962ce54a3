import ProfileCore
import Testing
import Watchdog

/// A primary key that consists of the values of other fields.
@Suite(.watched) struct KeyOfPartsTests {
    private static let schema = """
        {"profiles": {"key": ["Ort", "number"]}, "fields": [
          {"name": "username", "title": "Key", "constraints": {"required": true, "unique": true}},
          {"name": "site", "missingValues": ["", "-"], "profiles": {"columns": ["Ort"]}},
          {"name": "number", "type": "number", "decimalChar": ","}, {"name": "name"}
        ]}
        """

    private func judge(_ values: [String: String]) throws -> Result<ValidProfile, ValidationFailure> {
        let validator = ProfileValidator(try ProfileSchema(parsing: Self.schema))
        let today = try ProfileSchema.day(2026, 1, 15)
        do throws(ValidationFailure) {
            return .success(try validator.validate(ProfileDraft(values), on: today))
        } catch {
            return .failure(error)
        }
    }

    private func issues(_ values: [String: String]) throws -> [String] {
        guard case .failure(let failure) = try judge(values) else { return [] }
        return failure.issues.map { "\($0.field?.text ?? "") \($0.code)" }
    }

    @Test func `R1: the key is made of the stored forms of its parts`() throws {
        #expect(try judge(["site": " a/b ", "number": "1,50"]).get().username == #"a\/b/1.5"#)
        #expect(try judge(["site": "a", "number": "2", "username": "A/2"]).get().username == "a/2")
    }

    @Test func `S3: a missing part is an issue of the part, and a key that contradicts its parts is one of the key`()
        throws
    {
        #expect(try issues(["site": "a"]) == ["number required"])
        #expect(try issues(["site": "-", "number": "1"]) == ["site required"])
        #expect(try issues([:]) == ["site required", "number required"])
        #expect(try issues(["site": "a", "number": "x"]) == ["number bad_format"])
        #expect(try issues(["site": "a", "number": "1", "username": "a/2"]) == ["username bad_format"])
        // A profile of an older store may have a key and lack a part.
        #expect(try issues(["site": "a", "username": "a/2"]) == [])
    }
}
