import Linearizability
import Testing
import Watchdog

@Suite(.watched) struct HistoryTests {
    // MARK: Right

    @Test func `sequential operations are linearizable if each sees the effects of the earlier ones`() {
        let history = History([
            .ann(.lookUp, .found(nil), 0...1),
            .ann(.register("a"), .done(revision: 1), 2...3),
            .ann(.register("b"), .refused(.taken), 4...5),
            .ann(.edit("c", expecting: 1), .done(revision: 2), 6...7),
            .ann(.edit("d", expecting: 1), .refused(.stale(revision: 2)), 8...9),
            .ann(.edit("e", expecting: nil), .done(), 10...11),
            .ann(.lookUp, .found(Entry(revision: 3, value: "e")), 12...13),
            .ann(.remove, .done(), 14...15),
            .ann(.remove, .refused(.absent), 16...17),
            .ann(.edit("f", expecting: 3), .refused(.absent), 18...19),
            .ann(.register("g"), .done(revision: 1), 20...21),
        ])
        #expect(history.verdict() == .linearizable)
    }

    @Test func `either of two concurrent writes may be the first, and all look-ups must agree on it`() {
        let writes: [Operation] = [
            .ann(.register("a"), .done(revision: 1), 0...1),
            .ann(.edit("b", expecting: nil), .done(), 2...9),
            .ann(.edit("c", expecting: nil), .done(), 2...9),
        ]
        for (second, third) in [("b", "c"), ("c", "b")] {
            let sight = Operation.ann(.lookUp, .found(Entry(revision: 2, value: second)), 2...9)
            let same = Operation.ann(.lookUp, .found(Entry(revision: 3, value: third)), 10...11)
            let other = Operation.ann(.lookUp, .found(Entry(revision: 3, value: second)), 10...11)
            #expect(History(writes + [sight, same]).verdict() == .linearizable)
            #expect(History(writes + [sight, other]).isRefused)
        }
    }

    @Test func `a write with an unknown outcome may take effect late or never, and look-ups must agree on it`() {
        let writes: [Operation] = [
            .ann(.register("a"), .done(), 0...1),
            .ann(.edit("b", expecting: 1), .unknown, 2...3),
        ]
        let before = Entry(revision: 1, value: "a")
        let after = Entry(revision: 2, value: "b")
        for (first, second, isRight) in [
            (before, before, true), (before, after, true), (after, after, true), (after, before, false),
        ] {
            let looks: [Operation] = [
                .ann(.lookUp, .found(first), 10...11), .ann(.lookUp, .found(second), 20...21),
                .ann(.lookUp, .unknown, 30...31),
            ]
            #expect(History(writes + looks).isRefused == !isRight, "\(first), \(second)")
        }
    }

    @Test func `operations that touch in time are concurrent, and profiles from before the history count`() {
        let entry = Entry(revision: 7, value: "a")
        let operations: [Operation] = [
            .ann(.edit("b", expecting: 7), .done(revision: 8), 0...5), .ann(.lookUp, .found(entry), 5...9),
        ]
        #expect(History(operations, from: ["ann": entry]).verdict() == .linearizable)
        #expect(History(operations).isRefused)
        #expect(History(operations, from: ["bob": entry]).isRefused)
    }

    // MARK: Wrong

    private static let first = Operation.ann(.register("a"), .done(revision: 1), 0...1)
    private static let second = Operation.ann(.edit("b", expecting: 1), .done(revision: 2), 2...3)

