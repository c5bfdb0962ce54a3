internal import ProfileCore
internal import ProfileTransfer

/// What one column is taken for, from all that its values have shown.
struct ColumnJudgement {
    /// The field, as yet without a name.
    private(set) var draft = FieldDraft(name: "")
    private(set) var doubts: [ColumnDoubt] = []
    private(set) var values: Int
    private(set) var missing: Int
    private var evidence: ColumnEvidence
    private let name: ColumnName

    /// Fewer values than these have a shape, or characters, by chance.
    private static let fewest = 5

    /// Judges a column that is no secret.
    ///
    /// - Parameters:
    ///   - evidence: What its values have shown.
    ///   - name: The column's.
    ///   - isKey: Whether it is the key, which is text whatever its values look like.
    ///   - tokens: Texts that stand for missing values elsewhere in the file, by position.
    init(_ evidence: ColumnEvidence, _ name: ColumnName, isKey: Bool, tokens: Set<Int>) {
        self.evidence = evidence
        self.name = name
        values = 0
        missing = 0
        settleTokens(isKey: isKey, tokens)
        values = self.evidence.values
        missing = evidence.empty + self.evidence.tokens.values.reduce(0) { $0 + $1.count }
        if values == 0 {
            doubts.append(.noValues)
        } else if name.secrecy == .hidden {
            // Nobody is to see what stands there: all else of a schema repeats values, or says what they look like.
            limitLength()
        } else if isKey {
            takeForText(isKey: true)
        } else if !takeForBoolean(), !takeForType() {
            takeForText(isKey: false)
        }
        if isKey || missing == 0 && values > 0 { draft.constraints.insert(JSONMember("required", true), at: 0) }
        if let contentType { draft.extensions.append(JSONMember("contentType", .string(contentType))) }
    }

    // MARK: Missing values

