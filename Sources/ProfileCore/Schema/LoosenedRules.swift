extension ProfileSchema {
    /// Returns the schema with looser rules, so that it allows what a file contains. No rule becomes stricter, and the
    /// primary key stays the same.
    ///
    /// - Parameters:
    ///   - broken: The rules that the file breaks, by field. Only these rules change.
    ///   - keyFields: The fields whose stored values form the keys. The stored form of these values does not change.
    /// - Returns: The loosened schema, or this schema if a schema cannot hold the looser rules, for example because a
    ///   list has too many entries.
    package func loosened(
        where broken: [FieldName: BrokenFieldRules], keepingKeysOf keyFields: Set<FieldName> = []
    ) -> ProfileSchema {
        let fields = fields.map { field in
            guard var broken = broken[field.name], !field.isSecret else { return field }
            let loosened = field.loosened(where: broken)
            guard keyFields.contains(field.name), !loosened.storesValues(like: field) else { return loosened }
            broken.codes.subtract([.badFormat, .badDate, .badCharacter, .tooShort, .tooLong])
            return field.loosened(where: broken)
        }
        let loosened = ProfileSchema(
            name: name, fields: fields, primaryKeyIndex: primaryKeyIndex, importSettings: importSettings)
        return (try? ProfileSchema(parsing: loosened.document())) == loosened ? loosened : self
    }

    /// The names of all fields from which a ``KeySource/content`` key may be computed.
    package var contentFields: [String] { openFields.filter { !$0.isPrimaryKey }.map(\.name.text) }

    /// Returns the schema with additional fields. Stored profiles have no values in these fields, so the fields are not
    /// required. Fields whose names are taken, and fields beyond ``mostFields``, are left out.
    package func adding(_ others: [FieldRules]) -> ProfileSchema {
        var fields = fields
        var names = Set(fields.map { FoldedHeader($0.name.text) })
        for var field in others where fields.count < Self.mostFields && field.name != .username {
            guard names.insert(FoldedHeader(field.name.text)).inserted else { continue }
            field.isPrimaryKey = false
            field.isRequired = false
            fields.append(field)
        }
        var settings = importSettings
        // The new fields must not be part of the key. Otherwise the next import would compute a different key for a row
        // that is already stored.
        if settings.key == .content, settings.contentFields.isEmpty { settings.contentFields = contentFields }
        return ProfileSchema(name: name, fields: fields, primaryKeyIndex: primaryKeyIndex, importSettings: settings)
    }
}

/// The rules of a field that a file breaks.
package struct BrokenFieldRules: Sendable {
    /// The codes of the issues.
    package var codes: Set<IssueCode>
    /// All values of the file that are not in the field's list of allowed values. Nil if there are many, or if they are
    /// unknown.
    package var choices: [String]?
    /// Rules that all values of the file satisfy.
    package let satisfied: FieldRules

    package init(codes: Set<IssueCode>, choices: [String]?, satisfied: FieldRules) {
        self.codes = codes
        self.choices = choices
        self.satisfied = satisfied
    }
}

extension FieldRules {
    /// Whether each value has the same stored form under these rules and under the stricter rules from which they were
    /// loosened. Loosening only adds notations, so only a different type or mask can change the stored form.
    package func storesValues(like stricter: FieldRules) -> Bool {
        let isSameType = type == stricter.type || type == .number && stricter.type == .integer
        return isSameType && mask == stricter.mask
    }

    fileprivate func loosened(where broken: BrokenFieldRules) -> FieldRules {
        let (codes, other) = (broken.codes, broken.satisfied)
        // A text that means "no value" in the file may break any rule.
        let hasOtherTokens = !Set(other.missingValues).isSubset(of: missingValues)
        var rules = codes.contains(.badFormat) || codes.contains(.badDate) ? widened(toAllow: other) : self
        if codes.contains(.required), !isPrimaryKey { rules.isRequired = false }
        if codes.contains(.duplicate), !isPrimaryKey { rules.isUnique = false }
        if !codes.isDisjoint(with: [.badFormat, .badCharacter, .tooShort, .tooLong]) { rules.mask = nil }
        if codes.contains(.tooShort) {
            rules.minimumLength = hasOtherTokens ? nil : least(minimumLength, other.minimumLength)
        }
        if codes.contains(.tooLong) { rules.maximumLength = most(maximumLength, other.maximumLength) }
        if codes.contains(.badCharacter) {
            rules.characters = hasOtherTokens ? nil : union(characters, other.characters)
        }
        rules.requirements.removeAll { requirement in
            codes.contains { $0.rawValue == "missing_\(requirement.rawValue)" }
        }
        if codes.contains(.notAllowed) {
            // If the type is not text, the stored form of a value may differ from the form in the file.
            let others = type == .string ? broken.choices ?? [] : []
            rules.allowedValues = others.isEmpty ? [] : allowedValues + others.filter { !allowedValues.contains($0) }
        }
        if codes.contains(.patternMismatch) { rules.pattern = nil }
        if !codes.isDisjoint(with: [.outOfRange, .dateOutOfRange]) {
            rules.minimum = nil
            rules.maximum = nil
        }
        return rules
    }

