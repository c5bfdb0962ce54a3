internal import ProfileCore
internal import ProfileTransfer

// The type of a column: a number, a date, a time, a boolean, an e-mail address, a URI or a UUID.
extension ColumnJudgement {
    /// Gives the column the chosen type, with the format that most values fit.
    mutating func takeChosenType() {
        let chosen = evidence.chosen ?? type.flatMap(ChosenTypeEvidence.init)
        guard let best = chosen?.best(unit: evidence.units.unit, decimal: decimal) else { return }
        draft = best.draft
        misfits = best.misfits
        values -= misfits.count
    }

    mutating func takeForType() -> Bool {
        let borneOut = evidence.hypotheses.borneOut
        guard let first = borneOut.first else {
            doubtNearMiss()
            return false
        }
        // The digits of a phone number or a postal code are not a number.
        if name.meaning?.isText == true, first.isNumber { return false }
        if first.isNumber, !evidence.units.units.isEmpty { return takeForUnit(borneOut) }
        let type: InferredType?
        switch first {
        case .integer: type = isDate(borneOut) ?? (isWhole ? .integer : .number(.plain))
        case .number: type = number(borneOut)
        case .date: type = date(borneOut)
        case .dateTime, .time, .email, .uri, .uuid: type = first
        }
        guard let type else { return false }
        draft.type = type.name
        draft.attributes += type.attributes
        draft.extensions += type.extensions
        if type == .integer, isYear { draft.type = "year" }
        if type == .email || type == .uri { limitLength() }
        return true
    }

    /// Gives the column the type `number` if all numbers have the same unit. The type is `number` even if all values
    /// are whole, because later values may have fractions.
    private mutating func takeForUnit(_ borneOut: [InferredType]) -> Bool {
        guard let unit = evidence.units.unit else {
            doubts.append(.mixedUnits(evidence.units.texts))
            return false
        }
        let isProven = values >= Self.fewest && (evidence.distinct.entries.map { $0.count > 1 } ?? true)
        guard KnownUnit.isKnown(unit) || isProven else { return false }
        let number: InferredType?
        if borneOut.first == .integer {
            number = .number(NumberWriting(decimal: decimal ?? NumberWriting.plain.decimal, group: nil))
        } else {
            number = self.number(borneOut, isMoney: KnownUnit.isCurrency(unit))
        }
        guard let number else { return false }
        draft.type = number.name
        draft.attributes += number.attributes + [JSONMember("bareNumber", false)]
        draft.extensions += number.extensions + [JSONMember("unit", .string(String(decoding: unit, as: UTF8.self)))]
        return true
    }

    /// Whether to expect only whole numbers in later files. In a few rows, percentages and prices can be whole by
    /// chance.
    private var isWhole: Bool {
        let mayHaveFractions = name.words.contains { Self.fractionWords.contains($0) }
        return isStrict || !mayHaveFractions || proof.observations >= RuleEvidence.enough
    }

    private static let fractionWords: Set = [
        "amount", "balance", "betrag", "margin", "pct", "percent", "percentage", "preis", "price", "prix", "prozent",
        "rate", "ratio", "share",
    ]

    /// Returns a date type if all values are valid dates of eight digits and there are enough values.
    private func isDate(_ borneOut: [InferredType]) -> InferredType? {
        guard values >= Self.fewest else { return nil }
        return borneOut.first { if case .date = $0 { true } else { false } }
    }

    /// Whether the values have four digits and the column's name says that it holds years.
    private var isYear: Bool {
        let isNamed = name.words.contains { ["year", "jahr", "annee", "ano", "anno", "jaar"].contains($0) }
        return isNamed && evidence.shape.digitCount == 4
    }

    mutating func number(_ borneOut: [InferredType], isMoney: Bool = false) -> InferredType? {
        var told = Self.numbers(in: evidence, borneOut)
        // Amounts of money have no fractions of three digits.
        if isMoney, told.count > 1, told.contains(where: { $0.group != nil }) { told.removeAll { $0.group == nil } }
        if let grouped = Self.partlyGrouped(evidence, told) {
            let isAmount = evidence.units.unit.map(KnownUnit.isCurrency) ?? false
            if decimal == grouped.decimal || decimal == nil && isAmount { return .number(grouped) }
            if decimal == nil, grouped.decimal == NumberWriting.plain.decimal {
                doubts.append(.fractionOrThousands)
                return nil
            }
        }
        if told.count > 1, let proven = told.first(where: { $0.decimal == decimal }) { return .number(proven) }
        // The point is the decimal sign of the Table Schema standard, and the most usual one.
        if told.contains(.plain) || told.count == 1 { return told.first.map(InferredType.number) }
        if told.count > 1 { doubts.append(.fractionOrThousands) }
        return nil
    }

    /// Returns the number formats that fit every value and whose group character occurs in the values. For a format
    /// without a group character, the decimal sign must occur.
    private static func numbers(in evidence: ColumnEvidence, _ borneOut: [InferredType]) -> [NumberWriting] {
        let seen = evidence.units.units.isEmpty ? evidence.text.ascii : evidence.units.characters
        return borneOut.compactMap { type in
            if case .number(let writing) = type, writing.isTold(by: seen) { writing } else { nil }
        }
    }

    /// Returns the number format in which only some numbers have group characters, as in `85000` and `1,250`; nil if
    /// there is none. Formats with group characters do not fit `85000`. The only format that fits all numbers reads
    /// `1,250` as 1.25, although it may mean 1250.
    private static func partlyGrouped(_ evidence: ColumnEvidence, _ told: [NumberWriting]) -> NumberWriting? {
        guard told.count == 1, let sign = told.first?.decimal, told.first?.group == nil,
            evidence.decimals.mayBeThousands(sign)
        else { return nil }
        let comma = UInt8(ascii: ",")
        return NumberWriting(decimal: sign == comma ? UInt8(ascii: ".") : comma, group: sign)
    }

