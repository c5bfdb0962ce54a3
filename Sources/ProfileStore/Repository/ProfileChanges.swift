/// What happens to a store, change by change, as it is committed by whichever process; see
/// ``ProfileRepository/Changes/stream(after:)``.
///
/// It ends when the task is cancelled or the repository is closed. A page of changes is in memory at the most, however
/// slow its reader is, and listeners of one repository that keep up share that page.
///
/// A store that does not answer for a while does not end it: reads that fail with `busy`, `unavailable`, `outcomeUnknown`
/// or `notDurable` are tried again until the store answers. Any other error ends it.
public struct ProfileChanges: AsyncSequence, Sendable {
    public typealias Element = ProfileChange
    public typealias Failure = ProfileStoreError

    let repository: ProfileRepository
    let start: Result<Int64, ProfileStoreError>

    public func makeAsyncIterator() -> Iterator { Iterator(repository: repository, start: start) }

    /// Gives one change after another, and waits where there is none yet.
    public struct Iterator: AsyncIteratorProtocol {
        private let repository: ProfileRepository
        /// The number of the change that was given last, or after which it begins; nil while that is not known.
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
                    // A task that was cancelled while it read comes to the end as any other that was.
                    if error != .cancelled, !isOver { throw error }
                }
            }
            isAtEnd = true
            return nil
        }

        private var isOver: Bool { Task.isCancelled || repository.feed.isClosed }

        /// What comes next; empty at the end.
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
                    // Before the look, so that what is committed after it rings once more.
                    let ringsBefore = feed.rings
                    let changes = try await answered { () throws(ProfileStoreError) in
                        try await repository.changes.page(after: number, limit: ChangeFeed.pageSize)
                    }
                    if !changes.isEmpty { return changes[...] }
                    rings = ringsBefore
                }
            }
        }

        /// Asks the store again and again until it answers.
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

/// One task at a time goes through the changes.
@available(*, unavailable)
extension ProfileChanges.Iterator: Sendable {}
