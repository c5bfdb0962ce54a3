/// One thing that is wrong with a profile, as a value: which field, and what about it.
///
/// ``message(label:)`` makes text of it, and ``ProfileSchema/message(for:)`` with the schema's own words. It never holds
/// what was typed. The codes are listed in <doc:Issues>.
public struct ValidationIssue: Hashable, Sendable {
    /// Nil for an issue of the whole row.
    public let field: FieldName?
    /// What is wrong, with the bounds that were broken.
    public let problem: Problem

    /// The problem's stable name.
    public var code: Code { problem.code }

    /// Names an issue, of a field or of the whole row.
    public init(_ field: FieldName?, _ problem: Problem) {
        self.field = field
        self.problem = problem
    }

    /// What can be wrong, with the bounds that were broken.
    public enum Problem: Hashable, Sendable {
        case required
        /// In characters, or in digits where the field has a mask.
        case tooShort(minimum: Int)
        /// In characters, or in digits where the field has a mask.
        case tooLong(maximum: Int)
        /// Nil for control characters in a field that takes any others.
        case badCharacter(allowed: [CharacterClass]?)
        case missing(Requirement)
        case badFormat(expected: ExpectedFormat)
        case badDate
        case dateOutOfRange(minimum: Bound?, maximum: Bound?)
        case notAllowed(allowed: [String])
        case patternMismatch
        case outOfRange(minimum: Bound?, maximum: Bound?)
        /// Of another row of the same input when that row's line is given; else of a stored profile.
        case duplicate(line: Int?)
        case unsupportedHash(UnsupportedHash)
        case unknownField(String)
        case badRow(RowFault)
        case badEncoding
        case unclosedQuote
        /// So many problems of this code, beside those that are named one by one.
        case more(Code, count: Int)
    }

    /// How many issues it stands for.
    public var count: Int { if case .more(_, let count) = problem { count } else { 1 } }

    /// The shape that a value should have had.
    public enum ExpectedFormat: Hashable, Sendable {
        case mask(Mask)
        case dates([DateFormat])
        /// None for ISO 8601.
        case dateTimes([DateFormat])
        /// None for ISO 8601.
        case times([DateFormat])
        case year
        case integer(NumberFormat)
        case number(NumberFormat)
        /// The texts that stand for true, and those that stand for false.
        case boolean([String], [String])
        case string(StringFormat)
        case singleSpaces
        /// A stored value is valid only in the one form in which it would be stored now.
        case stored
        /// A query goes on after a page of its own order.
        case cursorOfSameOrder
        /// A query has so many conditions at the most.
        case conditions(most: Int)
        /// The conditions of a query name so many values at the most.
        case conditionValues(most: Int)
    }

    /// What keeps a row from being read as cells of fields.
    public enum RowFault: Hashable, Sendable {
        case cellCount(expected: Int, found: Int)
        case textAfterQuote
        case nul
        /// In bytes.
        case tooLong
        case passwordAndHash
        /// A line or element of JSON that is no object of strings, numbers, booleans and nulls.
        case notAnObject
        /// An element of JSON with no comma before it, or text behind the array.
        case outsideArray
        /// The input ends before its array of objects does.
        case unclosedArray
        case columnTwice(String)
        /// A row that says what the header says.
        case headerAgain
    }

    /// The stable name of a problem.
    public typealias Code = IssueCode
}

extension ValidationIssue.Problem {
    /// Its stable name.
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
    /// Writes `field`, `code` and `message`, in our words and with the field's name: for the schema's own words encode a
    /// `ReportedIssue` of it.
    public func encode(to encoder: any Encoder) throws {
        try JSONValue.issue(field: field?.text, code: code.rawValue, message(label: field?.text ?? "The row"))
            .encode(to: encoder)
    }
}

extension JSONValue {
    /// An issue as every JSON of ours has it.
    package static func issue(field: String?, code: String, _ message: String) -> JSONValue {
        ["field": field.map(JSONValue.string) ?? .null, "code": .string(code), "message": .string(message)]
    }
}

/// Every issue of a draft that did not pass, in field order.
public struct ValidationFailure: Error, Hashable, Sendable {
    /// At least one.
    public let issues: [ValidationIssue]

    package init(_ issues: [ValidationIssue]) { self.issues = issues }
}
