internal import ProfileCore
internal import SQLiteAccess

extension ProfileRepository {
    /// The profile with this username, whatever the case of its ASCII letters; nil where there is none.
    public func profile(username: String) throws(ProfileStoreError) -> Profile? {
        try read { connection throws(ProfileStoreError) in
            try byLatestRules(connection, latest: { $0?.schemaVersion }) { adopted throws(SQLiteError) -> Profile? in
                var statement = try connection.prepare(adopted.table.selectByUsername)
                try statement.bind(username, at: 1)
                return try statement.step() ? adopted.table.profile(in: statement) : nil
            }
        }
    }

    /// The profile with this id; nil where there is none.
    public func profile(id: Int64) throws(ProfileStoreError) -> Profile? {
        try read { connection throws(ProfileStoreError) in try self.profile(id: id, connection) }
    }

    /// One page of the profiles that a query finds. A field that the schema does not know finds none.
    public func profiles(_ query: ProfileQuery) throws(ProfileStoreError) -> ProfilePage {
        try page(of: query, endingAfter: .max)
    }

    /// One page of what a query finds, which ends with the profile that takes it to so many bytes: after that one there
    /// may be no more.
    func page(of query: ProfileQuery, endingAfter mostBytes: Int) throws(ProfileStoreError) -> ProfilePage {
        let limit = max(1, min(query.limit, 100_000))
        var byteCount = 0
        let found =
            try read { connection throws(ProfileStoreError) in
                // Rules that do not know the field may not be the latest.
                try byLatestRules(connection, latest: { $0 == nil ? .max : $0?.lazy.map(\.schemaVersion).max() }) {
                    adopted throws(SQLiteError) -> [Profile]? in
                    guard let (sql, values) = adopted.table.page(query, validator: adopted.validator) else {
                        return nil
                    }
                    var statement = try connection.prepare(sql)
                    try statement.bind(query.after?.id ?? 0, at: 1)
                    // One more than is asked for tells whether there is another page.
                    try statement.bind(Int64(limit + 1), at: 2)
                    for (index, value) in values.enumerated() { try statement.bind(value, at: index + 3) }
                    var found: [Profile] = []
                    byteCount = 0
                    while byteCount < mostBytes, try statement.step() {
                        let profile = adopted.table.profile(in: statement)
                        byteCount += profile.byteCount
                        found.append(profile)
                    }
                    return found
                }
            } ?? []
        let isFull = found.count > limit
        let page = isFull ? found.dropLast() : found
        return ProfilePage(profiles: page, next: isFull || byteCount >= mostBytes ? page.last?.cursor : nil)
    }

    /// Every profile that a query finds, read page by page: what is committed meanwhile may or may not be among them.
    public func all(_ query: ProfileQuery = ProfileQuery(limit: 1_000)) -> ProfileSequence {
        ProfileSequence(repository: self, query: query)
    }

    func profile(id: Int64, _ connection: borrowing Connection) throws(ProfileStoreError) -> Profile? {
        try byLatestRules(connection, latest: { $0?.schemaVersion }) { adopted throws(SQLiteError) -> Profile? in
            var statement = try connection.prepare(adopted.table.selectByID)
            try statement.bind(id, at: 1)
            return try statement.step() ? adopted.table.profile(in: statement) : nil
        }
    }

    /// Reads by the rules that are known here, and again when there turn out to be later ones: what was found was judged by
    /// them and may have further columns, or a column is gone since a backup was restored.
    ///
    /// A row may claim a version that was never adopted, as only another program can have written it, so that it is no
    /// reason to look again and again.
    private func byLatestRules<Value>(
        _ connection: borrowing Connection, latest: (Value) -> Int?,
        _ body: (AdoptedSchema) throws(SQLiteError) -> Value
    ) throws(ProfileStoreError) -> Value {
        var adopted = adoptedSchema
        while true {
            let known = adopted.version
            let outcome: Result<Value, SQLiteError>
            do throws(SQLiteError) { outcome = .success(try body(adopted)) } catch { outcome = .failure(error) }
            switch outcome {
            case .success(let value):
                guard let version = latest(value), version > known else { return value }
            case .failure(let error):
                guard error.code == .error else { throw ProfileStoreError(error) }
            }
            adopted = try refreshSchema(connection)
            guard adopted.version > known else { return try outcome.mapError { ProfileStoreError($0) }.get() }
        }
    }
}

/// Profiles in the order of their ids, a page in memory at a time; see ``ProfileRepository/all(_:)``.
public struct ProfileSequence: AsyncSequence, Sendable {
    public typealias Element = Profile
    public typealias Failure = ProfileStoreError

    let repository: ProfileRepository
    let query: ProfileQuery

    public func makeAsyncIterator() -> Iterator { Iterator(repository: repository, query: query) }

    public struct Iterator: AsyncIteratorProtocol {
        let repository: ProfileRepository
        var query: ProfileQuery
        private var page: [Profile] = []
        private var index = 0
        private var isAtEnd = false

        /// However long values are, not many are in memory at once.
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
                let read = try repository.page(of: query, endingAfter: Self.pageBytes)
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
