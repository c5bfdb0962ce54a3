extension SchemaError: CustomStringConvertible {
    /// The path and the reason, in English.
    public var description: String { "\(path): \(reason.text)" }
}

extension SchemaError.Reason {
    /// The reason in English. A message shows the reason after the path and a colon. Long values are truncated.
    public var text: String {
        switch self {
        case .notJSON(let error): "it is not JSON: \(error.text)"
        case .missing(let part): part.missingText
        case .wrongType(let found, .boolean): "it is \(found.text) where true or false is expected"
        case .wrongType(let found, let expected): "it is \(found.text) where \(expected.text) is expected"
        case .unknownName(let known): "it is not known here; known are \(known.joined(separator: ", "))"
        case .unknownChoice(let found, let known):
            "\(found.quoted) is not supported; known are \(known.joined(separator: ", "))"
        case .unsupported(let found, let supported):
            "\(found.shortened) is not supported; leave it out or write \(supported.joined(separator: " or "))"
        case .malformed(let found, let notation): notation.text(refusing: found)
        case .notACount(let allowed):
            "a whole number from \(allowed.lowerBound) to \(allowed.upperBound) is expected"
        case .tooLong(let count, let allowed): "it is \(count) bytes long; \(allowed) are allowed"
        case .tooManyEntries(let count, let allowed): "there are \(count) entries; \(allowed) are allowed"
        case .allowsNothing: "it allows nothing"
        case .noPlace(let construct): construct.text

        case .fieldCount(let count, let allowed):
            "there are \(count) fields; \(allowed.lowerBound) to \(allowed.upperBound) are allowed"
        case .repeatedField(let name): "the field \"\(name)\" is there twice"
        case .indistinctFields(let name, let other): "\"\(name)\" and \"\(other)\" differ in underscores alone"
        case .reservedName(let name): "\"\(name)\" is reserved: a column of that name contains the hash of the password"

        case .repeatedFormerName(let name, let other): "\"\(name)\" is the former name of \"\(other)\" already"

        case .onlyForTypes(let types):
            "only a field of the type \(types.map { "\"\($0.rawValue)\"" }.listed("or")) can have this"
        case .boundOfWrongType(let found, let type):
            "it is \(found.text), which does not fit the type \"\(type.rawValue)\""
        case .allowedValueOfWrongType(let found, _): "it is \(found.text), which does not fit the field's type"
        case .allowedValueBreaksRules(let found): "\(found.quoted) breaks the other rules of the field"
        case .lengthsInverted(let minimum, let maximum): "\(minimum) is more than maxLength, \(maximum)"
        case .boundsInverted: "it is more than maximum"
        case .badPattern(let error): error.text
        case .impliedByMask: "the mask determines this already; remove one of the two"
        case .impliedByFormat: "the field's format determines this already; remove one of the two"
        case .ambiguousFormats(let format, let other):
            "what is written as \"\(format)\" could be read as \"\(other)\" as well"
        case .notAMissingValue(let text): "\(text.quoted) is not in missingValues; add it there"
        case .groupIsDecimal: "it stands before the fraction already (decimalChar)"
        case .bothTrueAndFalse(let word): "\(word.quoted) would be both true and false"
        case .repeatedColumn(let column, let field): "\(column.quoted) means \"\(field)\" already"

        case .noSuchField(let name): "there is no field \(name.quoted)"
        case .compositeKey(let count):
            "it names \(count) fields; profiles are known by one"
        case .keyIsNoString(let name):
            "\(name) must be a string: it is the key of every profile, and its text is compared"
        case .keyIsOptional(let name): "it must be true for \(name), the key of every profile"
        case .keyIsSecret: "a secret cannot identify a profile"
        case .keyIsHidden: "the owner of a profile logs in with the key, and so knows it; write \"read\" or \"edit\""
        case .usernameBesideKey(let key):
            "the store keeps \"\(key)\", the primary key, in the column \"username\"; give this field another name"
        case .passwordIsNotSecret: "it must be true for the field \"password\", which is kept as a hash only"
        case .secretIsNotPassword: "only the field \"password\" can be secret; passcodes are no fields"
        case .secretIsCompared: "a secret can be compared with nothing"
        case .onlyForSecret: "only the field \"password\" can have this"
        case .secretIsOwned: "a password is never shown, and its owner can always change it"
        case .secretIsRenamed: "the field \"password\" cannot be renamed"
        }
    }
}

