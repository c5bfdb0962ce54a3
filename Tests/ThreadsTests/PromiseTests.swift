import ProfileTesting
import Synchronization
import Testing
import Threads
import Watchdog

@Suite(.watched) struct PromiseTests {
    @Test func `a value that came before the wait is there at once, and only the first counts`() async {
        let promise = Promise<Int>()
        promise.fulfill(with: 1)
        promise.fulfill(with: 2)
        #expect(await promise.value == 1)
    }

    @Test func `a task waits for the value, which any thread gives`() async throws {
        for number in 0..<200 {
            let promise = Promise<Int>()
            let waiter = Task { await promise.value }
            let thread = try SystemThread(blockingSignals: true) { promise.fulfill(with: number) }
            #expect(await waiter.value == number)
            thread.join()
            promise.fulfill(with: -1)
        }
    }

    @Test func `if several threads give a value at the same time, one value is used`() async throws {
        for _ in 0..<200 {
            let promise = Promise<Int>()
            let threads = try (0..<3).map { number in
                try SystemThread(blockingSignals: true) { promise.fulfill(with: number) }
            }
            let value = await promise.value
            #expect((0..<3).contains(value))
            for thread in threads { thread.join() }
        }
    }

    @Test func `a task that is cancelled before it waits calls its cancellation handler`() async {
        let promise = Promise<Int>()
        let task = Task {
            // The task waits only after its cancellation.
            while !Task.isCancelled { await Task.yield() }
            return await promise.value { promise.fulfill(with: -1) }
        }
        task.cancel()
        #expect(await task.value == -1)
    }

    @Test func `a cancellation handler that gives no value leaves the task waiting`() async {
        let promise = Promise<Int>()
        let wasTold = Promise<Void>()
        let task = Task { await promise.value { wasTold.fulfill() } }
        task.cancel()
        await wasTold.value
        promise.fulfill(with: 7)
        #expect(await task.value == 7)
    }

    @Test func `a value is released after its delivery`() async {
        final class Large: Sendable {}
        weak var first: Large?
        weak var second: Large?
        let early = Promise<Large>()
        let late = Promise<Large>()
        do {
            let large = Large()
            first = large
            early.fulfill(with: large)
        }
        _ = await early.value
        let waiter = Task { _ = await late.value }
        do {
            let large = Large()
            second = large
            late.fulfill(with: large)
        }
        await waiter.value
        #expect(first == nil && second == nil)
    }
}
