internal import ProfileCore

/// The reason why a query cannot be read from parameters, and the parameter; see
/// ``ProfileQuery/init(parameters:mostLimit:)``.
public struct QueryParameterError: Error, Hashable, Sendable {
    /// The name of the parameter.
    public let name: String
    /// The kind of the error.
    public let reason: Reason

    package init(name: String, reason: Reason) {
        self.name = name
        self.reason = reason
    }

    /// The kinds of errors in a parameter.
    public enum Reason: Error, Hashable, Sendable {
        /// No parameter of this name is known. The error contains the known names.
        case unknownName(known: [String])
        /// The parameter occurs more than once, but can have only one value.
        case repeated
        /// The value does not begin with the name of a field and an operator such as `=`.
        case noOperator
        /// The condition has no value, or one of its values is empty.
        case noValue
        /// The text is not a name of a field.
        case badField(String)
        /// The value is none of the known words.
        case unknownWord(known: [String])
        /// The value is not a whole number in this range.
        case outOfRange(ClosedRange<Int>)
        /// The value is not a cursor that a page has returned.
        case badCursor
        /// Profiles cannot be sorted by relevance and by fields together.
        case otherOrder
    }
}

extension QueryParameterError: CustomStringConvertible {
    /// The name and the reason, in English: `limit: a whole number from 1 to 1000 is expected`.
    public var description: String { "\(name.shortened): \(reason.text)" }
}

extension QueryParameterError.Reason {
    /// The reason in English.
    public var text: String {
        switch self {
        case .unknownName(let known): "it is not known here; known are \(known.joined(separator: ", "))"
        case .repeated: "it is there twice"
        case .noOperator: "the name of a field and an operator are expected, as in city=Bath"
        case .noValue: "a value is expected after the operator"
        case .badField(let text): "\"\(text.shortened)\" is no name of a field"
        case .unknownWord(let known): "one of these words is expected: \(known.joined(separator: ", "))"
        case .outOfRange(let range): "a whole number from \(range.lowerBound) to \(range.upperBound) is expected"
        case .badCursor: "the cursor that the previous page returned is expected"
        case .otherOrder: "relevance is an order of its own, and no fields can follow it"
        }
    }
}
