import Platform
import ProfileTesting
import Synchronization
import Testing
import Threads
import Watchdog

@Suite(.watched) struct ThreadPoolTests {
    private struct Broken: Error, Equatable {
        var refusal: ThreadRefusal?
    }

    @Test func `at most one job runs per thread, and a job beyond the queue limit is refused as busy`() async throws {
        let pool = ThreadPool(threads: 2, queueLimit: 3)
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
            await #expect(throws: ThreadRefusal.busy) { try await pool.run { gate.pass() } }
            #expect(throws: ThreadRefusal.busy) { try pool.start { gate.pass() } }
            gate.open(5)
            try await group.waitForAll()
        }
        #expect(gate.hasFinished == 5)
        #expect(try await pool.run { 7 } == 7, "there is room again")
    }

    @Test func `work does not hold Swift's cooperative threads`() async throws {
        // Far more than there are cores: on the cooperative threads nothing else could run now.
        let count = 64
        let pool = ThreadPool(threads: count)
        let gate = Gate()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<count { group.addTask { try await pool.run { gate.pass() } } }
            try await waitUntil { gate.isRunning == count }
            #expect(await Task.detached { 1 }.value == 1)
            gate.open(count)
            try await group.waitForAll()
        }
    }

    @Test func `one thread does its work in the order in which it came`() async throws {
        let pool = ThreadPool(threads: 1)
        let order = Mutex<[Int]>([])
        for number in 0..<1_000 { try pool.start { order.withLock { $0.append(number) } } }
        #expect(try await pool.run { order.withLock { $0 } } == Array(0..<1_000))
    }

    @Test func `cancelling removes a waiting job, and not a running one`() async throws {
        let pool = ThreadPool(threads: 1)
        let gate = Gate()
        let ran = Atomic(false)
        let first = Task { try await pool.run { gate.pass() } }
        try await waitUntil { gate.isRunning == 1 }

        let second = Task { try await pool.run { ran.store(true, ordering: .relaxed) } }
        try await waitUntil { pool.waiting == 1 }
        second.cancel()
        await #expect(throws: ThreadRefusal.cancelled) { try await second.value }
        #expect(pool.waiting == 0)

        first.cancel()
        gate.open(1)
        try await first.value
        #expect(gate.hasFinished == 1)
        let hasRun = ran.load(ordering: .relaxed)
        #expect(!hasRun)
        #expect(try await pool.run { 7 } == 7, "the thread lives on")
    }

    @Test func `a task that is already cancelled queues no job`() async {
        let pool = ThreadPool(threads: 1)
        let task = Task {
            await waitUntilCancelled()
            return try await pool.run { 1 }
        }
        task.cancel()
        await #expect(throws: ThreadRefusal.cancelled) { try await task.value }
    }

    @Test func `work that has begun can ask whether its own task was cancelled`() async throws {
        let pool = ThreadPool(threads: 1)
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let task = Task {
            try await pool.run {
                #expect(!ThreadPool.isCancelled)
                begin.finish()
                while !ThreadPool.isCancelled { sched_yield() }
            }
        }
        for await _ in begun {}
        task.cancel()
        try await task.value
        #expect(try await !pool.run { ThreadPool.isCancelled })
        // Outside a pool, `isCancelled` is that of the current task.
        let elsewhere = Task {
            await waitUntilCancelled()
            #expect(ThreadPool.isCancelled)
        }
        elsewhere.cancel()
        await elsewhere.value
    }

    @Test func `the caller gets the error of its job, and a refusal as an error of the same type`() async throws {
        let pool = ThreadPool(threads: 1)
        await #expect(throws: Broken()) { try await pool.run { throw Broken() } }
        await #expect(throws: Broken()) {
            try await pool.run { () throws(Broken) in
                throw Broken()
            } refused: {
                Broken(refusal: $0)
            }
        }
        let task = Task {
            await waitUntilCancelled()
            try await pool.run { () throws(Broken) in
            } refused: {
                Broken(refusal: $0)
            }
        }
        task.cancel()
        await #expect(throws: Broken(refusal: .cancelled)) { try await task.value }
    }

    @Test func `threads are reused, and end with the pool after the waiting jobs have run`() async throws {
        let ends = ThreadEnds()
        var pool: ThreadPool? = ThreadPool(threads: 3)
        let gate = Gate()
        for expected in 1...3 {
            try pool?.start {
                ends.watchThisThread()
                gate.pass()
            }
            try await waitUntil { gate.isRunning == expected }
        }
        gate.open(3)
        try await waitUntil { gate.hasFinished == 3 }
        for _ in 0..<50 { try await pool?.run { ends.watchThisThread() } }
        #expect(ends.watched == 3)
        #expect(ends.count == 0)
        for _ in 0..<4 { try pool?.start { gate.pass() } }
        pool = nil
        gate.open(4)
        try await waitUntil { ends.count == 3 }
        #expect(gate.hasFinished == 7)
    }

    /// Counts how many of the watched threads have ended.
    private final class ThreadEnds: Sendable {
        private let key: pthread_key_t
        private let state = Mutex((watched: 0, ended: 0))

        init() {
            var key = pthread_key_t()
            pthread_key_create(&key) { context in
                guard let context else { return }
                Unmanaged<ThreadEnds>.fromOpaque(context).takeRetainedValue().state.withLock { $0.ended += 1 }
            }
            self.key = key
        }

        deinit { pthread_key_delete(key) }

        var watched: Int { state.withLock { $0.watched } }
        var count: Int { state.withLock { $0.ended } }

        func watchThisThread() {
            guard pthread_getspecific(key) == nil else { return }
            pthread_setspecific(key, Unmanaged.passRetained(self).toOpaque())
            state.withLock { $0.watched += 1 }
        }
    }
}
