internal import Dispatch

/// A pipeline of workers. One worker at a time reads a batch, the workers process batches in parallel, and the results
/// are delivered in order.
///
/// At most `depth` batches are in progress or waiting to be fetched, so the memory use is limited even if the consumer
/// is slow. The workers have their own threads and may block.
package final class OrderedPipeline<Input: Sendable, Output: Sendable, Failure: Error>: Sendable {
    private struct State {
        var finished: [Int: Output] = [:]
        var nextToFetch = 0
        /// The total number of batches, and the error if reading failed. Nil while more batches may follow.
        var end: (count: Int, failure: Failure?)?
        var isStopped = false
        var runningWorkers = 0
        /// The functions in `awaitingArrival` are called when a result may be available. The functions in `awaitingEnd`
        /// are called when all workers have ended.
        var awaitingArrival: [@Sendable () -> Void] = []
        var awaitingEnd: [@Sendable () -> Void] = []
    }

    private let state = Locked(State())
    /// The number of the next batch to be read. A worker holds this lock while it reads.
    private let turn = Locked(0)
    private let room = DispatchSemaphore(value: 0)
    private let workers: Int
    private let read: @Sendable () throws(Failure) -> Input?
    private let process: @Sendable (Input) -> Output

    /// Starts the workers.
    ///
    /// - Parameters:
    ///   - workers: The number of workers, at least one. If the system cannot start so many threads, there are fewer
    ///     workers.
    ///   - depth: The maximum number of batches in progress or waiting to be fetched.
    ///   - read: Reads the next batch, or returns nil at the end. It is called by one worker at a time.
    ///   - process: Processes a batch. It is called by several workers at the same time.
    /// - Throws: An error if the system cannot start even one thread.
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

    /// Returns the next result in order; nil at the end, or after ``stop()``. Blocks the thread until the result is
    /// available.
    ///
    /// - Throws: The error of `read`. It is thrown only after the results of all earlier batches were returned.
    package func next() throws(Failure) -> Output? {
        while true {
            let arrival = DispatchSemaphore(value: 0)
            if let outcome = fetch(orAwait: { arrival.signal() }) { return try outcome.get() }
            arrival.wait()
        }
    }

    /// Returns the next result in order; nil at the end, or after ``stop()``. Does not block the thread.
    ///
    /// - Throws: The error of `read`. It is thrown only after the results of all earlier batches were returned.
    package func next() async throws(Failure) -> Output? {
        while true {
            let arrival = Promise<Void>()
            if let outcome = fetch(orAwait: { arrival.fulfill() }) { return try outcome.get() }
            await arrival.value
        }
    }

    /// Stops reading and resumes all waiting callers. Results that were not fetched are discarded.
    package func stop() {
        change { state in
            state.isStopped = true
            state.finished.removeAll()
        }
        for _ in 0..<workers { room.signal() }
    }

    /// Waits until all workers have ended. After that, `read` is not called any more. Call ``stop()`` first. Blocks the
    /// thread.
    package func waitUntilEnded() {
        let end = DispatchSemaphore(value: 0)
        awaitEnd { end.signal() }
        end.wait()
    }

    /// Waits until all workers have ended, without blocking the thread.
    package func ended() async {
        let end = Promise<Void>()
        awaitEnd { end.fulfill() }
        await end.value
    }

    // MARK: Fetching results

    private typealias Fetched = Result<Output?, Failure>

    /// Returns the next result, if it is available. Otherwise returns nil, and `arrival` is called later, when the
    /// result may be available.
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

    /// Changes the state and notifies the callers that wait for a result.
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
        // Other workers may wait for `room`, but the consumer signals `room` only when it fetches a result. So each
        // worker that ends wakes another worker.
        room.signal()
    }
}
