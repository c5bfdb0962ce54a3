/// The compiled rules of one field. It validates an ASCII text without making a `String`.
///
/// This type is a class for speed. For each cell, an import reads a validator from a list. Reading a class instance
/// retains only one reference. Reading a struct would retain one reference for each rule.
final class FieldValidator: Sendable {
    let rules: FieldRules
    /// All rules of the field as a `PlainRule`; nil if a `PlainRule` cannot describe all of them.
    private let plainRule: PlainRule?
    private let kind: Kind
    private let hasFurtherRules: Bool
    private let longestByteCount: Int
    private let minimumLength: Int
    private let maximumLength: Int
    /// The rules for the characters of a text.
    let characters: ScalarSet
    private let singleSpaces: Bool
    /// The stored forms of the values in `enum`; empty if the field has no `enum`.
    private let allowedValues: Set<[UInt8]>
    private let hasMissingValues: Bool
    /// The texts that mean "no value". The empty text always means "no value" and is not in this list.
    private let missingValues: ByteStrings
    /// The stored forms of the missing values that have the field's type, such as `-999` for an integer. If a value has
    /// one of these stored forms, it means "no value" in any notation.
    private let missingStoredForms: ByteStrings
    /// Reads numbers in the field's notation; nil if this notation is the stored form.
    let numbers: NumberReader?
    /// The unit of the field, if its values may contain a unit.
    let unit: FieldUnit?

    private enum Kind: Sendable {
        case text
        case mask(Mask)
        case date([DateFormat])
        case dateTime([DateFormat])
        case time([DateFormat])
        case year
        case integer
        case number
        case boolean(true: ByteStrings, false: ByteStrings)
    }

    init(_ rules: FieldRules) {
        self.rules = rules
        kind =
            switch rules.type {
            case .integer: .integer
            case .number: .number
            case .boolean: .boolean(true: ByteStrings(rules.trueValues), false: ByteStrings(rules.falseValues))
            case .date: .date(rules.formats)
            case .dateTime: .dateTime(rules.formats)
            case .time: .time(rules.formats)
            case .year: .year
            case .string:
                if let mask = rules.mask { .mask(mask) } else { .text }
            }
        hasFurtherRules = !rules.allowedValues.isEmpty || rules.pattern != nil
        longestByteCount = rules.longestByteCount
        minimumLength = rules.minimumLength ?? 0
        maximumLength = rules.maximumLength ?? .max
        characters = rules.characters.map(ScalarSet.init) ?? .text
        singleSpaces = rules.characters?.contains(.spaces) ?? false
        allowedValues = Set(rules.allowedValues.map { Array($0.utf8) })
        hasMissingValues = !rules.isSecret && !rules.missingValues.isEmpty
        missingValues = ByteStrings(rules.missingValues)
        missingStoredForms = ByteStrings(Self.storedForms(ofMissingValuesBy: rules))
        numbers = rules.numberFormat == .plain ? nil : NumberReader(rules.numberFormat)
        unit = FieldUnit(of: rules)
        // A `PlainRule` counts bytes instead of characters. In ASCII text, the two counts differ only if the text
        // contains CR LF, because CR LF is one character of two bytes.
        let isPlain =
            if case .text = kind { characters.isASCII && !characters.ascii.contains(UInt8(ascii: "\r")) } else { false }
        plainRule =
            isPlain && rules.requirements.isEmpty && rules.stringFormat == nil && !hasFurtherRules
            ? PlainRule(
                set: characters.ascii, singleSpaces: singleSpaces,
                // If a value is longer than every missing value, it cannot be one of the missing values.
                minimumLength: max(minimumLength, rules.missingValues.isEmpty ? 0 : missingValues.longestLength + 1),
                maximumLength: min(maximumLength, longestByteCount))
            : nil
    }

    /// The result of validating a value.
    enum Outcome {
        /// The value is stored without the white space around it, and is otherwise unchanged.
        case asGiven
        /// The value is stored in this form.
        case canonical(String)
        /// The value means "no value".
        case missing
        /// There are issues.
        case bad
    }

    /// Whether a text means "no hash" in the secret field. The missing values do not apply to a typed password.
    func isMissingHash(_ value: Span<UInt8>) -> Bool { missingValues.contains(value) }

