/// The stable code of a problem. Reports contain it, and a schema's own messages are keyed by it.
public enum IssueCode: String, Hashable, Sendable, CaseIterable {
    /// A required field has no value.
    case required
    /// A text has fewer characters than its field requires, or fewer digits than its mask.
    case tooShort = "too_short"
    /// A value is longer than its field allows, or has more digits than its mask.
    case tooLong = "too_long"
    /// A text contains a character that its field does not allow.
    case badCharacter = "bad_character"
    /// A text contains no character of A–Z, but its field requires one.
    case missingUppercase = "missing_uppercase"
    /// A text contains no character of a–z, but its field requires one.
    case missingLowercase = "missing_lowercase"
    /// A text contains no character of 0–9, but its field requires one.
    case missingDigit = "missing_digit"
    /// A text contains no special ASCII character, but its field requires one.
    case missingSpecial = "missing_special"
    /// A value does not have the form of its field's type, format or mask.
    case badFormat = "bad_format"
    /// The calendar has no such day.
    case badDate = "bad_date"
    /// A date or datetime is before `minimum` or after `maximum`.
    case dateOutOfRange = "date_out_of_range"
    /// A value is not in its field's list of allowed values (`enum`).
    case notAllowed = "not_allowed"
    /// The `pattern` of the field does not match the whole text.
    case patternMismatch = "pattern_mismatch"
    /// A number, year or time is less than `minimum` or more than `maximum`.
    case outOfRange = "out_of_range"
    /// Another profile or an earlier row has the same value in a unique field.
    case duplicate
    /// A given password hash is malformed, of an unknown scheme or too costly.
    case unsupportedHash = "unsupported_hash"
    /// The schema has no field of this name.
    case unknownField = "unknown_field"
    /// A row cannot be split into one value for each field.
    case badRow = "bad_row"
    /// A row or a password contains bytes that are not UTF-8.
    case badEncoding = "bad_encoding"
    /// A quote in a row of CSV is never closed.
    case unclosedQuote = "unclosed_quote"
}
