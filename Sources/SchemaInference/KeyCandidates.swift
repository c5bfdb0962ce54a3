internal import Synchronization

/// The columns that may be the key: those whose values are each row's own.
///
/// A column leaves at its first repeat or empty cell. One whose name speaks for it stays, since it may lack a value of
/// its own in one row of a hundred (N3).
final class KeyCandidates {
    /// What was found of a column in all rows.
    struct Finding: Sendable {
        let missing: CountedLines
        let repeats: CountedLines

        /// Rows without a value of their own.
        var exceptions: Int { missing.count + repeats.count }
    }

    private struct Candidate {
        let runs: FingerprintRuns
        var missing = CountedLines()

        var isFlawless: Bool { missing.count == 0 && runs.repeats.count == 0 }
    }

    private var candidates: [Int: Candidate] = [:]
    private let left: LeftColumns
    private let template: [CChar]

    /// About 16 MiB for all candidates together, and as much while they are merged.
    private static let mostInMemory = 1 << 20

    /// - Parameters:
    ///   - left: Is told which columns have left.
    ///   - template: Of `mkstemp`, for the files of what memory does not hold.
    init(left: LeftColumns, template: [CChar]) {
        self.left = left
        self.template = template
    }

    /// Adds what one batch has shown; the batches come in order.
    ///
    /// - Parameters:
    ///   - keys: Its values, by column.
    ///   - rowsBefore: Rows of earlier batches, which do not have a column that is new.
    ///   - staysAnyway: Whether a column's name speaks for it.
    /// - Throws: Why what memory does not hold cannot be written.
    func add(_ keys: [Int: KeyEvidence], rowsBefore: Int, staysAnyway: (Int) -> Bool) throws(InferenceError) {
        let limit = limit
        // In the order of the columns, so that two runs do the same.
        for column in keys.keys.sorted() where !left.contains(column) {
            guard let evidence = keys[column] else { continue }
            var candidate = candidates[column] ?? Candidate(runs: FingerprintRuns(template: template))
            if candidates[column] == nil { candidate.missing.add(count: rowsBefore) }
            candidate.missing.merge(evidence.missing)
            try candidate.runs.add(evidence.run, repeats: evidence.repeats, limit: limit)
            candidates[column] = candidate
            if !candidate.isFlawless, !staysAnyway(column) { leave(column) }
        }
    }

    /// Adds rows that were doubtful, and are not refused.
    func add(_ rows: [DoubtfulRow]) throws(InferenceError) {
        guard !rows.isEmpty else { return }
        for column in candidates.keys.sorted() {
            var fingerprints: [Fingerprint] = []
            var missing = CountedLines()
            for row in rows {
                // An object may be older than its column.
                if let key = row.keys[column] ?? nil { fingerprints.append(key) } else { missing.add(line: row.line) }
            }
            let evidence = KeyEvidence(fingerprints, missing: missing)
            candidates[column]?.missing.merge(missing)
            try candidates[column]?.runs.add(evidence.run, repeats: evidence.repeats, limit: limit)
        }
    }

    /// The most fingerprints of one candidate that are kept in memory.
    private var limit: Int { max(1 << 16, Self.mostInMemory / max(1, candidates.count)) }

    /// What there is to know of those that are left; to be asked once, when all is read.
    func finish(staysAnyway: (Int) -> Bool) throws(InferenceError) -> [Int: Finding] {
        var findings: [Int: Finding] = [:]
        for (column, candidate) in candidates {
            try candidate.runs.finish()
            if candidate.isFlawless || staysAnyway(column) {
                findings[column] = Finding(missing: candidate.missing, repeats: candidate.runs.repeats)
            }
        }
        return findings
    }

    private func leave(_ column: Int) {
        candidates[column] = nil
        left.insert(column)
    }
}

/// The columns that are no candidates any more, so that workers need not look at them.
final class LeftColumns: Sendable {
    private let columns = Mutex<Set<Int>>([])

    func contains(_ column: Int) -> Bool { columns.withLock { $0.contains(column) } }

    func insert(_ column: Int) { columns.withLock { _ = $0.insert(column) } }
}
