/// An async sequence of the profiles of a query, with one page in memory at a time; see ``ProfileRepository/all(_:)``.
public struct ProfileSequence: AsyncSequence, Sendable {
    public typealias Element = Profile
    public typealias Failure = ProfileStoreError

    let repository: ProfileRepository
    let query: ProfileQuery

    public func makeAsyncIterator() -> Iterator { Iterator(repository: repository, query: query) }

    /// Iterates over the profiles, and reads a page when the previous page ends.
    public struct Iterator: AsyncIteratorProtocol {
        let repository: ProfileRepository
        var query: ProfileQuery
        private var page: [Profile] = []
        private var index = 0
        private var isAtEnd = false

        /// A page ends when its values reach this number of bytes. This limits the memory, even if the values are long.
        private static let pageBytes = 1 << 20

        init(repository: ProfileRepository, query: ProfileQuery) {
            self.repository = repository
            self.query = query
        }

        public mutating func next() async throws(ProfileStoreError) -> Profile? {
            try await next(isolation: nil)
        }

        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(ProfileStoreError) -> Profile? {
            while index == page.count {
                guard !isAtEnd else { return nil }
                let read = try await repository.page(of: query, endingAfter: Self.pageBytes)
                page = read.profiles
                index = 0
                query.after = read.next
                isAtEnd = read.next == nil
            }
            defer { index += 1 }
            return page[index]
        }
    }
}

/// Only one task may use an iterator at a time.
@available(*, unavailable)
extension ProfileSequence.Iterator: Sendable {}
