public import ProfileCore

/// An issue as reports and the store keep it: by name and in words.
public struct ReportedIssue: Hashable, Sendable {
    /// Nil for an issue of the whole row.
    public let field: String?
    /// One of ``/ProfileCore/ValidationIssue/Code``.
    public let code: String
    /// In words: the schema's own, or ours in English.
    public let message: String

    /// How many issues it stands for: 1, or more for those beyond ``/ProfileCore/ValidationFailure/mostIssues``.
    public let count: Int

    package init(field: String?, code: String, message: String, count: Int = 1) {
        self.field = field
        self.code = code
        self.message = message
        self.count = count
    }

    /// Tells an issue in the words of a schema.
    public init(_ issue: ValidationIssue, in schema: ProfileSchema) {
        self.init(
            field: issue.field?.text, code: issue.code.rawValue, message: schema.message(for: issue),
            count: issue.count)
    }
}

extension [ReportedIssue] {
    /// The maximum count that is read for one stored issue. No profile has so many issues, and reports can add up such
    /// counts without an overflow.
    private static let mostCounted = 1_000_000

    /// The form in which a row's issues are stored.
    package var stored: String {
        JSONValue.array(map(\.json)).text()
    }

    /// Reads the stored form; what is not in it, which only another program can have written, is one unnamed issue.
    package init(stored text: String) {
        guard case .array(let elements)? = try? JSONValue(parsing: text) else {
            self = [ReportedIssue(field: nil, code: "unknown", message: "The stored issues cannot be read")]
            return
        }
        self = elements.map { element in
            var texts: [String: String] = [:]
            var count = 1
            if case .object(let members) = element {
                for member in members {
                    switch (member.name, member.value) {
                    case (let name, .string(let text)): texts[name] = text
                    case ("count", .number(let text)): count = Swift.min(Swift.max(1, Int(text) ?? 1), Self.mostCounted)
                    default: break
                    }
                }
            }
            return ReportedIssue(
                field: texts["field"], code: texts["code"] ?? "unknown", message: texts["message"] ?? "", count: count)
        }
    }
}

extension String {
    /// What a report says of a value: its first 200 scalars, since a single character may be as long as the row.
    package init(reporting cell: Span<UInt8>) {
        let most = 200
        // No scalar takes more than four bytes.
        self = String(String(cell.extracting(first: 4 * most)).unicodeScalars.prefix(most))
    }
}
