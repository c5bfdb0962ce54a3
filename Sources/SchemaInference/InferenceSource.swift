internal import CSVStream
internal import ProfileCore
internal import ProfileTransfer
internal import Threads

/// Reads the records of an input in batches. Any thread may read the next batch.
final class InferenceSource: Sendable {
    /// The name of the character encoding, if it was guessed from the bytes; otherwise nil.
    let guessedEncoding: String?
    private let state: Locked<State>
    private let sample: Int?
    private let choice: ColumnChoice
    /// The first record of a CSV input, with trimmed cells; nil for JSON.
    private let header: [String]?

    private struct State: ~Copyable, Sendable {
        var reader: Reader
        /// The columns known so far.
        var columns: [InferenceColumn] = []
        /// Records that were read to check the header and have not been returned yet.
        var ahead: InferenceBatch?
        var rows = 0
        /// Whether the input has more rows than the sample.
        var isSample = false
    }

    private enum Reader: ~Copyable, Sendable {
        case csv(CSVReader, header: [String])
        case json(MemberReader)

        mutating func next(_ columns: inout [InferenceColumn]) throws(ByteStreamError) -> InferenceBatch? {
            let outcome: Result<InferenceBatch?, ByteStreamError>
            switch consume self {
            case .csv(var csv, let header):
                outcome = InferenceSource.read(&csv, columns, header)
                self = .csv(csv, header: header)
            case .json(var members):
                do throws(ByteStreamError) {
                    outcome = .success(try members.next(&columns))
                } catch {
                    outcome = .failure(error)
                }
                self = .json(members)
            }
            return try outcome.get()
        }
    }

    /// Opens the input, and reads the header if it has one. Blocks the thread.
    init(_ source: ByteSource, options: InferenceOptions) throws(InferenceError) {
        sample = options.sample
        let choice = ColumnChoice(options.columns)
        self.choice = choice
        let input: OpenedInput
        do throws(InputError) {
            input = try OpenedInput(
                source, format: options.format, encoding: options.encoding,
                batchRecords: ImportSource.recordsPerBatch)
        } catch {
            throw .input(ImportError(error))
        }
        guessedEncoding = input.isEncodingGuessed ? input.encoding.name : nil
        let beginning = try input.read { (csv: consuming CSVReader) throws(InferenceError) in
            try Self.beginning(of: csv, choice, options)
        } json: { (elements: consuming JSONElementReader) throws(InferenceError) in
            Beginning(header: nil, state: State(reader: .json(MemberReader(elements, choice: choice))))
        }
        header = beginning.header
        state = Locked(beginning.state)
    }

    /// The state of an input after its first records were read.
    private struct Beginning: ~Copyable {
        let header: [String]?
        let state: State
    }

    private static func beginning(
        of csv: consuming CSVReader, _ choice: ColumnChoice, _ options: InferenceOptions
    ) throws(InferenceError) -> Beginning {
        let header: [String]
        do throws(ImportError) { header = try ImportSource.header(of: &csv) } catch { throw .input(error) }
        let titles = header.map(\.trimmed)
        var columns: [InferenceColumn] = []
        do throws(InferenceError) {
            columns = try choice.columns(among: titles)
                .filter { !ImportColumns.rejectColumns.contains(titles[$0]) }
                .map { InferenceColumn(titles[$0], at: $0) }
            try columns.requireFields()
        } catch {
            // If the first record is not a header, `headerFurtherDown` is more useful than the errors about columns.
            try requireHeader(header, above: firstBatch(of: &csv, [], header), options)
            throw error
        }
        let ahead = try firstBatch(of: &csv, columns, header)
        try requireHeader(header, above: ahead, options)
        return Beginning(
            header: titles, state: State(reader: .csv(csv, header: header), columns: columns, ahead: ahead))
    }

    /// Throws if the first record is certainly not a header of the rows that follow, unless the options choose columns
    /// that it names.
    private static func requireHeader(
        _ header: [String], above batch: InferenceBatch?, _ options: InferenceOptions
    ) throws(InferenceError) {
        guard options.columns.isEmpty, let batch else { return }
        let search = HeaderSearch(in: batch.records.batch)
        if case .automatic = options.format, let delimiter = search.delimiter(below: header) {
            throw .input(.otherDelimiter(delimiter))
        }
        if let line = search.line(below: header) { throw .headerFurtherDown(line: line) }
    }

    /// The facts about the columns that are known at the end of the input.
    struct Found {
        /// The columns. A column has the same index here and in `BatchEvidence.columns`.
        let columns: [InferenceColumn]
        /// The positions of the columns that become fields or are left out with a reason.
        let chosen: [Int]
        /// The headers of all known columns.
        let headers: [String]
        /// Whether the input has more rows than the sample.
        let isSample: Bool
        let guessedEncoding: String?
        /// Whether the headers are in the input's first record.
        let hasHeader: Bool
    }

    /// Returns the facts about the columns. Call it after reading has ended.
    func found() throws(InferenceError) -> Found {
        let (columns, isSample) = state.withLock { ($0.columns, $0.isSample) }
        let names = columns.map(\.name.header)
        let chosen = header == nil ? try choice.columns(among: names) : Array(columns.indices)
        try chosen.map { columns[$0] }.requireFields()
        guard columns.count <= ImportColumns.mostColumns else {
            throw .input(.tooManyColumns(columns.count, most: ImportColumns.mostColumns))
        }
        return Found(
            columns: columns, chosen: chosen, headers: header ?? names, isSample: isSample,
            guessedEncoding: guessedEncoding, hasHeader: header != nil)
    }

    /// Returns the next records; nil at the end of the input or of the sample.
    func next() throws(ByteStreamError) -> InferenceBatch? {
        try state.withLock { state throws(ByteStreamError) in
            guard state.rows < sample ?? .max else {
                // Reads one more batch to learn whether the input has more rows.
                var columns = state.columns
                if !state.isSample { state.isSample = try state.reader.next(&columns) != nil }
                return nil
            }
            var next = state.ahead.take()
            if next == nil { next = try state.reader.next(&state.columns) }
            guard var batch = next else { return nil }
            let before = state.rows
            state.rows += batch.count
            if let sample, state.rows > sample {
                state.isSample = true
                batch.count = sample - before
            }
            return batch
        }
    }

    /// Returns the next records; nil at the end of the input.
    func nextOrThrow() throws(InferenceError) -> InferenceBatch? {
        do throws(ByteStreamError) { return try next() } catch { throw .input(ImportError(error)) }
    }

    private static func firstBatch(
        of csv: inout CSVReader, _ columns: [InferenceColumn], _ header: [String]
    ) throws(InferenceError) -> InferenceBatch? {
        let outcome = read(&csv, columns, header)
        do throws(ByteStreamError) { return try outcome.get() } catch { throw .input(ImportError(error)) }
    }

    fileprivate static func read(
        _ csv: inout CSVReader, _ columns: [InferenceColumn], _ header: [String]
    ) -> Result<InferenceBatch?, ByteStreamError> {
        // The records count as secret if some columns are not examined, because such a column may hold secrets.
        let isSecret = columns.count < header.count || columns.contains { $0.name.secrecy != .none }
        var records = RecordBatch(containsSecrets: isSecret)
        do throws(ByteStreamError) {
            guard try csv.next(into: &records) else { return .success(nil) }
        } catch {
            return .failure(error)
        }
        return .success(InferenceBatch(records, columns: columns, header: header, bytesRead: csv.bytesRead))
    }
}