    /// Returns rules with a type and formats that fit the values of both fields. If no other type fits, the type is
    /// text, which holds the stored form of every type.
    private func widened(toAllow other: FieldRules) -> FieldRules {
        if type == .string {
            var rules = self
            rules.stringFormat = nil
            // `.spaces` forbids two spaces in a row.
            if characters?.contains(.spaces) ?? false { rules.characters = nil }
            return rules
        }
        var rules = self
        let isNumber = type == .integer || type == .number
        if isNumber, other.type == .integer || other.type == .number {
            if type == .integer, other.type == .number {
                rules = FieldRules(name: name, title: title, type: .number)
                rules.takeRulesOfAllTypes(of: self)
                rules.unit = unit
                rules.written = written
            }
            guard let format = numberFormat(allowing: other), mayHaveUnit(of: other) else { return text }
            rules.numberFormat = format
            if let written, !written.isRead(by: rules) { rules.written = nil }
        } else if type != other.type {
            return text
        } else {
            // An empty list means ISO 8601. ISO 8601 is not combined with other formats, so the field becomes text.
            if formats.isEmpty != other.formats.isEmpty { return text }
            for format in other.formats where !rules.formats.contains(format) {
                if rules.formats.contains(where: format.looksLike) { return text }
                rules.formats.append(format)
            }
            for word in other.trueValues where !rules.trueValues.contains(word) { rules.trueValues.append(word) }
            for word in other.falseValues where !rules.falseValues.contains(word) { rules.falseValues.append(word) }
            if rules.trueValues.contains(where: rules.falseValues.contains) { return text }
        }
        rules.missingValues += other.missingValues.filter { !rules.missingValues.contains($0) }
        return rules
    }

    /// Whether the units of both fields are the same, or one of the fields has no unit.
    private func mayHaveUnit(of other: FieldRules) -> Bool {
        guard let unit, let otherUnit = other.unit else { return true }
        return KnownUnit.areEqual(Array(unit.utf8), Array(otherUnit.utf8))
    }

    /// Returns a number format for the values of both fields; nil if there is none.
    private func numberFormat(allowing other: FieldRules) -> NumberFormat? {
        var format = numberFormat
        // Integers have no decimal character.
        if type == .integer { format.decimalCharacter = other.numberFormat.decimalCharacter }
        let isSame = other.type == .integer || format.decimalCharacter == other.numberFormat.decimalCharacter
        let groups = Set([numberFormat.groupCharacter, other.numberFormat.groupCharacter].compactMap(\.self))
        let isInteger = type == .integer && other.type == .integer
        guard isSame, groups.count < 2, isInteger || !groups.contains(format.decimalCharacter) else { return nil }
        format.groupCharacter = groups.first
        format.isBare = format.isBare && other.numberFormat.isBare
        return format
    }

    /// The field as text, without the rules that apply only to its type.
    private var text: FieldRules {
        var rules = FieldRules(name: name, title: title)
        rules.takeRulesOfAllTypes(of: self)
        return rules
    }

    /// Takes the rules that fields of all types can have.
    private mutating func takeRulesOfAllTypes(of other: FieldRules) {
        isRequired = other.isRequired
        isUnique = other.isUnique
        isPrimaryKey = other.isPrimaryKey
        isIndexed = other.isIndexed
        ownerRule = other.ownerRule
        missingValues = other.missingValues
        writtenMissing = other.writtenMissing
        messages = other.messages
        columns = other.columns
    }
}

private func least(_ one: Int?, _ other: Int?) -> Int? { one.flatMap { one in other.map { min(one, $0) } } }

private func most(_ one: Int?, _ other: Int?) -> Int? { one.flatMap { one in other.map { max(one, $0) } } }

/// Returns the characters that at least one of two lists allows. A missing list allows every character.
private func union(_ one: [AllowedCharacters]?, _ other: [AllowedCharacters]?) -> [AllowedCharacters]? {
    one.flatMap { one in other.map { one + $0.filter { !one.contains($0) } } }
}
