internal import ProfileCore
internal import Threads

extension ProfileRepository {
    /// Returns the profile with this username, ignoring the case of ASCII letters; nil if there is none.
    public func profile(username: String) async throws(ProfileStoreError) -> Profile? {
        try await profile(.username(username))
    }

    /// Returns the profile with this id; nil if there is none.
    public func profile(id: Int64) async throws(ProfileStoreError) -> Profile? { try await profile(.id(id)) }

    /// Returns the profile with this id. If the caller would refuse a request because of this profile, or because there is
    /// none, the look-up is confirmed first.
    func profile(id: Int64, isRefused: (Profile?) -> Bool) async throws(ProfileStoreError) -> Profile? {
        let found = try await profile(id: id)
        guard isRefused(found) else { return found }
        return try await confirmed(found) { () throws(ProfileStoreError) in try await profile(id: id) }
    }

    /// Returns one page of the profiles that a query finds.
    ///
    /// - Throws: ``ProfileStoreError/Code/invalidQuery``, …
    public func profiles(_ query: ProfileQuery) async throws(ProfileStoreError) -> ProfilePage {
        try await page(of: query)
    }

    /// Returns one page of a query. As soon as the values of the page reach `mostBytes` bytes, the page ends. If
    /// `lastID` is given, the query must be sorted by id, and the page contains no greater id.
    func page(
        of query: ProfileQuery, endingAfter mostBytes: Int = .max, through lastID: Int64? = nil
    ) async throws(ProfileStoreError) -> ProfilePage {
        try await byLatestRules {
            $0.profiles.lazy.map(\.schemaVersion).max()
        } read: { rules throws(ProfileStoreError) in
            var search = try await search(query, endingAfter: mostBytes, by: rules)
            search.lastID = lastID
            let page = try await ask(.page, rows: \.profiles.count, await engine.page(search, under: rules))
            try search.requireOrder(of: page)
            return page
        }
    }

    /// Returns one page of a query in the order of ids. The call searches two ranges, and each range has `ids`
    /// consecutive ids. The page contains only profiles of one range, so a user sees the first results early. The
    /// page may be empty and still have a cursor.
    ///
    /// Both ranges are read at the same time. If the first range contains a result, the other read is cancelled. So
    /// a search for a rare text needs half of the time, if the machine has a free core.
    package func page(of query: ProfileQuery, lookingAt ids: Int64) async throws(ProfileStoreError) -> ProfilePage {
        try await call { () throws(ProfileStoreError) in
            let newest = try await profiles(ProfileQuery(isReversed: true, limit: 1)).profiles.first?.id ?? 0
            guard let last = query.lastID(lookingAt: ids, newest: newest) else { return try await page(of: query) }
            let following = query.after(ProfileCursor(id: last))
            async let second = stretch(of: following, through: following.lastID(lookingAt: ids, newest: newest))
            let page = try await stretch(of: query, through: last).get()
            return page.profiles.isEmpty ? try await second.get() : page
        }
    }

    /// Returns one page of a query. The page ends at the id `last` at the latest. If `last` is nil, no id limits the
    /// page.
    private func stretch(of query: ProfileQuery, through last: Int64?) async -> Result<ProfilePage, ProfileStoreError> {
        do throws(ProfileStoreError) {
            let page = try await page(of: query, through: last)
            let end = page.next ?? last.map { ProfileCursor(id: $0) }
            return .success(ProfilePage(profiles: page.profiles, next: end))
        } catch {
            return .failure(error)
        }
    }

    /// Returns all profiles that a query finds, page by page. Profiles that are stored during the iteration may be
    /// missing.
    public func all(_ query: ProfileQuery = ProfileQuery(limit: 1_000)) -> ProfileSequence {
        ProfileSequence(repository: self, query: query)
    }

    /// Returns the number of profiles that a query finds. The query's limit, order and cursor have no effect.
    ///
    /// - Throws: ``ProfileStoreError/Code/invalidQuery``, …
    public func count(_ query: ProfileQuery = ProfileQuery()) async throws(ProfileStoreError) -> Int {
        try await call { () throws(ProfileStoreError) in
            // The method first reads the rules again. A page shows whether later rules are in force, because its
            // profiles contain the versions of the rules that validated them. A count contains no version.
            try await refreshSchema()
            return try await byLatestRules(latest: { _ in nil }) { rules throws(ProfileStoreError) in
                let search = try await search(query, by: rules)
                return try await ask(.count, rows: { $0 }, await engine.count(search, under: rules))
            }
        }
    }

    /// Returns whether the store uses an index for a page of a query, or may have to read every profile.
    ///
    /// - Throws: ``ProfileStoreError/Code/invalidQuery``, …
    public func plan(of query: ProfileQuery) async throws(ProfileStoreError) -> QueryPlan {
        try await byLatestRules(latest: { _ in nil }) { rules throws(ProfileStoreError) in
            // This call is not reported to the observer, because the engine reads no profile.
            engine.plan(of: try await search(query, by: rules))
        }
    }

