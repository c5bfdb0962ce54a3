/// The reason why a text is not valid JSON, and the place of the error.
public struct JSONError: Error, Hashable, Sendable {
    /// The kind of the error.
    public let reason: Reason
    /// The line, from 1.
    public let line: Int
    /// The column, counted in bytes from 1.
    public let column: Int

    /// The kinds of errors in a JSON text.
    public enum Reason: Hashable, Sendable {
        /// The text has no value, or ends before the end of the value.
        case unexpectedEnd
        /// A character is not allowed at this place, for example a comma before a closing bracket.
        case unexpectedCharacter
        /// A number has a leading zero, as in `01`, or a required digit is missing, as in `1.`.
        case badNumber
        /// A backslash is followed by a character that JSON does not allow there, or a surrogate pair is incomplete.
        case badEscape
        /// Bytes that are not UTF-8.
        case badEncoding
        /// A string contains a character below U+0020, such as a line break, without an escape.
        case controlCharacterInString
        /// An object contains the same name twice.
        case duplicateName(String)
        /// Arrays and objects are nested too deeply.
        case tooDeep(limit: Int)
        /// The value is followed by text that is not white space.
        case textAfterEnd
    }
}

extension JSONError {
    /// The kind and the place of the error, in English: `malformed number (line 2, column 7)`.
    public var text: String { "\(reason.text) (line \(line), column \(column))" }
}

extension JSONError.Reason {
    /// The kind of the error, in words.
    package var text: String {
        switch self {
        case .unexpectedEnd: "it ends too early"
        case .unexpectedCharacter: "unexpected character"
        case .badNumber: "malformed number"
        case .badEscape: "malformed escape in a string"
        case .badEncoding: "bytes that are not UTF-8"
        case .controlCharacterInString: "a control character in a string; escape it"
        case .duplicateName(let name): "the name \"\(name.shortened)\" is there twice in one object"
        case .tooDeep(let limit): "nested more than \(limit) deep"
        case .textAfterEnd: "there is more after its end"
        }
    }
}
