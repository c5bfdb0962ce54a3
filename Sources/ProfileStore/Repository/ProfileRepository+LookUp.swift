internal import ProfileCore
internal import Threads

extension ProfileRepository {
    /// The profile with this username, whatever the case of its ASCII letters; nil where there is none.
    public func profile(username: String) async throws(ProfileStoreError) -> Profile? {
        try await profile(.username(username))
    }

    /// The profile with this id; nil where there is none.
    public func profile(id: Int64) async throws(ProfileStoreError) -> Profile? { try await profile(.id(id)) }

    /// One page of the profiles that a query finds.
    ///
    /// - Throws: ``ProfileStoreError/Code/invalidQuery``, …
    public func profiles(_ query: ProfileQuery) async throws(ProfileStoreError) -> ProfilePage {
        try await page(of: query)
    }

    /// One page of what a query finds, which ends with the profile that takes it to so many bytes, and goes no further than
    /// an id in the order of ids.
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

    /// One page of a query in the order of ids for which so many ids are looked at, however few profiles that finds: it may
    /// have none and say where to go on, so that somebody who waits sees those that are found first.
    package func page(of query: ProfileQuery, lookingAt ids: Int64) async throws(ProfileStoreError) -> ProfilePage {
        try await call { () throws(ProfileStoreError) in
            let newest = try await profiles(ProfileQuery(isReversed: true, limit: 1)).profiles.first?.id ?? 0
            // Any number may be in a cursor or, as an id, in a file.
            let (last, isBeyondAll): (Int64, Bool) =
                if query.isReversed {
                    (query.after?.id ?? newest).subtractingReportingOverflow(query.after == nil ? ids - 1 : ids)
                } else {
                    (query.after?.id ?? 0).addingReportingOverflow(ids)
                }
            let page = try await page(of: query, through: isBeyondAll ? nil : last)
            let isAtEnd = isBeyondAll || (query.isReversed ? last <= 1 : last >= newest)
            return page.next != nil || isAtEnd
                ? page : ProfilePage(profiles: page.profiles, next: ProfileCursor(id: last))
        }
    }

    /// Every profile that a query finds, read page by page: what is committed meanwhile may or may not be among them.
    public func all(_ query: ProfileQuery = ProfileQuery(limit: 1_000)) -> ProfileSequence {
        ProfileSequence(repository: self, query: query)
    }

    /// How many profiles a query finds; its limit, its order and where it goes on do not matter.
    ///
    /// - Throws: ``ProfileStoreError/Code/invalidQuery``, …
    public func count(_ query: ProfileQuery = ProfileQuery()) async throws(ProfileStoreError) -> Int {
        try await call { () throws(ProfileStoreError) in
            // A number does not tell that other rules have judged what it counts.
            try await refreshSchema()
            return try await byLatestRules(latest: { _ in nil }) { rules throws(ProfileStoreError) in
                let search = try await search(query, by: rules)
                return try await ask(.count, rows: { $0 }, await engine.count(search, under: rules))
            }
        }
    }

    /// Whether an index serves a page of a query, or every profile may have to be read for it.
    ///
    /// - Throws: ``ProfileStoreError/Code/invalidQuery``, …
    public func plan(of query: ProfileQuery) async throws(ProfileStoreError) -> QueryPlan {
        try await byLatestRules(latest: { _ in nil }) { rules throws(ProfileStoreError) in
            // The observer is not told: the engine reads no profile.
            try await engine.plan(of: search(query, by: rules), under: rules)
        }
    }

    /// Reads raw values of profiles in the order of their ids, as exports, copies and revalidation do.
    package func scan(_ scan: StoreScan) async throws(ProfileStoreError) -> StoredRows {
        try await ask(.scan, rows: \.rows.count, await engine.scan(scan))
    }

    private func search(
        _ query: ProfileQuery, endingAfter mostBytes: Int = .max, by rules: AdoptedSchema
    ) async throws(ProfileStoreError) -> ProfileSearch {
        let others = query.status == .unjudged ? try await self.rules.versionsNotJudging(as: rules.schema) : []
        return try ProfileSearch(query, otherVersions: others, mostBytes: mostBytes, by: rules.validator)
    }

    private func profile(_ key: ProfileKey) async throws(ProfileStoreError) -> Profile? {
        try await byLatestRules(latest: { $0?.schemaVersion }) { rules throws(ProfileStoreError) in
            try await ask(.lookUp, rows: \.rowCount, await engine.profile(key, under: rules))
        }
    }

    /// Reads by the rules that are known here, and again when there turn out to be later ones: what was found was judged by
    /// them and may have further fields, a query is right by them alone, or a field is gone since a backup was restored.
    ///
    /// A row may claim a version that was never adopted, as only another program can have written it, so that it is no
    /// reason to look again and again.
    private func byLatestRules<Value>(
        latest: (Value) -> Int?, read: (AdoptedSchema) async throws(ProfileStoreError) -> Value
    ) async throws(ProfileStoreError) -> Value {
        let deadline = CallDeadline.orFromNow(options.waitLimit)
        var rules = adoptedSchema
        // Mostly the only read. It stays on its thread, as what runs with a deadline of the task's does not.
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
