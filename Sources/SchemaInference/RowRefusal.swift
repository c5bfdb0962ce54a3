internal import CSVStream

/// Why no schema could take a row.
public enum RowRefusal: String, Hashable, Sendable, CaseIterable {
    /// There are more cells than columns, or fewer.
    case cellCount = "cell_count"
    /// Bytes that are no characters.
    case badEncoding = "bad_encoding"
    /// A quote begins a cell, and none ends it.
    case unclosedQuote = "unclosed_quote"
    /// A closing quote is followed by something else than a delimiter or the end of the line.
    case textAfterQuote = "text_after_quote"
    /// A NUL byte.
    case nul
    /// Longer than a record may be, which is 1 MiB.
    case tooLong = "too_long"
    /// The row says what the header says.
    case headerAgain = "header_again"
    /// An element of JSON that is no object of strings, numbers, booleans and nulls, each under a name of its own.
    case notAnObject = "not_an_object"
    /// A control character other than tab, LF and CR.
    case controlCharacter = "control_character"
    /// What stands where the hash of a password should be is none that can be checked.
    case unsupportedHash = "unsupported_hash"
    /// The cell of the key is empty.
    case noKey = "no_key"
    /// An earlier row has the same key.
    case repeatedKey = "repeated_key"

    init(_ fault: RecordFault) {
        switch fault {
        case .badEncoding: self = .badEncoding
        case .unclosedQuote: self = .unclosedQuote
        case .textAfterQuote: self = .textAfterQuote
        case .nul: self = .nul
        case .tooLong: self = .tooLong
        }
    }
}
