internal import CSVStream

/// The reason why no schema could accept a row.
public enum RowRefusal: String, Hashable, Sendable, CaseIterable {
    /// The row has more or fewer cells than there are columns.
    case cellCount = "cell_count"
    /// The row has bytes that are not valid characters in the encoding.
    case badEncoding = "bad_encoding"
    /// A cell begins with a quote that is never closed.
    case unclosedQuote = "unclosed_quote"
    /// A closing quote is followed by text instead of a delimiter or the end of the line.
    case textAfterQuote = "text_after_quote"
    /// The row has a NUL byte.
    case nul
    /// The row is longer than the limit of a record, which is 1 MiB.
    case tooLong = "too_long"
    /// The row repeats the header.
    case headerAgain = "header_again"
    /// The JSON element is not an object, or the name of a member is too long for a header.
    case notAnObject = "not_an_object"
    /// The line or element is not valid JSON, or it is not in the array of the input.
    case notJSON = "not_json"
    /// The JSON object has two members of one name.
    case repeatedMember = "repeated_member"
    /// The row has a control character other than tab, LF and CR.
    case controlCharacter = "control_character"
    /// The column of password hashes has a value that is not a supported hash.
    case unsupportedHash = "unsupported_hash"
    /// A value does not fit the type that ``InferenceOptions/types`` chooses for its column. A row is counted once for
    /// each such column. If the row is also refused for another reason, it is counted under that reason too.
    case unfitValue = "unfit_value"
    /// The key cell is empty.
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
