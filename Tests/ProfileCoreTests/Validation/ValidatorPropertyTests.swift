import Testing
import Watchdog

@testable import ProfileCore
import ProfileTesting

@Suite(.watched) struct ValidatorPropertyTests {
    /// Validates drafts of random schemas as rows and one by one. Validates the stored form of each valid draft once
    /// more.
    @Test func `one draft and a row of cells are judged alike, and what passed passes again`() throws {
        var schemas = RandomSchema(seed: 1_583)
        let today = try ProfileSchema.day(2026, 1, 15)
        var passed = 0
        var refused = 0
        for round in 0..<rounds(400) {
            let schema = try ProfileSchema(parsing: schemas.document())
            let validator = ProfileValidator(schema)
            var rows = RowValidator(validator, today: today)
            for _ in 0..<10 {
                var values: [String: String] = [:]
                for field in schema.fields where !schemas.random.once(in: 12) {
                    values[field.name.text] = schemas.random.value(for: field)
                }
                let bulk = judgeRow(values, with: &rows)
                let comment: Comment = "seed 1583, round \(round): \(values) in \(schema.document())"
                do throws(ValidationFailure) {
                    let profile = try validator.validate(ProfileDraft(values), on: today)
                    let stored = schema.openFields.map { profile[$0.name] }
                    #expect(bulk == .passed(stored), comment)
                    #expect(!stored.contains(""), comment)
                    try checkAgain(profile, values["password"], today, comment)
                    passed += 1
                } catch {
                    #expect(bulk == .refused(error.issues), comment)
                    #expect(!error.issues.isEmpty, comment)
                    refused += 1
                }
            }
            #expect(rows.takeProfiles().count <= 10)
        }
        #expect(passed > rounds(400))
        #expect(refused > rounds(400))
    }

    private enum Verdict: Equatable {
        case passed([String?])
        case refused([ValidationIssue])
    }

    private func judgeRow(_ values: [String: String], with rows: inout RowValidator) -> Verdict {
        let schema = rows.validator.schema
        rows.beginRow()
        for (index, field) in schema.fields.enumerated() {
            let bytes = values[field.name.text].map { Array($0.utf8) } ?? []
            if field.isSecret {
                rows.judgePassword(bytes.span, hash: nil, index: index, isStored: false)
            } else {
                rows.judge(bytes.span, index: index)
            }
        }
        guard rows.endRow(ValidProfiles.Origin(line: 1, record: 1)) else { return .refused(rows.issues) }
        let row = rows.profiles.count - 1
        let open = schema.fields.indices.filter { !schema.fields[$0].isSecret }
        return .passed(open.map { rows.profiles.text(row: row, field: $0) })
    }

    private func checkAgain(
        _ profile: ValidProfile, _ password: String?, _ today: CalendarDay, _ comment: Comment
    ) throws(ValidationFailure) {
        let validator = ProfileValidator(profile.schema)
        var draft = ProfileDraft()
        var canonical = ProfileDraft()
        var rows = RowValidator(validator, today: today)
        rows.beginRow()
        for (index, field) in profile.schema.fields.enumerated() where !field.isSecret {
            guard let stored = profile[field.name] else { continue }
            draft[field.name] = field.typedForm(of: stored)
            canonical[field.name] = DraftValue(canonical: stored)
            rows.judge(Array(stored.utf8).span, index: index, as: .stored)
            #expect(validator.storedForm(of: field.typedForm(of: stored), in: field.name) == stored, comment)
        }
        #expect(rows.issues.isEmpty, comment)
        for var draft in [draft, canonical] {
            draft["password"] = password
            let again = try validator.validate(draft, on: today)
            for field in profile.schema.openFields {
                #expect(again[field.name].map { Array($0.utf8) } == profile[field.name].map { Array($0.utf8) }, comment)
            }
        }
    }

