internal import ProfileCore
internal import ProfileTransfer
internal import Threads

/// The columns that may be the key, because their values are unique.
///
/// A column stops being a candidate at its first repeated value or empty cell. A column whose name is usual for a key
/// stays a candidate, because the key can be invalid in up to 1 % of the rows (N3). So does the column that the options
/// choose.
final class KeyCandidates {
    /// The findings about a candidate from all rows.
    struct Finding: Sendable {
        let missing: CountedLines
        let repeats: CountedLines

        /// The number of rows without a unique value.
        var exceptions: Int { missing.count + repeats.count }
    }

    private struct Candidate {
        let runs: FingerprintRuns
        var missing = CountedLines()

        var isFlawless: Bool { missing.count == 0 && runs.repeats.count == 0 }
    }

    /// The index that stands for several columns which form the key together.
    static let composite = -1

    private var candidates: [Int: Candidate] = [:]
    private let left: LeftColumns
    private let template: [CChar]
    /// For each column, the first row that has no value or repeats an earlier value.
    private(set) var firstFlaws: [Int: (line: Int, isRepeated: Bool)] = [:]

    /// The number of fingerprints in memory that all candidates share: about 16 MiB, and twice that while runs are
    /// merged. If there are more than 16 candidates, each can still have 65,536 fingerprints.
    private static let mostInMemory = 1 << 20

    /// - Parameters:
    ///   - left: Receives the columns that are no longer candidates.
    ///   - template: The `mkstemp` template for spill files.
    init(left: LeftColumns, template: [CChar]) {
        self.left = left
        self.template = template
    }

    /// Adds the keys of one batch. Call it in the order of the batches.
    ///
    /// - Parameters:
    ///   - keys: The values of the batch by column.
    ///   - rowsBefore: The number of rows before this batch. In a column that is new in this batch, these rows have no
    ///     value.
    ///   - staysAnyway: Returns whether the column has the name of a key, or is the chosen key.
    /// - Throws: ``InferenceError/spilling(code:)`` if a spill file cannot be written.
    func add(_ keys: [Int: KeyEvidence], rowsBefore: Int, staysAnyway: (Int) -> Bool) throws(InferenceError) {
        let limit = limit
        // The columns are visited in order, because every inference from the same input must give the same result.
        for column in keys.keys.sorted() where !left.contains(column) {
            guard let evidence = keys[column] else { continue }
            var candidate = candidates[column] ?? Candidate(runs: FingerprintRuns(template: template))
            if candidates[column] == nil { candidate.missing.add(count: rowsBefore) }
            candidate.missing.merge(evidence.missing)
            try candidate.runs.add(evidence.run, repeats: evidence.repeats, limit: limit)
            candidates[column] = candidate
            if !candidate.isFlawless, !staysAnyway(column) {
                candidate.runs.mergeAll()
                noteFlaw(of: column, candidate)
                leave(column)
            }
        }
    }

    /// Adds the doubtful rows that are not refused.
    func add(_ rows: [DoubtfulRow]) throws(InferenceError) {
        guard !rows.isEmpty else { return }
        for column in candidates.keys.sorted() {
            var fingerprints: [Fingerprint] = []
            var missing = CountedLines()
            for row in rows {
                // A JSON object may have been read before the column first occurred.
                if let key = row.keys[column] ?? nil { fingerprints.append(key) } else { missing.add(line: row.line) }
            }
            let evidence = KeyEvidence(fingerprints, missing: missing)
            candidates[column]?.missing.merge(missing)
            try candidates[column]?.runs.add(evidence.run, repeats: evidence.repeats, limit: limit)
        }
    }

    /// The maximum number of fingerprints of one candidate in memory.
    private var limit: Int { max(1 << 16, Self.mostInMemory / max(1, candidates.count)) }

    /// Returns the findings about the remaining candidates. Call it once, after all rows were added.
    func finish(staysAnyway: (Int) -> Bool) throws(InferenceError) -> [Int: Finding] {
        var findings: [Int: Finding] = [:]
        for (column, candidate) in candidates {
            try candidate.runs.finish()
            noteFlaw(of: column, candidate)
            if candidate.isFlawless || staysAnyway(column) {
                findings[column] = Finding(missing: candidate.missing, repeats: candidate.runs.repeats)
            }
        }
        return findings
    }

    private func noteFlaw(of column: Int, _ candidate: Candidate) {
        let missing = candidate.missing.lines.first.map { (line: $0, isRepeated: false) }
        let repeated = candidate.runs.repeats.lines.first.map { (line: $0, isRepeated: true) }
        firstFlaws[column] = [missing, repeated].compactMap(\.self).min { $0.line < $1.line }
    }

    private func leave(_ column: Int) {
        candidates[column] = nil
        left.insert(column)
    }
}

/// The columns that are no longer candidates. Workers skip them.
final class LeftColumns: Sendable {
    private let columns = Locked<Set<Int>>([])

    func contains(_ column: Int) -> Bool { columns.withLock { $0.contains(column) } }

    func insert(_ column: Int) { columns.withLock { _ = $0.insert(column) } }
}

extension InferenceOptions {
    /// The chosen source of the key; nil to find a column.
    var chosenKey: KeySource? { key == .column ? nil : key }

    /// The headers of the chosen columns of the key.
    var keyHeaders: [String] { if case .columns(let headers)? = key { headers } else { [] } }

    /// Returns whether a column may become the key although some rows have no unique value in it: the column has the
    /// name of a key, or it is the chosen key. `columns` are the columns known so far.
    func keepsAsCandidate(_ column: Int, of columns: [InferenceColumn]) -> Bool {
        guard column != KeyCandidates.composite else { return true }
        let name = columns[column].name
        return name.keyRank != nil || keyHeaders.contains { FoldedHeader($0) == FoldedHeader(name.header) }
    }
}
