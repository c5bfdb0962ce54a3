package import ProfileCore
package import ProfileStore
internal import Synchronization
internal import Threads

/// Profiles in plain memory, gone with the last reference. Several ``MemoryEngine``s share them as several processes
/// share a file.
package final class MemoryStore: Sendable {
    private let state: Mutex<MemoryState>
    private let listeners = Mutex<[(of: ObjectIdentifier, listener: CommitListener)]>([])
    private let problem = Mutex<ProfileStoreError?>(nil)
    /// Where all writing is done, one after another: what writes much waits for others meanwhile, and Swift's own
    /// threads must not.
    private let writer = ThreadPool(threads: 1)

    /// A store without profiles, under its first schema.
    package init(_ schema: ProfileSchema = .standard, at time: Timestamp = .now()) throws(ProfileStoreError) {
        state = Mutex(try MemoryState(schema, at: time))
    }

    /// What it holds now.
    var current: MemoryState { state.withLock { $0 } }

    /// Every read of its engines fails with this error, as when a server is lost; nil for none.
    package var readingProblem: ProfileStoreError? {
        get { problem.withLock { $0 } }
        set { problem.withLock { $0 = newValue } }
    }

    /// What it holds of each profile, in the order of their ids, for tests that compare it.
    package var contents: [AnyHashable] { current.profiles(after: 0).map { AnyHashable($0) } }

    /// What it remembers of failed attempts: one entry for each name and kind of secret.
    package var failedAttempts: [(name: String, failures: Int)] { current.throttles.all }

    /// Gives this id to the next new profile, as a server does that reserves ids in blocks.
    package func giveIDs(from id: Int64) { state.withLock { $0.giveIDs(from: id) } }

    /// The number of changes that its log holds.
    package var logLength: Int { current.log.length }

    /// Runs `body` on a copy when its turn comes, and keeps the copy unless it throws.
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

    /// Waits until everything is written whose turn comes before.
    func finishWriting() async {
        // In a task of its own, since there is no waiting in one that was cancelled.
        await Task { _ = try? await write { _ in () } }.value
    }

    // MARK: Those who watch

    func listen(_ engine: MemoryEngine, _ listener: CommitListener) {
        listeners.withLock { $0.append((ObjectIdentifier(engine), listener)) }
    }

    func stopListening(_ engine: MemoryEngine) {
        listeners.withLock { $0.removeAll { $0.of == ObjectIdentifier(engine) } }
    }

    private func ring() { for (_, listener) in listeners.withLock({ $0 }) { listener() } }
}
