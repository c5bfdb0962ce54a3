internal import ProfileCore

/// The formats of a type that the options choose for a column.
struct ChosenType: Sendable {
    /// The formats, as fields without a name. The most usual ones come first.
    let formats: [FieldDraft]
    private let validator: ProfileValidator?

    /// Returns whether the format at this position accepts a value. The value must be trimmed and not empty.
    func takes(_ value: Span<UInt8>, as format: Int) -> Bool { validator?.takes(value, index: format) ?? false }

    /// Returns the formats of a type; nil for text, which has none.
    static func of(_ type: FieldType) -> ChosenType? { all[type] ?? nil }

    private static let all: [FieldType: ChosenType?] = Dictionary(
        uniqueKeysWithValues: FieldType.allCases.map { ($0, ChosenType($0)) })

    private init?(_ type: FieldType) {
        guard type != .string else { return nil }
        let drafts = Self.attributes(of: type).map { attributes, extensions in
            var draft = FieldDraft(name: "")
            draft.type = type.rawValue
            draft.attributes = attributes
            draft.extensions = extensions
            return draft
        }
        formats = drafts
        validator = FieldDraft.schema(of: drafts).map(ProfileValidator.init)
    }

    private static func attributes(of type: FieldType) -> [(attributes: [JSONMember], extensions: [JSONMember])] {
        func types(_ types: [InferredType]) -> [(attributes: [JSONMember], extensions: [JSONMember])] {
            types.map { ($0.attributes, $0.extensions) }
        }
        switch type {
        case .string: return []
        case .year: return [([], [])]
        case .integer:
            let groups = [",", ".", " ", "'"].map { [JSONMember("groupChar", .string($0))] }
            return withUnits([[]] + groups)
        case .number: return withUnits(NumberWriting.all.map(\.attributes))
        case .date: return types(DateWriting.all.map(InferredType.date))
        case .dateTime: return types(TypeHypothesis.dateTimeTypes)
        case .time: return types(TypeHypothesis.timeTypes)
        case .boolean:
            let words = ColumnJudgement.booleanWords.dropFirst().map { yes, no in
                [
                    JSONMember("trueValues", .array(spellings(of: yes).map(JSONValue.string))),
                    JSONMember("falseValues", .array(spellings(of: no).map(JSONValue.string))),
                ]
            }
            return [([], [])] + words.map { ($0, []) }
        }
    }

    /// Returns number formats, followed by the same formats for numbers with a unit.
    private static func withUnits(
        _ formats: [[JSONMember]]
    ) -> [(attributes: [JSONMember], extensions: [JSONMember])] {
        formats.map { ($0, []) } + formats.map { ($0 + [JSONMember("bareNumber", false)], []) }
    }

    private static func spellings(of word: String) -> [String] {
        let spellings = [word, word.prefix(1).uppercased() + word.dropFirst(), word.uppercased()]
        return spellings.enumerated().filter { !spellings[..<$0].contains($1) }.map(\.element)
    }
}

/// The values of a column that do not fit the type which the options choose for it.
struct ChosenTypeEvidence: Sendable {
    let type: FieldType
    /// The values that do not fit each format of ``ChosenType/formats``.
    private(set) var misfits: [CountedLines]

    /// Creates evidence without values; nil for text, which every value fits.
    init?(_ type: FieldType) {
        guard let chosen = ChosenType.of(type) else { return nil }
        self.type = type
        misfits = Array(repeating: CountedLines(), count: chosen.formats.count)
    }

    mutating func add(_ value: Span<UInt8>, line: Int) {
        guard let chosen = ChosenType.of(type) else { return }
        for format in misfits.indices where !chosen.takes(value, as: format) { misfits[format].add(line: line) }
    }

    mutating func merge(_ later: ChosenTypeEvidence) {
        for format in misfits.indices { misfits[format].merge(later.misfits[format]) }
    }

    /// Returns the format that most values fit, and the values that do not fit it.
    ///
    /// - Parameters:
    ///   - unit: The unit of all numbers; nil if the numbers have no unit or different units. If the unit is nil,
    ///     formats that ignore text around the numbers are not eligible: they would also ignore different units.
    ///   - decimal: The decimal sign that other columns prove. It decides between formats that fit equally.
    /// - Returns: The field with this format, still without a name; nil if there is no format.
    func best(unit: [UInt8]?, decimal: UInt8?) -> (draft: FieldDraft, misfits: CountedLines)? {
        guard let chosen = ChosenType.of(type) else { return nil }
        let eligible = chosen.formats.indices.filter { unit != nil || !chosen.formats[$0].acceptsUnit }
        func isProven(_ format: Int) -> Bool { decimal.map { chosen.formats[format].decimal == $0 } ?? false }
        let best = eligible.min { one, other in
            (misfits[one].count, isProven(one) ? 0 : 1, one) < (misfits[other].count, isProven(other) ? 0 : 1, other)
        }
        guard let best else { return nil }
        var draft = chosen.formats[best]
        if let unit, draft.acceptsUnit {
            draft.extensions.append(JSONMember("unit", .string(String(decoding: unit, as: UTF8.self))))
        }
        return (draft, misfits[best])
    }
}
