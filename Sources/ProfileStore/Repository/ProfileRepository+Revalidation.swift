public import ProfileCore

extension ProfileRepository.Rules {
    /// Validates the stored profiles by the schema in force, or by a candidate schema (R6). If there is no candidate,
    /// the results are stored. Values and revisions stay unchanged.
    ///
    /// If the task is cancelled, the stored results remain, and a later run skips the profiles that have a result.
    /// - Parameters:
    ///   - candidate: A schema to try without adopting it; nil for the schema in force.
    ///   - all: Whether to validate all profiles. If false, the run skips the profiles that were already validated by
    ///     the same rules.
    ///   - mostIssues: The maximum number of issues that the report lists. The report also counts the issues that it
    ///     does not list.
    ///   - progress: Receives the number of judged profiles after each batch.
    /// - Returns: The report. The report's `isCancelled` says whether the run was cancelled.
    /// - Throws: ``ProfileStoreError``: `busy`, `corrupt`, …
    public func revalidate(
        candidate: ProfileSchema? = nil, all: Bool = false, mostIssues: Int = 10_000,
        progress: @escaping @Sendable (_ checked: Int) -> Void = { _ in }
    ) async throws(ProfileStoreError) -> RevalidationReport {
        try await revalidate(
            candidate: candidate?.withoutColumns, converting: false, all: all, mostIssues: mostIssues,
            progress: progress)
    }

    /// Validates the stored profiles by the schema in force, or by a candidate schema with or without assigned columns. If
    /// `converting` is true, judges the values as their conversion would store them.
    package func revalidate(
        candidate: ProfileSchema?, converting: Bool, all: Bool, mostIssues: Int = 10_000,
        progress: @escaping @Sendable (_ checked: Int) -> Void
    ) async throws(ProfileStoreError) -> RevalidationReport {
        let start = ContinuousClock.now
        var report = report(of: candidate, beside: repository.adoptedSchema, mostIssues: mostIssues)
        do throws(ProfileStoreError) {
            let adopted = try await repository.refreshSchema()
            report = self.report(of: candidate, beside: adopted, mostIssues: mostIssues)
            let history = try await repository.adoptedSchemas()
            let schema = candidate?.placed(after: history.map(\.schema)) ?? adopted.schema
            let sameRules = history.filter { $0.isSame(as: schema) }.map(\.version)
            let judgedBefore = all || candidate != nil ? [] : sameRules
            let validator = candidate == nil ? adopted.validator : ProfileValidator(schema)
            let batches = RejudgedBatches(
                of: StoreScan(
                    fields: schema.fields, includesJudgements: true, besides: judgedBefore, mostRows: Self.rowsPerBatch,
                    mostBytes: Self.bytesPerBatch),
                readBy: { scan throws(ProfileStoreError) in try await repository.scan(scan) }, judgedBy: validator,
                converting: converting ? ValueConversion(to: schema, from: history) : nil, on: repository.today)
            try await addRemembered(judgedBefore, to: &report)
            report.credentialsPredating = try await credentialsPredating(schema, history)
            while let batch = try await batches.next() {
                if candidate == nil { try await mark(batch, version: adopted.version) }
                report.add(batch)
                progress(report.checked)
                guard !Task.isCancelled else { throw .cancelled }
            }
        } catch {
            guard error == .cancelled else { throw error }
            report.isCancelled = true
        }
        report.seconds = (ContinuousClock.now - start) / .seconds(1)
        return report
    }

    /// Returns an empty report.
    private func report(
        of candidate: ProfileSchema?, beside adopted: AdoptedSchema, mostIssues: Int
    ) -> RevalidationReport {
        let schema = candidate ?? adopted.schema
        return RevalidationReport(
            schema: SchemaReference(
                name: schema.name,
                version: SchemaDifference(from: adopted.schema, to: schema).isEmpty ? adopted.version : nil,
                fingerprint: schema.fingerprint),
            mostIssues: mostIssues, isCandidate: candidate != nil, startedAt: repository.options.now(),
            store: repository.engine.place)
    }

    /// Returns the number of profiles that the rules in force have not validated yet. These profiles were stored or
    /// last validated under other rules. ``revalidate(candidate:all:mostIssues:progress:)`` judges them. If the store
    /// ever had other rules, the call reads every profile.
    public func countUnjudged() async throws(ProfileStoreError) -> Int {
        guard let inForce = try await repository.adoptedSchemas().last else { return 0 }
        let others = try await versionsNotJudging(as: inForce.schema)
        return others.isEmpty ? 0 : try await countJudged(by: others)
    }

    /// Returns the versions of the store's schemas that differ from `schema`.
    func versionsNotJudging(as schema: ProfileSchema) async throws(ProfileStoreError) -> [Int] {
        try await repository.adoptedSchemas().filter { !$0.isSame(as: schema) }.map(\.version)
    }

    private func countJudged(by versions: [Int]) async throws(ProfileStoreError) -> Int {
        try await repository.ask(
            .count, rows: { $0 },
            await repository.engine.count(
                ProfileSearch(status: .judged(by: versions)), under: repository.adoptedSchema))
    }

    private static var rowsPerBatch: Int { 8_000 }
    /// The memory also needs a limit in bytes, because values can be long.
    private static var bytesPerBatch: Int { 4 << 20 }

    /// Counts the profiles that the run skips. These profiles were already validated by the same rules. Adds the stored
    /// issues of these profiles to the report. `versions` are the schema versions that have these rules.
    private func addRemembered(
        _ versions: [Int], to report: inout RevalidationReport
    ) async throws(ProfileStoreError) {
        guard !versions.isEmpty else { return }
        let judged = Set(versions)
        let invalid = ProfileQuery(status: .invalid, limit: Self.rowsPerBatch)
        for try await profile in repository.all(invalid) where judged.contains(profile.schemaVersion) {
            report.invalid += 1
            let username = String(reporting: profile.username.utf8.span)
            for issue in profile.issues { report.count(issue, of: username, value: nil) }
        }
        report.skipped = try await countJudged(by: versions)
    }

    /// Counts the passwords that were set under other password rules.
    private func credentialsPredating(
        _ schema: ProfileSchema, _ history: [AdoptedSchema]
    ) async throws(ProfileStoreError) -> Int {
        guard schema[.password] != nil else { return 0 }
        let sameRules = history.versions(sharingPasswordRulesOf: schema)
        return try await repository.ask(
            .count, rows: { $0 },
            await repository.engine.count(
                ProfileSearch(status: .hasPassword(setUnderOthersThan: sameRules)), under: repository.adoptedSchema))
    }

    /// Stores each result that differs from the stored result of the profile.
    private func mark(_ batch: RejudgedBatch, version: Int) async throws(ProfileStoreError) {
        var issuesOfRow: [Int: String] = [:]
        for invalid in batch.invalid { issuesOfRow[invalid.row] = invalid.issues.stored }
        var news: [JudgementMark] = []
        for (index, row) in batch.rows.enumerated() {
            let issues = issuesOfRow[index]
            guard let before = row.judgement, before.schemaVersion != version || before.issues != issues
            else { continue }
            news.append(JudgementMark(id: row.id, revision: before.revision, issues: issues))
        }
        guard !news.isEmpty else { return }
        try await repository.ask(.mark, rows: { news.count }, await repository.engine.mark(news, judgedBy: version))
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

    fileprivate mutating func count(_ issue: ReportedIssue, of key: String, value: String?) {
        guard issues.count(field: issue.field, code: issue.code, times: issue.count) else { return }
        issues.list(
            ProfileIssue(key: key, issue: issue, value: value), field: issue.field, code: issue.code)
    }
}
