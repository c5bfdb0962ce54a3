internal import ProfileCore
internal import ProfileTransfer

/// Decides which field a column becomes, from the evidence of all its values.
struct ColumnJudgement {
    /// The field, still without a name.
    private(set) var draft = FieldDraft(name: "")
    private(set) var doubts: [ColumnDoubt] = []
    private(set) var values: Int
    private(set) var missing: Int
    private var evidence: ColumnEvidence
    private let name: ColumnName
    /// The decimal sign that other columns of the file prove; nil if they prove none.
    private let decimal: UInt8?
    /// Whether the column is the key, or could be the key by its name and its values.
    private let isAnyKey: Bool
    private let tightness: Tightness
    /// The type that the options choose for the column.
    private let type: FieldType?
    /// The values that do not fit the chosen type. Their rows are refused.
    private(set) var misfits = CountedLines()
    /// The texts that stand for missing values.
    private var takenAsMissing: [String] = []
    /// The rules that all values satisfy, but that later files may break.
    private var withheld: [WithheldRule] = []

    /// The minimum number of values for a shape, a set of characters or a date of eight digits. Fewer values may have
    /// them in common by chance.
    private static let fewest = 5

    /// Judges a column that holds no secrets.
    ///
    /// - Parameters:
    ///   - evidence: The evidence from the column's values.
    ///   - name: The column's name.
    ///   - isKey: Whether the column is the key, which is always text.
    ///   - isPartOfKey: Whether the column is the key or a part of it. Then every row must have a value.
    ///   - isOtherKey: Whether the column is not the key, but could be the key by its name and its values.
    ///   - tokens: The indexes of the tokens that stand for missing values in other columns of the file.
    ///   - decimal: The decimal sign that other columns of the file prove; nil if they prove none.
    ///   - type: The type that the options choose for the column; nil if they choose none.
    ///   - tightness: How tight the rules are.
    init(
        _ evidence: ColumnEvidence, _ name: ColumnName, isKey: Bool, isPartOfKey: Bool, isOtherKey: Bool,
        tokens: Set<Int>, decimal: UInt8?, type: FieldType?, tightness: Tightness
    ) {
        self.evidence = evidence
        self.name = name
        self.decimal = decimal
        self.tightness = tightness
        self.type = type
        isAnyKey = isKey || isOtherKey
        values = 0
        missing = 0
        settleTokens(isKey: isPartOfKey, tokens)
        values = self.evidence.values
        missing = evidence.empty + self.evidence.tokens.values.reduce(0) { $0 + $1.count }
        if values == 0 {
            doubts.append(.noValues)
            if type != nil { takeChosenType() }
        } else if name.secrecy == .hidden {
            // The values must not be shown. So the only rule is a length, because every other rule repeats or describes
            // values.
            limitLength()
        } else if isKey {
            takeForText(isKey: true)
        } else if type != nil, type != .string {
            takeChosenType()
        } else if type == .string {
            takeForText(isKey: false)
        } else if !takeForBoolean(), !takeForType() {
            takeForText(isKey: false)
        }
        if isPartOfKey || missing == 0 && values > 0 && proposes(.required, if: proof.isAlwaysThere) {
            draft.constraints.insert(JSONMember("required", true), at: 0)
        } else if !isStrict, !["string", "boolean"].contains(draft.type) {
            takenAsMissing += Self.usualTokens.filter { !takenAsMissing.contains($0) }
        }
        if isOtherKey, draft.isExact, proposes(.unique, if: proof.isUnique) {
            draft.constraints.append(JSONMember("unique", true))
        }
        giveWrittenForms()
        if !takenAsMissing.isEmpty {
            let texts = JSONValue.array([""] + takenAsMissing.map(JSONValue.string))
            draft.attributes.insert(JSONMember("missingValues", texts), at: 0)
        }
        if let contentType { draft.extensions.append(JSONMember("contentType", .string(contentType))) }
        if !withheld.isEmpty { doubts.append(.withheld(withheld, proof.reason)) }
    }

    /// Notes how the file writes the values, for an export that is like the file (N13).
    private mutating func giveWrittenForms() {
        if evidence.empty == 0, evidence.tokens.count == 1, let token = evidence.tokens.keys.first {
            draft.extensions.append(JSONMember("missing", .string(MissingToken.all[token].text)))
        }
        let written: String?
        switch draft.type {
        case "integer", "number":
            let decimals = draft.type == "integer" ? 0 : evidence.decimals.decimals(draft.decimal)
            let units = draft.acceptsUnit ? evidence.units : UnitEvidence()
            let zero = units.zero(decimals: decimals)
            written = zero == "0" ? nil : zero
        case "date", "datetime", "time": written = evidence.moments.written(draft.pattern, draft.type)
        default: written = nil
        }
        guard let written else { return }
        var noted = draft
        noted.extensions.append(JSONMember("written", .string(written)))
        // The draft still lacks the list of missing values.
        noted.extensions.removeAll { $0.name == "missing" }
        if noted.isValid { draft.extensions.append(JSONMember("written", .string(written))) }
    }

