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

    /// The kinds of errors. A case may contain the refused value and the valid values. ``text`` describes the error in
    /// words.
    ///
    /// If a case contains a text of the file, the whole text is copied, so it may be long.
    public enum Reason: Hashable, Sendable {
        /// The file cannot be read as JSON.
        case notJSON(JSONError)
        /// A required member is missing.
        case missing(Part)
        /// A value does not have the expected JSON type.
        case wrongType(JSONKind, expected: JSONKind)
        /// A name is unknown. The error contains the known names.
        case unknownName(known: [String])
        /// A text is not one of the known words.
        case unknownChoice(String, known: [String])
        /// A value is not supported. The value and the supported values are written as JSON.
        case unsupported(String, supported: [String])
        /// A text or a number does not have the required notation.
        case malformed(String, Notation)
        /// A length is not a whole number in the allowed range.
        case notACount(allowed: ClosedRange<Int>)
        /// A text is too long. Both numbers are lengths in UTF-8 bytes.
        case tooLong(Int, allowed: Int)
        /// A list has too many entries. The first number is the number of entries.
        case tooManyEntries(Int, allowed: Int)
        /// The rules allow no value at all.
        case allowsNothing
        /// The file uses a part of Table Schema that a store of profiles does not support.
        case noPlace(TableConstruct)

        /// The schema has no fields or too many fields. The case contains the number of fields.
        case fieldCount(Int, allowed: ClosedRange<Int>)
        /// An earlier field has this name.
        case repeatedField(FieldName)
        /// Two field names differ only in underscores. Headers of files are matched without underscores.
        case indistinctFields(FieldName, FieldName)
        /// The name is reserved. In files, the column with this name contains the hash of the password.
        case reservedName(FieldName)
        /// Another field has the same former name.
        case repeatedFormerName(FieldName, of: FieldName)

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
        /// The rule is redundant, because the field has a mask.
        case impliedByMask
        /// The rule is redundant, because the field has a `format`.
        case impliedByFormat
        /// Two formats are ambiguous: some texts match both formats.
        case ambiguousFormats(DateFormat, DateFormat)
        /// `missing` is none of the texts that mean "no value".
        case notAMissingValue(String)
        /// `groupChar` and `decimalChar` are the same character.
        case groupIsDecimal
        /// A word means both true and false. The defaults of `trueValues` and `falseValues` are checked too.
        case bothTrueAndFalse(String)
        /// A column of a file would match two fields, or it would match a field and the password hash.
        case repeatedColumn(String, meaning: String)

        /// The primary key is not a field of the schema.
        case noSuchField(String)
        /// The primary key does not consist of exactly one field. The case contains the number of fields in the key.
        case compositeKey(Int)
        /// The type of the primary key is not `string`.
        case keyIsNoString(FieldName)
        /// The primary key is not required, or is not unique.
        case keyIsOptional(FieldName)
        /// The primary key is the password.
        case keyIsSecret
        /// The primary key is hidden from the owner of a profile.
        case keyIsHidden
        /// The field `username` is not the primary key. The store needs a column of this name for the primary key.
        case usernameBesideKey(FieldName)
        /// The field `password` is not declared secret.
        case passwordIsNotSecret
        /// A field is declared secret, but its name is not `password`.
        case secretIsNotPassword
        /// The secret field has a rule that a secret cannot have: `unique`, `indexed`, `enum`, `pattern`, `mask` or
        /// `format`.
        case secretIsCompared
        /// The rule applies only to the secret field.
        case onlyForSecret
        /// The password has an ``OwnerAccess``.
        case secretIsOwned
        /// The password has a former name, or is the former name of another field.
        case secretIsRenamed
    }

    /// A part of a schema that can be missing. An error of the kind `missing` names the part.
    public enum Part: Hashable, Sendable {
        /// The schema's list of fields.
        case fields
        /// The field `username`. It is required unless `primaryKey` names another field.
        case username
        /// A field's name.
        case name
        /// The member `value` of an entry in `missingValues`.
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
        /// A format that contains `yyyy`, `MM` and `dd` once, or a pattern for `strptime`; see ``DateFormat``.
        case dateFormat
        /// A pattern for `strptime`, for fields of this type.
        case timePattern(FieldType)
        /// A separator between digits or before a fraction.
        case separator
        /// The way in which files write the values of a field of this type; see ``FieldRules/written``.
        case writtenForm(FieldType)
        /// A printable ASCII character or a tab, but no quote.
        case delimiter
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
