/// The ids of the profiles that one bulk transaction adds or updates. The ids of new profiles are consecutive.
package struct BatchIDs: Sendable {
    private let first: Int64
    /// The id of the next new profile.
    package var next: Int64
    /// The smallest and the greatest id of the updated profiles.
    private var updated: ClosedRange<Int64>?

    /// Creates a value without profiles. The first new profile will have the id `first`.
    package init(from first: Int64) {
        self.first = first
        next = first
    }

    /// The ids of the profiles that were added; nil if there are none.
    package var added: ClosedRange<Int64>? { next > first ? first...next - 1 : nil }

    package mutating func addUpdated(_ id: Int64) {
        updated = updated.map { min($0.lowerBound, id)...max($0.upperBound, id) } ?? id...id
    }

    /// Returns the changes to log. The first change describes all added profiles, and the second change describes all
    /// updated profiles. A change without profiles is omitted.
    ///
    /// - Parameter updates: The entries of the updated profiles for the history, unless they are written already.
    /// - Returns: At most two changes.
    package func changes(_ updates: [HistoryRecord] = []) -> [LoggedChange] {
        let imported = added.map { LoggedChange(.imported, $0, [HistoryRecord(.imported, $0, revision: 1)]) }
        let updated = updated.map { LoggedChange(.updated, $0, updates) }
        return [imported, updated].compactMap(\.self)
    }
}
