extension ProfileSchema {
    /// Returns the text of an issue. If the schema has its own message for the issue, returns this message. Otherwise
    /// returns the built-in text with the field's title.
    public func message(for issue: ValidationIssue) -> String {
        guard let field = issue.field, let rules = self[field] else {
            return issue.message(label: issue.field?.text ?? "The row")
        }
        return rules.message(for: issue)
    }
}

extension FieldRules {
    /// Returns the text of an issue of this field. If the schema has its own message for the issue, returns this
    /// message. Otherwise returns the built-in text.
    public func message(for issue: ValidationIssue) -> String {
        messages[issue.code] ?? message(for: issue, label: title)
    }

    /// Returns the built-in text of an issue of this field. In this text, `label` is the name of the field.
    package func message(for issue: ValidationIssue, label: String) -> String {
        issue.message(label: label, counting: mask == nil ? "character" : "digit")
    }
}

extension ValidationIssue {
    /// The text of this issue, in English.
    ///
    /// - Parameter label: The name of the field in the text.
    /// - Returns: A sentence without a full stop at its end.
    public func message(label: String) -> String { message(label: label, counting: "character") }

    /// The text of this issue. `unit` is the unit of a length: "character" or "digit".
    func message(label: String, counting unit: String) -> String {
        switch problem {
        case .required: "\(label) is required"
        case .tooShort(let minimum): "\(label) should have at least \(Self.count(minimum, unit))"
        case .tooLong(let maximum): "\(label) should have at most \(Self.count(maximum, unit))"
        case .tooManyBytes(let maximum): "\(label) should have at most \(Self.count(maximum, "byte"))"
        case .badCharacter(let allowed?): "\(label) may hold \(allowed.title) only"
        case .badCharacter(nil): "\(label) may not hold control characters"
        case .missing(let requirement): "\(label) should have at least one \(requirement.noun)"
        case .badFormat(let expected): "\(label) \(expected.text)"
        case .badDate: "\(label) is no day of the calendar"
        case .dateOutOfRange(let minimum, let maximum), .outOfRange(let minimum, let maximum):
            "\(label) should be \(Self.range(minimum, maximum))"
        case .notAllowed(let allowed):
            allowed.count > 8
                ? "\(label) should be one of the \(allowed.count) allowed values"
                : "\(label) should be \(allowed.map(\.shortened).listed("or"))"
        case .patternMismatch: "\(label) does not have the required form"
        case .duplicate(let line?): "\(label) is the same as in line \(line)"
        case .duplicate(nil): "\(label) is taken"
        case .unsupportedHash(let reason): "\(label)'s hash is not supported: \(reason.text)"
        case .unknownField(let name): "There is no field \"\(name)\""
        case .badRow(let fault): fault.text
        case .badEncoding: "\(label) holds bytes that are not UTF-8"
        case .unclosedQuote: "A quote is opened here and never closed"
        case .more(_, let count): "The row has \(Self.count(count, "more issue")) of this kind"
        }
    }

    private static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

    private static func range(_ minimum: Bound?, _ maximum: Bound?) -> String {
        switch (minimum, maximum) {
        case (let least?, let most?): "from \(least) to \(most)"
        case (let least?, nil): "at least \(least)"
        case (nil, let most?): "at most \(most)"
        case (nil, nil): "within range"
        }
    }
}

extension ValidationIssue.ExpectedFormat {
    fileprivate var text: String {
        switch self {
        case .mask(let mask): "should look like \(mask)"
        case .dates(let formats): "should be written \(formats.ways)"
        case .dateTimes([]): "should be a day and a time, written as yyyy-MM-ddThh:mm:ss"
        case .times([]): "should be a time, written as hh:mm:ss"
        case .dateTimes(let formats), .times(let formats): "should be written \(formats.ways)"
        case .year: "should be a year of four digits"
        case .integer(let format): "should be a whole number\(format.text)"
        case .number(let format): "should be a number\(format.text)"
        case .unit(let unit, let found): "should be in \(unit.shortened), and the value has \"\(found.shortened)\""
        case .boolean(FieldRules.defaultTrueValues, FieldRules.defaultFalseValues): "should be true or false"
        case .boolean(let trueValues, let falseValues):
            "should be \((trueValues + falseValues).prefix(8).map(\.shortened).listed("or"))"
        case .string(let format): "should be \(format.noun)"
        case .singleSpaces: "should have one space between words"
        case .stored: "is not stored in the form that the rules ask for now"
        case .keyOfParts(let titles): "should be left out, or consist of \(titles.listed("and"))"
        case .cursorOfSameOrder: "should go on after a page of the same order"
        case .textForRelevance: "should have a text, for profiles to be in the order of how well it matches"
        case .conditions(let most): "should have at most \(most) conditions"
        case .conditionValues(let most): "should name at most \(most) values"
        case .sortFields(let most): "should be sorted by 1 to \(most) fields"
        }
    }
}

extension NumberFormat {
    /// The end of a message, which lists the differences from the default notation. Empty if there are no differences.
    fileprivate var text: String { remarks.isEmpty ? "" : " " + remarks.joined(separator: ", ") }
}

extension ValidationIssue.RowFault {
    fileprivate var text: String {
        switch self {
        case .cellCount(let expected, let found):
            "The row has \(found) cell\(found == 1 ? "" : "s") where the header has \(expected)"
        case .textAfterQuote: "There is text between a closing quote and the next delimiter"
        case .nul: "The row holds a NUL byte"
        case .tooLong: "The row is longer than a record may be"
        case .passwordAndHash: "A password and a password hash are given; give only one of them"
        case .notJSON(let reason, let line): "The row is not valid JSON: \(reason.text) (line \(line))"
        case .notAnObject: "The row is JSON, but not an object such as {\"name\": \"Ann\"}"
        case .nestedValue(let name):
            "\"\(name.shortened)\" is a list or an object that cannot be one value"
        case .outsideArray: "It stands outside of the array of objects, or without a comma before it"
        case .unclosedArray: "The input ends before its array of objects does"
        case .columnTwice(let name): "The field \"\(name)\" is there twice"
        case .headerAgain: "The row is the header once more"
        }
    }
}

extension UnsupportedHash {
    fileprivate var text: String {
        switch self {
        case .unknownScheme: "its scheme is not known"
        case .malformed(let scheme): "it is malformed as \(scheme.rawValue)"
        case .outOfBounds(let measure, let value, let allowed):
            "its \(measure.rawValue) is \(value), where \(allowed.lowerBound) to \(allowed.upperBound) are allowed"
        }
    }
}
