/// The reason why a JSON value is refused, and the path to the value.
///
/// The error never contains a value, because the value may be a password.
public struct JSONMemberError: Error, Hashable, Sendable {
    /// The names of the members and the positions in the arrays that lead to the value: `["conditions", "0", "value"]`.
    /// Empty if the error is about the whole value.
    public internal(set) var path: [String]
    /// The kind of the error.
    public let reason: Reason

    /// The kinds of errors in a JSON value.
    public enum Reason: Hashable, Sendable {
        /// The object has no member of this name, or the member is null.
        case missing
        /// The value is not of a wanted kind.
        case wrongType(JSONKind, expected: [JSONKind])
        /// No member of this name is known. The error contains the known names.
        case unknownName(known: [String])
        /// The string is none of the known words.
        case unknownWord(known: [String])
        /// The string or number has the wrong notation. For example, it is not a valid field name or cursor.
        case malformed
        /// The caller sees the member, but cannot change it.
        case readOnly
        /// The value can be replaced, but not cleared. Only a password and its hash have this error.
        case notClearable
    }

    /// Creates an error about a member; without a name, about the whole value.
    public init(_ reason: Reason, at name: String? = nil) {
        self.reason = reason
        path = name.map { [$0] } ?? []
    }

    /// Runs a closure that reads a part of a value. An error of the closure gets the name of the part.
    static func within<Value>(
        _ name: String, _ read: () throws(JSONMemberError) -> Value
    ) throws(JSONMemberError) -> Value {
        do throws(JSONMemberError) {
            return try read()
        } catch {
            var error = error
            error.path.insert(name, at: 0)
            throw error
        }
    }
}

extension JSONMemberError: CustomStringConvertible {
    /// The path and the reason, in English: `conditions.0.value: it is a number where a string is expected`.
    public var description: String {
        path.isEmpty ? reason.text : path.map(\.shortened).joined(separator: ".") + ": " + reason.text
    }
}

extension JSONMemberError.Reason {
    /// The reason in English.
    public var text: String {
        switch self {
        case .missing: "it is missing"
        case .wrongType(let found, let expected):
            "it is \(found.text) where \(expected.map(\.text).listed("or")) is expected"
        case .unknownName(let known): "it is not known here; known are \(known.joined(separator: ", "))"
        case .unknownWord(let known): "it is none of the known words, \(known.joined(separator: ", "))"
        case .malformed: "it does not have the expected notation"
        case .readOnly: "it cannot be changed here"
        case .notClearable: "it can be replaced, but not cleared"
        }
    }
}