    /// Texts that stand for missing values where all others are of a type.
    static func tokens(standingOutIn evidence: ColumnEvidence) -> Set<Int> {
        let hasShape = evidence.shape.mask != nil || evidence.shape.digitCount != nil
        let standOut = evidence.values > 0 && (hasShape || !evidence.hypotheses.borneOut.isEmpty)
        return standOut ? Set(evidence.tokens.keys) : []
    }

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
        draft.attributes.append(JSONMember("missingValues", .array([""] + texts.map(JSONValue.string))))
    }

    private func standsOut(_ token: Int, _ count: Int, _ elsewhere: Set<Int>) -> Bool {
        if evidence.values == 0 { return true }
        if !Self.tokens(standingOutIn: evidence).isEmpty || booleanValues != nil { return true }
        let bytes = MissingToken.all[token].bytes
        guard MissingToken.all[token].isWord else {
            // A sign stands out among words, though not among other signs.
            return evidence.text.ascii.hasLetters || evidence.text.ascii.hasDigits || !evidence.text.isASCII
        }
        // NA is Namibia among codes of two capital letters.
        if evidence.text.shortest == bytes.count, evidence.text.longest == bytes.count { return false }
        if elsewhere.contains(token) { return true }
        // One word again and again, where the others are of all kinds.
        return evidence.distinct.entries == nil && count >= Self.fewest && count * 20 >= evidence.values
    }

    // MARK: Types

    private mutating func takeForType() -> Bool {
        let borneOut = evidence.hypotheses.borneOut
        guard let first = borneOut.first else {
            doubtNearMiss()
            return false
        }
        // Digits of a phone number or a postal code are no number.
        if name.meaning?.isText == true, first.isNumber { return false }
        let type: InferredType?
        switch first {
        case .integer: type = isDate(borneOut) ?? .integer
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

    /// Eight digits that are a day each, in more than a few rows, are dates.
    private func isDate(_ borneOut: [InferredType]) -> InferredType? {
        guard values >= Self.fewest else { return nil }
        return borneOut.first { if case .date = $0 { true } else { false } }
    }

    /// Four digits in a column of years are years.
    private var isYear: Bool {
        let isNamed = name.words.contains { ["year", "jahr", "annee", "ano", "anno", "jaar"].contains($0) }
        return isNamed && evidence.shape.digitCount == 4
    }

    private mutating func number(_ borneOut: [InferredType]) -> InferredType? {
        let told = borneOut.filter {
            if case .number(let writing) = $0 { writing.isTold(by: evidence.text.ascii) } else { false }
        }
        // The point is the standard's sign, and no other way of writing is as usual.
        if told.contains(.number(.plain)) || told.count == 1 { return told.first }
        if told.count > 1 { doubts.append(.fractionOrThousands) }
        return nil
    }

    /// The first that fits; none where the order of day and month is a guess.
    private mutating func date(_ borneOut: [InferredType]) -> InferredType? {
        let writings = borneOut.compactMap { if case .date(let writing) = $0 { writing } else { nil } }
        guard let first = writings.first else { return nil }
        if first.order != nil, writings.contains(where: { $0.order != nil && $0.order != first.order }) {
            doubts.append(.dayOrMonth)
            return nil
        }
        return .date(first)
    }

    private mutating func doubtNearMiss() {
        let isOfDigits = evidence.text.isASCII && evidence.text.ascii.members.allSatisfy(Self.isOfNumbers)
        if isOfDigits, evidence.numerals.count > 0 {
            // Of a postal code nobody thinks that it is a number.
            if name.meaning?.isText != true { doubts.append(.numerals(evidence.numerals)) }
            return
        }
        let nearest = evidence.hypotheses.nearlyBorneOut.min { $0.lines.count < $1.lines.count }
        // Three of four values are no rule.
        guard let nearest, values >= 20 * nearest.lines.count else { return }
        doubts.append(.nearly(nearest.type, nearest.lines))
    }

    // MARK: Booleans

    private mutating func takeForBoolean() -> Bool {
        guard let (trueValues, falseValues) = booleanValues else { return false }
        draft.type = "boolean"
        let known: Set = ["true", "True", "TRUE", "1", "false", "False", "FALSE", "0"]
        if !known.isSuperset(of: trueValues + falseValues) {
            // A schema has words for both, of its own where a list is not there.
            draft.attributes += [("trueValues", trueValues), ("falseValues", falseValues)]
                .filter { !$0.1.isEmpty }.map { JSONMember($0, .array($1.map(JSONValue.string))) }
        }
        return true
    }

    /// How true and false are written; nil where the values are others.
    private var booleanValues: (trueValues: [String], falseValues: [String])? {
        guard let entries = evidence.distinct.entries, 1...6 ~= entries.count else { return nil }
        let texts = entries.map { String(decoding: $0.bytes, as: UTF8.self) }.sorted()
        for (yes, no) in Self.booleanWords {
            let trueValues = texts.filter { $0.lowercased() == yes }
            let falseValues = texts.filter { $0.lowercased() == no }
            guard trueValues.count + falseValues.count == texts.count else { continue }
            // What is always "yes" may just as well be text; "true" may not.
            if yes == "true" || !trueValues.isEmpty && !falseValues.isEmpty { return (trueValues, falseValues) }
        }
        let isQuestion = name.words.first.map { ["is", "has", "was", "can", "ist", "hat"].contains($0) } ?? false
        let asksForFlag = name.words.last.map { ["flag", "active", "enabled", "aktiv"].contains($0) } ?? false
        return (isQuestion || asksForFlag) && texts == ["0", "1"] ? (["1"], ["0"]) : nil
    }

    private static let booleanWords = [
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
        if !isKey, let allowed = choices {
            return draft.constraints.append(JSONMember("enum", .array(allowed.map(JSONValue.string))))
        }
        if !isKey, hasShape, let mask = evidence.shape.mask {
            return draft.extensions.append(JSONMember("mask", .string(mask)))
        }
        limitLength()
        if hasShape, let characters = evidence.text.characters {
            draft.extensions.append(JSONMember("characters", .array(characters.map(JSONValue.string))))
        }
    }

    /// Whether there is enough to tell a shape from chance: a few values, and more than one that is there again and again.
    private var hasShape: Bool { values >= Self.fewest && evidence.distinct.entries.map { $0.count > 1 } ?? true }

    /// The only values there are, where each is there often enough.
    private var choices: [String]? {
        guard name.secrecy == .none, name.meaning?.isOpen != true, let entries = evidence.distinct.entries,
            entries.count > 1, values >= 20, values >= 5 * entries.count
        else { return nil }
        return entries.map { String(decoding: $0.bytes, as: UTF8.self) }.sorted()
    }

    /// As long as the longest value and some more; exact where all are as long as each other.
    private mutating func limitLength() {
        let longest = evidence.text.longest
        if evidence.text.shortest == longest, hasShape, evidence.text.characters != nil {
            draft.constraints += [
                JSONMember("minLength", .number(longest)), JSONMember("maxLength", .number(longest)),
            ]
        } else if let limit = Self.limits.first(where: { $0 >= longest }) {
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
            // A film has a title too.
            case "honorific-prefix", "honorific-suffix": draft.type == "string" && text.longest <= 12
            default: draft.type == "string"
            }
        return fits && values > 0 ? meaning : nil
    }

    private static func isOfNumbers(_ byte: UInt8) -> Bool { byte.isASCIIDigit || "+-.".utf8.contains(byte) }

    private static func isOfPhones(_ byte: UInt8) -> Bool { byte.isASCIIDigit || "+-()./ x".utf8.contains(byte) }
}
