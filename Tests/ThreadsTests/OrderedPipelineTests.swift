import Platform
import Synchronization
import Testing
import Threads
import Watchdog

@Suite(.watched) struct OrderedPipelineTests {
    private struct Broken: Error, Equatable {
        let number: Int
    }

    /// Reads the numbers from 0 up to a count, and remembers how many were read.
    private final class Numbers: Sendable {
        private let state = Mutex(0)
        let count: Int
        let breaksAt: Int?

        init(count: Int, breaksAt: Int? = nil) {
            self.count = count
            self.breaksAt = breaksAt
        }

        var read: Int { state.withLock { $0 } }

        func next() throws(Broken) -> Int? {
            let number = state.withLock { number in
                defer { number += 1 }
                return number
            }
            if number == breaksAt { throw Broken(number: number) }
            return number < count ? number : nil
        }
    }

    private func pipeline(
        _ numbers: Numbers, workers: Int, depth: Int = 8, work: @escaping @Sendable (Int) -> Int = { $0 }
    ) throws(ThreadError) -> OrderedPipeline<Int, Int, Broken> {
        try OrderedPipeline(workers: workers, depth: depth) { () throws(Broken) in
            try numbers.next()
        } process: {
            work($0)
        }
    }

    /// The next batch. If `blocking` is true, the thread blocks until the batch is there.
    private func next(of pipeline: OrderedPipeline<Int, Int, Broken>, blocking: Bool) async throws(Broken) -> Int? {
        // A function that is not asynchronous calls the overload that blocks.
        func block() throws(Broken) -> Int? { try pipeline.next() }
        return blocking ? try block() : try await pipeline.next()
    }

    @Test("results come in the order of the input, however long each takes", arguments: [1, 2, 3, 16], [true, false])
    func order(workers: Int, blocking: Bool) async throws {
        for depth in [1, 2, 20] {
            let pipeline = try pipeline(Numbers(count: 3_000), workers: workers, depth: depth) { number in
                var sum = number
                for step in 0..<(number % 7 * 300) { sum ^= step }
                return sum == .min ? -1 : number
            }
            for number in 0..<3_000 {
                guard try await next(of: pipeline, blocking: blocking) == number else {
                    Issue.record("not \(number)")
                    return
                }
            }
            #expect(try await next(of: pipeline, blocking: blocking) == nil)
            #expect(try await next(of: pipeline, blocking: blocking) == nil, "the end stays the end")
            await pipeline.ended()
        }
    }

    @Test func `the pipeline reads at most its depth ahead of the consumer`() async throws {
        let numbers = Numbers(count: 1_000)
        let processed = Atomic(0)
        let pipeline = try pipeline(numbers, workers: 3, depth: 5) { number in
            processed.wrappingAdd(1, ordering: .sequentiallyConsistent)
            return number
        }
        for fetched in 1...100 {
            _ = try await pipeline.next()
            #expect(numbers.read <= fetched + 5)
        }
        // At the end, the pipeline has read everything that its depth allows, and no more.
        while processed.load(ordering: .sequentiallyConsistent) < 105 { sched_yield() }
        #expect(numbers.read == 105)
        pipeline.stop()
        await pipeline.ended()
        #expect(numbers.read == 105)
    }

    @Test("a failure comes after all that was read before it", arguments: [0, 1, 50])
    func failure(number: Int) async throws {
        for workers in [1, 4] {
            let pipeline = try pipeline(Numbers(count: 100, breaksAt: number), workers: workers)
            for expected in 0..<number { #expect(try await pipeline.next() == expected) }
            await #expect(throws: Broken(number: number)) { try await pipeline.next() }
            await #expect(throws: Broken(number: number)) { try await pipeline.next() }
            await pipeline.ended()
        }
    }

    @Test func `an empty input ends at once`() async throws {
        let pipeline = try pipeline(Numbers(count: 0), workers: 4)
        #expect(try await pipeline.next() == nil)
        await pipeline.ended()
    }

    @Test func `stopping early leaves no worker running`() async throws {
        for fetched in 0..<20 {
            let numbers = Numbers(count: .max)
            let pipeline = try pipeline(numbers, workers: 4, depth: 3)
            for _ in 0..<fetched { _ = try await pipeline.next() }
            pipeline.stop()
            await pipeline.ended()
            #expect(try await pipeline.next() == nil)
            #expect(numbers.read <= fetched + 3)
        }
    }

    @Test(arguments: [true, false])
    func `stopping wakes a caller that waits for a batch`(blocking: Bool) async throws {
        let gate = Gate()
        let pipeline = try OrderedPipeline<Int, Int, Broken>(workers: 2, depth: 4) { () throws(Broken) in
            gate.wait()
            return nil
        } process: {
            $0
        }
        let waiting = Task.detached { try await next(of: pipeline, blocking: blocking) }
        gate.untilSomebodyWaits()
        pipeline.stop()
        #expect(try await waiting.value == nil)
        gate.open()
        await pipeline.ended()
    }

    /// Blocks threads until it is opened.
    private final class Gate: Sendable {
        private let state = Mutex((isOpen: false, waiting: 0))

        func wait() {
            state.withLock { $0.waiting += 1 }
            while !state.withLock({ $0.isOpen }) { sched_yield() }
        }

        func untilSomebodyWaits() {
            while state.withLock({ $0.waiting }) == 0 { sched_yield() }
        }

        func open() { state.withLock { $0.isOpen = true } }
    }
}
