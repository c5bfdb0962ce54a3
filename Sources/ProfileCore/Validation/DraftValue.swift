/// A value of a ``ProfileDraft``: a text, and the notation in which the text is written.
///
/// The same digits mean different numbers in different notations. For example, a schema sets `decimalChar` to `,` and
/// `groupChar` to `.` in a field. A person then types `1.234` for 1234, but in JSON `1.234` is a number less than 2.
/// The value keeps its notation when it is copied from one draft to another.
public struct DraftValue: Sendable {
    /// The text as it was written; not validated.
    public let text: String
    /// Whether the text has the notation of JSON and of stored values: a point before a fraction, `true` and `false`,
    /// days and times in ISO 8601. Otherwise it has the notation that the schema gives the field.
    public let isCanonical: Bool

    /// Makes a value of text in the notation of the field, as a person types it.
    public init(_ text: String) {
        self.text = text
        isCanonical = false
    }

    /// Makes a value of text in the notation of JSON and of stored values, such as the description of a `Double`.
    public init(canonical text: String) {
        self.text = text
        isCanonical = true
    }

    /// Makes the value that a member of a JSON object stands for; nil for null, and for an array or an object.
    package init?(_ json: JSONValue) {
        switch json {
        case .string(let text): self.init(text)
        case .number(let text): self.init(canonical: text)
        case .bool(let flag): self.init(canonical: flag ? "true" : "false")
        case .null, .array, .object: return nil
        }
    }
}

extension DraftValue: ExpressibleByStringInterpolation {
    /// Makes a value of text in the notation of the field.
    public init(stringLiteral text: String) { self.init(text) }
}

extension DraftValue: CustomStringConvertible {
    /// The text as it was written.
    public var description: String { text }
}
