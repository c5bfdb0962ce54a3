/// The fingerprints of a column, of any number, in memory that does not grow with it.
///
/// Sorted runs are merged with others of their size, so that a value is moved a logarithmic number of times and a repeat
/// is found as soon as its runs meet. What memory does not hold goes to disk as one run, and is merged at the end.
final class FingerprintRuns {
    /// The repeats that were found so far.
    private(set) var repeats = CountedLines()
    /// From the longest to the shortest.
    private var runs: [FingerprintRun] = []
    private var spilled: [SpillFile.Part] = []
    private var file: SpillFile?
    private let template: [CChar]

    /// What does not fit into memory goes to a file of a name of this template of `mkstemp`.
    init(template: [CChar]) { self.template = template }

    /// Adds the values of a batch.
    ///
    /// - Parameters:
    ///   - run: Theirs.
    ///   - repeats: Those within the batch.
    ///   - limit: The most fingerprints that are kept in memory.
    /// - Throws: Why what memory does not hold cannot be written.
    func add(_ run: FingerprintRun, repeats: CountedLines, limit: Int) throws(InferenceError) {
        self.repeats.merge(repeats)
        var run = run
        while let last = runs.last, last.fingerprints.count <= 2 * run.fingerprints.count {
            runs.removeLast()
            run = FingerprintRun(last, run, repeats: &self.repeats)
        }
        runs.append(run)
        if runs.reduce(0, { $0 + $1.fingerprints.count }) > limit { try spill() }
    }

    /// Finds the repeats that are left; nothing is added afterwards.
    func finish() throws(InferenceError) {
        mergeAll()
        guard !spilled.isEmpty else { return }
        try spill()
        guard let parts = file?.read(spilled) else { return }
        var readers = parts
        try FingerprintHeap.merge(&readers, repeats: &repeats)
    }

    private func mergeAll() {
        while runs.count > 1 {
            let last = runs.removeLast()
            let before = runs.removeLast()
            runs.append(FingerprintRun(before, last, repeats: &repeats))
        }
    }

    private func spill() throws(InferenceError) {
        mergeAll()
        guard let run = runs.popLast(), !run.fingerprints.isEmpty else { return }
        if file == nil { file = try SpillFile(template) }
        if let part = try file?.append(run.fingerprints) { spilled.append(part) }
    }
}
