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
        /// There is no value where there has to be one.
        case required
        /// In characters, or in digits where the field has a mask.
        case tooShort(minimum: Int)
        /// In characters, or in digits where the field has a mask.
        case tooLong(maximum: Int)
        /// Nil for control characters in a field that takes any others.
        case badCharacter(allowed: [CharacterClass]?)
        /// No character of a kind that the value must hold.
        case missing(Requirement)
        /// A value, or a query, that is not of this shape.
        case badFormat(expected: ExpectedFormat)
        /// Written as a date, but the calendar has no such day: 30 February.
        case badDate
        /// A date or datetime outside of these bounds; nil for a bound that there is not.
        case dateOutOfRange(minimum: Bound?, maximum: Bound?)
        /// The value is none of these, which are given in the form in which they are stored.
        case notAllowed(allowed: [String])
        /// The pattern does not match the whole value, or its work reached the bound.
        case patternMismatch
        /// A number, year or time outside of these bounds; nil for a bound that there is not.
        case outOfRange(minimum: Bound?, maximum: Bound?)
        /// Of another row of the same input when that row's line is given; else of a stored profile.
        case duplicate(line: Int?)
        /// A password hash that was brought is not taken, for this reason.
        case unsupportedHash(UnsupportedHash)
        /// No field has this name, or a query names the secret one.
        case unknownField(String)
        /// The row cannot be read as a value for each field.
        case badRow(RowFault)
        /// Bytes that are not UTF-8, in a row of a file or in the password.
        case badEncoding
        /// A quote begins a cell of CSV, and none ends it.
        case unclosedQuote
        /// So many problems of this code, beside those that are named one by one.
        case more(Code, count: Int)
    }

    /// How many issues it stands for.
    public var count: Int { if case .more(_, let count) = problem { count } else { 1 } }

    /// The shape that a value should have had.
    public enum ExpectedFormat: Hashable, Sendable {
        /// Digits in the places of `#`, with all of the literals or with none.
        case mask(Mask)
        /// A day, written in one of these ways.
        case dates([DateFormat])
        /// None for ISO 8601.
        case dateTimes([DateFormat])
        /// None for ISO 8601.
        case times([DateFormat])
        /// Four digits.
        case year
        /// A whole number of 64 bits, written in this way.
        case integer(NumberFormat)
        /// A finite number, written in this way.
        case number(NumberFormat)
        /// The texts that stand for true, and those that stand for false.
        case boolean([String], [String])
        /// Text of one kind, such as an e-mail address.
        case string(StringFormat)
        /// No two spaces in a row.
        case singleSpaces
        /// A stored value is valid only in the one form in which it would be stored now.
        case stored
        /// A query goes on after a page of its own order.
        case cursorOfSameOrder
        /// A query in the order of relevance, with the text that matches.
        case textForRelevance
        /// A query has so many conditions at the most.
        case conditions(most: Int)
        /// The conditions of a query name so many values at the most.
        case conditionValues(most: Int)
    }

    /// What keeps a row from being read as cells of fields.
    public enum RowFault: Hashable, Sendable {
        /// A row of CSV has more cells than its header, or fewer.
        case cellCount(expected: Int, found: Int)
        /// A closing quote is followed by something else than a delimiter or the end of the line.
        case textAfterQuote
        /// A NUL byte; in JSON, `\u0000`.
        case nul
        /// In bytes.
        case tooLong
        /// Both a password and the hash of one, where only one may be given.
        case passwordAndHash
        /// A line or element of JSON that is no object of strings, numbers, booleans and nulls.
        case notAnObject
        /// An element of JSON with no comma before it, or text behind the array.
        case outsideArray
        /// The input ends before its array of objects does.
        case unclosedArray
        /// Two members of a JSON object mean the field of this name.
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
    /// Writes `field`, `code` and `message`, and ``count`` if it is more than one.
    ///
    /// The message is in our words and with the field's name: for the schema's own words encode a `ReportedIssue` of it.
    public func encode(to encoder: any Encoder) throws {
        try JSONValue.issue(
            field: field?.text, code: code.rawValue, message(label: field?.text ?? "The row"), count: count
        ).encode(to: encoder)
    }
}

extension JSONValue {
    /// An issue as every JSON of ours has it: with `count` only where it stands for several.
    package static func issue(field: String?, code: String, _ message: String, count: Int) -> JSONValue {
        .object(
            [
                JSONMember("field", field.map(JSONValue.string) ?? .null), JSONMember("code", .string(code)),
                JSONMember("message", .string(message)),
            ] + JSONMember.count(count))
    }
}

extension JSONMember {
    /// How many issues one stands for, where it stands for several.
    package static func count(_ count: Int) -> [JSONMember] { count > 1 ? [JSONMember("count", .number(count))] : [] }
}

/// The issues of a draft that did not pass, in field order.
public struct ValidationFailure: Error, Hashable, Sendable {
    /// At least one. After ``mostIssues`` one issue for each code follows that says how many more there are of it:
    /// ``ValidationIssue/Problem/more(_:count:)``.
    public let issues: [ValidationIssue]

    /// The maximum number of issues that are named one by one for one profile or row: one for each field that a schema
    /// may have.
    public static let mostIssues = ProfileSchema.mostFields

    package init(_ issues: [ValidationIssue]) { self.issues = issues }
}