    private var isStrict: Bool { tightness == .strict }

    /// The evidence for rules, from the values without the tokens that stand for missing values.
    private var proof: RuleEvidence { RuleEvidence(evidence, isKey: isAnyKey) }

    /// Returns whether a rule that all values satisfy is proposed, and notes it otherwise.
    private mutating func proposes(_ rule: WithheldRule, if isProven: Bool) -> Bool {
        guard tightness != .loose else { return false }
        if !isStrict, !isProven { withheld.append(rule) }
        return isStrict || isProven
    }

    // MARK: Missing values

    /// Returns the tokens of a column if its other values have a type or a shape in common; otherwise an empty set. The
    /// returned tokens stand for missing values.
    static func tokens(standingOutIn evidence: ColumnEvidence) -> Set<Int> {
        let hasShape = evidence.shape.mask != nil || evidence.shape.digitCount != nil
        let standOut = evidence.values > 0 && (hasShape || !evidence.hypotheses.borneOut.isEmpty)
        return standOut ? Set(evidence.tokens.keys) : []
    }

    /// The texts that later files may use for missing numbers and dates. In a column of text they may be values.
    private static let usualTokens = ["NA", "N/A", "NULL", "null", "NaN"]

    private mutating func settleTokens(isKey: Bool, _ elsewhere: Set<Int>) {
        let found = evidence.tokens
        if name.secrecy == .hidden {
            for token in found.keys.sorted() { evidence.takeLiterally(token) }
            return
        }
        for (token, lines) in found.sorted(by: { $0.key < $1.key })
        where isKey ? MissingToken.all[token].isWord : !standsOut(token, lines.count, elsewhere) {
            doubts.append(.mayBeMissing(MissingToken.all[token].text, count: lines.count))
            evidence.takeLiterally(token)
        }
        let taken = evidence.tokens.keys.sorted()
        guard !taken.isEmpty else { return }
        let texts = taken.map { MissingToken.all[$0].text }
        let count = taken.reduce(0) { $0 + (evidence.tokens[$1]?.count ?? 0) }
        doubts.append(.takenAsMissing(texts, count: count))
        takenAsMissing = texts
    }

    private func standsOut(_ token: Int, _ count: Int, _ elsewhere: Set<Int>) -> Bool {
        if evidence.values == 0 { return true }
        if !Self.tokens(standingOutIn: evidence).isEmpty || booleanValues != nil { return true }
        let bytes = MissingToken.all[token].bytes
        guard MissingToken.all[token].isWord else {
            // A punctuation mark differs clearly from words, but not from other punctuation marks.
            return evidence.text.ascii.hasLetters || evidence.text.ascii.hasDigits || !evidence.text.isASCII
        }
        // Among country codes of two letters, NA means Namibia.
        if evidence.text.shortest == bytes.count, evidence.text.longest == bytes.count { return false }
        if elsewhere.contains(token) { return true }
        // The token is frequent, although the column has many distinct values.
        return evidence.distinct.entries == nil && count >= Self.fewest && count * 20 >= evidence.values
    }

    // MARK: Types

    /// Gives the column the chosen type, with the format that most values fit.
    private mutating func takeChosenType() {
        let chosen = evidence.chosen ?? type.flatMap(ChosenTypeEvidence.init)
        guard let best = chosen?.best(unit: evidence.units.unit, decimal: decimal) else { return }
        draft = best.draft
        misfits = best.misfits
        values -= misfits.count
    }

    private mutating func takeForType() -> Bool {
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

    /// Takes the column for numbers with one unit. Whole numbers become numbers too, because further amounts may have
    /// fractions.
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

    /// Whether further values will be whole numbers too. In a few rows, percentages and prices can be whole by chance.
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

    private mutating func number(_ borneOut: [InferredType], isMoney: Bool = false) -> InferredType? {
        var told = Self.numbers(in: evidence, borneOut)
        // Amounts of money have no fractions of three digits.
        if isMoney, told.count > 1, told.contains(where: { $0.group != nil }) { told.removeAll { $0.group == nil } }
        if let grouped = Self.partlyGrouped(evidence, told), grouped.group != decimal { return .number(grouped) }
        if told.count > 1, let proven = told.first(where: { $0.decimal == decimal }) { return .number(proven) }
        // The point is the decimal sign of the Table Schema standard, and the most usual one.
        if told.contains(.plain) || told.count == 1 { return told.first.map(InferredType.number) }
        if told.count > 1 { doubts.append(.fractionOrThousands) }
        return nil
    }

    /// Returns the number formats that fit every value and whose distinguishing sign occurs.
    private static func numbers(in evidence: ColumnEvidence, _ borneOut: [InferredType]) -> [NumberWriting] {
        let seen = evidence.units.units.isEmpty ? evidence.text.ascii : evidence.units.characters
        return borneOut.compactMap { type in
            if case .number(let writing) = type, writing.isTold(by: seen) { writing } else { nil }
        }
    }

    /// Returns the number format of amounts of money if only some of them are in groups, as in `$85000` and `$1,250`;
    /// nil if they are not.
    private static func partlyGrouped(_ evidence: ColumnEvidence, _ told: [NumberWriting]) -> NumberWriting? {
        guard told.count == 1, let sign = told.first?.decimal, told.first?.group == nil,
            evidence.units.unit.map(KnownUnit.isCurrency) ?? false, evidence.decimals.mayBeThousands(sign)
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
        // The first fitting format has the day first. With dots, it is used even if both orders fit (N2).
        let isDotted = first.pattern.contains(".")
        if !isDotted, first.order != nil, writings.contains(where: { $0.order != nil && $0.order != first.order }) {
            doubts.append(.dayOrMonth)
            return nil
        }
        // In a sorted file, the first months may all have two digits without a leading zero.
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
            // Postal codes need no doubt, because they are clearly not numbers.
            if name.meaning?.isText != true { doubts.append(.numerals(evidence.numerals)) }
            return
        }
        let nearest = evidence.hypotheses.nearlyBorneOut.min { $0.lines.count < $1.lines.count }
        // The report names a type only if at most one value in a hundred prevents it, or up to three values that are at
        // most one in twenty.
        guard let nearest, values >= (nearest.lines.count <= 3 ? 20 : 100) * nearest.lines.count else { return }
        doubts.append(.nearly(nearest.type, nearest.lines))
    }