    /// Validates a value that is not empty.
    ///
    /// - Parameters:
    ///   - value: Valid UTF-8, trimmed unless the field is secret.
    ///   - today: The day for rules about today; nil skips these rules.
    ///   - notation: The notation of the value.
    ///   - issues: Receives each issue.
    /// - Returns: The form of the value to store, or `bad` if there are issues.
    @inline(__always)
    func judge(
        _ value: Span<UInt8>, today: CalendarDay?, as notation: ValueNotation, into issues: inout [ValidationIssue]
    ) -> Outcome {
        // A plain rule accepts nearly every cell of a bulk import. So this check comes first and is inlined.
        if let plainRule, plainRule.accepts(value) { return .asGiven }
        return judgeFully(value, today: today, as: notation, into: &issues)
    }

    /// Returns the stored form of a text; nil if the text means "no value" or breaks a rule. Rules about today are not
    /// checked.
    func canonical(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        let value = rules.isSecret ? bytes.span : bytes.span.trimmed()
        guard !value.isEmpty else { return nil }
        var issues: [ValidationIssue] = []
        return switch judge(value, today: nil, as: .typed, into: &issues) {
        case .asGiven: String(value)
        case .canonical(let text): text
        case .missing, .bad: nil
        }
    }

    /// Returns the text that a trimmed value contributes to a key: see ``ProfileValidator/keyPart(_:index:as:)``.
    func keyPart(_ value: Span<UInt8>, as notation: ValueNotation) -> String? {
        guard !value.isEmpty else { return nil }
        if case .text = kind {
            // A text is stored as it is written, so the other rules of the field are not checked.
            let isMissing = missingValues.contains(value) || missingStoredForms.contains(value)
            return hasMissingValues && isMissing ? nil : String(value)
        }
        var issues: [ValidationIssue] = []
        return switch judge(value, today: nil, as: notation, into: &issues) {
        case .canonical(let text): text
        case .missing: nil
        case .asGiven, .bad: String(value)
        }
    }

    private func judgeFully(
        _ value: Span<UInt8>, today: CalendarDay?, as notation: ValueNotation, into issues: inout [ValidationIssue]
    ) -> Outcome {
        let isStored = notation == .stored
        let isTyped = notation == .typed || notation == .canonical && !isWrittenCanonically(value)
        if hasMissingValues, isTyped, missingValues.contains(value) { return .missing }
        guard value.count <= longestByteCount else {
            let hasTooManyCharacters = rules.longestTypedLength.map { !String(value).dropFirst($0).isEmpty } ?? false
            return bad(
                hasTooManyCharacters
                    ? .tooLong(maximum: rules.longestTypedLength ?? 0) : .tooManyBytes(maximum: longestByteCount),
                &issues)
        }
        var outcome: Outcome
        switch kind {
        case .text: outcome = judgeText(value, &issues)
        case .mask(let mask): outcome = judgeMask(value, mask, &issues)
        case .date(let formats):
            outcome = judgeDate(value, isTyped ? formats : Self.storedFormats, today: today, &issues)
        case .dateTime(let formats): outcome = judgeDateTime(value, isTyped ? formats : [], &issues)
        case .time(let formats): outcome = judgeTime(value, isTyped ? formats : [], &issues)
        case .year: outcome = judgeYear(value, &issues)
        case .integer: outcome = judgeInteger(value, isTyped: isTyped, &issues)
        case .number: outcome = judgeNumber(value, isTyped: isTyped, &issues)
        case .boolean(true: let trueWords, false: let falseWords):
            outcome =
                isTyped
                ? judgeBoolean(value, trueWords, falseWords, &issues) : judgeStoredBoolean(value, &issues)
        }
        if case .canonical(let text) = outcome, isStored {
            outcome = text == String(value) ? .asGiven : bad(.badFormat(expected: .stored), &issues)
        }
        if hasMissingValues, hasMissingForm(value, outcome) {
            return isStored ? bad(.badFormat(expected: .stored), &issues) : .missing
        }
        if hasFurtherRules { outcome = judgeFurther(value, outcome, &issues) }
        return outcome
    }

    /// Returns whether a value with the notation `ValueNotation.canonical` is read in the notation of stored values and
    /// JSON. If false, the value is read as `typed`. A number is never read as `typed`, because the same digits could
    /// mean another number in the field's own notation.
    private func isWrittenCanonically(_ value: Span<UInt8>) -> Bool {
        switch rules.type {
        case .string, .year: false
        case .integer, .number: true
        case .boolean, .date, .dateTime, .time: rules.type.holds(value)
        }
    }

    /// Whether the stored form of a value means "no value".
    private func hasMissingForm(_ value: Span<UInt8>, _ outcome: Outcome) -> Bool {
        switch outcome {
        case .asGiven: missingStoredForms.contains(value)
        case .canonical(let text): missingStoredForms.contains(text.utf8Span.span)
        case .missing, .bad: false
        }
    }

