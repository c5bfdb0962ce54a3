internal import ProfileCore
internal import SQLiteAccess

extension ProfileRepository {
    /// The profile with this username, whatever the case of its ASCII letters; nil where there is none.
    public func profile(username: String) throws(ProfileStoreError) -> Profile? {
        try read { connection throws(ProfileStoreError) in
            var adopted = adoptedSchema
            while true {
                let found = try ProfileStoreError.wrap { () throws(SQLiteError) -> Profile? in
                    var statement = try connection.prepare(adopted.table.selectByUsername)
                    try statement.bind(username, at: 1)
                    return try statement.step() ? adopted.table.profile(in: statement) : nil
                }
                guard try isAhead(found, of: &adopted, connection) else { return found }
            }
        }
    }

    /// The profile with this id; nil where there is none.
    public func profile(id: Int64) throws(ProfileStoreError) -> Profile? {
        try read { connection throws(ProfileStoreError) in try self.profile(id: id, connection) }
    }

    /// One page of the profiles that a query finds. A field that the schema does not know finds none.
    public func profiles(_ query: ProfileQuery) throws(ProfileStoreError) -> ProfilePage {
        try read { connection throws(ProfileStoreError) in
            var adopted = self.adoptedSchema
            while true {
                let limit = max(1, min(query.limit, 100_000))
                guard let (sql, values) = adopted.table.page(query, validator: adopted.validator) else {
                    // Another process may have adopted rules that know the field.
                    if try self.learnsLaterRules(than: &adopted, connection) { continue }
                    return ProfilePage(profiles: [], next: nil)
                }
                var found: [Profile] = []
                try ProfileStoreError.wrap { () throws(SQLiteError) in
                    var statement = try connection.prepare(sql)
                    try statement.bind(query.after?.id ?? 0, at: 1)
                    // One more than is asked for tells whether there is another page.
                    try statement.bind(Int64(limit + 1), at: 2)
                    for (index, value) in values.enumerated() { try statement.bind(value, at: index + 3) }
                    while try statement.step() { found.append(adopted.table.profile(in: statement)) }
                }
                let latest = found.max { $0.schemaVersion < $1.schemaVersion }
                if try self.isAhead(latest, of: &adopted, connection) { continue }
                let hasMore = found.count > limit
                if hasMore { found.removeLast() }
                return ProfilePage(profiles: found, next: hasMore ? found.last.map { ProfileCursor(id: $0.id) } : nil)
            }
        }
    }

    /// Every profile that a query finds, read page by page: what is committed meanwhile may or may not be among them.
    public func all(_ query: ProfileQuery = ProfileQuery(limit: 1_000)) -> ProfileSequence {
        ProfileSequence(repository: self, query: query)
    }

    func profile(id: Int64, _ connection: borrowing Connection) throws(ProfileStoreError) -> Profile? {
        var adopted = adoptedSchema
        while true {
            let found = try ProfileStoreError.wrap { () throws(SQLiteError) -> Profile? in
                var statement = try connection.prepare(adopted.table.selectByID)
                try statement.bind(id, at: 1)
                return try statement.step() ? adopted.table.profile(in: statement) : nil
            }
            guard try isAhead(found, of: &adopted, connection) else { return found }
        }
    }

    /// Whether a row was judged by later rules than are known here, which may have added columns; learns them if so.
    private func isAhead(
        _ found: Profile?, of adopted: inout AdoptedSchema, _ connection: borrowing Connection
    ) throws(ProfileStoreError) -> Bool {
        guard let found, found.schemaVersion > adopted.version else { return false }
        return try learnsLaterRules(than: &adopted, connection)
    }

    /// Whether there are later rules, which are known then. A row may claim a version that was never adopted, as only
    /// another program can have written it, so that it is no reason to look again and again.
    private func learnsLaterRules(
        than adopted: inout AdoptedSchema, _ connection: borrowing Connection
    ) throws(ProfileStoreError) -> Bool {
        let known = adopted.version
        adopted = try refreshSchema(connection)
        return adopted.version > known
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
                let read = try repository.profiles(query)
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
