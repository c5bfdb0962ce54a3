/// All fingerprints of a column. Memory use is bounded and does not grow with their number.
///
/// Sorted runs of similar size are merged, so each value is moved a logarithmic number of times. A repeated value is
/// found when the two runs that contain it are merged. If the memory limit is exceeded, the fingerprints are spilled to
/// disk as one run. `finish()` merges the spilled runs.
final class FingerprintRuns {
    /// The repeats found so far.
    private(set) var repeats = CountedLines()
    /// The runs in memory, from the longest to the shortest.
    private var runs: [FingerprintRun] = []
    private var spilled: [SpillFile.Part] = []
    private var file: SpillFile?
    private let template: [CChar]

    /// Makes an empty collection. `template` is a `mkstemp` template for the spill file.
    init(template: [CChar]) { self.template = template }

    /// Adds the values of a batch.
    ///
    /// - Parameters:
    ///   - run: The fingerprints of the values.
    ///   - repeats: The repeats within the batch.
    ///   - limit: The maximum number of fingerprints in memory.
    /// - Throws: ``InferenceError/spilling(code:)`` if the spill file cannot be written.
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

    /// Finds the remaining repeats. No values may be added afterwards.
    func finish() throws(InferenceError) {
        mergeAll()
        guard !spilled.isEmpty else { return }
        try spill()
        guard let parts = file?.read(spilled) else { return }
        var readers = parts
        try FingerprintHeap.merge(&readers, repeats: &repeats)
    }

    /// Finds the repeats among the values in memory.
    func mergeAll() {
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