    /// Compares each field of the standard schema with `StandardTable`, a second implementation of its rules.
    @Test func `S1: the standard schema agrees with its table on random text`() throws {
        var schemas = RandomSchema(seed: 5)
        let validator = ProfileValidator(.standard)
        let today = try ProfileSchema.day(2026, 1, 15)
        var accepted: [String: Int] = [:]
        for _ in 0..<rounds(4_000) {
            for field in ProfileSchema.standard.fields {
                let text = schemas.random.value(for: field)
                let expected = StandardTable.stored(text, in: field.name.text)
                let issues = validator.issues(of: text, in: field.name, on: today)
                guard (expected != nil) == issues.isEmpty else {
                    Issue.record("seed 5: \(field.name) \(text.debugDescription): \(issues)")
                    continue
                }
                guard let expected, !expected.isEmpty else { continue }
                accepted[field.name.text, default: 0] += 1
                if !field.isSecret {
                    let stored = validator.storedForm(of: text, in: field.name)
                    #expect(
                        stored == expected && stored?.utf8.allSatisfy { $0 < 0x80 } == true, "\(text.debugDescription)")
                }
            }
        }
        #expect(accepted.count == 6)
        #expect(accepted.values.allSatisfy { $0 > rounds(100) }, "\(accepted)")
    }

    @Test func `random Unicode in every field never traps`() throws {
        var random = SeededGenerator(seed: 11)
        let validator = ProfileValidator(.standard)
        for _ in 0..<rounds(1_000) {
            var draft = ProfileDraft()
            for field in ProfileSchema.standard.fields { draft[field.name.text] = random.text(0..<80) }
            if random.once(in: 3) { draft["password_hash"] = random.text(0..<80) }
            if random.once(in: 3) { draft[random.text(0..<5)] = "x" }
            let issues = try validator.issues(of: draft)
            for issue in issues { #expect(!ProfileSchema.standard.message(for: issue).isEmpty) }
        }
    }
}

/// The table of section 1, implemented by hand and without the code of schemas.
private enum StandardTable {
    /// The stored form; "" for one that is absent and may be; nil for one that is refused.
    static func stored(_ raw: String, in field: String) -> String? {
        let all = Array(raw.unicodeScalars)
        if field == "password" {
            let isFit = all.allSatisfy { (0x21...0x7E).contains($0.value) } && (3...64).contains(all.count)
            return isFit && all.contains { ("A"..."Z").contains($0) } && all.contains { ("0"..."9").contains($0) }
                ? raw : nil
        }
        let blanks: [Unicode.Scalar] = [" ", "\t", "\n", "\u{B}", "\u{C}", "\r"]
        var rest = all[...]
        while let first = rest.first, blanks.contains(first) { rest.removeFirst() }
        while let last = rest.last, blanks.contains(last) { rest.removeLast() }
        var text = ""
        text.unicodeScalars.append(contentsOf: rest)
        if rest.isEmpty { return field == "postal_code" || field == "birthday" ? "" : nil }
        let isASCII = rest.allSatisfy(\.isASCII)
        func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }
        func isWord(_ scalar: Unicode.Scalar) -> Bool {
            isDigit(scalar) || ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
        }
        guard isASCII else { return nil }
        switch field {
        case "username": return rest.allSatisfy(isWord) && (2...10).contains(rest.count) ? text : nil
        case "phone":
            let digits = rest.filter(isDigit)
            guard digits.count == 8 else { return nil }
            let shown =
                String(String.UnicodeScalarView(digits.prefix(4))) + "-"
                + String(String.UnicodeScalarView(digits.suffix(4)))
            return rest.count == 8 || text == shown ? shown : nil
        case "address":
            let words = rest.split(separator: " ", omittingEmptySubsequences: false)
            return words.allSatisfy { !$0.isEmpty && $0.allSatisfy(isWord) } && rest.count <= 70 ? text : nil
        case "postal_code": return rest.count == 5 && rest.allSatisfy(isDigit) ? text : nil
        case "birthday": return birthday(Array(rest))
        default: return nil
        }
    }

    private static func birthday(_ scalars: [Unicode.Scalar]) -> String? {
        let digits = scalars.filter { ("0"..."9").contains($0) }
        guard digits.count == 8 else { return nil }
        if scalars.count != 8 {
            guard scalars.count == 10, scalars[4] == scalars[7], scalars[4] == "." || scalars[4] == "-" else {
                return nil
            }
        }
        let text = String(String.UnicodeScalarView(digits))
        let iso = "\(text.prefix(4))-\(text.dropFirst(4).prefix(2))-\(text.suffix(2))"
        guard let year = Int(text.prefix(4)), let month = Int(text.dropFirst(4).prefix(2)),
            let day = Int(text.suffix(2)),
            (1...12).contains(month), day >= 1
        else { return nil }
        let isLeap = year % 400 == 0 || year % 4 == 0 && year % 100 != 0
        guard day <= [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] else { return nil }
        return iso >= "1900-01-01" && iso <= "2026-01-15" ? iso : nil
    }
}
