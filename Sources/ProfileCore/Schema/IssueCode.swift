/// The stable code of a problem. Reports contain this code. A schema uses it as the key of its own messages.
public struct IssueCode: RawRepresentable, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// The name, such as `too_short`.
    public let rawValue: String

    /// Finds a code by its name. Returns nil if this version does not know the name.
    public init?(rawValue: String) {
        guard let code = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = code
    }

    private init(known name: String) { rawValue = name }

    /// The name.
    public var description: String { rawValue }

    /// Every code that this version knows. Later versions may have more.
    public static let allCases: [IssueCode] = [
        .required, .tooShort, .tooLong, .badCharacter, .missingUppercase,
        .missingLowercase, .missingDigit, .missingSpecial, .badFormat, .badDate,
        .dateOutOfRange, .notAllowed, .patternMismatch, .outOfRange, .duplicate,
        .unsupportedHash, .unknownField, .badRow, .badEncoding, .unclosedQuote,
    ]

    /// A required field has no value.
    public static let required = IssueCode(known: "required")
    /// A text has fewer characters than its field requires, or fewer digits than its mask has.
    public static let tooShort = IssueCode(known: "too_short")
    /// A value is longer than its field allows, or has more digits than its mask has.
    public static let tooLong = IssueCode(known: "too_long")
    /// A text contains a character that its field does not allow.
    public static let badCharacter = IssueCode(known: "bad_character")
    /// A text contains no character of A–Z, but its field requires one.
    public static let missingUppercase = IssueCode(known: "missing_uppercase")
    /// A text contains no character of a–z, but its field requires one.
    public static let missingLowercase = IssueCode(known: "missing_lowercase")
    /// A text contains no character of 0–9, but its field requires one.
    public static let missingDigit = IssueCode(known: "missing_digit")
    /// A text contains no special ASCII character, but its field requires one.
    public static let missingSpecial = IssueCode(known: "missing_special")
    /// A value does not have the form that its field's type, format or mask requires.
    public static let badFormat = IssueCode(known: "bad_format")
    /// The calendar has no such day.
    public static let badDate = IssueCode(known: "bad_date")
    /// A date or datetime is before `minimum` or after `maximum`.
    public static let dateOutOfRange = IssueCode(known: "date_out_of_range")
    /// A value is not in its field's list of allowed values (`enum`).
    public static let notAllowed = IssueCode(known: "not_allowed")
    /// The `pattern` of the field does not match the whole text.
    public static let patternMismatch = IssueCode(known: "pattern_mismatch")
    /// A number, year or time is less than `minimum` or more than `maximum`.
    public static let outOfRange = IssueCode(known: "out_of_range")
    /// Another profile or an earlier row has the same value in a unique field.
    public static let duplicate = IssueCode(known: "duplicate")
    /// A given password hash is malformed, its scheme is unknown, or its cost is too high.
    public static let unsupportedHash = IssueCode(known: "unsupported_hash")
    /// The schema has no field of this name.
    public static let unknownField = IssueCode(known: "unknown_field")
    /// A row cannot be split into one value for each field.
    public static let badRow = IssueCode(known: "bad_row")
    /// A row or a password contains bytes that are not UTF-8.
    public static let badEncoding = IssueCode(known: "bad_encoding")
    /// A quoted cell in a CSV row is never closed.
    public static let unclosedQuote = IssueCode(known: "unclosed_quote")
}