extension TableConstruct {
    fileprivate var text: String {
        switch self {
        case .fieldsMatch: "columns are found by their names, whatever their order"
        case .uniqueKeys: "fields are unique one by one; write unique among the constraints of a field"
        case .foreignKeys: "a store holds one table, and there is nothing to refer to"
        case .categories, .categoriesOrdered: "write the values as enum among the constraints"
        case .exclusiveMinimum: "write minimum, which is itself allowed"
        case .exclusiveMaximum: "write maximum, which is itself allowed"
        case .jsonSchema, .object, .array, .list, .geojson:
            "a field holds one value; write the type \"string\" to keep JSON or a list as a text"
        case .yearmonth, .duration, .geopoint:
            "there is no such type; write \"string\" and a pattern among the constraints"
        case .any: "how a value is read has to be said; write a pattern such as \"%d/%m/%Y\""
        case .binary: "a field holds text; write \"default\" to keep Base64 as it is"
        }
    }
}

extension SchemaError.Part {
    fileprivate var missingText: String {
        switch self {
        case .fields: "it is missing; a schema lists its fields there"
        case .username:
            "the field \"username\" is missing; it is the key of every profile, unless primaryKey names another"
        case .name, .value: "it is missing"
        }
    }
}

extension SchemaError.Notation {
    fileprivate func text(refusing found: String) -> String {
        switch self {
        case .fieldName:
            "\(found.quoted) is no field name: a lower-case letter, then lower-case letters, digits and _, "
                + "\(FieldName.longestLength) at most; profiles.columns says what a file calls it"
        case .mask:
            "\(found.quoted) is no mask: printable ASCII with a # for each digit, no other digit and no space, "
                + "\(Mask.longestLength) characters at most"
        case .characterClass:
            "\(found.quoted) is none of \(AllowedCharacters.named.map(\.name).joined(separator: ", ")); a literal list of "
                + "lower-case letters has at most 3 in each entry; control characters are not allowed"
        case .dateFormat:
            "\(found.quoted) is no date format: yyyy, MM and dd once each, with punctuation or spaces between, or "
                + "a pattern such as %d/%m/%Y; \(DateFormat.longestLength) characters at most"
        case .timePattern(let type):
            "\(found.quoted) is no pattern for \(type.parts): %Y %y %m %b %B %d %H %I %p %M %S %f %z %% are known, each "
                + "once, \(DateFormat.longestLength) characters at most"
        case .delimiter: "\(found.quoted) is not one printable ASCII character or a tab; a quote is not allowed"
        case .separator: "\(found.quoted) is no separator: one character that is neither letter, digit nor sign"
        case .writtenForm(.integer), .writtenForm(.number):
            "\(found.quoted) is no zero that the field reads, such as 0.00 or, if bareNumber is false, $0.00; a point is "
                + "before the fraction, and only a number has one"
        case .writtenForm(let type):
            "\(found.quoted) is no pattern for \(type.parts) that the field reads, such as \(type.examplePattern)"
        case .integer: "\(found.shortened) is no 64-bit integer"
        case .number: "\(found.shortened) is out of a double's range"
        case .day: "\(found.quoted) is neither a day as yyyy-MM-dd nor \"today\""
        case .dateTime: "\(found.quoted) is no day with a time as yyyy-MM-ddThh:mm:ss"
        case .time: "\(found.quoted) is no time as hh:mm:ss"
        case .year: "\(found.quoted) is no year from 0 to 9999"
        case .issueCode:
            "\(found.quoted) is no code of an issue; there are \(IssueCode.allCases.map(\.rawValue).joined(separator: ", "))"
        }
    }
}

extension FieldType {
    /// The parts that a pattern for this type must have.
    fileprivate var parts: String {
        switch self {
        case .dateTime: "a day with a time"
        case .time: "a time"
        default: "a day"
        }
    }

    /// A pattern for this type, with directives that only ``FieldRules/written`` has.
    fileprivate var examplePattern: String {
        switch self {
        case .dateTime: "%-d.%-m.%Y %H:%M"
        case .time: "%-I:%M %P"
        default: "%-d.%-m.%Y"
        }
    }
}

extension FieldPattern.CompileError {
    fileprivate var text: String {
        switch self {
        case .tooLong(let allowed): "it is longer than \(allowed) bytes"
        case .malformed(let code, let offset): "\(FieldPattern.text(ofError: code)), at byte \(offset) of the pattern"
        }
    }
}

extension String {
    fileprivate var quoted: String { "\"\(shortened)\"" }
}
