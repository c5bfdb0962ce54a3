/// Searches for an order of the operations on one username in which all outcomes are right.
///
/// The search handles the completions in the order of time. An operation must have happened at its completion, and the
/// search tries which other operations in progress have happened before it. A configuration consists of the state of
/// the profile and of the operations in progress that have happened. No configuration is tried twice at the same
/// completion. This is the search of Wing and Gong ("Testing and Verifying Concurrent Objects", 1993). It keeps the
/// configurations that were tried, and lets a write happen only when a completion needs it, as in Lowe ("Testing for
/// Linearizability", 2017). The checker Porcupine is based on these papers too.
struct OrderSearch {
    let operations: [Operation]
    /// The state before the operations, and the write that led to it.
    let beginning: Entry?
    let origin: Operation?
    /// The most configurations that are tried.
    let limit: Int

    init(_ operations: [Operation], from beginning: Entry?, origin: Operation? = nil, limit: Int) {
        self.operations = operations
        self.beginning = beginning
        self.origin = origin
        self.limit = limit
    }

    enum Outcome {
        case found
        case refused(Dead)
        case undecided
    }

    /// The completion at which the search failed.
    struct Dead {
        /// The operation at whose completion no configuration was left.
        let operation: Int
        /// The last certain moment before this completion.
        let certainty: Certainty
        /// The states that the profile can have had while the operation was in progress.
        let possible: Set<Entry?>
    }

    /// A moment at which the profile can have had only one state, and each operation in progress has an unknown
    /// outcome.
    struct Certainty {
        /// Which operations had happened by then.
        var happened: Set<Int>
        var entry: Entry?
    }

    private struct Configuration: Hashable {
        var entry: Entry?
        /// Which of the operations under way have happened.
        var happened: Set<Int>
    }

    func run() -> Outcome {
        let completions = self.completions
        var tried = [Set<Configuration>](repeating: [], count: completions.count + 1)
        var begun = tried
        var triedCount = 0
        var untried = [(0, Configuration(entry: beginning, happened: []))]
        while let (index, configuration) = untried.popLast() {
            guard index < completions.count else { return .found }
            let completion = completions[index]
            let settled = settled(configuration, completion.underWay)
            guard tried[index].insert(settled).inserted else { continue }
            triedCount += 1
            if triedCount > limit { return .undecided }
            if settled.happened.contains(completion.operation) {
                var next = settled
                next.happened.remove(completion.operation)
                begun[index + 1].insert(next)
                untried.append((index + 1, next))
            } else {
                untried += successors(of: settled, completion.underWay).map { (index, $0) }
            }
        }
        return .refused(dead(completions, tried, begun))
    }

    private func dead(
        _ completions: [Completion], _ tried: [Set<Configuration>], _ begun: [Set<Configuration>]
    ) -> Dead {
        let last = tried.lastIndex { !$0.isEmpty } ?? 0
        let operation = completions[last].operation
        var certainty = Certainty(happened: [], entry: beginning)
        for index in 0..<last {
            let underWay = completions[index].underWay.filter { $0 != completions[index].operation }
            guard begun[index + 1].count == 1, let only = begun[index + 1].first,
                underWay.allSatisfy({ operations[$0].outcome == .unknown })
            else { continue }
            certainty = Certainty(
                happened: only.happened.union(completions[...index].map(\.operation)), entry: only.entry)
        }
        let meanwhile = zip(completions, tried).filter { $0.0.underWay.contains(operation) }
        return Dead(
            operation: operation, certainty: certainty,
            possible: Set(meanwhile.flatMap { $0.1.map(\.entry) }))
    }

    private struct Completion {
        let operation: Int
        /// The operations in progress at this time, including this operation. Operations with an unknown outcome come
        /// first, so the search tries them last.
        let underWay: [Int]
    }

    /// The completions in the order of time. At equal times, invocations come before completions. An operation with an
    /// unknown outcome never completes. A look-up with an unknown outcome is left out.
    private var completions: [Completion] {
        var events: [(time: Int, isCompletion: Int, operation: Int)] = []
        for (index, operation) in operations.enumerated() {
            if operation.outcome == .unknown, operation.changesNothing { continue }
            events.append((operation.invocation, 0, index))
            if operation.outcome != .unknown { events.append((operation.completion, 1, index)) }
        }
        var (unknown, known): ([Int], [Int]) = ([], [])
        return events.sorted(by: <).compactMap { _, isCompletion, operation in
            if isCompletion == 1 {
                defer { known.removeAll { $0 == operation } }
                return Completion(operation: operation, underWay: unknown + known)
            }
            if operations[operation].outcome == .unknown {
                unknown.append(operation)
            } else {
                known.append(operation)
            }
            return nil
        }
    }

    /// Returns the configuration after all operations that can happen now and change nothing. Trying such an operation
    /// later would not make more orders possible.
    private func settled(_ configuration: Configuration, _ underWay: [Int]) -> Configuration {
        var settled = configuration
        for index in underWay where operations[index].changesNothing {
            if operations[index].effect(on: configuration.entry) != nil { settled.happened.insert(index) }
        }
        return settled
    }

    /// Returns the possible configurations after one more operation that changes the profile.
    private func successors(of configuration: Configuration, _ underWay: [Int]) -> [Configuration] {
        var unknown: Set<Operation.Call> = []
        return underWay.compactMap { index in
            let operation = operations[index]
            guard !operation.changesNothing, !configuration.happened.contains(index) else { return nil }
            // Operations with an unknown outcome and the same call are interchangeable, so only the first one is tried.
            if operation.outcome == .unknown, !unknown.insert(operation.call).inserted { return nil }
            guard let effect = operation.effect(on: configuration.entry), effect.entry != configuration.entry else {
                return nil
            }
            var next = configuration
            next.entry = effect.entry
            next.happened.insert(index)
            return settled(next, underWay)
        }
    }
}
