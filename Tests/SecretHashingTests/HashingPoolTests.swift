import ProfileTesting
import SecretHashing
import Synchronization
import Testing
import Watchdog

@Suite(.watched) struct HashingPoolTests {
    @Test func `P11: at most one job runs per thread, and a job beyond the queue limit is refused as busy`()
        async throws
    {
        let pool = HashingPool(threads: 2, queueLimit: 3)
        let gate = Gate()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for expected in 1...2 {
                group.addTask { try await pool.run { gate.pass() } }
                try await waitUntil { gate.isRunning == expected }
            }
            for expected in 1...3 {
                group.addTask { try await pool.run { gate.pass() } }
                try await waitUntil { pool.waiting == expected }
            }
            #expect(gate.isRunning == 2)
            await #expect(throws: HashingError.busy) { try await pool.run { gate.pass() } }
            gate.open(5)
            try await group.waitForAll()
        }
        #expect(gate.hasFinished == 5)
        #expect(try await pool.run { 7 } == 7, "there is room again")
    }

    @Test func `P11: work does not hold Swift's cooperative threads`() async throws {
        // Far more than there are cores: on the cooperative threads nothing else could run now.
        let count = 64
        let pool = HashingPool(threads: count, queueLimit: count)
        let gate = Gate()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<count { group.addTask { try await pool.run { gate.pass() } } }
            try await waitUntil { gate.isRunning == count }
            #expect(await Task.detached { 1 }.value == 1)
            gate.open(count)
            try await group.waitForAll()
        }
    }

    @Test func `P11: cancelling removes a waiting job, and not a running one`() async throws {
        let pool = HashingPool(threads: 1, queueLimit: 8)
        let gate = Gate()
        let ran = Atomic(false)
        let first = Task { try await pool.run { gate.pass() } }
        try await waitUntil { gate.isRunning == 1 }

        let second = Task { try await pool.run { ran.store(true, ordering: .relaxed) } }
        try await waitUntil { pool.waiting == 1 }
        second.cancel()
        await #expect(throws: HashingError.cancelled) { try await second.value }
        #expect(pool.waiting == 0)

        first.cancel()
        gate.open(1)
        try await first.value
        #expect(gate.hasFinished == 1)
        let hasRun = ran.load(ordering: .relaxed)
        #expect(!hasRun)
        #expect(try await pool.run { 7 } == 7, "the thread lives on")
    }

    @Test func `P11: a task that is already cancelled queues no job`() async {
        let pool = HashingPool(threads: 1, queueLimit: 8)
        let task = Task {
            await waitUntilCancelled()
            return try await pool.run { 1 }
        }
        task.cancel()
        await #expect(throws: HashingError.cancelled) { try await task.value }
    }

    @Test func `P11: the caller gets the error of its job`() async {
        let pool = HashingPool(threads: 1, queueLimit: 1)
        await #expect(throws: HashingError.outOfMemory) {
            try await pool.run { () throws(HashingError) in throw .outOfMemory }
        }
    }
}
