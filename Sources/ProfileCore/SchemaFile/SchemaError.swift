/// An error in a schema file, and its place.
public struct SchemaError: Hashable, Sendable {
    /// A JSON path such as `$.fields[2].constraints.minLength`; `$` is the whole text.
    public let path: String
    /// The error at this place.
    public let reason: Reason

    init(_ path: String, _ reason: Reason) {
        self.path = path
        self.reason = reason
    }

    /// The kinds of errors, with the found value and the valid values. ``text`` describes them in words.
    ///
    /// A found text is copied from the file, and it may be long.
    public enum Reason: Hashable, Sendable {
        /// The file cannot be read as JSON.
        case notJSON(JSONError)
        /// A member that every schema or field must have is missing.
        case missing(Part)
        /// A value has another kind than the expected one.
        case wrongType(JSONKind, expected: JSONKind)
        /// An unknown name, with the known names.
        case unknownName(known: [String])
        /// One of a few words is expected.
        case unknownChoice(String, known: [String])
        /// A value that is not supported, with the supported values, each as JSON.
        case unsupported(String, supported: [String])
        /// A text or number is written wrongly.
        case malformed(String, Notation)
        /// A length that is not a whole number in this range.
        case notACount(allowed: ClosedRange<Int>)
        /// A text is too long. Both numbers are bytes of UTF-8.
        case tooLong(Int, allowed: Int)
        /// A list has this many entries, which are too many.
        case tooManyEntries(Int, allowed: Int)
        /// The rules allow no value at all.
        case allowsNothing
        /// A part of Table Schema that a store of profiles cannot use.
        case noPlace(TableConstruct)

        /// The schema has this many fields: none, or too many.
        case fieldCount(Int, allowed: ClosedRange<Int>)
        /// An earlier field has this name.
        case repeatedField(FieldName)
        /// Two field names differ only in underscores. Headers of files are matched without underscores.
        case indistinctFields(FieldName, FieldName)
        /// The store has its own column with this name.
        case reservedName(FieldName)

        /// The rule applies only to fields of other types.
        case onlyForTypes([FieldType])
        /// A minimum or maximum does not have the field's type.
        case boundOfWrongType(JSONKind, FieldType)
        /// An allowed value does not have the field's type.
        case allowedValueOfWrongType(JSONKind, FieldType)
        /// Another rule of the field refuses an allowed value.
        case allowedValueBreaksRules(String)
        /// `minLength` is greater than `maxLength`.
        case lengthsInverted(minimum: Int, maximum: Int)
        /// `minimum` is greater than `maximum`.
        case boundsInverted(minimum: Bound, maximum: Bound)
        /// `pattern` is not a regular expression of PCRE2, or is too long.
        case badPattern(FieldPattern.CompileError)
        /// The field's mask already has this effect.
        case impliedByMask
        /// The field's format already has this effect.
        case impliedByFormat
        /// Some text could be read in both formats.
        case ambiguousFormats(DateFormat, DateFormat)
        /// The same character separates groups of digits and the fraction.
        case groupIsDecimal
        /// A word is in both `trueValues` and `falseValues`, or in one of them and in the default of the other.
        case bothTrueAndFalse(String)
        /// A column of a file would match two fields, or a field and the hash.
        case repeatedColumn(String, meaning: String)

        /// The primary key is not a field of the schema.
        case noSuchField(String)
        /// The primary key consists of this many fields instead of one.
        case compositeKey(Int)
        /// The type of the primary key is not `string`.
        case keyIsNoString(FieldName)
        /// The primary key is not required and unique.
        case keyIsOptional(FieldName)
        /// The primary key is the password.
        case keyIsSecret
        /// A field has the name of the column that holds the primary key, but is not the primary key.
        case usernameBesideKey(FieldName)
        /// The field `password` is not declared secret.
        case passwordIsNotSecret
        /// Another field than `password` is declared secret.
        case secretIsNotPassword
        /// The secret field has a rule that a secret cannot have: `unique`, `indexed`, `enum`, `pattern`, `mask` or
        /// `format`.
        case secretIsCompared
        /// The rule applies only to the secret field.
        case onlyForSecret
    }

    /// Members that every schema or field must have.
    public enum Part: Hashable, Sendable {
        /// The schema's list of fields.
        case fields
        /// The field `username`, if `primaryKey` names no other field.
        case username
        /// A field's name.
        case name
        /// The missing value itself, in an entry of `missingValues`.
        case value
    }

    /// The required form of a text in a schema file.
    public enum Notation: Hashable, Sendable {
        /// A lower-case ASCII letter, then lower-case letters, digits and `_`; see ``FieldName``.
        case fieldName
        /// Printable ASCII with a `#` for each digit; see ``Mask``.
        case mask
        /// The name of a class, or a literal list of characters; see ``AllowedCharacters``.
        case characterClass
        /// `yyyy`, `MM` and `dd` once each, or a pattern for `strptime`; see ``DateFormat``.
        case dateFormat
        /// A pattern for `strptime`, for fields of this type.
        case timePattern(FieldType)
        /// A separator between digits or before a fraction.
        case separator
        /// An integer of 64 bits.
        case integer
        /// A finite double.
        case number
        /// A day in ISO 8601, or `today`.
        case day
        /// A day with a time in ISO 8601.
        case dateTime
        /// A time in ISO 8601.
        case time
        /// A year from 0 to 9999.
        case year
        /// The name of an ``IssueCode``.
        case issueCode
    }
}