    // MARK: Booleans

    private mutating func takeForBoolean() -> Bool {
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
    private var booleanValues: (trueValues: [String], falseValues: [String])? {
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

    // MARK: Text

    private mutating func takeForText(isKey: Bool) {
        if isKey, evidence.hypotheses.borneOut.contains(.email) {
            draft.attributes += InferredType.email.attributes
            return limitLength()
        }
        if !isKey, let allowed = choices, proposes(.values(allowed.count), if: proof.isComplete) {
            return draft.constraints.append(JSONMember("enum", .array(allowed.map(JSONValue.string))))
        }
        if !isKey, hasShape, let mask = evidence.shape.mask, proposes(.mask(mask), if: proof.isUniform) {
            return draft.extensions.append(JSONMember("mask", .string(mask)))
        }
        limitLength()
        if hasShape, let characters = evidence.text.characters, proposes(.characters, if: proof.isUniform) {
            draft.extensions.append(JSONMember("characters", .array(characters.map(JSONValue.string))))
        }
    }

    /// Whether there is enough evidence for a common shape: at least five values, and at least two distinct ones.
    private var hasShape: Bool { values >= Self.fewest && evidence.distinct.entries.map { $0.count > 1 } ?? true }

    /// The allowed values, if the column has few distinct values that occur five times on average; otherwise nil.
    private var choices: [String]? {
        guard name.secrecy == .none, name.meaning?.isOpen != true, let entries = evidence.distinct.entries,
            entries.count > 1, values >= 20, values >= 5 * entries.count
        else { return nil }
        return entries.map { String(decoding: $0.bytes, as: UTF8.self) }.sorted()
    }

    /// Limits the length. If all values are codes of the same length, the minimum and the maximum are this length.
    /// Otherwise the maximum is twice the length of the longest value, rounded up; a strict schema has no such room.
    private mutating func limitLength() {
        guard tightness != .loose else { return }
        let longest = evidence.text.longest
        let isCode = evidence.text.shortest == longest && hasShape && evidence.text.characters != nil
        if isCode, proposes(.length(longest), if: proof.isUniform) {
            draft.constraints += [
                JSONMember("minLength", .number(longest)), JSONMember("maxLength", .number(longest)),
            ]
        } else if let limit = Self.limits.first(where: { $0 >= (isStrict ? longest : 2 * longest) }),
            isCode ? proof.isBounded : proposes(.maximumLength, if: proof.isBounded)
        {
            draft.constraints.append(JSONMember("maxLength", .number(limit)))
        }
    }

    private static let limits = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 100_000]

    // MARK: Content types

    private var contentType: String? {
        switch draft.format {
        case "email": return "email"
        case "uri": return "url"
        default: break
        }
        guard let meaning = name.meaning?.contentType else { return nil }
        let text = evidence.text
        let fits =
            switch meaning {
            case "email", "url": false
            case "bday": draft.type == "date"
            case "tel": draft.type == "string" && text.isASCII && text.ascii.members.allSatisfy(Self.isOfPhones)
            case "postal-code": draft.type == "string" && text.longest <= 12 && text.ascii.hasDigits
            // A column `title` may also hold the titles of films, which are longer.
            case "honorific-prefix", "honorific-suffix": draft.type == "string" && text.longest <= 12
            default: draft.type == "string"
            }
        return fits && values > 0 ? meaning : nil
    }

    private static func isOfNumbers(_ byte: UInt8) -> Bool { byte.isASCIIDigit || "+-.".utf8.contains(byte) }

    private static func isOfPhones(_ byte: UInt8) -> Bool { byte.isASCIIDigit || "+-()./ x".utf8.contains(byte) }
}
