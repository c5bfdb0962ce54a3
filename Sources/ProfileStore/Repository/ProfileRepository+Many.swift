public import ProfileCore

// Writes of many profiles. Each transaction writes a limited number of profiles, so other writers never wait long.
extension ProfileRepository {
    /// Stores new profiles in their order. If two profiles have the same value of a unique field, only the first one is
    /// stored.
    ///
    /// Each transaction stores up to a thousand profiles, and logs one change of the kind
    /// ``ProfileChange/Kind/imported``.
    /// - Parameters:
    ///   - profiles: Profiles that were validated by the rules in force.
    ///   - author: The author of the change.
    /// - Returns: The number of stored profiles, and the refused profiles.
    /// - Throws: The error that stopped the call, such as `busy`, with a report of the previous transactions. If the
    ///   error is `storedOnOneMachine`, the report includes the transaction that is stored on one machine only.
    public func register(
        many profiles: [ValidProfile], by author: Author? = nil
    ) async throws(StoppedWrite<RegistrationReport>) -> RegistrationReport {
        let origin = ChangeOrigin(ofManyTransactionsFrom: nil)
        var report = RegistrationReport()
        var start = 0
        while start < profiles.count {
            let end = min(start + Self.profilesPerTransaction, profiles.count)
            do throws(ProfileStoreError) {
                let batch = try await register(Array(profiles[start..<end]), by: author, from: origin)
                report.registered += end - start - batch.refusals.count
                report.refusals += batch.refusals.map {
                    RegistrationReport.Refusal(index: start + $0.row, fields: $0.fields)
                }
                start = end
                if batch.isOnOneMachine { throw .storedOnOneMachine }
            } catch {
                throw StoppedWrite(error, after: report)
            }
        }
        return report
    }

    /// Removes the profiles that a query finds, with their credentials and sessions. The query's `limit` has no effect.
    ///
    /// Each transaction removes up to a thousand profiles, and logs one ``ProfileChange/Kind/removed`` for each
    /// profile. If another writer changes a found profile before its removal, the profile is kept; see
    /// ``RemovalReport/changed``.
    /// - Parameters:
    ///   - query: The query.
    ///   - author: The author of the change.
    /// - Returns: The number of removed profiles.
    /// - Throws: The error that stopped the call, such as `busy`, with a report of the previous transactions.
    public func remove(
        matching query: ProfileQuery, by author: Author? = nil
    ) async throws(StoppedWrite<RemovalReport>) -> RemovalReport {
        try await remove(ChosenProfiles(matching: query), by: author)
    }

    /// Removes the profiles with these ids; see ``remove(matching:by:)``.
    package func remove(
        ids: some Sequence<Int64>, by author: Author? = nil
    ) async throws(StoppedWrite<RemovalReport>) -> RemovalReport {
        try await remove(ChosenProfiles(ids: ids), by: author)
    }

    private func remove(
        _ chosen: ChosenProfiles, by author: Author?
    ) async throws(StoppedWrite<RemovalReport>) -> RemovalReport {
        defer { tokenLooks.forget() }
        let origin = ChangeOrigin(ofManyTransactionsFrom: nil)
        var report = RemovalReport()
        var next = chosen.start
        do throws(ProfileStoreError) {
            while let place = next {
                guard !Task.isCancelled else { throw .cancelled }
                var page: ProfilePage
                (page, next) = try await chosen.page(at: place, in: self)
                // If a page is the last one, there are no further profiles to remove. A server with outdated data may
                // report too few profiles, so the last page is confirmed.
                if page.next == nil {
                    let found = page
                    (page, next) = try await confirmed((found, next)) { () throws(ProfileStoreError) in
                        try await chosen.page(at: place, in: self)
                    }
                }
                let removed = page.profiles.isEmpty ? 0 : try await remove(page.profiles, by: author, from: origin)
                report.removed += removed
                report.changed += page.profiles.count - removed
            }
        } catch {
            throw StoppedWrite(error, after: report)
        }
        return report
    }

