/// A value of a ``ProfileDraft``: a text, and the notation in which the text is written.
///
/// The same digits mean different numbers in different notations. For example, a field may have the `decimalChar` `,`
/// and the `groupChar` `.`. In this field, a person types `1.234` for the number 1234. In JSON, `1.234` is a number
/// less than 2. The value keeps its notation when it is copied from one draft to another.
public struct DraftValue: Sendable {
    /// The text as a person or a client wrote it. The text is not validated.
    public let text: String
    /// Whether the text has the notation of JSON and of stored values. This notation has a point before a fraction, the
    /// words `true` and `false`, and days and times in ISO 8601. If false, the text has the notation that the schema
    /// defines for the field.
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

    /// Creates a value from a member of a JSON object. Returns nil for null, an array or an object.
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
