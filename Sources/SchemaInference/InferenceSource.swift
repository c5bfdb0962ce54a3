internal import CSVStream
internal import ProfileCore
internal import ProfileTransfer
internal import Synchronization

/// Hands out the records of an input, batch by batch, to whichever thread asks.
final class InferenceSource: Sendable {
    /// The name of the characters' encoding, where nothing but the look of the bytes tells it.
    let guessedEncoding: String?
    private let state: Mutex<State>
    private let sample: Int?
    private let choice: ColumnChoice
    /// The first record of CSV, without the white space around its cells; nil for JSON.
    private let header: [String]?

    private struct State: ~Copyable, Sendable {
        var reader: Reader
        /// Those that are known so far.
        var columns: [InferenceColumn] = []
        /// Records that were looked at to find the header, and are not handed out yet.
        var ahead: InferenceBatch?
        var rows = 0
        /// Whether there was more than the rows that were asked for.
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

    /// Opens the input, and reads the header where it has one. Blocks the thread.
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
        state = Mutex(beginning.state)
    }

    /// An input whose first records were read.
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
            // Of what is no header these say little.
            try requireHeader(header, above: firstBatch(of: &csv, [], header), options)
            throw error
        }
        let ahead = try firstBatch(of: &csv, columns, header)
        try requireHeader(header, above: ahead, options)
        return Beginning(
            header: titles, state: State(reader: .csv(csv, header: header), columns: columns, ahead: ahead))
    }

    /// Refuses a first record that is certainly no header of what follows, unless somebody has said what it is.
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

    /// What there is to know of the columns once all is read.
    struct Found {
        /// By the positions of the evidence.
        let columns: [InferenceColumn]
        /// The positions of those that become fields, or are left out with a reason.
        let chosen: [Int]
        /// The names of all columns, as far as they were looked at.
        let headers: [String]
        /// Whether there was more to read than was asked for.
        let isSample: Bool
        let guessedEncoding: String?
        /// Whether the names stand in the input's first record.
        let hasHeader: Bool
    }

    /// What was found; to be asked when nothing is read any more.
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

    /// The next records; nil at the end of the input, or of what is looked at.
    func next() throws(ByteStreamError) -> InferenceBatch? {
        try state.withLock { state throws(ByteStreamError) in
            guard state.rows < sample ?? .max else {
                // One more record tells whether there is more.
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

    private static func firstBatch(
        of csv: inout CSVReader, _ columns: [InferenceColumn], _ header: [String]
    ) throws(InferenceError) -> InferenceBatch? {
        let outcome = read(&csv, columns, header)
        do throws(ByteStreamError) { return try outcome.get() } catch { throw .input(ImportError(error)) }
    }

    fileprivate static func read(
        _ csv: inout CSVReader, _ columns: [InferenceColumn], _ header: [String]
    ) -> Result<InferenceBatch?, ByteStreamError> {
        // What is in a column that is not looked at nobody knows.
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
