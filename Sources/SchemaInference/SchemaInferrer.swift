internal import CSVStream
internal import Platform
internal import ProfileCore
public import ProfileTransfer
internal import Threads

/// Examines a file and proposes a schema that accepts every row, except rows that no schema could accept (N1).
///
/// Workers take turns at splitting the input into batches and examine their batches in parallel. Their evidence is
/// merged in the order of the input. Memory use does not grow with the input.
public struct SchemaInferrer: Sendable {
    private let options: InferenceOptions

    /// Makes an inference with options.
    public init(options: InferenceOptions = InferenceOptions()) { self.options = options }

    /// Reads the input to its end, or at most the number of rows that the options set.
    ///
    /// To import the same input afterwards, first make it readable again with
    /// ``/ProfileTransfer/ImportInput/readableAgain(keptIn:)``.
    /// - Parameters:
    ///   - input: The input. A file must not change while it is read.
    ///   - progress: Called after every batch.
    /// - Returns: The proposal. It has no ``SchemaProposal/schema`` if no column can be the key.
    /// - Throws: ``InferenceError``; `cancelled` if the task was cancelled.
    public func run(
        _ input: ImportInput, progress: @escaping @Sendable (ImportProgress) -> Void = { _ in }
    ) async throws(InferenceError) -> SchemaProposal {
        do throws(InferenceError) {
            return try await proposal(for: input, progress)
        } catch .headerFurtherDown(let line) where input.isReadableAgain {
            var options = options
            options.layout.headerLine = line
            var proposal = try await SchemaInferrer(options: options).proposal(for: input, progress)
            proposal.warnings.insert(.linesAboveHeader(line: line), at: 0)
            return proposal
        }
    }

    private func proposal(
        for input: ImportInput, _ progress: @escaping @Sendable (ImportProgress) -> Void
    ) async throws(InferenceError) -> SchemaProposal {
        let reading: InputReading
        do throws(ImportError) { reading = try InputReading(input) } catch { throw .input(error) }
        // Calling `reset` allows the input to be read again after this inference.
        defer { reading.interruption.reset() }
        let outcome: Result<SchemaProposal, InferenceError> = await withTaskCancellationHandler {
            do throws(InferenceError) {
                return .success(
                    try await ThreadPool(threads: 1).run { () throws(InferenceError) in
                        try look(through: reading, named: input.name, progress)
                    } refused: { refusal in
                        if case .noThread(let code) = refusal { return .input(.noThread(code: code)) }
                        return .cancelled
                    })
            } catch {
                return .failure(error)
            }
        } onCancel: {
            reading.interruption.interrupt()
        }
        // A cancelled inference may not have read the whole input, so its outcome is not used.
        if Task.isCancelled { throw .cancelled }
        var proposal = try outcome.get()
        if input.isReadableAgain, let closest = proposal.closestKey, closest.isRepeated {
            proposal.closestKey = (try? await repeated(closest, in: input)) ?? closest
        }
        return proposal
    }

    /// Reads the input again to find the value that a column repeats, and the first row that has it.
    private func repeated(
        _ closest: SchemaProposal.ClosestKey, in input: ImportInput
    ) async throws(InferenceError) -> SchemaProposal.ClosestKey {
        let reading: InputReading
        do throws(ImportError) { reading = try InputReading(input) } catch { throw .input(error) }
        defer { reading.interruption.reset() }
        return try await ThreadPool(threads: 1).run { () throws(InferenceError) -> SchemaProposal.ClosestKey in
            var closest = closest
            let source = try InferenceSource(reading, options: options)
            var lines: [String: Int] = [:]
            while closest.value == nil, let batch = try source.nextOrThrow() {
                guard let column = batch.columns.first(where: { $0.name.header == closest.header }) else { continue }
                batch.forEachValue(in: column.position) { value, line in
                    guard closest.value == nil, line <= closest.line else { return }
                    let folded = String(decoding: value.utf8.map(\.asciiFolded), as: UTF8.self)
                    if line == closest.line {
                        closest.value = value
                        closest.earlierLine = lines[folded]
                    } else if lines.count < Self.mostValuesRead, lines[folded] == nil {
                        lines[folded] = line
                    }
                }
            }
            return closest
        } refused: { _ in
            .cancelled
        }
    }

