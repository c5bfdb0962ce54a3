import Platform
@testable import ProfileStore
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
    ) -> OrderedPipeline<Int, Int, Broken> {
        OrderedPipeline(workers: workers, depth: depth) { () throws(Broken) in
            try numbers.next()
        } process: {
            work($0)
        }
    }

    @Test("results come in the order of the input, however long each takes", arguments: [1, 2, 3, 16])
    func order(workers: Int) async throws {
        for depth in [1, 2, 20] {
            let pipeline = pipeline(Numbers(count: 3_000), workers: workers, depth: depth) { number in
                var sum = number
                for step in 0..<(number % 7 * 300) { sum ^= step }
                return sum == .min ? -1 : number
            }
            for number in 0..<3_000 {
                guard try await pipeline.next() == number else {
                    Issue.record("not \(number)")
                    return
                }
            }
            #expect(try await pipeline.next() == nil)
            #expect(try await pipeline.next() == nil, "the end stays the end")
            await pipeline.ended()
        }
    }

    @Test func `no more than the depth is read ahead of who fetches`() async throws {
        let numbers = Numbers(count: 1_000)
        let processed = Atomic(0)
        let pipeline = pipeline(numbers, workers: 3, depth: 5) { number in
            processed.wrappingAdd(1, ordering: .sequentiallyConsistent)
            return number
        }
        for fetched in 1...100 {
            _ = try await pipeline.next()
            #expect(numbers.read <= fetched + 5)
        }
        // All that may be read is read in the end, and no more.
        while processed.load(ordering: .sequentiallyConsistent) < 105 { sched_yield() }
        #expect(numbers.read == 105)
        pipeline.stop()
        await pipeline.ended()
        #expect(numbers.read == 105)
    }

    @Test("a failure comes after all that was read before it", arguments: [0, 1, 50])
    func failure(number: Int) async throws {
        for workers in [1, 4] {
            let pipeline = pipeline(Numbers(count: 100, breaksAt: number), workers: workers)
            for expected in 0..<number { #expect(try await pipeline.next() == expected) }
            #expect(throws: Broken(number: number)) { try pipeline.next() }
            #expect(throws: Broken(number: number)) { try pipeline.next() }
            await pipeline.ended()
        }
    }

    @Test func `an empty input ends at once`() async throws {
        let pipeline = pipeline(Numbers(count: 0), workers: 4)
        #expect(try await pipeline.next() == nil)
        await pipeline.ended()
    }

    @Test func `who leaves early leaves no worker behind`() async throws {
        for fetched in 0..<20 {
            let numbers = Numbers(count: .max)
            let pipeline = pipeline(numbers, workers: 4, depth: 3)
            for _ in 0..<fetched { _ = try await pipeline.next() }
            pipeline.stop()
            await pipeline.ended()
            #expect(try await pipeline.next() == nil)
            #expect(numbers.read <= fetched + 3)
        }
    }

    @Test func `stopping wakes who waits for a batch that does not come`() async throws {
        let gate = Gate()
        let pipeline = OrderedPipeline<Int, Int, Broken>(workers: 2, depth: 4) { () throws(Broken) in
            gate.wait()
            return nil
        } process: {
            $0
        }
        let waiting = Task.detached { try pipeline.next() }
        gate.untilSomebodyWaits()
        pipeline.stop()
        #expect(try await waiting.value == nil)
        gate.open()
        await pipeline.ended()
    }

    /// Keeps threads until it is opened.
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
