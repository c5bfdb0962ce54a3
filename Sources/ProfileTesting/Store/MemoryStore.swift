package import ProfileCore
package import ProfileStore
internal import Threads

/// A store in memory, without a database. The content is lost when the last reference is released. Several
/// ``MemoryEngine``s can share one store, as several processes can share a file.
package final class MemoryStore: Sendable {
    private let state: Locked<MemoryState>
    private let listeners = Locked<[ObjectIdentifier: CommitListener]>([:])
    private let problem = Locked<ProfileStoreError?>(nil)
    /// Runs all writes on its own thread, one after another. Writes that wait for a large write must not block a thread
    /// of Swift's concurrency runtime.
    private let writer = ThreadPool(threads: 1)

    /// Creates a store that has a first schema but no profiles.
    package init(_ schema: ProfileSchema = .standard, at time: Timestamp = .now()) throws(ProfileStoreError) {
        state = Locked(try MemoryState(schema, at: time))
    }

    /// The current state.
    var current: MemoryState { state.withLock { $0 } }

    /// An error that simulates a lost server. If it is not nil, every read throws this error.
    package var readingProblem: ProfileStoreError? {
        get { problem.withLock { $0 } }
        set { problem.withLock { $0 = newValue } }
    }

    /// The content of all profiles, ordered by id. Tests compare it.
    package var contents: [AnyHashable] { current.profiles(after: 0).map { AnyHashable($0) } }

    /// The counts of failed login attempts. There is one entry for each combination of a name and a kind of secret.
    package var failedAttempts: [(name: String, failures: Int)] { current.throttles.all }

    /// Sets the id of the next new profile, to simulate a server that reserves ids in blocks.
    package func giveIDs(from id: Int64) { state.withLock { $0.giveIDs(from: id) } }

    /// The number of changes in the log.
    package var logLength: Int { current.log.length }

    /// Runs `body` on a copy of the state, after all earlier writes. Replaces the state with the copy, unless `body`
    /// throws.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (inout MemoryState) throws(ProfileStoreError) -> Value
    ) async throws(ProfileStoreError) -> Value {
        try await writer.run { [self] () throws(ProfileStoreError) in
            let before = current
            var state = before
            let value = try body(&state)
            self.state.withLock { $0 = state }
            if state.log.number != before.log.number { ring() }
            return value
        } refused: {
            ProfileStoreError($0)
        }
    }

    /// Waits until all earlier writes have ended.
    func finishWriting() async {
        // Waits in a new task, because the writer refuses the work of a cancelled task.
        await Task { _ = try? await write { _ in () } }.value
    }

    // MARK: Watching

    func listen(_ engine: MemoryEngine, _ listener: CommitListener) {
        listeners.withLock { $0[ObjectIdentifier(engine)] = listener }
    }

    func stopListening(_ engine: MemoryEngine) {
        listeners.withLock { $0[ObjectIdentifier(engine)] = nil }
    }

    private func ring() { for listener in listeners.withLock(\.values) { listener() } }
}
