internal import Dispatch
internal import Synchronization

/// Workers that take turns at reading batches, work on them side by side, and hand the results over in order.
///
/// At most `depth` batches are under way or waiting to be fetched, so that memory stays bounded when the one who
/// fetches is slow. The workers have threads of their own and may block.
package final class OrderedPipeline<Input: Sendable, Output: Sendable, Failure: Error>: Sendable {
    private struct State {
        var finished: [Int: Output] = [:]
        var nextToFetch = 0
        /// How many batches there are, once that is known, and what ended them.
        var end: (count: Int, failure: Failure?)?
        var isStopped = false
        var runningWorkers = 0
        /// Who is told when there may be something to fetch, and when the workers are gone.
        var awaitingArrival: [@Sendable () -> Void] = []
        var awaitingEnd: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())
    /// The number of the next batch to be read; held while reading.
    private let turn = Mutex(0)
    private let room = DispatchSemaphore(value: 0)
    private let workers: Int
    private let read: @Sendable () throws(Failure) -> Input?
    private let process: @Sendable (Input) -> Output

    /// Starts the workers.
    ///
    /// - Parameters:
    ///   - workers: How many; at least one is started, and fewer where the system has no more threads.
    ///   - depth: The most batches under way or waiting to be fetched.
    ///   - read: Called by one worker at a time; nil is the end.
    ///   - process: Called by several at once.
    /// - Throws: Why not even one could be started.
    package init(
        workers: Int, depth: Int, read: @escaping @Sendable () throws(Failure) -> Input?,
        process: @escaping @Sendable (Input) -> Output
    ) throws(ThreadError) {
        self.workers = max(1, workers)
        self.read = read
        self.process = process
        for _ in 0..<max(1, depth) { room.signal() }
        try startWorkers()
    }

    /// The next batch in order; nil at the end, or once it was stopped. Blocks the thread until it is there.
    ///
    /// - Throws: What reading threw, after all that was read before it.
    package func next() throws(Failure) -> Output? {
        while true {
            let arrival = DispatchSemaphore(value: 0)
            if let outcome = fetch(orAwait: { arrival.signal() }) { return try outcome.get() }
            arrival.wait()
        }
    }

    /// The next batch in order; nil at the end, or once it was stopped. Does not block the thread.
    ///
    /// - Throws: What reading threw, after all that was read before it.
    package func next() async throws(Failure) -> Output? {
        while true {
            let arrival = Promise<Void>()
            if let outcome = fetch(orAwait: { arrival.fulfill() }) { return try outcome.get() }
            await arrival.value
        }
    }

    /// Reads no more, and lets nobody wait any longer: what was read and not fetched is lost.
    package func stop() {
        change { state in
            state.isStopped = true
            state.finished.removeAll()
        }
        for _ in 0..<workers { room.signal() }
    }

    /// Waits until the workers are gone, so that nobody reads any more; call ``stop()`` before. Blocks the thread.
    package func waitUntilEnded() {
        let end = DispatchSemaphore(value: 0)
        awaitEnd { end.signal() }
        end.wait()
    }

    /// Waits until the workers are gone, without blocking the thread.
    package func ended() async {
        let end = Promise<Void>()
        awaitEnd { end.fulfill() }
        await end.value
    }

    // MARK: Who fetches

    private typealias Fetched = Result<Output?, Failure>

    /// What there is to fetch; where there is nothing yet, `arrival` is called when there may be.
    private func fetch(orAwait arrival: @escaping @Sendable () -> Void) -> Fetched? {
        let outcome = state.withLock { state -> Fetched? in
            if state.isStopped { return .success(nil) }
            if let output = state.finished.removeValue(forKey: state.nextToFetch) {
                state.nextToFetch += 1
                return .success(output)
            }
            if let end = state.end, end.count == state.nextToFetch {
                return end.failure.map { .failure($0) } ?? .success(nil)
            }
            state.awaitingArrival.append(arrival)
            return nil
        }
        if case .success(.some) = outcome { room.signal() }
        return outcome
    }

    private func awaitEnd(_ end: @escaping @Sendable () -> Void) {
        let hasEnded = state.withLock { state in
            if state.runningWorkers > 0 { state.awaitingEnd.append(end) }
            return state.runningWorkers == 0
        }
        if hasEnded { end() }
    }

    /// Changes the state in a way that those who fetch wait for.
    private func change(_ body: (inout State) -> Void) {
        let told = state.withLock { state in
            body(&state)
            defer { state.awaitingArrival = [] }
            return state.awaitingArrival
        }
        for arrival in told { arrival() }
    }

    // MARK: The workers

    private func startWorkers() throws(ThreadError) {
        for index in 0..<workers {
            state.withLock { $0.runningWorkers += 1 }
            do throws(ThreadError) {
                _ = try SystemThread(blockingSignals: true) { self.work() }
            } catch {
                state.withLock { $0.runningWorkers -= 1 }
                if index == 0 { throw error }
                return
            }
        }
    }

    private func work() {
        while let (number, input) = take() {
            let output = process(input)
            change { if !$0.isStopped { $0.finished[number] = output } }
        }
        leave()
    }

    private func leave() {
        let told = state.withLock { state -> [@Sendable () -> Void] in
            state.runningWorkers -= 1
            guard state.runningWorkers == 0 else { return [] }
            defer { state.awaitingEnd = [] }
            return state.awaitingEnd
        }
        for end in told { end() }
    }

    private func take() -> (Int, Input)? {
        room.wait()
        return turn.withLock { number -> (Int, Input)? in
            guard state.withLock({ !$0.isStopped && $0.end == nil }) else {
                end(at: number, nil)
                return nil
            }
            let input: Input?
            do throws(Failure) {
                input = try read()
            } catch {
                end(at: number, error)
                return nil
            }
            guard let input else {
                end(at: number, nil)
                return nil
            }
            defer { number += 1 }
            return (number, input)
        }
    }

    private func end(at count: Int, _ failure: Failure?) {
        change { if $0.end == nil { $0.end = (count, failure) } }
        // Others may wait for room that the one who fetches will never make.
        room.signal()
    }
}
