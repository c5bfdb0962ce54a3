internal import ProfileCore
internal import ProfileTransfer

/// Decides which field a column becomes, from the evidence of all its values.
struct ColumnJudgement {
    /// The field, still without a name.
    var draft = FieldDraft(name: "")
    var doubts: [ColumnDoubt] = []
    var values: Int
    var missing: Int
    var evidence: ColumnEvidence
    let name: ColumnName
    /// The decimal sign that other columns of the file prove; nil if they prove none.
    let decimal: UInt8?
    /// Whether the column is the key, or could be the key by its name and its values.
    private let isAnyKey: Bool
    let tightness: Tightness
    /// The type that the options choose for the column.
    let type: FieldType?
    /// The values that do not fit the chosen type. Their rows are refused.
    var misfits = CountedLines()
    /// The texts that stand for missing values.
    var takenAsMissing: [String] = []
    /// The rules that all values satisfy, but that later files may break.
    private var withheld: [WithheldRule] = []

    /// The minimum number of values for a shape, a set of characters or a date of eight digits. Fewer values may have
    /// them in common by chance.
    static let fewest = 5

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
        // `writtenForm` validates the draft. It is called before `missing` is added, because `missing` is only valid
        // together with `missingValues`, which the draft does not have yet.
        let written = writtenForm
        if let (token, lines) = evidence.tokens.max(by: { ($0.value.count, $1.key) < ($1.value.count, $0.key) }),
            lines.count * 2 > missing
        {
            draft.extensions.append(JSONMember("missing", .string(MissingToken.all[token].text)))
        }
        if let written { draft.extensions.append(written) }
    }

    /// The form in which most values are written. Nil if it is the default form of an export, or if the rules of the
    /// draft do not allow it.
    private var writtenForm: JSONMember? {
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
        guard let written else { return nil }
        let member = JSONMember("written", .string(written))
        var noted = draft
        noted.extensions.append(member)
        return noted.isValid ? member : nil
    }

    var isStrict: Bool { tightness == .strict }

    /// The evidence for rules, from the values without the tokens that stand for missing values.
    var proof: RuleEvidence { RuleEvidence(evidence, isKey: isAnyKey) }

    /// Returns whether to propose a rule that all values satisfy. If a rule is left out because the values do not prove
    /// it, the rule is added to `withheld`.
    mutating func proposes(_ rule: WithheldRule, if isProven: Bool) -> Bool {
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
        // In a column with empty cells and only one token, a word such as "None" may be an answer, not a missing value.
        if evidence.values == 0 {
            return evidence.empty == 0 || evidence.tokens.count > 1
                || Self.usualTokens.contains(MissingToken.all[token].text)
        }
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
            // A column `title` contains titles of persons only if its values are short and repeated. The titles of films
            // or books are longer or rarely repeated.
            case "honorific-prefix", "honorific-suffix":
                draft.type == "string" && text.longest <= 12
                    && evidence.distinct.entries.map { 2 * $0.count <= values } ?? false
            default: draft.type == "string"
            }
        return fits && values > 0 ? meaning : nil
    }

    private static func isOfPhones(_ byte: UInt8) -> Bool { byte.isASCIIDigit || "+-()./ x".utf8.contains(byte) }
}
