import ProfileCore

extension FieldName {
    static func named(_ text: String) throws -> FieldName {
        guard let name = FieldName(text) else { throw NoSuchName(text: text) }
        return name
    }

    struct NoSuchName: Error { let text: String }
}

extension ProfileSchema {
    /// A schema of `username` and the fields given as JSON.
    static func with(_ fields: String...) throws -> ProfileSchema {
        try ProfileSchema(parsing: documentWith(fields.joined(separator: ",")))
    }

    /// `fields[0]` is a username that takes anything.
    static func documentWith(_ fields: String) -> String {
        #"{"fields":[{"name":"username","constraints":{"required":true,"unique":true}},\#(fields)]}"#
    }

    static func day(_ year: Int, _ month: Int, _ day: Int) throws -> CalendarDay {
        guard let found = CalendarDay(year: year, month: month, day: day) else { throw NoSuchDay() }
        return found
    }

    struct NoSuchDay: Error {}
}

extension ProfileValidator {
    /// The codes of one value's issues, judged on 2026-01-15.
    func codes(_ value: String, in field: String) throws -> [ValidationIssue.Code] {
        try issues(of: value, in: .named(field), on: ProfileSchema.day(2026, 1, 15)).map(\.code)
    }

    /// What is stored of a value, judged in a draft that is otherwise valid, on 2026-01-15.
    func stored(_ value: String, in field: String, with others: [String: String] = [:]) throws -> String? {
        var draft = ProfileDraft(others)
        draft[field] = value
        return try validate(draft, on: ProfileSchema.day(2026, 1, 15))[.named(field)]
    }

    /// The issues of a draft, none for one that passes.
    func issues(of draft: ProfileDraft, hasPassword: Bool = false) throws -> [ValidationIssue] {
        let today = try ProfileSchema.day(2026, 1, 15)
        do throws(ValidationFailure) {
            _ = try validate(draft, on: today, hasPassword: hasPassword)
            return []
        } catch {
            return error.issues
        }
    }
}

/// A draft that the standard schema takes.
let validStandardValues = [
    "username": "skboard", "password": "aK8oio", "phone": "78761241", "address": "12 Yishun Ring Road",
    "postal_code": "13456", "birthday": "19980115",
]