    /// Returns the decimal sign of a column's numbers, if only one fits; otherwise nil.
    static func decimal(provenBy evidence: ColumnEvidence) -> UInt8? {
        let borneOut = evidence.hypotheses.borneOut
        // Whole numbers and dates prove nothing.
        guard evidence.values > 0, let first = borneOut.first, case .number = first else { return nil }
        let told = numbers(in: evidence, borneOut)
        guard partlyGrouped(evidence, told) == nil else { return nil }
        let signs = Set(told.map(\.decimal))
        return signs.count == 1 ? signs.first : nil
    }

    /// Returns the first fitting date format; nil if the order of day and month would be a guess.
    private mutating func date(_ borneOut: [InferredType]) -> InferredType? {
        let writings = borneOut.compactMap { if case .date(let writing) = $0 { writing } else { nil } }
        guard let first = writings.first else { return nil }
        // If both orders fit, the first format has the day first. It is then used only for dates with dots (N2).
        let isDotted = first.pattern.contains(".")
        if !isDotted, first.order != nil, writings.contains(where: { $0.order != nil && $0.order != first.order }) {
            doubts.append(.dayOrMonth)
            return nil
        }
        // A few values without a leading zero do not prove that days and months always have two digits: a sorted file
        // may begin with October.
        let isProven = isStrict || proof.observations >= RuleEvidence.enough || hasLeadingZero
        return .date(isProven ? first : first.unpadded ?? first)
    }

    /// Whether a day or month of the examples begins with a zero.
    private var hasLeadingZero: Bool {
        evidence.examples.contains { example in
            example.split(whereSeparator: { !$0.isASCIIDigit }).contains { $0.first == UInt8(ascii: "0") }
        }
    }

    private mutating func doubtNearMiss() {
        let isOfDigits = evidence.text.isASCII && evidence.text.ascii.members.allSatisfy(Self.isOfNumbers)
        if isOfDigits, evidence.numerals.count > 0 {
            // If the column's name says that its values are text, for example postal codes, there is no doubt.
            if name.meaning?.isText != true { doubts.append(.numerals(evidence.numerals)) }
            return
        }
        let nearest = evidence.hypotheses.nearlyBorneOut.min { $0.lines.count < $1.lines.count }
        // The report names a type only if few values prevent it: up to three values if they are at most one in twenty,
        // and more values if they are at most one in a hundred.
        guard let nearest, values >= (nearest.lines.count <= 3 ? 20 : 100) * nearest.lines.count else { return }
        doubts.append(.nearly(nearest.type, nearest.lines))
    }

    // MARK: Booleans

    mutating func takeForBoolean() -> Bool {
        guard let (trueValues, falseValues) = booleanValues else { return false }
        draft.type = "boolean"
        let known: Set = ["true", "True", "TRUE", "1", "false", "False", "FALSE", "0"]
        if known.isSuperset(of: trueValues + falseValues) {
            // The words of the file come first, because an export with the original headers writes the first word.
            for (name, found, all) in [
                ("trueValues", trueValues, FieldRules.defaultTrueValues),
                ("falseValues", falseValues, FieldRules.defaultFalseValues),
            ] where !found.isEmpty && found[0] != all[0] {
                let words = found + all.filter { !found.contains($0) }
                draft.attributes.append(JSONMember(name, .array(words.map(JSONValue.string))))
            }
        } else {
            // If one of the two lists is missing, the schema uses its default words for it.
            draft.attributes += [("trueValues", trueValues), ("falseValues", falseValues)]
                .filter { !$0.1.isEmpty }.map { JSONMember($0, .array($1.map(JSONValue.string))) }
        }
        return true
    }

    /// The words for true and false; nil if the values are not booleans.
    var booleanValues: (trueValues: [String], falseValues: [String])? {
        guard let entries = evidence.distinct.entries, 1...6 ~= entries.count else { return nil }
        // An export that is like the file writes the first word, which is the most frequent one.
        let texts = entries.map { (text: String(decoding: $0.bytes, as: UTF8.self), count: $0.count) }
            .sorted { ($1.count, $0.text) < ($0.count, $1.text) }.map(\.text)
        for (yes, no) in Self.booleanWords {
            let trueValues = texts.filter { $0.lowercased() == yes }
            let falseValues = texts.filter { $0.lowercased() == no }
            guard trueValues.count + falseValues.count == texts.count else { continue }
            // A column that contains only "yes" may be text, but one that contains only "true" is boolean.
            if yes == "true" || !trueValues.isEmpty && !falseValues.isEmpty { return (trueValues, falseValues) }
        }
        let isQuestion = name.words.first.map { ["is", "has", "was", "can", "ist", "hat"].contains($0) } ?? false
        let asksForFlag = name.words.last.map { ["flag", "active", "enabled", "aktiv"].contains($0) } ?? false
        return (isQuestion || asksForFlag) && Set(texts) == ["0", "1"] ? (["1"], ["0"]) : nil
    }

    static let booleanWords = [
        ("true", "false"), ("yes", "no"), ("y", "n"), ("t", "f"), ("ja", "nein"), ("j", "n"), ("wahr", "falsch"),
        ("oui", "non"), ("o", "n"), ("vrai", "faux"), ("si", "no"), ("sí", "no"), ("s", "n"), ("sim", "não"),
        ("ja", "nee"), ("tak", "nie"), ("on", "off"),
    ]

    private static func isOfNumbers(_ byte: UInt8) -> Bool { byte.isASCIIDigit || "+-.".utf8.contains(byte) }
}
