/// Why a text is not JSON, and where.
public struct JSONError: Error, Hashable, Sendable {
    /// What is wrong.
    public let reason: Reason
    /// From 1.
    public let line: Int
    /// From 1, in bytes.
    public let column: Int

    /// What can be wrong with a text.
    public enum Reason: Hashable, Sendable {
        /// There is no value, or it ends too early.
        case unexpectedEnd
        /// A character that cannot stand in this place, such as a comma before a closing bracket.
        case unexpectedCharacter
        /// A number with a leading zero, or without digits where there must be some: `01`, `1.`.
        case badNumber
        /// A backslash before something that JSON does not escape, or half of a surrogate pair.
        case badEscape
        /// Bytes that are not UTF-8.
        case badEncoding
        /// A character below U+0020, such as a line break, that is not escaped.
        case controlCharacterInString
        /// A name that one object has twice.
        case duplicateName(String)
        /// Arrays and objects in each other.
        case tooDeep(limit: Int)
        /// Something else than white space follows the value.
        case textAfterEnd
    }
}

extension JSONError {
    /// What is wrong and where, in words.
    package var text: String {
        let what =
            switch reason {
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
        return "\(what) (line \(line), column \(column))"
    }
}
