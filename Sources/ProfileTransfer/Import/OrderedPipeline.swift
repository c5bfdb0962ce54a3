internal import Dispatch
internal import Synchronization

/// Workers that take turns at reading batches, work on them side by side, and hand the results over in order.
///
/// At most `depth` batches are under way or waiting to be fetched, so that memory stays bounded when the one who
/// fetches is slow. The workers have threads of their own and may block.
final class OrderedPipeline<Input: Sendable, Output: Sendable, Failure: Error>: Sendable {
    private struct State {
        var finished: [Int: Output] = [:]
        var nextToFetch = 0
        /// How many batches there are, once that is known, and what ended them.
        var end: (count: Int, failure: Failure?)?
        var isStopped = false
    }

    private let state = Mutex(State())
    /// The number of the next batch to be read; held while reading.
    private let turn = Mutex(0)
    private let room = DispatchSemaphore(value: 0)
    private let arrivals = DispatchSemaphore(value: 0)
    private let workers: Int
    private let working = DispatchGroup()
    private let read: @Sendable () throws(Failure) -> Input?
    private let process: @Sendable (Input) -> Output

    /// Starts the workers.
    ///
    /// - Parameters:
    ///   - workers: How many; at least one is started.
    ///   - depth: The most batches under way or waiting to be fetched.
    ///   - read: Called by one worker at a time; nil is the end.
    ///   - process: Called by several at once.
    init(
        workers: Int, depth: Int, read: @escaping @Sendable () throws(Failure) -> Input?,
        process: @escaping @Sendable (Input) -> Output
    ) {
        self.workers = max(1, workers)
        self.read = read
        self.process = process
        for _ in 0..<max(1, depth) { room.signal() }
        for index in 0..<self.workers {
            DispatchQueue(label: "pipeline \(index)").async(group: working) { self.work() }
        }
    }

    /// The next batch in order; nil at the end, or once it was stopped. Blocks the thread until it is there.
    ///
    /// - Throws: What reading threw, after all that was read before it.
    func next() throws(Failure) -> Output? {
        while true {
            let (output, end) = state.withLock { state -> (Output?, (count: Int, failure: Failure?)?) in
                if state.isStopped { return (nil, (state.nextToFetch, nil)) }
                if let output = state.finished.removeValue(forKey: state.nextToFetch) {
                    state.nextToFetch += 1
                    return (output, nil)
                }
                return (nil, state.end.flatMap { $0.count == state.nextToFetch ? $0 : nil })
            }
            if let output {
                room.signal()
                return output
            }
            if let end {
                if let failure = end.failure { throw failure }
                return nil
            }
            arrivals.wait()
        }
    }

    /// Reads no more, and lets nobody wait any longer: what was read and not fetched is lost.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            state.finished.removeAll()
        }
        arrivals.signal()
        for _ in 0..<workers { room.signal() }
    }

    /// Waits until the workers are gone, so that nobody reads any more; call ``stop()`` before. Blocks the thread.
    func waitUntilEnded() { working.wait() }

    /// Waits until the workers are gone, without blocking the thread.
    func ended() async {
        await withCheckedContinuation { continuation in
            working.notify(queue: .global()) { continuation.resume() }
        }
    }

    private func work() {
        while let (number, input) = take() {
            let output = process(input)
            state.withLock { if !$0.isStopped { $0.finished[number] = output } }
            arrivals.signal()
        }
        arrivals.signal()
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
        state.withLock { if $0.end == nil { $0.end = (count, failure) } }
        // Others may wait for room that the one who fetches will never make.
        room.signal()
    }
}
