/// A problem of a profile: the field, and the broken rule.
///
/// ``message(label:)`` turns it into text, and ``ProfileSchema/message(for:)`` uses the schema's own words. An issue
/// never contains the typed value. <doc:Issues> lists the codes.
public struct ValidationIssue: Hashable, Sendable {
    /// The field; nil for an issue of the whole row.
    public let field: FieldName?
    /// The problem, with the broken bounds.
    public let problem: Problem

    /// The stable code of the problem.
    public var code: Code { problem.code }

    /// Creates an issue of a field or of the whole row.
    public init(_ field: FieldName?, _ problem: Problem) {
        self.field = field
        self.problem = problem
    }

    /// The kinds of problems, with the broken bounds.
    public enum Problem: Hashable, Sendable {
        /// A required field has no value.
        case required
        /// The value has fewer characters than this minimum, or fewer digits if the field has a mask.
        case tooShort(minimum: Int)
        /// The value has more characters than this maximum, or more digits if the field has a mask. If the field has no
        /// maximum number of characters, this is the maximum number of bytes of UTF-8.
        case tooLong(maximum: Int)
        /// The value contains a character that is not one of these; nil for a control character in a field that allows
        /// all other characters.
        case badCharacter(allowed: [AllowedCharacters]?)
        /// The value has no character of a required kind.
        case missing(Requirement)
        /// A value or a query does not have this form.
        case badFormat(expected: ExpectedFormat)
        /// The calendar has no such day, for example 30 February.
        case badDate
        /// A date or datetime is outside of these bounds; nil for a missing bound.
        case dateOutOfRange(minimum: Bound?, maximum: Bound?)
        /// The value is not in this list of stored forms.
        case notAllowed(allowed: [String])
        /// The pattern does not match the whole value, or matching reached its work limit.
        case patternMismatch
        /// A number, year or time is outside of these bounds; nil for a missing bound.
        case outOfRange(minimum: Bound?, maximum: Bound?)
        /// The value of a unique field is not unique. `line` is the line of another row with the same value in the same
        /// input; nil if a stored profile has the value.
        case duplicate(line: Int?)
        /// A given password hash is refused for this reason.
        case unsupportedHash(UnsupportedHash)
        /// The schema has no field of this name, or a query names the secret field.
        case unknownField(String)
        /// A row cannot be split into one value for each field.
        case badRow(RowFault)
        /// A password, or a row of a file, contains bytes that are not UTF-8.
        case badEncoding
        /// A quoted cell of CSV is never closed.
        case unclosedQuote
        /// The profile or row has this number of further problems with this code.
        case more(Code, count: Int)
    }

    /// The number of problems that this issue stands for.
    public var count: Int { if case .more(_, let count) = problem { count } else { 1 } }

    /// The required form of a value.
    public enum ExpectedFormat: Hashable, Sendable {
        /// Digits at the places of `#`, with all or none of the literals.
        case mask(Mask)
        /// A day in one of these formats.
        case dates([DateFormat])
        /// A day with a time in one of these formats; an empty list means ISO 8601.
        case dateTimes([DateFormat])
        /// A time in one of these formats; an empty list means ISO 8601.
        case times([DateFormat])
        /// Four digits.
        case year
        /// A whole number of 64 bits in this format.
        case integer(NumberFormat)
        /// A finite number in this format.
        case number(NumberFormat)
        /// The texts for true, and the texts for false.
        case boolean([String], [String])
        /// Text of one kind, such as an e-mail address.
        case string(StringFormat)
        /// No two spaces in sequence.
        case singleSpaces
        /// The stored form of the value.
        case stored
        /// The cursor of a page in the query's order.
        case cursorOfSameOrder
        /// A search text, which a query ordered by relevance needs.
        case textForRelevance
        /// A query has at most this number of conditions.
        case conditions(most: Int)
        /// The conditions of a query have at most this number of values.
        case conditionValues(most: Int)
    }

    /// The reason why a row cannot be read as cells of fields.
    public enum RowFault: Hashable, Sendable {
        /// A row of CSV has more cells than its header, or fewer.
        case cellCount(expected: Int, found: Int)
        /// After a closing quote comes a character that is neither a delimiter nor the end of the line.
        case textAfterQuote
        /// A NUL byte; in JSON, `\u0000`.
        case nul
        /// The row has more bytes than the limit.
        case tooLong
        /// The row has both a password and a password hash. Only one of them is allowed.
        case passwordAndHash
        /// A line or element of JSON that is not an object of strings, numbers, booleans and nulls.
        case notAnObject
        /// An element of JSON without a comma before it, or text after the array.
        case outsideArray
        /// The input ends before its array of objects does.
        case unclosedArray
        /// Two members of a JSON object mean the field of this name.
        case columnTwice(String)
        /// A row with the same cells as the header.
        case headerAgain
    }

    /// The stable name of a problem.
    public typealias Code = IssueCode
}

extension ValidationIssue.Problem {
    /// The stable code of the problem.
    public var code: IssueCode {
        switch self {
        case .required: .required
        case .tooShort: .tooShort
        case .tooLong: .tooLong
        case .badCharacter: .badCharacter
        case .missing(.uppercase): .missingUppercase
        case .missing(.lowercase): .missingLowercase
        case .missing(.digit): .missingDigit
        case .missing(.special): .missingSpecial
        case .badFormat: .badFormat
        case .badDate: .badDate
        case .dateOutOfRange: .dateOutOfRange
        case .notAllowed: .notAllowed
        case .patternMismatch: .patternMismatch
        case .outOfRange: .outOfRange
        case .duplicate: .duplicate
        case .unsupportedHash: .unsupportedHash
        case .unknownField: .unknownField
        case .badRow: .badRow
        case .badEncoding: .badEncoding
        case .unclosedQuote: .unclosedQuote
        case .more(let code, count: _): code
        }
    }
}

extension ValidationIssue: Encodable {
    /// Writes `field`, `code` and `message`, and ``count`` if it is more than one.
    ///
    /// The message is the built-in text with the field's name. For the schema's own text, encode a `ReportedIssue`
    /// instead.
    public func encode(to encoder: any Encoder) throws {
        try JSONValue.issue(
            field: field?.text, code: code.rawValue, message(label: field?.text ?? "The row"), count: count
        ).encode(to: encoder)
    }
}

extension JSONValue {
    /// The form of an issue in all JSON of this package. It has `count` only if the issue stands for several problems.
    package static func issue(field: String?, code: String, _ message: String, count: Int) -> JSONValue {
        .object(
            [
                JSONMember("field", field.map(JSONValue.string) ?? .null), JSONMember("code", .string(code)),
                JSONMember("message", .string(message)),
            ] + JSONMember.count(count))
    }
}

extension JSONMember {
    /// Returns the member `count` if an issue stands for several problems; otherwise no member.
    package static func count(_ count: Int) -> [JSONMember] { count > 1 ? [JSONMember("count", .number(count))] : [] }
}

/// The issues of an invalid draft, in field order.
public struct ValidationFailure: Error, Hashable, Sendable {
    /// At least one issue. If there are more than ``mostIssues``, the last issues are
    /// ``ValidationIssue/Problem/more(_:count:)``. Each of them gives the number of further issues of one code.
    public let issues: [ValidationIssue]

    /// The maximum number of issues that are listed individually for one profile or row. It equals the maximum number
    /// of fields of a schema.
    public static let mostIssues = ProfileSchema.mostFields

    package init(_ issues: [ValidationIssue]) { self.issues = issues }
}
