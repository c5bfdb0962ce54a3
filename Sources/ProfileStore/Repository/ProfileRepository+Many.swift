public import ProfileCore

// Many profiles at once. What is written in one transaction is bounded, so that nobody else waits for long.
extension ProfileRepository {
    /// Stores new profiles in their order; of two with the same value of a unique field the first one wins.
    ///
    /// Each transaction stores up to a thousand profiles, with one ``ProfileChange/Kind/imported`` in the log.
    /// - Parameters:
    ///   - profiles: What the validator made, by the rules in force.
    ///   - author: Who registers them.
    /// - Returns: How many were stored, and which were refused.
    /// - Throws: What stopped the call, such as `busy`, with the report of the transactions before. With
    ///   `storedOnOneMachine` the report includes the transaction that is stored on one machine only.
    public func register(
        many profiles: [ValidProfile], by author: Author? = nil
    ) async throws(StoppedWrite<RegistrationReport>) -> RegistrationReport {
        var report = RegistrationReport()
        var start = 0
        while start < profiles.count {
            let end = min(start + Self.profilesPerTransaction, profiles.count)
            do throws(ProfileStoreError) {
                let batch = try await register(Array(profiles[start..<end]), by: author)
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

    /// Removes the profiles that a query finds, with their credentials and sessions; its `limit` does not count.
    ///
    /// A thousand at a time are removed in one transaction, with a ``ProfileChange/Kind/removed`` for each in the log. A
    /// profile that changes meanwhile is left, and counted.
    /// - Parameters:
    ///   - query: Which profiles.
    ///   - author: Who removes them.
    /// - Returns: How many were removed.
    /// - Throws: What stopped the call, such as `busy`, with the report of the transactions before.
    public func remove(
        matching query: ProfileQuery, by author: Author? = nil
    ) async throws(StoppedWrite<RemovalReport>) -> RemovalReport {
        defer { tokenLooks.forget() }
        var report = RemovalReport()
        var query = query
        query.limit = Self.profilesPerTransaction
        do throws(ProfileStoreError) {
            repeat {
                let found = try await profiles(query)
                // Only a page that others follow says nothing about what is not there.
                let page =
                    found.next != nil
                    ? found
                    : try await confirmed(found) { [query] () throws(ProfileStoreError) in
                        try await profiles(query)
                    }
                let removed = page.profiles.isEmpty ? 0 : try await remove(page.profiles, by: author)
                report.removed += removed
                report.changed += page.profiles.count - removed
                query.after = page.next
            } while query.after != nil
        } catch {
            throw StoppedWrite(error, after: report)
        }
        return report
    }

    private func remove(_ profiles: [Profile], by author: Author?) async throws(ProfileStoreError) -> Int {
        try await ask(.remove, rows: { $0 }, await engine.remove(profiles, stamp(author)))
    }

    private static var profilesPerTransaction: Int { 1_000 }

    /// Stores a batch in one transaction.
    package func store<Batch: ImportBatch>(
        _ batch: Batch, judgedBy schema: ProfileSchema, by author: Author?
    ) async throws(ProfileStoreError) -> Batch {
        try await ask(
            .storeBatch, rows: \.rows.count, await engine.store(batch, judgedBy: schema, stamp(author)))
    }

    /// Stores all that a load gives, in one transaction.
    package func load(
        _ load: some BulkLoad, judgedBy schema: ProfileSchema, by author: Author?
    ) async throws(ProfileStoreError) -> BulkLoadOutcome {
        let counted = CountedLoad(load)
        return try await ask(
            .load, rows: { counted.rows(of: $0) }, await engine.load(counted, judgedBy: schema, stamp(author)))
    }

    private func register(
        _ profiles: [ValidProfile], by author: Author?
    ) async throws(ProfileStoreError) -> RegistrationBatch {
        let schema = adoptedSchema.schema
        guard profiles.allSatisfy({ $0.schema == schema }) else {
            throw .schemaChanged(version: adoptedSchema.version)
        }
        let rows = try await hashingPasswords(of: ValidProfiles(joining: profiles, of: schema), schema)
        let batch = RegistrationBatch(rows)
        return try await learningOfRules { () throws(ProfileStoreError) in
            try await store(batch, judgedBy: schema, by: author)
        }
    }
}

/// An error that stopped a write of many profiles, with a report of what was written before.
public struct StoppedWrite<Report: Hashable & Sendable>: Error, Hashable {
    /// What stopped the write.
    public let error: ProfileStoreError
    /// What was written before, and is kept.
    public let report: Report

    init(_ error: ProfileStoreError, after report: Report) {
        self.error = error
        self.report = report
    }
}

/// The outcome of storing many profiles.
public struct RegistrationReport: Hashable, Sendable {
    /// How many were stored.
    public internal(set) var registered = 0
    /// Those that were not, in their order.
    public internal(set) var refusals: [Refusal] = []

    /// A profile that has the values of another one.
    public struct Refusal: Hashable, Sendable {
        /// Its position among those that were given.
        public let index: Int
        /// The unique fields whose value another profile has.
        public let fields: [FieldName]
    }
}

/// The outcome of removing many profiles.
public struct RemovalReport: Hashable, Sendable {
    /// How many were removed.
    public internal(set) var removed = 0
    /// How many were found, and had changed or gone before their turn: they are as they were.
    public internal(set) var changed = 0
}

/// Rows that are stored if nobody has their values.
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
