/// The changes after a number, while an engine reads them from its log in their order.
package struct ChangeReading {
    private let number: Int64
    private let newest: Int64
    private var changes: [ProfileChange] = []

    /// - Parameters:
    ///   - number: The number after which the caller reads.
    ///   - newest: The number of the newest change in the log.
    package init(after number: Int64, newest: Int64) {
        self.number = number
        self.newest = newest
    }

    /// Appends the next change.
    ///
    /// - Returns: False if a number is missing before it. Numbers have no gaps, so the change and those after it do not
    ///   continue the log that the caller knows.
    package mutating func append(_ change: ProfileChange) -> Bool {
        guard change.number == number + 1 + Int64(changes.count) else { return false }
        changes.append(change)
        return true
    }

    /// Returns the changes that were appended. If there is none, but the log has another newest number than the caller,
    /// returns one change of the kind `missed`.
    package consuming func end() -> [ProfileChange] {
        changes.isEmpty && number != newest ? [.missed(upTo: newest)] : changes
    }
}
