internal import Dispatch
internal import Glibc
public import ProfileCore
internal import SQLiteAccess
internal import Synchronization

extension ProfileRepository {
    /// Judges the stored profiles by the schema in force and remembers what it finds, or by a candidate and writes
    /// nothing (R6). No value is changed and no revision rises.
    ///
    /// Cancelling the task ends it in order; what was marked stays marked, and a later run goes on from there.
    /// - Parameters:
    ///   - candidate: A schema that is not in force.
    ///   - all: Judge profiles again that were judged by the same rules already.
    ///   - mostIssues: Most issues that the report lists; all are counted.
    ///   - progress: Told how many profiles were judged, after every batch.
    /// - Returns: What was found; `isCancelled` says whether it ended early.
    /// - Throws: ``ProfileStoreError``: `busy`, `corrupt`, …
    public func revalidate(
        candidate: ProfileSchema? = nil, all: Bool = false, mostIssues: Int = 10_000,
        progress: @escaping @Sendable (_ checked: Int) -> Void = { _ in }
    ) async throws(ProfileStoreError) -> RevalidationReport {
        let start = ContinuousClock.now
        let adopted = try read { connection throws(ProfileStoreError) in try refreshSchema(connection) }
        let history = try read { connection throws(ProfileStoreError) in try SchemaTable.all(connection) }
        let schema = candidate ?? adopted.schema
        let sameRules = history.filter { $0.schema == schema }.map(\.version)
        let judgedBefore = all || candidate != nil ? [] : sameRules
        var report = RevalidationReport(
            schema: SchemaReference(
                name: schema.name, version: candidate == nil ? adopted.version : nil, fingerprint: schema.fingerprint),
            mostIssues: mostIssues, isCandidate: candidate != nil)
        try addRemembered(judgedBefore, to: &report)
        report.credentialsPredating = try credentialsPredating(schema, history)

        let scan = try StoredScan(self, schema: schema, besides: judgedBefore)
        let validator = candidate.map(ProfileValidator.init) ?? adopted.validator
        let today = today
        let workers = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        let pipeline = OrderedPipeline(workers: workers, depth: workers + 2) { () throws(ProfileStoreError) in
            try scan.next()
        } process: { batch in
            RejudgedBatch(batch, validator: validator, today: today)
        }
        defer { pipeline.stop() }
        let thread = DispatchQueue(label: "revalidation")
        while let batch = try await pipeline.next(on: thread) {
            do throws(ProfileStoreError) {
                if candidate == nil { try await mark(batch, version: adopted.version) }
            } catch {
                guard error == .cancelled else { throw error }
                report.isCancelled = true
                break
            }
            report.add(batch)
            progress(report.checked)
            if Task.isCancelled {
                report.isCancelled = true
                break
            }
        }
        report.seconds = (ContinuousClock.now - start) / .seconds(1)
        return report
    }

    /// Counts the profiles that are passed over because the same rules judged them, with the marks that they have.
    private func addRemembered(_ versions: [Int], to report: inout RevalidationReport) throws(ProfileStoreError) {
        guard !versions.isEmpty else { return }
        try read { connection throws(ProfileStoreError) in
            try ProfileStoreError.wrap { () throws(SQLiteError) in
                var invalid = try connection.prepare(ProfileTable.selectMarked(versions))
                while try invalid.step() {
                    report.invalid += 1
                    let username = if let name = invalid.bytes(at: 0) { String(reporting: name) } else { "" }
                    for issue in [ReportedIssue](stored: invalid.string(at: 1) ?? "") {
                        report.count(issue, of: username, value: nil)
                    }
                }
                var count = try connection.prepare(ProfileTable.countJudged(versions))
                report.skipped = try count.step() ? Int(count.integer(at: 0)) : 0
            }
        }
    }

    /// Passwords that were set while other password rules were in force.
    private func credentialsPredating(
        _ schema: ProfileSchema, _ history: [(version: Int, schema: ProfileSchema)]
    ) throws(ProfileStoreError) -> Int {
        guard let rules = schema[.password] else { return 0 }
        let sameRules = history.filter { $0.schema[.password] == rules }.map(\.version)
        return try read { connection throws(ProfileStoreError) in
            try ProfileStoreError.wrap { () throws(SQLiteError) in
                var statement = try connection.prepare(ProfileTable.countPasswords(besides: sameRules))
                return try statement.step() ? Int(statement.integer(at: 0)) : 0
            }
        }
    }

    /// Remembers what was found, of rows that have not changed since and where it is news.
    private func mark(_ batch: RejudgedBatch, version: Int) async throws(ProfileStoreError) {
        var issuesOfRow: [Int: String] = [:]
        for invalid in batch.invalid { issuesOfRow[invalid.row] = invalid.issues.stored }
        let found = issuesOfRow
        let news = batch.rows.indices.filter { row in
            batch.rows[row].schemaVersion != version || batch.rows[row].issues != found[row]
        }
        guard !news.isEmpty else { return }
        try await writer.write(waitingAtMost: options.waitLimit) { connection throws(ProfileStoreError) in
            try connection.writeTransaction { () throws(ProfileStoreError) in
                try ProfileStoreError.wrap { () throws(SQLiteError) in
                    var statement = try connection.prepare(ProfileTable.mark)
                    for row in news {
                        try statement.bind(batch.rows[row].id, at: 1)
                        try statement.bind(batch.rows[row].revision, at: 2)
                        try statement.bind(Int64(version), at: 3)
                        try statement.bind(found[row], at: 4)
                        try statement.run()
                    }
                }
            }
        }
    }
}

extension OrderedPipeline {
    /// The next batch, waited for on a thread that may block.
    func next(on thread: DispatchQueue) async throws(Failure) -> Output? {
        let outcome = await withCheckedContinuation { continuation in
            thread.async {
                let outcome: Result<Output?, Failure>
                do throws(Failure) { outcome = .success(try self.next()) } catch { outcome = .failure(error) }
                continuation.resume(returning: outcome)
            }
        }
        return try outcome.get()
    }
}

extension RevalidationReport {
    fileprivate mutating func add(_ batch: RejudgedBatch) {
        checked += batch.rows.count
        valid += batch.rows.count - batch.invalid.count
        invalid += batch.invalid.count
        for profile in batch.invalid {
            for (issue, value) in zip(profile.issues, profile.values) {
                count(issue, of: profile.username, value: value)
            }
        }
    }

    fileprivate mutating func count(_ issue: ReportedIssue, of username: String, value: String?) {
        guard issues.count(field: issue.field, code: issue.code) else { return }
        issues.list(ProfileIssue(username: username, issue: issue, value: value))
    }
}
