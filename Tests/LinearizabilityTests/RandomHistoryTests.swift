import Linearizability
import ProfileTesting
import Testing
import Watchdog

@Suite(.watched) struct RandomHistoryTests {
    @Test func `the history of a store that does one thing at a time is linearizable`() {
        var random = SeededGenerator(printingSeedOf: "right histories")
        for round in 0..<rounds(100) {
            let operations = RandomHistory.operations(
                Int.random(in: 1...300, using: &random), by: Int.random(in: 1...8, using: &random),
                on: Int.random(in: 1...5, using: &random),
                operationsPerLoss: [50, 100, 1000].randomElement(using: &random) ?? 50,
                SeededGenerator(seed: random.next()))
            let verdict = History(operations.shuffled(using: &random)).verdict()
            #expect(verdict == .linearizable, "round \(round)")
        }
    }

    @Test func `a long history is linearizable, and the same one with a mistake near its end is refused`() {
        let random = SeededGenerator(printingSeedOf: "a long history")
        let operations = RandomHistory.operations(20_000, by: 8, on: 20, operationsPerLoss: 400, random)
        #expect(History(operations).verdict() == .linearizable)
        let last = operations.map(\.completion).max() ?? 0
        let wrong = Operation(
            process: 0, username: "u3", .lookUp, .found(Entry(revision: 1, value: "never")), invocation: last - 5,
            completion: last)
        guard case .refused(let contradiction) = History(operations + [wrong]).verdict() else {
            Issue.record("It is right.")
            return
        }
        #expect(contradiction.impossible == wrong)
        #expect(contradiction.operations.contains(wrong))
        print(contradiction)
    }

    @Test func `the verdict on a small history is the one that trying every order gives`() {
        var random = SeededGenerator(printingSeedOf: "small histories")
        var refusedCount = 0
        for round in 0..<rounds(1500) {
            var operations = RandomHistory.operations(
                Int.random(in: 2...6, using: &random), by: Int.random(in: 1...4, using: &random), on: 1,
                operationsPerLoss: 6, SeededGenerator(seed: random.next()))
            if !random.once(in: 3) { spoil(&operations, &random) }
            let isRight = EveryOrder.isRight(operations)
            refusedCount += isRight ? 0 : 1
            let verdict = History(operations).verdict()
            #expect((verdict == .linearizable) == isRight, "round \(round): \(verdict), \(operations)")
            guard case .refused(let contradiction) = verdict else { continue }
            // The operations that are reported contradict each other without the rest of the history.
            #expect(
                !EveryOrder.isRight(contradiction.operations, from: contradiction.beginning),
                "round \(round): \(contradiction)")
            #expect(contradiction.operations.contains(contradiction.impossible))
        }
        #expect(refusedCount > rounds(100))
    }

    /// Changes times or outcomes a little.
    private func spoil(_ operations: inout [Operation], _ random: inout SeededGenerator) {
        let index = Int.random(in: operations.indices, using: &random)
        let operation = operations[index]
        var outcome = operation.outcome
        var (invocation, completion) = (operation.invocation, operation.completion)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: outcome = operations.randomElement(using: &random)?.outcome ?? outcome
        case 1:
            let shift = Int.random(in: -8...8, using: &random)
            (invocation, completion) = (invocation + shift, completion + shift)
        default:
            outcome =
                switch outcome {
                case .done(let revision): .done(revision: (revision ?? 0) + 1)
                case .found(let entry): .found(entry == nil ? Entry(revision: 1, value: "v1") : nil)
                case .refused: .refused(.stale(revision: 2))
                case .unknown: .done()
                }
        }
        operations[index] = Operation(
            process: operation.process, username: operation.username, operation.call, outcome, invocation: invocation,
            completion: completion)
    }
}

/// Tries all orders of the operations, and finds out whether one of them is right.
private enum EveryOrder {
    static func isRight(_ operations: [Operation], from entry: Entry? = nil) -> Bool {
        let known = operations.filter { $0.outcome != .unknown }
        let unknown = operations.filter { $0.outcome == .unknown }
        // An operation with an unknown outcome may or may not have happened.
        return (0..<(1 << unknown.count)).contains { chosen in
            hasRightOrder(known + unknown.enumerated().filter { chosen >> $0.offset & 1 == 1 }.map(\.element), entry)
        }
    }

    private static func hasRightOrder(_ rest: [Operation], _ entry: Entry?) -> Bool {
        if rest.isEmpty { return true }
        return rest.indices.contains { index in
            let operation = rest[index]
            let isFirst = rest.allSatisfy { $0.outcome == .unknown || $0.completion >= operation.invocation }
            var after = entry
            let outcome = SequentialStore.carryOut(operation.call, on: &after)
            let isTold =
                operation.outcome == .unknown || operation.outcome == outcome
                || (operation.outcome == .done() && outcome.isDone)
            guard isFirst, isTold else { return false }
            var others = rest
            others.remove(at: index)
            return hasRightOrder(others, after)
        }
    }
}

extension Operation.Outcome {
    fileprivate var isDone: Bool {
        if case .done = self { true } else { false }
    }
}