    /// Reads raw values of profiles in the order of their ids, for exports, copies and revalidation.
    package func scan(_ scan: StoreScan) async throws(ProfileStoreError) -> StoredRows {
        try await ask(.scan, rows: \.rows.count, await engine.scan(scan))
    }

    /// Reads the next page of a scan, and sets `after` of the scan to the last id of the page. Returns nil at the end.
    package func nextPage(of scan: inout StoreScan) async throws(ProfileStoreError) -> StoredRows? {
        guard !Task.isCancelled else { throw .cancelled }
        let rows = try await self.scan(scan)
        guard let last = rows.rows.last else { return nil }
        scan.after = last.id
        return rows
    }

    /// Validates a query by the rules in force, and returns the validated query. The call reads the rules again.
    ///
    /// - Throws: ``ProfileStoreError/Code/invalidQuery``, …
    package func search(_ query: ProfileQuery) async throws(ProfileStoreError) -> ProfileSearch {
        try await search(query, by: try await refreshSchema())
    }

    private func search(
        _ query: ProfileQuery, endingAfter mostBytes: Int = .max, by rules: AdoptedSchema
    ) async throws(ProfileStoreError) -> ProfileSearch {
        let others = query.status == .unjudged ? try await self.rules.versionsNotJudging(as: rules.schema) : []
        return try ProfileSearch(query, otherVersions: others, mostBytes: mostBytes, by: rules.validator)
    }

    func profile(_ key: ProfileKey) async throws(ProfileStoreError) -> Profile? {
        try await byLatestRules(latest: { $0?.schemaVersion }) { rules throws(ProfileStoreError) in
            try await ask(.lookUp, rows: \.rowCount, await engine.profile(key, under: rules))
        }
    }

    /// Reads with the rules that this process knows. If the outcome suggests that later rules are in force, the method
    /// reads the rules again, and repeats the read with the later rules.
    ///
    /// Three outcomes suggest later rules: a profile of the result was judged by later rules; the query is invalid
    /// under the known rules; or the store lacks a field of the known rules. For example, the store may lack a field
    /// after an older backup was restored.
    ///
    /// The read is not repeated if the store has no later rules. Another program may have written a row with a version
    /// that was never adopted. Without this limit, such a row would cause endless repeats.
    private func byLatestRules<Value>(
        latest: (Value) -> Int?, read: (AdoptedSchema) async throws(ProfileStoreError) -> Value
    ) async throws(ProfileStoreError) -> Value {
        let deadline = CallDeadline.orFromNow(options.waitLimit)
        var rules = adoptedSchema
        // Usually this is the only read. The read has no deadline of its own, because setting a deadline would move the
        // read to another thread.
        var outcome = await outcome(by: rules, read)
        while needsLaterRules(outcome, than: rules, latest) {
            let refreshed = try await CallDeadline.at(deadline) { () throws(ProfileStoreError) in
                try await refreshSchema()
            }
            guard refreshed.version > rules.version else { break }
            rules = refreshed
            outcome = await CallDeadline.at(deadline) { await self.outcome(by: refreshed, read) }
        }
        return try outcome.get()
    }

    private func outcome<Value>(
        by rules: AdoptedSchema, _ read: (AdoptedSchema) async throws(ProfileStoreError) -> Value
    ) async -> Result<Value, ProfileStoreError> {
        do throws(ProfileStoreError) { return .success(try await read(rules)) } catch { return .failure(error) }
    }

    private func needsLaterRules<Value>(
        _ outcome: Result<Value, ProfileStoreError>, than rules: AdoptedSchema, _ latest: (Value) -> Int?
    ) -> Bool {
        switch outcome {
        case .success(let value): latest(value).map { $0 > rules.version } ?? false
        case .failure(let error): error.code == .schemaChanged || error.code == .invalidQuery
        }
    }
}

extension ProfileQuery {
    fileprivate func after(_ cursor: ProfileCursor) -> ProfileQuery {
        var query = self
        query.after = cursor
        return query
    }

    /// Returns the last id of a range of `ids` consecutive ids. The range begins after the cursor of the query. Nil if
    /// no profile can follow the range. `newest` is the greatest id of a profile.
    fileprivate func lastID(lookingAt ids: Int64, newest: Int64) -> Int64? {
        // The addition or subtraction can overflow, because a cursor or a damaged file can contain any id.
        let (last, isBeyondAll) =
            isReversed
            ? (after?.id ?? newest).subtractingReportingOverflow(after == nil ? ids - 1 : ids)
            : (after?.id ?? 0).addingReportingOverflow(ids)
        let isAtEnd = isReversed ? last <= 1 : last >= newest
        return isBeyondAll || isAtEnd ? nil : last
    }
}
