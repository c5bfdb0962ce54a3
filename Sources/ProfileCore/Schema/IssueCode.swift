/// The stable name of a problem, for reports and for a schema's own messages.
public struct IssueCode: RawRepresentable, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// The name, such as `too_short`.
    public let rawValue: String

    /// Finds a code by its name; nil for a name that this version does not know.
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

    /// There is no value where there has to be one.
    public static let required = IssueCode(known: "required")
    /// Text has fewer characters than it should, or fewer digits than its mask.
    public static let tooShort = IssueCode(known: "too_short")
    /// A value is longer than its field takes, or has more digits than its mask.
    public static let tooLong = IssueCode(known: "too_long")
    /// Text holds a character that its field does not take.
    public static let badCharacter = IssueCode(known: "bad_character")
    /// Text holds none of A–Z, and its field requires one.
    public static let missingUppercase = IssueCode(known: "missing_uppercase")
    /// Text holds none of a–z, and its field requires one.
    public static let missingLowercase = IssueCode(known: "missing_lowercase")
    /// Text holds none of 0–9, and its field requires one.
    public static let missingDigit = IssueCode(known: "missing_digit")
    /// Text holds no special character of ASCII, and its field requires one.
    public static let missingSpecial = IssueCode(known: "missing_special")
    /// A value does not have the shape of its type, format or mask.
    public static let badFormat = IssueCode(known: "bad_format")
    /// The calendar has no such day.
    public static let badDate = IssueCode(known: "bad_date")
    /// A date or datetime is before `minimum` or after `maximum`.
    public static let dateOutOfRange = IssueCode(known: "date_out_of_range")
    /// A value is not in the list of those that its field allows (`enum`).
    public static let notAllowed = IssueCode(known: "not_allowed")
    /// Text does not match its field's `pattern` as a whole.
    public static let patternMismatch = IssueCode(known: "pattern_mismatch")
    /// A number, year or time is less than `minimum` or more than `maximum`.
    public static let outOfRange = IssueCode(known: "out_of_range")
    /// Another profile or an earlier row has the value of a unique field.
    public static let duplicate = IssueCode(known: "duplicate")
    /// A password hash that was brought is malformed, unknown or too costly.
    public static let unsupportedHash = IssueCode(known: "unsupported_hash")
    /// A name means no field.
    public static let unknownField = IssueCode(known: "unknown_field")
    /// A row cannot be read as a value for each field.
    public static let badRow = IssueCode(known: "bad_row")
    /// Bytes of a row or of the password are not UTF-8.
    public static let badEncoding = IssueCode(known: "bad_encoding")
    /// A quote in a row of CSV is never closed.
    public static let unclosedQuote = IssueCode(known: "unclosed_quote")
}
