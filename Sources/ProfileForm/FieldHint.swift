internal import ProfileCore

extension FormField {
    /// What is accepted, in a few words, for people who have not seen the rules: `2–10 letters a–z and digits 0–9`.
    public var hint: String {
        let what = rules.kindHint
        return rules.isRequired ? what : what + ", or nothing"
    }
}

extension FieldRules {
    fileprivate var kindHint: String {
        if let mask { return "\(mask.digitCount) digits, as \(mask)" }
        if !allowedValues.isEmpty {
            return allowedValues.count > 8
                ? "one of \(allowedValues.count) values" : allowedValues.map(\.shortened).listed("or")
        }
        switch type {
        case .boolean: return [trueValues.first ?? "", falseValues.first ?? ""].listed("or")
        case .date, .dateTime, .time: return momentHint
        case .year: return "a year" + bounds
        case .integer: return (["a whole number" + bounds] + numberFormat.remarks).joined(separator: ", ")
        case .number: return (["a number" + bounds] + numberFormat.remarks).joined(separator: ", ")
        case .string where stringFormat != nil: return stringFormat?.noun ?? ""
        case .string: return stringHint
        }
    }

    private var momentHint: String {
        guard formats.isEmpty else {
            // Patterns explain themselves.
            let ways = formats.ways
            return ways.hasPrefix("as ") ? String(ways.dropFirst(3)) : ways
        }
        return type == .time ? "hh:mm:ss" : "yyyy-MM-ddThh:mm:ss"
    }

    private var stringHint: String {
        var hint = characters.map { $0.map(\.title).listed("and") } ?? "any characters"
        switch (minimumLength ?? 0, maximumLength) {
        case (let least, let most?) where least == most: hint = "\(most) " + hint
        case (let least, let most?): hint = "\(max(1, least))–\(most) " + hint
        case (let least, nil) where least > 1: hint = "\(least) or more " + hint
        case (_, nil): break
        }
        guard !requirements.isEmpty else { return hint }
        return hint + ", with " + requirements.map(\.hint).listed("and")
    }

    private var bounds: String {
        let (least, most) = (
            minimum.map { typedForm(of: $0.description) }, maximum.map { typedForm(of: $0.description) }
        )
        return switch (least, most) {
        case (let least?, let most?): " from \(least) to \(most)"
        case (let least?, nil): ", at least \(least)"
        case (nil, let most?): ", at most \(most)"
        case (nil, nil): ""
        }
    }
}

extension Requirement {
    fileprivate var hint: String {
        switch self {
        case .uppercase: "an uppercase letter"
        case .lowercase: "a lowercase letter"
        case .digit: "a digit"
        case .special: "a special character"
        }
    }
}
