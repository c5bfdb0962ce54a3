/// What several clients did to a store at once, and what they were told.
///
/// It is linearizable where each operation can have happened at one moment between its invocation and its completion, so
/// that all of them in that order are right (Herlihy and Wing, "Linearizability: A Correctness Condition for Concurrent
/// Objects", 1990). Since the profiles of different usernames have nothing to do with each other, each username is
/// looked at by itself. This is how E4 is judged: what clients were told while servers were lost.
package struct History: Sendable {
    package var operations: [Operation]
    /// What was there before, by username; nothing where none is named.
    package var beginning: [String: Entry]

    package init(_ operations: [Operation], from beginning: [String: Entry] = [:]) {
        self.operations = operations
        self.beginning = beginning
    }

    package enum Verdict: Hashable, Sendable {
        case linearizable
        case refused(Contradiction)
        /// There are too many orders for this username to try them all.
        case undecided(username: String)
    }

    /// Whether it is linearizable.
    ///
    /// - Parameter limit: The most configurations that are tried for one username; each takes a few hundred bytes.
    /// - Returns: The first contradiction that is found.
    package func verdict(limit: Int = 1_000_000) -> Verdict {
        var undecided: String?
        for (username, operations) in Dictionary(grouping: operations, by: \.username).sorted(by: { $0.key < $1.key }) {
            let search = OrderSearch(operations, from: beginning[username], limit: limit)
            switch search.run() {
            case .found: break
            case .refused(let dead): return .refused(Contradiction(of: search, where: dead, username: username))
            case .undecided: undecided = undecided ?? username
            }
        }
        return undecided.map { .undecided(username: $0) } ?? .linearizable
    }
}
