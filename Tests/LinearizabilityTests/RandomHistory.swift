import Linearizability
import ProfileTesting

/// Generates the history of a store that does one thing at a time. It carries out each operation at some moment between
/// the operation's invocation and its completion.
struct RandomHistory {
    private var random: SeededGenerator
    private let processes: Int
    private let usernames: Int
    /// One in this many operations loses its outcome.
    private let operationsPerLoss: Int
    private var entries: [String: Entry] = [:]
    private var underWay: [Int: Operation] = [:]
    /// The outcomes of operations that were carried out and have not completed yet, by process.
    private var outcomes: [Int: Operation.Outcome] = [:]
    /// Operations that completed with an unknown outcome, and that may still be carried out later.
    private var late: [Operation] = []
    private var operations: [Operation] = []
    private var now = 0
    private var writeCount = 0

    static func operations(
        _ count: Int, by processes: Int, on usernames: Int, operationsPerLoss: Int, _ random: SeededGenerator
    ) -> [Operation] {
        var history = RandomHistory(
            random: random, processes: processes, usernames: usernames, operationsPerLoss: operationsPerLoss)
        while history.operations.count < count { history.step() }
        // An operation that is still under way may have been carried out.
        return history.operations + history.underWay.values
    }

    private init(random: SeededGenerator, processes: Int, usernames: Int, operationsPerLoss: Int) {
        self.random = random
        self.processes = processes
        self.usernames = usernames
        self.operationsPerLoss = operationsPerLoss
    }

    private mutating func step() {
        now += random.once(in: 4) ? 0 : 1
        if !late.isEmpty, random.once(in: 10) {
            _ = carryOut(late.remove(at: Int.random(in: late.indices, using: &random)))
        }
        let process = Int.random(in: 0..<processes, using: &random)
        guard let operation = underWay[process] else {
            underWay[process] = Operation(
                process: process, username: "u\(Int.random(in: 0..<usernames, using: &random))", call(), .unknown,
                invocation: now, completion: now)
            return
        }
        guard let outcome = outcomes[process] else {
            if random.once(in: operationsPerLoss) {
                late.append(operation)
                complete(operation, .unknown)
            } else {
                outcomes[process] = carryOut(operation)
            }
            return
        }
        complete(operation, random.once(in: operationsPerLoss) ? .unknown : outcome)
    }

    private mutating func call() -> Operation.Call {
        writeCount += 1
        let value = "v\(writeCount)"
        switch Int.random(in: 0..<8, using: &random) {
        case 0, 1: return .register(value)
        case 2, 3: return .edit(value, expecting: Int.random(in: 1...3, using: &random))
        case 4: return .edit(value, expecting: nil)
        case 5: return .remove
        default: return .lookUp
        }
    }

    private mutating func complete(_ operation: Operation, _ outcome: Operation.Outcome) {
        operations.append(
            Operation(
                process: operation.process, username: operation.username, operation.call, outcome,
                invocation: operation.invocation, completion: now))
        underWay[operation.process] = nil
        outcomes[operation.process] = nil
    }

    private mutating func carryOut(_ operation: Operation) -> Operation.Outcome {
        SequentialStore.carryOut(operation.call, on: &entries[operation.username])
    }
}

/// A second, minimal implementation of the store's rules.
enum SequentialStore {
    static func carryOut(_ call: Operation.Call, on entry: inout Entry?) -> Operation.Outcome {
        let before = entry
        switch call {
        case .lookUp:
            return .found(before)
        case .register(let value):
            if before != nil { return .refused(.taken) }
            entry = Entry(revision: 1, value: value)
            return .done(revision: 1)
        case .edit(let value, let expected):
            guard let before else { return .refused(.absent) }
            if let expected, expected != before.revision { return .refused(.stale(revision: before.revision)) }
            entry = Entry(revision: before.revision + 1, value: value)
            return .done(revision: before.revision + 1)
        case .remove:
            entry = nil
            return before == nil ? .refused(.absent) : .done()
        }
    }
}
