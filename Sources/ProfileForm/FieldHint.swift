internal import ProfileCore

extension FormField {
    /// A short description of the accepted values, such as `2–10 letters A–Z, a–z and digits 0–9`. It is for users who
    /// do not know the rules.
    public var hint: String {
        let what = picker?.hint ?? rules.kindHint
        return rules.isRequired ? what : what + ", or nothing"
    }
}

extension FieldPicker {
    fileprivate var hint: String {
        let titles = choices.filter { $0.isListed && !$0.value.isEmpty }.map(\.title)
        return titles.count > 8 ? "one of \(titles.count) values" : titles.map(\.shortened).listed("or")
    }
}

extension FieldRules {
    /// A short description of the accepted values, as a form shows it.
    package var hint: String { FormField(self, text: "", stored: nil).hint }

    fileprivate var kindHint: String {
        if let mask { return "exactly \(mask.digitCount) digit\(mask.digitCount == 1 ? "" : "s"), as \(mask)" }
        switch type {
        case .boolean: return "Yes or No"
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
            // Removes the word "as". A hint does not need "as" before the formats.
            let ways = formats.ways
            return ways.hasPrefix("as ") ? String(ways.dropFirst(3)) : ways
        }
        return type == .time ? "hh:mm:ss" : "yyyy-MM-ddThh:mm:ss"
    }

    private var stringHint: String {
        var hint = characters?.title ?? "characters of any kind"
        // If the rules name the allowed characters one by one, the word "of" stands between the number and these characters.
        let of = if case .list = characters?.first { "of " } else { "" }
        switch (minimumLength ?? 0, maximumLength) {
        case (let least, let most?) where least == most: hint = "exactly \(most) \(of)" + hint
        case (let least, let most?): hint = "\(max(1, least))–\(most) \(of)" + hint
        case (let least, nil) where least > 1: hint = "\(least) or more \(of)" + hint
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
