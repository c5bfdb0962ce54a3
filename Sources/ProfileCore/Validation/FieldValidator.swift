/// The rules of one field, compiled: judges UTF-8 without making a `String` of it where the rules are about ASCII.
struct FieldValidator: Sendable {
    let rules: FieldRules
    private let kind: Kind
    private let hasFurtherRules: Bool
    private let longestByteCount: Int
    private let minimumLength: Int
    private let maximumLength: Int

    private enum Kind: Sendable {
        /// Only bytes of the set.
        case ascii(ASCIISet, singleSpaces: Bool)
        /// Characters of these classes, which are not all ASCII.
        case unicode([CharacterClass])
        /// Any character but control characters other than tab, LF and CR.
        case anyText
        case mask(Mask)
        case date([DateFormat])
        case integer
        case number
        case boolean
    }

    init(_ rules: FieldRules) {
        self.rules = rules
        kind =
            switch rules.type {
            case .integer: .integer
            case .number: .number
            case .boolean: .boolean
            case .date: .date(rules.formats)
            case .string:
                if let mask = rules.mask {
                    .mask(mask)
                } else if let characters = rules.characters {
                    ASCIISet(characters).map { .ascii($0, singleSpaces: characters.contains(.spaces)) }
                        ?? .unicode(characters)
                } else {
                    .anyText
                }
            }
        hasFurtherRules = !rules.allowedValues.isEmpty || rules.pattern != nil
        longestByteCount = rules.longestByteCount
        minimumLength = rules.minimumLength ?? 0
        maximumLength = rules.maximumLength ?? .max
    }

    /// What became of a value.
    enum Outcome {
        /// The value is stored as it was given, but for the white space around it.
        case asGiven
        /// The value is stored in this form.
        case canonical(String)
        /// There are issues.
        case bad
    }

    /// Judges a value that is not empty.
    ///
    /// - Parameters:
    ///   - value: Valid UTF-8, trimmed unless the field is secret.
    ///   - isStored: The value comes from the store and must have the form in which it would be stored.
    ///   - report: Called for each thing that is wrong, in the order of the codes' table.
    @inline(__always)
    func judge(
        _ value: Span<UInt8>, today: CalendarDay, isStored: Bool, report: (ValidationIssue.Problem) -> Void
    ) -> Outcome {
        // The path of nearly every cell of a bulk import comes first and calls nothing.
        if case .ascii(let set, let singleSpaces) = kind, rules.requirements.isEmpty, !hasFurtherRules,
            value.count >= minimumLength, value.count <= maximumLength,
            set.containsAll(of: value), !singleSpaces || !value.hasAdjacentSpaces
        {
            return .asGiven
        }
        return judgeFully(value, today: today, isStored: isStored, report: report)
    }

    /// The stored form of a text, or nil where it breaks a rule.
    func canonical(_ text: String, today: CalendarDay) -> String? {
        let bytes = Array(text.utf8)
        let value = rules.isSecret ? bytes.span : bytes.span.trimmed()
        guard !value.isEmpty else { return nil }
        return switch judge(value, today: today, isStored: false, report: { _ in }) {
        case .asGiven: String(value)
        case .canonical(let text): text
        case .bad: nil
        }
    }

    private func judgeFully(
        _ value: Span<UInt8>, today: CalendarDay, isStored: Bool, report: (ValidationIssue.Problem) -> Void
    ) -> Outcome {
        guard value.count <= longestByteCount else {
            report(.tooLong(maximum: rules.longestLength ?? longestByteCount))
            return .bad
        }
        var outcome: Outcome
        switch kind {
        case .ascii(let set, let singleSpaces):
            outcome = judgeASCII(value, set, singleSpaces: singleSpaces, report)
        case .unicode(let classes): outcome = judgeUnicode(value, classes, report)
        case .anyText: outcome = judgeAnyText(value, report)
        case .mask(let mask): outcome = judgeMask(value, mask, report)
        case .date(let formats):
            outcome = judgeDate(value, isStored ? [.iso] : formats, today: today, report)
        case .integer: outcome = judgeInteger(value, report)
        case .number: outcome = judgeNumber(value, report)
        case .boolean: outcome = judgeBoolean(value, report)
        }
        if case .canonical(let text) = outcome, isStored {
            guard text == String(value) else {
                report(.badFormat(expected: .stored))
                return .bad
            }
            outcome = .asGiven
        }
        if hasFurtherRules, !judgeFurther(value, outcome, report) { outcome = .bad }
        return outcome
    }

