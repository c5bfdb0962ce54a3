package import ProfileCore

/// The user's choices about a proposed schema. A new proposal is made from them after every change.
package struct ProposalChoices: Hashable, Sendable {
    /// The source of the key; nil if the inference chooses the key.
    package var key: KeySource?
    /// The chosen types, by the header of the column.
    package var types: [String: FieldType] = [:]
    /// The chosen names of fields, by the header of the column.
    package var names: [String: String] = [:]
    /// The headers of the columns without limits.
    package var loose: Set<String> = []
    /// The headers of the columns with the tightest rules.
    package var strict: Set<String> = []
    /// The headers of the columns that are left out.
    package var omitted: Set<String> = []

    package init() {}

    /// Leaves a column out, or takes it in again. A column that is left out is no part of the key.
    mutating func toggleOmission(of header: String) {
        guard omitted.insert(header).inserted else {
            omitted.remove(header)
            return
        }
        guard case .columns(let headers) = key, headers.contains(header) else { return }
        let others = headers.filter { $0 != header }
        key = others.isEmpty ? nil : .columns(others)
    }

    /// Makes the rules of a column one step tighter. The order is: loose rules, the rules that the file proves, the
    /// tightest rules.
    mutating func tighten(_ header: String) {
        if loose.remove(header) == nil { strict.insert(header) }
    }

    /// Makes the rules of a column one step looser.
    mutating func loosen(_ header: String) {
        if strict.remove(header) == nil { loose.insert(header) }
    }
}
