/// One thing that is wrong with a schema file, and where in it.
public struct SchemaError: Hashable, Sendable {
    /// A JSON path such as `$.fields[2].constraints.minLength`; `$` is the whole text.
    public let path: String
    /// What is wrong there.
    public let reason: Reason

    init(_ path: String, _ reason: Reason) {
        self.path = path
        self.reason = reason
    }

    /// What can be wrong, with what was found and what would be right; ``text`` makes words of it.
    ///
    /// What was found is as it stands in the file, and as long.
    public enum Reason: Hashable, Sendable {
        /// The file cannot be read as JSON.
        case notJSON(JSONError)
        /// What every schema or field must have is not there.
        case missing(Part)
        /// One kind of value where another is expected.
        case wrongType(JSONKind, expected: JSONKind)
        /// A name that means nothing here, beside those that do.
        case unknownName(known: [String])
        /// One of a few words is expected.
        case unknownChoice(String, known: [String])
        /// A value that cannot be honoured, beside those that can; each as JSON.
        case unsupported(String, supported: [String])
        /// A text or number that is not written as it must be.
        case malformed(String, Notation)
        /// A length that is no whole number in this range.
        case notACount(allowed: ClosedRange<Int>)
        /// A text for people; in bytes of UTF-8.
        case tooLong(Int, allowed: Int)
        /// A list has so many entries, more than are allowed.
        case tooManyEntries(Int, allowed: Int)
        /// No value at all would be valid.
        case allowsNothing
        /// Of Table Schema, and of no use to a store of profiles.
        case noPlace(TableConstruct)

        /// The schema has so many fields: none, or too many.
        case fieldCount(Int, allowed: ClosedRange<Int>)
        /// An earlier field has this name.
        case repeatedField(FieldName)
        /// Two fields whose names are the same without their underscores, as headers of files are matched.
        case indistinctFields(FieldName, FieldName)
        /// The store has a column of its own by that name.
        case reservedName(FieldName)

        /// The rule is one of fields of other types.
        case onlyForTypes([FieldType])
        /// A least or greatest value that is none of the field's type.
        case boundOfWrongType(JSONKind, FieldType)
        /// An allowed value that is none of the field's type.
        case allowedValueOfWrongType(JSONKind, FieldType)
        /// An allowed value that another rule of the field refuses.
        case allowedValueBreaksRules(String)
        /// `minLength` is more than `maxLength`.
        case lengthsInverted(minimum: Int, maximum: Int)
        /// `minimum` is more than `maximum`.
        case boundsInverted(minimum: Bound, maximum: Bound)
        /// `pattern` is no regular expression of PCRE2, or too long.
        case badPattern(FieldPattern.CompileError)
        /// The field's mask says this already.
        case impliedByMask
        /// The field's format says this already.
        case impliedByFormat
        /// There is text that could be read in both ways.
        case ambiguousFormats(DateFormat, DateFormat)
        /// The same character would stand between digits and before the fraction.
        case groupIsDecimal
        /// A word is in both `trueValues` and `falseValues`, or in one of them and in the default of the other.
        case bothTrueAndFalse(String)
        /// A column of a file that would mean two fields, or a field and the hash.
        case repeatedColumn(String, meaning: String)

        /// The primary key is no field of the schema.
        case noSuchField(String)
        /// The primary key is not one field but so many.
        case compositeKey(Int)
        /// The primary key has another type than `string`.
        case keyIsNoString(FieldName)
        /// The primary key has to be required and unique.
        case keyIsOptional(FieldName)
        /// The primary key is the password.
        case keyIsSecret
        /// A field has the name of the column that holds the primary key, which is another field.
        case usernameBesideKey(FieldName)
        /// The field `password` does not say that it is secret.
        case passwordIsNotSecret
        /// No field but `password` can be secret.
        case secretIsNotPassword
        /// A secret would be compared with others, or with what is written in a schema.
        case secretIsCompared
        /// The rule is one of the secret field.
        case onlyForSecret
    }

    /// What every schema, or every field, has to have.
    public enum Part: Hashable, Sendable {
        /// The schema's list of fields.
        case fields
        /// The field that is the key of every profile.
        case username
        /// A field's name.
        case name
        /// What is missing, in an entry of `missingValues`.
        case value
    }

    /// How a text of a schema file is to be written.
    public enum Notation: Hashable, Sendable {
        /// A lower-case ASCII letter, then lower-case letters, digits and `_`; see ``FieldName``.
        case fieldName
        /// Printable ASCII with a `#` for each digit; see ``Mask``.
        case mask
        /// The name of a class, or a literal list of characters; see ``CharacterClass``.
        case characterClass
        /// `yyyy`, `MM` and `dd` once each, or a pattern for `strptime`; see ``DateFormat``.
        case dateFormat
        /// A pattern for `strptime`, of fields of this type.
        case timePattern(FieldType)
        /// What stands between digits or before a fraction.
        case separator
        /// 64 bits.
        case integer
        /// A finite double.
        case number
        /// A day in ISO 8601, or `today`.
        case day
        /// ISO 8601.
        case dateTime
        /// ISO 8601.
        case time
        /// Four digits.
        case year
        /// One of ``IssueCode``.
        case issueCode
    }
}
