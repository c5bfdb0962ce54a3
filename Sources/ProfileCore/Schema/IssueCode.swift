/// The stable name of a problem, for reports and for a schema's own messages.
public enum IssueCode: String, Hashable, Sendable, CaseIterable {
    case required
    case tooShort = "too_short"
    case tooLong = "too_long"
    case badCharacter = "bad_character"
    case missingUppercase = "missing_uppercase"
    case missingLowercase = "missing_lowercase"
    case missingDigit = "missing_digit"
    case missingSpecial = "missing_special"
    case badFormat = "bad_format"
    case badDate = "bad_date"
    case dateOutOfRange = "date_out_of_range"
    case notAllowed = "not_allowed"
    case patternMismatch = "pattern_mismatch"
    case outOfRange = "out_of_range"
    case duplicate
    case unsupportedHash = "unsupported_hash"
    case unknownField = "unknown_field"
    case badRow = "bad_row"
    case badEncoding = "bad_encoding"
    case unclosedQuote = "unclosed_quote"
}
