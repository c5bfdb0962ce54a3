public import ProfileCore

/// An issue in the form in which reports and the store contain it: with its code and its text.
public struct ReportedIssue: Hashable, Sendable {
    /// The name of the field; nil for an issue of the whole row.
    public let field: String?
    /// The name of a code of ``/ProfileCore/IssueCode``.
    public let code: String
    /// The text: the schema's message, or the default message in English.
    public let message: String

    /// The number of issues that this issue stands for. It may be more than 1 if the profile has more than
    /// ``/ProfileCore/ValidationFailure/mostIssues`` issues.
    public let count: Int

    package init(field: String?, code: String, message: String, count: Int = 1) {
        self.field = field
        self.code = code
        self.message = message
        self.count = count
    }

    /// Creates a reported issue with the message of a schema.
    public init(_ issue: ValidationIssue, in schema: ProfileSchema) {
        self.init(
            field: issue.field?.text, code: issue.code.rawValue, message: schema.message(for: issue),
            count: issue.count)
    }
}

extension [ReportedIssue] {
    /// The maximum count of one stored issue. A greater stored count is read as this maximum. No profile has so many
    /// issues. Reports can add such counts without an overflow.
    private static let mostCounted = 1_000_000

    /// The form in which a row's issues are stored.
    package var stored: String {
        JSONValue.array(map(\.json)).text()
    }

    /// Reads the stored form. If the text is not in this form, it is read as one issue with the code `unknown`. Another
    /// program may have written such a text.
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
    /// Returns the first 200 scalars of a value for a report. It counts scalars, because a single character can have
    /// any number of scalars.
    package init(reporting cell: Span<UInt8>) {
        let most = 200
        // A scalar has at most four bytes.
        self = String(String(cell.extracting(first: 4 * most)).unicodeScalars.prefix(most))
    }
}
