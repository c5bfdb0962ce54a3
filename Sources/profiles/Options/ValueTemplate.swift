internal import ProfileCore
internal import ProfileStore
internal import ProfileTransfer

/// A value for many profiles: a text with names of fields in braces, such as `{town} {postal_code}`. `{{` and `}}` stand
/// for braces.
struct ValueTemplate: Sendable {
    private enum Part: Sendable {
        case text(String)
        case column(ProfileColumn)
    }

    private var parts: [Part] = []

    /// - Throws: A failure if a brace has no counterpart, or if a name means no column.
    init(_ text: String, of field: String, in schema: ProfileSchema) throws(CommandFailure) {
        var rest = Substring(text)
        var literal = ""
        while let character = rest.popFirst() {
            guard character == "{" || character == "}" else {
                literal.append(character)
                continue
            }
            if rest.first == character {
                literal.append(character)
                rest.removeFirst()
                continue
            }
            guard character == "{", let end = rest.firstIndex(of: "}") else {
                throw CommandFailure(
                    .usage, "The value of \(field) has \(character == "{" ? "{ without }" : "} without {")",
                    "Write {FIELD}, or {{ and }} for braces")
            }
            if !literal.isEmpty { parts.append(.text(literal)) }
            literal = ""
            parts += try schema.columns(told: [String(rest[..<end])]).map { .column($0) }
            rest = rest[rest.index(after: end)...]
        }
        if !literal.isEmpty { parts.append(.text(literal)) }
    }

    /// Returns the value for a profile; nil if it is empty.
    func value(for profile: Profile) -> DraftValue? {
        if parts.count == 1 {
            switch parts[0] {
            // If the template is a single field, the value is already in its stored form.
            case .column(.field(let rules)): return profile[rules.name].map(DraftValue.init(canonical:))
            case .text(let text): return DraftValue(text)
            case .column: break
            }
        }
        let text = parts.map { part in
            switch part {
            case .text(let text): text
            case .column(let column): column.typedForm(of: profile) ?? ""
            }
        }.joined()
        return text.isEmpty ? nil : DraftValue(text)
    }
}
