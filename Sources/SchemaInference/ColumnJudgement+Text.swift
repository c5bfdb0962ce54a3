internal import ProfileCore
internal import ProfileTransfer

// The rules of a column of text.
extension ColumnJudgement {
    mutating func takeForText(isKey: Bool) {
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
    var hasShape: Bool { values >= Self.fewest && evidence.distinct.entries.map { $0.count > 1 } ?? true }

    /// The allowed values, if the column has few distinct values that occur at least five times on average; otherwise
    /// nil.
    var choices: [String]? {
        guard name.secrecy == .none, name.meaning?.isOpen != true, let entries = evidence.distinct.entries,
            entries.count > 1, values >= 20, values >= 5 * entries.count
        else { return nil }
        return entries.map { String(decoding: $0.bytes, as: UTF8.self) }.sorted()
    }

    /// Limits the length. If all values are codes of the same length, the minimum and the maximum are this length.
    /// Otherwise the maximum is twice the length of the longest value, rounded up. In a strict schema, it is the length
    /// of the longest value, rounded up.
    mutating func limitLength() {
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
}