    /// The rules that look at a value as a whole: the list of allowed values and the pattern.
    private func judgeFurther(
        _ value: Span<UInt8>, _ outcome: Outcome, _ report: (ValidationIssue.Problem) -> Void
    ) -> Bool {
        // What broke another rule has no stored form to compare; its pattern is judged as it was typed.
        let stored: String? =
            switch outcome {
            case .asGiven: String(value)
            case .canonical(let text): text
            case .bad: nil
            }
        var isGood = true
        if let stored, !rules.allowedValues.isEmpty, !rules.allowedValues.contains(stored) {
            report(.notAllowed(allowed: rules.allowedValues))
            isGood = false
        }
        if let pattern = rules.pattern {
            let text = Array((stored ?? String(value)).utf8)
            if !pattern.matches(text.span) {
                report(.patternMismatch)
                isGood = false
            }
        }
        return isGood
    }

    private func judgeLength(_ count: Int, _ report: (ValidationIssue.Problem) -> Void) -> Bool {
        if count < minimumLength {
            report(.tooShort(minimum: minimumLength))
            return false
        }
        if count > maximumLength {
            report(.tooLong(maximum: maximumLength))
            return false
        }
        return true
    }

    private func judgeASCII(
        _ value: Span<UInt8>, _ set: ASCIISet, singleSpaces: Bool, _ report: (ValidationIssue.Problem) -> Void
    ) -> Outcome {
        var isGood = judgeLength(value.isASCII ? value.count : String(value).count, report)
        if !set.containsAll(of: value) {
            report(.badCharacter(allowed: rules.characters))
            isGood = false
        }
        if singleSpaces, value.hasAdjacentSpaces {
            report(.badFormat(expected: .singleSpaces))
            isGood = false
        }
        if !judgeRequirements(value, report) { isGood = false }
        return isGood ? .asGiven : .bad
    }

    private func judgeUnicode(
        _ value: Span<UInt8>, _ classes: [CharacterClass], _ report: (ValidationIssue.Problem) -> Void
    ) -> Outcome {
        let text = String(value)
        var isGood = judgeLength(text.count, report)
        if !text.unicodeScalars.allSatisfy({ scalar in classes.contains { $0.contains(scalar) } }) {
            report(.badCharacter(allowed: classes))
            isGood = false
        }
        if classes.contains(.spaces), value.hasAdjacentSpaces {
            report(.badFormat(expected: .singleSpaces))
            isGood = false
        }
        if !judgeRequirements(value, report) { isGood = false }
        return isGood ? .asGiven : .bad
    }

    private func judgeAnyText(_ value: Span<UInt8>, _ report: (ValidationIssue.Problem) -> Void) -> Outcome {
        let isGoodLength: Bool
        let hasControls: Bool
        if value.isASCII {
            isGoodLength = judgeLength(value.countOfASCIICharacters, report)
            hasControls = !ASCIISet.text.containsAll(of: value)
        } else {
            let text = String(value)
            isGoodLength = judgeLength(text.count, report)
            hasControls = text.unicodeScalars.contains { scalar in
                scalar.properties.generalCategory == .control && scalar != "\t" && scalar != "\n" && scalar != "\r"
            }
        }
        if hasControls { report(.badCharacter(allowed: nil)) }
        let meetsRequirements = judgeRequirements(value, report)
        return isGoodLength && !hasControls && meetsRequirements ? .asGiven : .bad
    }

