/// What happens to a store, change by change, as it is committed by whichever process; see
/// ``ProfileRepository/changes(after:)``.
///
/// It ends when the task is cancelled or the repository is closed. A page of changes is in memory at the most, however
/// slow its reader is.
public struct ProfileChanges: AsyncSequence, Sendable {
    public typealias Element = ProfileChange
    public typealias Failure = ProfileStoreError

    let repository: ProfileRepository
    let start: Result<Int64, ProfileStoreError>

    public func makeAsyncIterator() -> Iterator { Iterator(repository: repository, start: start) }

    /// Gives one change after another, and waits where there is none yet.
    public struct Iterator: AsyncIteratorProtocol {
        private static let pageSize = 256

        private let repository: ProfileRepository
        private let start: Result<Int64, ProfileStoreError>
        /// The number of the change that was given last.
        private var latest: Int64?
        private var page: ArraySlice<ProfileChange> = []
        private var isAtEnd = false

        init(repository: ProfileRepository, start: Result<Int64, ProfileStoreError>) {
            self.repository = repository
            self.start = start
        }

        public mutating func next() async throws(ProfileStoreError) -> ProfileChange? {
            try await next(isolation: nil)
        }

        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(ProfileStoreError) -> ProfileChange? {
            let bell = repository.bell
            bell.listen { repository.engine.listen(CommitListener($0)) }
            while !isAtEnd {
                // Before the look, so that what is committed after it rings once more.
                let rings = bell.rings
                if Task.isCancelled || bell.isClosed { break }
                if page.isEmpty { try await read() }
                if let change = page.popFirst() {
                    latest = change.number
                    return change
                }
                await bell.wait(after: rings)
            }
            isAtEnd = true
            return nil
        }

        private mutating func read() async throws(ProfileStoreError) {
            do throws(ProfileStoreError) {
                let number = if let latest { latest } else { try start.get() }
                page = try await repository.changes(after: number, limit: Self.pageSize)[...]
            } catch {
                isAtEnd = true
                // A task that was cancelled while it read comes to the end as any other that was.
                if error != .cancelled { throw error }
            }
        }
    }
}

/// One task at a time goes through the changes.
@available(*, unavailable)
extension ProfileChanges.Iterator: Sendable {}