    private func remove(
        _ profiles: [Profile], by author: Author?, from origin: ChangeOrigin
    ) async throws(ProfileStoreError) -> Int {
        let writes = ConditionalWrites(removing: profiles)
        let outcomes = try await ask(
            .remove, rows: { $0.count { $0 == .written } }, await engine.apply(writes, stamp(author, from: origin)))
        return outcomes.count { $0 == .written }
    }

    private static var profilesPerTransaction: Int { ChosenProfiles.mostOfPage }

    /// Stores a batch in one transaction.
    package func store<Batch: ImportBatch>(
        _ batch: Batch, judgedBy schema: ProfileSchema, by author: Author?, from origin: ChangeOrigin
    ) async throws(ProfileStoreError) -> Batch {
        let stamp = stamp(author, from: origin)
        return try await ask(.storeBatch, rows: \.rows.count, await engine.store(batch, judgedBy: schema, stamp))
    }

    /// Stores all rows of a load in one transaction.
    package func load(
        _ load: some BulkLoad, judgedBy schema: ProfileSchema, by author: Author?, from origin: ChangeOrigin
    ) async throws(ProfileStoreError) -> BulkLoadOutcome {
        let counted = CountedLoad(load)
        let stamp = stamp(author, from: origin)
        return try await ask(
            .load, rows: { counted.rows(of: $0) }, await engine.load(counted, judgedBy: schema, stamp))
    }

    private func register(
        _ profiles: [ValidProfile], by author: Author?, from origin: ChangeOrigin
    ) async throws(ProfileStoreError) -> RegistrationBatch {
        let schema = adoptedSchema.schema
        guard profiles.allSatisfy({ $0.schema == schema }) else {
            throw .schemaChanged(version: adoptedSchema.version)
        }
        let rows = try await hashingPasswords(of: ValidProfiles(joining: profiles, of: schema), schema)
        let batch = RegistrationBatch(rows)
        return try await learningOfRules { () throws(ProfileStoreError) in
            try await store(batch, judgedBy: schema, by: author, from: origin)
        }
    }
}

/// An error that stopped a write of many profiles, with a report of the transactions that were committed before.
public struct StoppedWrite<Report: Hashable & Sendable>: Error, Hashable {
    /// The error that stopped the write.
    public let error: ProfileStoreError
    /// The report of the previous transactions, which are kept.
    public let report: Report

    init(_ error: ProfileStoreError, after report: Report) {
        self.error = error
        self.report = report
    }
}

/// The outcome of storing many profiles.
public struct RegistrationReport: Hashable, Sendable {
    /// The number of stored profiles.
    public internal(set) var registered = 0
    /// The refused profiles in their order.
    public internal(set) var refusals: [Refusal] = []

    /// A profile that was refused because another profile has the same value in a unique field.
    public struct Refusal: Hashable, Sendable {
        /// The index of the profile in the array that the caller passed.
        public let index: Int
        /// The unique fields in which another profile has the same value.
        public let fields: [FieldName]
    }
}

/// The outcome of removing many profiles.
public struct RemovalReport: Hashable, Sendable {
    /// The number of removed profiles.
    public internal(set) var removed = 0
    /// The number of profiles that the query found, but that this call did not remove. Other writers changed or removed
    /// them first.
    public internal(set) var changed = 0
}

/// A batch that stores rows as new profiles. If another profile has one of a row's unique values, the row is not
/// stored.
private struct RegistrationBatch: ImportBatch {
    let rows: ValidProfiles
    let wantsStoredProfiles = false
    var isOnOneMachine = false
    private(set) var refusals: [(row: Int, fields: [FieldName])] = []
    private var row = -1

    init(_ rows: ValidProfiles) { self.rows = rows }

    mutating func next(after outcome: ImportStep.Outcome) -> ImportStep {
        if case .found(let match) = outcome { refusals.append((row, match.takenFields)) }
        row += 1
        return row < rows.count ? .insert(row: row) : .end
    }
}