    private static func storedForms(ofMissingValuesBy rules: FieldRules) -> [String] {
        // A boolean may have several words for `true`. If one of these words is a missing value, the other words still
        // mean `true`.
        guard !rules.missingValues.isEmpty, rules.type != .boolean else { return [] }
        var others = rules
        others.missingValues = []
        others.allowedValues = []
        let validator = FieldValidator(others)
        return rules.missingValues.compactMap(validator.canonical)
    }

    private static let storedFormats = [DateFormat.iso]

    private func report(_ problem: ValidationIssue.Problem, _ issues: inout [ValidationIssue]) {
        issues.append(ValidationIssue(rules.name, problem))
    }

    func bad(_ problem: ValidationIssue.Problem, _ issues: inout [ValidationIssue]) -> Outcome {
        report(problem, &issues)
        return .bad
    }

    /// Checks the list of allowed values and the pattern. These rules apply to the whole value.
    private func judgeFurther(
        _ value: Span<UInt8>, _ outcome: Outcome, _ issues: inout [ValidationIssue]
    ) -> Outcome {
        // If a value breaks another rule, it has no stored form. In that case the pattern is matched against the typed
        // text.
        let typed = Array(value)
        let stored: [UInt8]? =
            switch outcome {
            case .asGiven: typed
            case .canonical(let text): Array(text.utf8)
            case .missing, .bad: nil
            }
        var outcome = outcome
        // Compares bytes, because two `String`s can be equal although their bytes are different.
        if let stored, !allowedValues.isEmpty, !allowedValues.contains(stored) {
            outcome = bad(.notAllowed(allowed: rules.allowedValues), &issues)
        }
        if let pattern = rules.pattern {
            let judged = stored ?? typed
            if !pattern.matches(judged.span) { outcome = bad(.patternMismatch, &issues) }
        }
        return outcome
    }

    private func judgeLength(_ count: Int, _ issues: inout [ValidationIssue]) {
        if count < minimumLength { report(.tooShort(minimum: minimumLength), &issues) }
        if count > maximumLength { report(.tooLong(maximum: maximumLength), &issues) }
    }

    private func judgeText(_ value: Span<UInt8>, _ issues: inout [ValidationIssue]) -> Outcome {
        let before = issues.count
        let isFit: Bool
        if value.isASCII {
            judgeLength(value.countOfASCIICharacters, &issues)
            isFit = characters.ascii.containsAll(of: value)
        } else {
            let text = String(value)
            judgeLength(text.count, &issues)
            isFit = text.unicodeScalars.allSatisfy(characters.contains)
        }
        if !isFit { report(.badCharacter(allowed: rules.characters), &issues) }
        if singleSpaces, value.hasAdjacentSpaces { report(.badFormat(expected: .singleSpaces), &issues) }
        if let format = rules.stringFormat, !format.accepts(value) {
            report(.badFormat(expected: .string(format)), &issues)
        }
        judgeRequirements(value, &issues)
        return issues.count == before ? .asGiven : .bad
    }

    private func judgeRequirements(_ value: Span<UInt8>, _ issues: inout [ValidationIssue]) {
        for requirement in rules.requirements where !requirement.isMet(by: value) {
            report(.missing(requirement), &issues)
        }
    }

    private func judgeMask(_ value: Span<UInt8>, _ mask: Mask, _ issues: inout [ValidationIssue]) -> Outcome {
        switch mask.match(value) {
        case .displayed: .asGiven
        case .digitsOnly: .canonical(mask.text(ofDigits: value))
        case .badCharacter, .misplaced: bad(.badFormat(expected: .mask(mask)), &issues)
        case .tooShort: bad(.tooShort(minimum: mask.digitCount), &issues)
        case .tooLong: bad(.tooLong(maximum: mask.digitCount), &issues)
        }
    }
}

/// Rules about lengths and ASCII characters. Most fields have no other rules. Checking these rules retains no
/// reference.
private struct PlainRule: Sendable {
    let set: ASCIISet
    let singleSpaces: Bool
    let minimumLength: Int
    let maximumLength: Int

    @inline(__always)
    func accepts(_ value: Span<UInt8>) -> Bool {
        value.count >= minimumLength && value.count <= maximumLength && set.containsAll(of: value)
            && !(singleSpaces && value.hasAdjacentSpaces)
    }
}

extension [UInt8] {
    fileprivate init(_ bytes: Span<UInt8>) {
        self = bytes.withUnsafeBufferPointer { Array($0) }
    }
}
