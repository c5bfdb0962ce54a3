/// A problem of a profile. It consists of the field and the violated rule.
///
/// ``message(label:)`` returns the built-in text of the issue. ``ProfileSchema/message(for:)`` returns the schema's own
/// message, if there is one. An issue does not contain the typed value. Only ``ExpectedFormat/unit(_:found:)`` contains
/// a part of the value: the text before or after the number. <doc:Issues> lists the codes.
public struct ValidationIssue: Hashable, Sendable {
    /// The field; nil for an issue of the whole row.
    public let field: FieldName?
    /// The problem and the violated bounds.
    public let problem: Problem

    /// The stable code of the problem.
    public var code: Code { problem.code }

    /// Creates an issue of a field or of the whole row.
    public init(_ field: FieldName?, _ problem: Problem) {
        self.field = field
        self.problem = problem
    }

    /// The kinds of problems, with the violated bounds.
    public enum Problem: Hashable, Sendable {
        /// A required field has no value.
        case required
        /// The value has fewer characters than this minimum, or fewer digits if the field has a mask.
        case tooShort(minimum: Int)
        /// The value has more characters than this maximum, or more digits if the field has a mask.
        case tooLong(maximum: Int)
        /// The value has more bytes of UTF-8 than this maximum, but not too many characters. Its code is `too_long`.
        case tooManyBytes(maximum: Int)
        /// The value contains a character that is not in `allowed`. If `allowed` is nil, the field allows all
        /// characters except control characters. Tab, LF and CR are allowed too.
        case badCharacter(allowed: [AllowedCharacters]?)
        /// The value has no character of a required kind.
        case missing(Requirement)
        /// A value or a query does not have the expected form.
        case badFormat(expected: ExpectedFormat)
        /// The calendar has no such day. An example is 30 February.
        case badDate
        /// A date or datetime is outside these bounds. A missing bound is nil.
        case dateOutOfRange(minimum: Bound?, maximum: Bound?)
        /// The value is not in the list of allowed values, which are in their stored form.
        case notAllowed(allowed: [String])
        /// The pattern does not match the whole value, or the match was stopped at its work limit.
        case patternMismatch
        /// A number, year or time is outside these bounds. A missing bound is nil.
        case outOfRange(minimum: Bound?, maximum: Bound?)
        /// Another profile or row has the same value in a unique field. If another row of the input has this value,
        /// `line` is the line of that row. If a stored profile has this value, `line` is nil.
        case duplicate(line: Int?)
        /// A password hash is refused. The associated value is the reason.
        case unsupportedHash(UnsupportedHash)
        /// The schema has no field with this name, or a query uses the secret field, which is not allowed.
        case unknownField(String)
        /// A row cannot be split into one value for each field.
        case badRow(RowFault)
        /// A password, or a row of a file, contains bytes that are not UTF-8.
        case badEncoding
        /// A quoted cell of CSV is never closed.
        case unclosedQuote
        /// The profile or row has `count` further problems, which all have this code.
        case more(Code, count: Int)
    }

    /// The number of problems that this issue represents.
    public var count: Int { if case .more(_, let count) = problem { count } else { 1 } }

    /// The required form of a value.
    public enum ExpectedFormat: Hashable, Sendable {
        /// The value must have a digit for each `#` of the mask. It must contain either all literals of the mask or
        /// none of them.
        case mask(Mask)
        /// A day in one of these formats.
        case dates([DateFormat])
        /// A day with a time, in one of these formats. An empty list means ISO 8601.
        case dateTimes([DateFormat])
        /// A time, in one of these formats. An empty list means ISO 8601.
        case times([DateFormat])
        /// Four digits.
        case year
        /// A whole number of 64 bits in this format.
        case integer(NumberFormat)
        /// A finite number in this format.
        case number(NumberFormat)
        /// A number in this unit, or without a unit. Before or after its number, the value has the text `found`, which
        /// is not this unit.
        case unit(String, found: String)
        /// One of the texts for true, or one of the texts for false.
        case boolean([String], [String])
        /// Text of one kind, such as an e-mail address.
        case string(StringFormat)
        /// Text without two spaces in a row.
        case singleSpaces
        /// The stored form that the current rules require. Only a stored value can have this issue.
        case stored
        /// A primary key that consists of the values of other fields. The list contains the titles of these fields.
        case keyOfParts([String])
        /// A cursor of a page. The page must have the same order as the query.
        case cursorOfSameOrder
        /// A search text. If the results of a query are sorted by relevance, the query needs a search text.
        case textForRelevance
        /// A query has at most this number of conditions.
        case conditions(most: Int)
        /// The conditions of a query have at most this number of values.
        case conditionValues(most: Int)
        /// The order of a query has at least one field, and at most this number of fields.
        case sortFields(most: Int)
    }

    /// The reason why a row cannot be split into one value for each field.
    public enum RowFault: Hashable, Sendable {
        /// The number of cells in a CSV row differs from the number of cells in its header.
        case cellCount(expected: Int, found: Int)
        /// A closing quote is followed by a character that is neither a delimiter nor a line end.
        case textAfterQuote
        /// The row contains a NUL byte, or `\u0000` in JSON.
        case nul
        /// The row has more bytes than the limit.
        case tooLong
        /// The row has both a password and a password hash. Only one of them is allowed.
        case passwordAndHash
        /// A line or element is not valid JSON. `line` is the line of the error in the input.
        case notJSON(JSONError.Reason, line: Int)
        /// A line or element is valid JSON, but not an object.
        case notAnObject
        /// The member of this name is an object, or a list that contains a list or an object.
        case nestedValue(String)
        /// There is no comma before an element of a JSON array, or there is text after the array.
        case outsideArray
        /// The input ends before the end of its array.
        case unclosedArray
        /// Two members of a JSON object belong to the field with this name.
        case columnTwice(String)
        /// A row has the same cells as the header.
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
        case .tooLong, .tooManyBytes: .tooLong
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

extension ValidationIssue: JSONEncodable {
    /// The members `field`, `code` and `message`, and `count` if ``count`` is greater than 1.
    ///
    /// The message is the built-in text. It contains the field's name. A `ReportedIssue` contains the schema's own
    /// message instead.
    public var json: JSONValue {
        .issue(field: field?.text, code: code.rawValue, message(label: field?.text ?? "The row"), count: count)
    }
}

extension JSONValue {
    /// Returns an issue in the JSON form that this whole package uses. The member `count` is present only if the issue
    /// represents several problems.
    package static func issue(field: String?, code: String, _ message: String, count: Int) -> JSONValue {
        .object(
            [
                JSONMember("field", field.map(JSONValue.string) ?? .null), JSONMember("code", .string(code)),
                JSONMember("message", .string(message)),
            ] + JSONMember.count(count))
    }
}

extension JSONMember {
    /// If an issue represents several problems, returns the member `count`. Otherwise returns no member.
    package static func count(_ count: Int) -> [JSONMember] { count > 1 ? [JSONMember("count", .number(count))] : [] }
}

/// The issues of an invalid draft, sorted in the order of the fields.
public struct ValidationFailure: Error, Hashable, Sendable {
    /// At least one issue. If there are more than ``mostIssues`` issues, the last elements have the problem
    /// ``ValidationIssue/Problem/more(_:count:)``. Each of these elements contains the number of further issues with
    /// one code.
    public let issues: [ValidationIssue]

    /// The maximum number of issues that are listed one by one, for each profile or row. It equals the maximum number
    /// of fields of a schema.
    public static let mostIssues = ProfileSchema.mostFields

    package init(_ issues: [ValidationIssue]) { self.issues = issues }
}
