/// The concurrent operations of several clients on a store, and their outcomes.
///
/// A history is linearizable if each operation can have happened at one moment between its invocation and its
/// completion. In the order of these moments, each outcome must be right (Herlihy and Wing, "Linearizability: A
/// Correctness Condition for Concurrent Objects", 1990). Profiles with different usernames are independent, so each
/// username is checked separately. The test of E4 checks the history of clients during the loss of servers.
package struct History: Sendable {
    package var operations: [Operation]
    /// The profiles that existed before the operations, by username.
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

    /// Decides whether the history is linearizable.
    ///
    /// - Parameter limit: The maximum number of configurations that are tried for one username. Each configuration
    ///   takes a few hundred bytes of memory.
    /// - Returns: The first contradiction, if there is one, even if the search for another username is undecided.
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