    @Test(arguments: [
        ("a stale read", [first, second, .ann(.lookUp, .found(Entry(revision: 1, value: "a")), 4...5)]),
        ("a lost write", [first, second, .ann(.edit("c", expecting: 1), .done(revision: 2), 4...5)]),
        ("a profile lost", [first, .ann(.lookUp, .found(nil), 4...5)]),
        ("a value that nobody wrote", [first, second, .ann(.lookUp, .found(Entry(revision: 2, value: "c")), 4...5)]),
        ("a value before it was written", [.ann(.lookUp, .found(Entry(revision: 1, value: "a")), -9 ... -8), first]),
        ("a write done twice", [first, second, .ann(.lookUp, .found(Entry(revision: 3, value: "b")), 4...5)]),
        ("a name taken twice", [first, .ann(.register("b"), .done(revision: 1), 4...5)]),
        ("a refusal without a reason", [.ann(.register("a"), .refused(.taken), 0...1)]),
        ("a wrong reason", [first, .ann(.edit("b", expecting: 7), .refused(.stale(revision: 2)), 4...5)]),
        ("a removed profile found", [first, .ann(.remove, .done(), 2...3), .ann(.remove, .done(), 4...5)]),
        ("a wrong revision", [first, .ann(.edit("b", expecting: 1), .done(revision: 3), 4...5)]),
        ("done though it was stale", [first, second, .ann(.edit("c", expecting: 1), .done(), 4...5)]),
    ])
    func `an impossible history is refused`(what: String, operations: [Operation]) {
        #expect(History(operations).isRefused)
        // The contradiction is also found among many other operations.
        let others = (0..<50).map {
            Operation(process: 9, username: "u\($0)", .lookUp, .found(nil), invocation: 0, completion: 9)
        }
        #expect(History(others + operations).isRefused)
    }

    @Test func `a write with an unknown outcome takes effect at most once`() {
        let register = Operation.ann(.register("a"), .unknown, 0...1)
        let found = Operation.ann(.lookUp, .found(Entry(revision: 1, value: "a")), 2...3)
        let remove = Operation.ann(.remove, .done(), 4...5)
        let again = Operation.ann(.lookUp, .found(Entry(revision: 1, value: "a")), 6...7)
        #expect(History([register, found, remove]).verdict() == .linearizable)
        #expect(History([register, found, remove, again]).isRefused)
        #expect(History([register, register, found, remove, again]).verdict() == .linearizable)
    }

    @Test func `the description of a contradiction has only the necessary operations, and the reason`() throws {
        var operations = [Self.first]
        for number in 1...40 {
            let entry = Entry(revision: number, value: number == 1 ? "a" : "v\(number)")
            operations.append(.ann(.lookUp, .found(entry), (number * 10)...(number * 10 + 1)))
            operations.append(
                .ann(
                    .edit("v\(number + 1)", expecting: number), .done(revision: number + 1),
                    (number * 10 + 2)...(number * 10 + 3)))
        }
        operations.append(.ann(.edit("late", expecting: nil), .done(), 500...600))
        operations.append(.ann(.lookUp, .found(Entry(revision: 41, value: "v41")), 501...502))
        operations.append(.ann(.lookUp, .found(Entry(revision: 39, value: "v39")), 510...520))
        operations.append(.ann(.lookUp, .found(Entry(revision: 42, value: "late")), 700...701))
        guard case .refused(let contradiction) = History(operations.shuffled()).verdict() else {
            Issue.record("It is right.")
            return
        }
        #expect(
            contradiction.description == """
                No order explains what was told of ann.
                  At first there is revision 41, v41 (process 1, 402 to 403: edit revision 40 to v41, done: revision 41).
                  process 1, 500 to 600: edit to late, done
                  process 1, 510 to 520: look up, found revision 39, v39
                    That cannot be: meanwhile there is revision 41, v41, or revision 42, late.
                """)
    }

    @Test func `with too many possible orders, the verdict is undecided`() {
        let unknown = (0..<20).map { Operation.ann(.edit("v\($0)", expecting: nil), .unknown, 0...1) }
        let operations = [Self.first] + unknown + [.ann(.lookUp, .found(nil), 9...10)]
        #expect(History(operations).verdict(limit: 1000) == .undecided(username: "ann"))
    }
}

extension History {
    var isRefused: Bool {
        if case .refused = verdict() { true } else { false }
    }
}

extension Operation {
    /// Returns an operation of process 1 on the username `ann`.
    static func ann(_ call: Call, _ outcome: Outcome, _ time: ClosedRange<Int>) -> Operation {
        Operation(
            process: 1, username: "ann", call, outcome, invocation: time.lowerBound, completion: time.upperBound)
    }
}
