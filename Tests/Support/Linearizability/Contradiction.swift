/// The reason why a history is not linearizable: operations whose outcomes cannot all be true.
package struct Contradiction: Hashable, Sendable, CustomStringConvertible {
    package let username: String
    /// The profile that certainly existed before these operations. Nil if there was none.
    package let beginning: Entry?
    /// The write that led to `beginning`. Nil if the history began in this state.
    package let origin: Operation?
    /// The operations that are necessary for the contradiction, and all writes of the same period, in the order of
    /// their invocations.
    package let operations: [Operation]
    /// The operation that has no place in any order.
    package let impossible: Operation
    /// The states that the profile can have had while `impossible` was in progress. Nil is the state without a profile.
    package let possible: Set<Entry?>

    /// Reduces a search that found no order to the operations that explain the contradiction.
    init(of search: OrderSearch, where dead: OrderSearch.Dead, username: String) {
        self.username = username
        let (search, dead) = search.reduced(where: dead)
        beginning = search.beginning
        origin = search.origin
        operations = search.operations.sorted { $0.invocation < $1.invocation }
        impossible = search.operations[dead.operation]
        possible = dead.possible
    }

    package var description: String {
        var lines = ["No order explains what was told of \(username)."]
        lines.append(
            "  At first there is \(beginning?.description ?? "nothing")" + (origin.map { " (\($0))" } ?? "") + ".")
        // If an operation with an unknown outcome is in progress for a long time, there are many other operations.
        let shown = operations.suffix(20)
        if shown.count < operations.count { lines.append("  … \(operations.count - shown.count) operations …") }
        for operation in shown {
            lines.append("  \(operation)")
            guard operation == impossible else { continue }
            let texts = possible.map { $0?.description ?? "nothing" }.sorted()
            lines.append("    That cannot be: meanwhile there is \(texts.joined(separator: ", or ")).")
        }
        return lines.joined(separator: "\n")
    }
}

extension OrderSearch {
    /// Returns a search from the last certain moment to the contradiction. Leaves out operations that change nothing if
    /// the contradiction remains without them.
    fileprivate func reduced(where dead: Dead) -> (OrderSearch, Dead) {
        let end = operations[dead.operation].completion
        var reduced = OrderSearch(
            operations.enumerated()
                .filter { !dead.certainty.happened.contains($0.offset) && $0.element.invocation <= end }.map(\.element),
            from: dead.certainty.entry, origin: origin(of: dead.certainty) ?? origin, limit: limit)
        guard case .refused(var reducedDead) = reduced.run() else { return (self, dead) }
        // Large pieces are left out first, and then smaller ones. So many unnecessary operations need few attempts.
        var size = reduced.operations.count
        var attempts = 500
        while size > 0 {
            var start = 0
            while start < reduced.operations.count, attempts > 0 {
                let piece = start..<min(start + size, reduced.operations.count)
                let rest = OrderSearch(
                    reduced.operations.enumerated()
                        .filter { !piece.contains($0.offset) || !$0.element.changesNothing }.map(\.element),
                    from: reduced.beginning, origin: reduced.origin, limit: limit)
                attempts -= 1
                // If the rest still has the contradiction, only the piece's operations that change something are kept.
                start += piece.count
                if rest.operations.count < reduced.operations.count, case .refused(let dead) = rest.run() {
                    start -= reduced.operations.count - rest.operations.count
                    (reduced, reducedDead) = (rest, dead)
                }
            }
            size /= 2
        }
        return (reduced, reducedDead)
    }

    /// Returns the latest write that can have led to the certain state.
    private func origin(of certainty: Certainty) -> Operation? {
        certainty.happened.map { operations[$0] }
            .filter { operation in
                switch operation.call {
                case .register(let value), .edit(let value, _):
                    !operation.changesNothing && value == certainty.entry?.value
                case .remove: !operation.changesNothing && certainty.entry == nil
                case .lookUp: false
                }
            }
            .max { $0.invocation < $1.invocation }
    }
}

extension Operation: CustomStringConvertible {
    package var description: String { "process \(process), \(invocation) to \(completion): \(call), \(outcome)" }
}

extension Operation.Call: CustomStringConvertible {
    package var description: String {
        switch self {
        case .register(let value): "register \(value)"
        case .edit(let value, let revision?): "edit revision \(revision) to \(value)"
        case .edit(let value, nil): "edit to \(value)"
        case .remove: "remove"
        case .lookUp: "look up"
        }
    }
}

extension Operation.Outcome: CustomStringConvertible {
    package var description: String {
        switch self {
        case .done(let revision?): "done: revision \(revision)"
        case .done(nil): "done"
        case .found(let entry): "found \(entry?.description ?? "nothing")"
        case .refused(.taken): "refused: it is there"
        case .refused(.absent): "refused: nothing is there"
        case .refused(.stale(let revision)): "refused: revision \(revision) is there"
        case .unknown: "unknown"
        }
    }
}

extension Entry: CustomStringConvertible {
    package var description: String { "revision \(revision), \(value)" }
}