    /// The maximum number of values that are kept to find the first row with a repeated value.
    private static let mostValuesRead = 1 << 18

    /// Runs the inference. Blocks the thread.
    private func look(
        through reading: InputReading, named name: String, _ progress: @Sendable (ImportProgress) -> Void
    ) throws(InferenceError) -> SchemaProposal {
        let source = try InferenceSource(reading, options: options)
        let left = LeftColumns()
        let pipeline = try pipeline(of: source, left)
        var evidence: BatchEvidence
        let keys: KeyCandidates
        do throws(InferenceError) {
            (evidence, keys) = try gather(from: pipeline, left, progress)
        } catch {
            pipeline.stop()
            reading.interruption.interrupt()
            pipeline.waitUntilEnded()
            throw error
        }
        pipeline.waitUntilEnded()
        let found = try source.found()
        let secrets = ChosenSecrets(found, evidence)
        let fields = Set(found.chosen.filter { found.columns[$0].omission == nil && secrets.leftOut[$0] == nil })
        try keys.add(evidence.settle(isField: fields.contains, hashes: secrets.hashes))
        let findings = try keys.finish { options.keepsAsCandidate($0, of: found.columns) }
        var proposal = try SchemaProposal(of: name, found, evidence, keys: findings, secrets: secrets, options: options)
        if proposal.key == nil {
            let flaws = keys.firstFlaws.filter { fields.contains($0.key) && !secrets.contains($0.key) }
            proposal.closestKey = flaws.max { ($0.value.line, $1.key) < ($1.value.line, $0.key) }.map { column, flaw in
                SchemaProposal.ClosestKey(
                    header: found.columns[column].name.header, line: flaw.line, isRepeated: flaw.isRepeated)
            }
        }
        return proposal
    }

    private func gather(
        from pipeline: Pipeline, _ left: LeftColumns, _ progress: @Sendable (ImportProgress) -> Void
    ) throws(InferenceError) -> (BatchEvidence, KeyCandidates) {
        let keys = KeyCandidates(left: left, template: .temporaryFileTemplate(in: options.temporaryFolder))
        var evidence = BatchEvidence()
        while let batch = try next(of: pipeline) {
            let columns = batch.columns
            try keys.add(batch.evidence.keys, rowsBefore: evidence.certainRows) {
                options.keepsAsCandidate($0, of: columns)
            }
            evidence.merge(batch.evidence)
            progress(ImportProgress(rows: evidence.rows, rejected: 0, bytes: batch.bytesRead, hashed: nil))
        }
        return (evidence, keys)
    }

    /// The evidence of a batch.
    private struct SeenBatch: Sendable {
        let evidence: BatchEvidence
        /// The columns that were known when the batch was read.
        let columns: [InferenceColumn]
        let bytesRead: UInt64
    }

    private typealias Pipeline = OrderedPipeline<InferenceBatch, SeenBatch, ByteStreamError>

    private func pipeline(of source: InferenceSource, _ left: LeftColumns) throws(InferenceError) -> Pipeline {
        let workers = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        do throws(ThreadError) {
            return try Pipeline(workers: workers, depth: workers + 3) { () throws(ByteStreamError) in
                try source.next()
            } process: { [options] batch in
                SeenBatch(
                    evidence: BatchEvidence(of: batch, options) { !left.contains($0) }, columns: batch.columns,
                    bytesRead: batch.bytesRead)
            }
        } catch {
            throw .input(.noThread(code: error.code))
        }
    }

    private func next(of pipeline: Pipeline) throws(InferenceError) -> SeenBatch? {
        do throws(ByteStreamError) { return try pipeline.next() } catch { throw .input(ImportError(error)) }
    }
}
