import Testing
import Watchdog

@testable import ProfileCore

@Suite(.watched) struct RowValidatorTests {
    private func rows(_ schema: ProfileSchema = .standard) throws -> RowValidator {
        RowValidator(ProfileValidator(schema), today: try ProfileSchema.day(2026, 1, 15))
    }

    @Test func `S3: a draft has at most a hundred issues, and then one issue per code with the number of others`()
        throws
    {
        var draft = ProfileDraft()
        for number in 0..<100_000 { draft["unknown\(number)"] = "x" }
        let validator = ProfileValidator(.standard)
        let failure = try #require(throws: ValidationFailure.self) {
            try validator.validate(draft, on: try ProfileSchema.day(2026, 1, 15))
        }
        let requiredFields = ProfileSchema.standard.fields.count(where: \.isRequired)
        #expect(failure.issues.count == ValidationFailure.mostIssues + 1)
        #expect(failure.issues.prefix(requiredFields).allSatisfy { $0.code == .required })
        #expect(failure.issues.last?.problem == .more(.unknownField, count: 99_900 + requiredFields))
        #expect(failure.issues.map(\.count).reduce(0, +) == 100_000 + requiredFields)
    }

    private func keeps(_ cells: [String?], with rows: inout RowValidator, line: Int) {
        let isKept = judge(cells, with: &rows, line: line)
        #expect(isKept, "line \(line): \(rows.issues)")
    }

    private func refuses(_ cells: [String?], with rows: inout RowValidator, line: Int) {
        let isKept = judge(cells, with: &rows, line: line)
        #expect(!isKept, "line \(line)")
    }

    private func judge(_ cells: [String?], with rows: inout RowValidator, line: Int) -> Bool {
        rows.beginRow()
        for (index, cell) in cells.enumerated() {
            let bytes = cell.map { Array($0.utf8) } ?? []
            if rows.validator.schema.fields[index].isSecret {
                rows.judgePassword(bytes.span, hash: nil, index: index, isStored: false)
            } else if cell == nil {
                rows.judgeAbsent(index: index)
            } else {
                rows.judge(bytes.span, index: index)
            }
        }
        return rows.endRow(ValidProfiles.Origin(line: line, record: line * 10))
    }

    @Test func `rows that pass are kept in order, and others leave no trace`() throws {
        var rows = try rows()
        rows.reserve(rows: 4, bytes: 100)
        keeps([" sk1 ", "aK8oio", "78761241", "a b", nil, "19980115"], with: &rows, line: 1)
        refuses(["sk2", "aK8oio", "7876124", "a b", "12", "19980115"], with: &rows, line: 2)
        #expect(rows.issues.map(\.code) == [.tooShort, .tooShort])
        #expect(rows.issues.map(\.field?.text) == ["phone", "postal_code"])
        keeps(["sk3", "bK8oio", "1234-5678", "c", "01234", ""], with: &rows, line: 3)
        #expect(rows.issues.isEmpty)

        let kept = rows.takeProfiles()
        #expect(rows.profiles.count == 0)
        #expect(kept.count == 2)
        #expect(kept.fieldCount == 6)
        #expect(kept.origins.map(\.line) == [1, 3])
        #expect(kept.origins.map(\.record) == [10, 30])
        #expect(kept.passwords == [0: Secret("aK8oio"), 1: Secret("bK8oio")])
        let first = (0..<6).map { kept.text(row: 0, field: $0) }
        #expect(first == ["sk1", nil, "7876-1241", "a b", nil, "1998-01-15"])
        let second = (0..<6).map { kept.text(row: 1, field: $0) }
        #expect(second == ["sk3", nil, "1234-5678", "c", "01234", nil])
        #expect(kept.slot(row: 1, field: 5).isAbsent)
        #expect(String(decoding: kept.bytes[kept.slot(row: 1, field: 2).range], as: UTF8.self) == "1234-5678")

        keeps(["sk4", "aK8oio", "78761241", "a b", nil, nil], with: &rows, line: 4)
        #expect(rows.profiles.text(row: 0, field: 0) == "sk4")
        rows.removeAll()
        #expect(rows.profiles.count == 0)
        #expect(rows.profiles.passwords.isEmpty)
        keeps(["sk5", "aK8oio", "78761241", "a b", nil, nil], with: &rows, line: 5)
        #expect(rows.profiles.text(row: 0, field: 0) == "sk5")
    }

    @Test func `an issue that the caller reports drops the row`() throws {
        var rows = try rows(.with(#"{"name":"x"}"#))
        rows.beginRow()
        rows.report(ValidationIssue(nil, .badRow(.nul)))
        let isKept = rows.endRow(ValidProfiles.Origin(line: 1, record: 1))
        #expect(!isKept)
        keeps(["sk", "y"], with: &rows, line: 2)
        #expect(rows.profiles.text(row: 0, field: 1) == "y")
    }

    @Test func `the hash that the store made of a password takes its place`() throws {
        var rows = try rows()
        keeps(["sk1", "aK8oio", "78761241", "a b", nil, nil], with: &rows, line: 1)
        keeps(["sk2", "aK8oio", "78761241", "a b", nil, nil], with: &rows, line: 2)
        var kept = rows.takeProfiles()
        let text = "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$RdescudvJCsgt3ub+b5dWRWJTmaaJObGRdescudvJCs"
        kept.setHash(try PasswordHash(parsing: Array(text.utf8).span), row: 1, field: 1)
        #expect(kept.text(row: 1, field: 1) == text)
        #expect(kept.text(row: 0, field: 1) == nil)
        #expect(kept.passwords.keys.sorted() == [0])
        #expect(kept.hashIsJudged(row: 1))
        #expect(!kept.hashIsJudged(row: 0))
    }

    @Test(arguments: [
        ("username", "skboard", true), ("username", " skboard", false), ("username", "sk\n", false),
        ("phone", "7876-1241", true),
        ("phone", "78761241", false), ("birthday", "1998-01-15", true), ("birthday", "19980115", false),
        ("birthday", "1998.01.15", false),
        ("postal_code", "  ", false), ("postal_code", "12345", true),
    ])
    func `R6: a stored value is valid only in the form in which it would be stored`(
        field: String, value: String, isValid: Bool
    ) throws {
        var rows = try rows()
        let index = try #require(ProfileSchema.standard.index(of: .named(field)))
        rows.beginRow()
        rows.judge(Array(value.utf8).span, index: index, as: .stored)
        #expect(rows.issues.map(\.code) == (isValid ? [] : [.badFormat]))
        rows.beginRow()
        rows.judge(Array(value.utf8).span, index: index)
        #expect(rows.issues.isEmpty)
    }

    @Test(arguments: [
        ("integer", "7", "07"), ("number", "1.5", "1.50"), ("number", "1e+20", "1e20"), ("boolean", "true", "1"),
    ])
    func `R6: a stored number or boolean has one form`(type: String, stored: String, typed: String) throws {
        var rows = try rows(.with(#"{"name":"x","type":"\#(type)"}"#))
        for (value, codes) in [(stored, []), (typed, [ValidationIssue.Code.badFormat])] {
            rows.beginRow()
            rows.judge(Array(value.utf8).span, index: 1, as: .stored)
            #expect(rows.issues.map(\.code) == codes, "\(value)")
        }
    }
}
