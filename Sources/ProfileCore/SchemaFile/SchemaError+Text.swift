extension SchemaError: CustomStringConvertible {
    /// The path and the reason, in English.
    public var description: String { "\(path): \(reason.text)" }
}

extension SchemaError.Reason {
    /// What is wrong, in English: it reads on from "… is refused: ". What is long is cut.
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

        case .fieldCount(let count, let allowed):
            "there are \(count) fields; \(allowed.lowerBound) to \(allowed.upperBound) are allowed"
        case .repeatedField(let name): "the field \"\(name)\" is there twice"
        case .indistinctFields(let name, let other): "\"\(name)\" and \"\(other)\" differ in underscores alone"
        case .reservedName(let name): "\"\(name)\" is reserved: the store has a column of its own by that name"

        case .onlyForTypes(let types):
            "only a field of the type \(types.map { "\"\($0.rawValue)\"" }.listed("or")) can have this"
        case .boundOfWrongType(let found, let type):
            "it is \(found.text), which does not fit the type \"\(type.rawValue)\""
        case .allowedValueOfWrongType(let found, _): "it is \(found.text), which does not fit the field's type"
        case .allowedValueBreaksRules(let found): "\(found.quoted) breaks the other rules of the field"
        case .lengthsInverted(let minimum, let maximum): "\(minimum) is more than maxLength, \(maximum)"
        case .boundsInverted: "it is more than maximum"
        case .badPattern(let error): error.text
        case .impliedByMask: "the mask says this already"
        case .ambiguousFormats(let format, let other):
            "what is written as \"\(format)\" could be read as \"\(other)\" as well"

        case .usernameIsNoString: "username must be a string"
        case .usernameIsNoKey: "it must be true for username, the key of every profile"
        case .passwordIsNotSecret: "it must be true for the field \"password\", which is kept as a hash only"
        case .secretIsNotPassword: "only the field \"password\" can be secret; passcodes are no fields"
        case .secretIsUnique: "a secret cannot be compared with others"
        case .secretIsCompared: "a secret can have neither enum nor pattern nor mask"
        }
    }
}

extension SchemaError.Part {
    fileprivate var missingText: String {
        switch self {
        case .fields: "it is missing; a schema lists its fields there"
        case .username: "the field \"username\" is missing; it is the key of every profile"
        case .name: "it is missing"
        }
    }
}

extension SchemaError.Notation {
    fileprivate func text(refusing found: String) -> String {
        switch self {
        case .fieldName:
            "\(found.quoted) is no field name: a lower-case letter, then lower-case letters, digits and _, "
                + "\(FieldName.longestLength) at most"
        case .mask:
            "\(found.quoted) is no mask: printable ASCII with a # for each digit, no other digit and no space, "
                + "\(Mask.longestLength) characters at most"
        case .characterClass:
            "\(found.quoted) is none of \(CharacterClass.named.map(\.name).joined(separator: ", ")); a literal list of "
                + "letters is written with a few each and without control characters"
        case .dateFormat:
            "\(found.quoted) is no date format: yyyy, MM and dd once each, with punctuation or spaces between, "
                + "\(DateFormat.longestLength) characters at most"
        case .integer: "\(found.shortened) is no 64-bit integer"
        case .number: "\(found.shortened) is out of a double's range"
        case .day: "\(found.quoted) is neither a day as yyyy-MM-dd nor \"today\""
        case .issueCode:
            "\(found.quoted) is no code of an issue; there are \(IssueCode.allCases.map(\.rawValue).joined(separator: ", "))"
        }
    }
}

extension Pattern.CompileError {
    fileprivate var text: String {
        switch self {
        case .tooLong(let allowed): "it is longer than \(allowed) bytes, at byte \(allowed) of it"
        case .malformed(let code, let offset): "\(Pattern.text(ofError: code)), at byte \(offset) of it"
        }
    }
}

extension String {
    fileprivate var quoted: String { "\"\(shortened)\"" }
}
