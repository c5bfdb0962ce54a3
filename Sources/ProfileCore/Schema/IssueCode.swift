/// The stable name of a problem, for reports and for a schema's own messages.
public enum IssueCode: String, Hashable, Sendable, CaseIterable {
    /// There is no value where there has to be one.
    case required
    /// Text has fewer characters than it should, or fewer digits than its mask.
    case tooShort = "too_short"
    /// A value is longer than its field takes, or has more digits than its mask.
    case tooLong = "too_long"
    /// Text holds a character that its field does not take.
    case badCharacter = "bad_character"
    /// Text holds none of A–Z, and its field requires one.
    case missingUppercase = "missing_uppercase"
    /// Text holds none of a–z, and its field requires one.
    case missingLowercase = "missing_lowercase"
    /// Text holds none of 0–9, and its field requires one.
    case missingDigit = "missing_digit"
    /// Text holds no special character of ASCII, and its field requires one.
    case missingSpecial = "missing_special"
    /// A value does not have the shape of its type, format or mask.
    case badFormat = "bad_format"
    /// The calendar has no such day.
    case badDate = "bad_date"
    /// A date or datetime is before `minimum` or after `maximum`.
    case dateOutOfRange = "date_out_of_range"
    /// A value is not in the list of those that its field allows (`enum`).
    case notAllowed = "not_allowed"
    /// Text does not match its field's `pattern` as a whole.
    case patternMismatch = "pattern_mismatch"
    /// A number, year or time is less than `minimum` or more than `maximum`.
    case outOfRange = "out_of_range"
    /// Another profile or an earlier row has the value of a unique field.
    case duplicate
    /// A password hash that was brought is malformed, unknown or too costly.
    case unsupportedHash = "unsupported_hash"
    /// A name means no field.
    case unknownField = "unknown_field"
    /// A row cannot be read as a value for each field.
    case badRow = "bad_row"
    /// Bytes of a row or of the password are not UTF-8.
    case badEncoding = "bad_encoding"
    /// A quote in a row of CSV is never closed.
    case unclosedQuote = "unclosed_quote"
}