    private func judgeRequirements(_ value: Span<UInt8>, _ report: (ValidationIssue.Problem) -> Void) -> Bool {
        var isGood = true
        for requirement in rules.requirements where !ASCIISet(requirement).containsAny(of: value) {
            report(.missing(requirement))
            isGood = false
        }
        return isGood
    }

    private func judgeMask(
        _ value: Span<UInt8>, _ mask: Mask, _ report: (ValidationIssue.Problem) -> Void
    ) -> Outcome {
        switch mask.match(value) {
        case .displayed: return .asGiven
        case .digitsOnly: return .canonical(mask.text(ofDigits: value))
        case .badCharacter: report(.badFormat(expected: .mask(mask)))
        case .tooShort: report(.tooShort(minimum: mask.digitCount))
        case .tooLong: report(.tooLong(maximum: mask.digitCount))
        case .misplaced: report(.badFormat(expected: .mask(mask)))
        }
        return .bad
    }

    private func judgeDate(
        _ value: Span<UInt8>, _ formats: [DateFormat], today: CalendarDay, _ report: (ValidationIssue.Problem) -> Void
    ) -> Outcome {
        for format in formats {
            switch format.read(value) {
            case .otherFormat: continue
            case .noSuchDay:
                report(.badDate)
                return .bad
            case .day(let day):
                let isTooEarly = rules.minimum.map { day < $0.day(today: today) } ?? false
                let isTooLate = rules.maximum.map { day > $0.day(today: today) } ?? false
                if isTooEarly || isTooLate {
                    report(.dateOutOfRange(minimum: rules.minimum, maximum: rules.maximum))
                    return .bad
                }
                return format == .iso ? .asGiven : .canonical(day.description)
            }
        }
        report(.badFormat(expected: .dates(formats)))
        return .bad
    }

    private func judgeInteger(_ value: Span<UInt8>, _ report: (ValidationIssue.Problem) -> Void) -> Outcome {
        guard let integer = NumberText.integer(value) else {
            report(.badFormat(expected: .integer))
            return .bad
        }
        if case .integer(let least) = rules.minimum, integer < least { return outOfRange(report) }
        if case .integer(let most) = rules.maximum, integer > most { return outOfRange(report) }
        return .canonical(String(integer))
    }

    private func judgeNumber(_ value: Span<UInt8>, _ report: (ValidationIssue.Problem) -> Void) -> Outcome {
        guard let number = NumberText.number(value) else {
            report(.badFormat(expected: .number))
            return .bad
        }
        if case .number(let least) = rules.minimum, number < least { return outOfRange(report) }
        if case .number(let most) = rules.maximum, number > most { return outOfRange(report) }
        return .canonical(NumberText.canonical(number))
    }

    private func outOfRange(_ report: (ValidationIssue.Problem) -> Void) -> Outcome {
        report(.outOfRange(minimum: rules.minimum, maximum: rules.maximum))
        return .bad
    }

    /// Table Schema's default `trueValues` and `falseValues`.
    private func judgeBoolean(_ value: Span<UInt8>, _ report: (ValidationIssue.Problem) -> Void) -> Outcome {
        switch String(value) {
        case "true", "True", "TRUE", "1": return .canonical("true")
        case "false", "False", "FALSE", "0": return .canonical("false")
        default:
            report(.badFormat(expected: .boolean))
            return .bad
        }
    }
}

extension Bound {
    fileprivate func day(today: CalendarDay) -> CalendarDay {
        if case .day(let day) = self { return day }
        return today
    }
}

extension CharacterClass {
    fileprivate func contains(_ scalar: Unicode.Scalar) -> Bool {
        switch self {
        case .letters:
            switch scalar.properties.generalCategory {
            case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
                .nonspacingMark, .spacingMark, .enclosingMark:
                true
            default: false
            }
        case .digits: scalar.properties.generalCategory == .decimalNumber
        case .list(let characters): characters.unicodeScalars.contains(scalar)
        case .asciiLetters, .asciiDigits, .spaces, .special:
            scalar.isASCII && (ASCIISet([self])?.contains(UInt8(truncatingIfNeeded: scalar.value)) ?? false)
        }
    }
}
