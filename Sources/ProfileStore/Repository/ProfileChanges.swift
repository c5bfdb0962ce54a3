/// An async sequence of the changes that any process commits to a store; see
/// ``ProfileRepository/Changes/stream(after:)``.
///
/// The sequence ends when the task is cancelled or the repository is closed. The sequence keeps at most one page of
/// changes in memory, even if the reader is slow. The listeners of one repository share this page. If a listener's next
/// change is older than the shared page, the listener keeps a page of its own.
///
/// Reads that fail with `busy`, `unavailable`, `outcomeUnknown` or `notDurable` are repeated until the store answers.
/// Any other error ends the sequence.
public struct ProfileChanges: AsyncSequence, Sendable {
    public typealias Element = ProfileChange
    public typealias Failure = ProfileStoreError

    let repository: ProfileRepository
    let start: Result<Int64, ProfileStoreError>

    public func makeAsyncIterator() -> Iterator { Iterator(repository: repository, start: start) }

    /// Iterates over the changes, and waits for the next one if necessary.
    public struct Iterator: AsyncIteratorProtocol {
        private let repository: ProfileRepository
        /// The number of the last returned change. Before the first change, this is the number of the change after
        /// which the sequence starts. Nil if that number is not known yet.
        private var latest: Int64?
        private var page: ArraySlice<ProfileChange> = []
        private var failureAtStart: ProfileStoreError?
        private var isAtEnd = false

        init(repository: ProfileRepository, start: Result<Int64, ProfileStoreError>) {
            self.repository = repository
            switch start {
            case .success(let number): latest = number
            case .failure(let error): failureAtStart = error.isTransient ? nil : error
            }
        }

        public mutating func next() async throws(ProfileStoreError) -> ProfileChange? {
            try await next(isolation: nil)
        }

        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(ProfileStoreError) -> ProfileChange? {
            while !isAtEnd, !isOver {
                if let change = page.popFirst() {
                    latest = change.number
                    return change
                }
                do throws(ProfileStoreError) {
                    page = try await nextPage()
                } catch {
                    isAtEnd = true
                    // A cancellation during a read ends the sequence like any other cancellation.
                    if error != .cancelled, !isOver { throw error }
                }
            }
            isAtEnd = true
            return nil
        }

        private var isOver: Bool { Task.isCancelled || repository.feed.isClosed }

        /// Returns the next changes; empty at the end.
        private func nextPage() async throws(ProfileStoreError) -> ArraySlice<ProfileChange> {
            if let failureAtStart { throw failureAtStart }
            let feed = repository.feed
            feed.begin(repository.engine)
            let number =
                if let latest { latest } else {
                    try await answered { () throws(ProfileStoreError) in try await repository.changes.latestNumber }
                }
            var rings: Int?
            while true {
                switch await feed.turn(after: number, havingFoundNothingAt: rings, repository) {
                case .take(let changes): return changes
                case .fail(let error): throw error
                case .end: return []
                case .readStore:
                    // The calls of `ring()` are counted before the store is read. So if a commit follows during the
                    // read, the log is read again.
                    let ringsBefore = feed.rings
                    let changes = try await answered { () throws(ProfileStoreError) in
                        try await repository.changes.page(after: number, limit: ChangeFeed.pageSize)
                    }
                    if !changes.isEmpty { return changes[...] }
                    rings = ringsBefore
                }
            }
        }

        /// Repeats a read until the store answers.
        private func answered<Value>(
            _ ask: () async throws(ProfileStoreError) -> Value
        ) async throws(ProfileStoreError) -> Value {
            while true {
                do throws(ProfileStoreError) {
                    return try await ask()
                } catch {
                    guard error.isTransient, !isOver else { throw error }
                    try? await Task.sleep(for: ChangeFeed.retryPause)
                }
            }
        }
    }
}

/// Only one task may use an iterator at a time.
@available(*, unavailable)
extension ProfileChanges.Iterator: Sendable {}
