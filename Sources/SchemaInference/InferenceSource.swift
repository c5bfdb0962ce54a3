internal import CSVStream
internal import ProfileCore
internal import ProfileTransfer
internal import Threads

/// Reads the records of an input in batches. Any thread may read the next batch.
final class InferenceSource: Sendable {
    /// The name of the character encoding, if it was guessed from the bytes; otherwise nil.
    let guessedEncoding: String?
    /// The detected delimiter; nil for JSON.
    private let delimiter: UInt8?
    private let state: Locked<State>
    private let sample: Int?
    private let choice: ColumnChoice
    private let omitted: Set<String>
    /// The header of a CSV input; nil for JSON.
    private let header: TableHeader?

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
        case csv(TableReader)
        case json(MemberReader)

        /// The positions of columns whose member is null or a JSON object in every record. Such a column has no value;
        /// the members of the object have columns of their own.
        var objectColumns: Set<Int> {
            switch self {
            case .csv: []
            case .json(let members): members.objectColumns()
            }
        }

        mutating func next(_ columns: inout [InferenceColumn]) throws(ByteStreamError) -> InferenceBatch? {
            let outcome: Result<InferenceBatch?, ByteStreamError>
            switch consume self {
            case .csv(var table):
                outcome = InferenceSource.read(&table, columns)
                self = .csv(table)
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

    private let sheet: (any SheetInput)?

    /// Opens the input, and reads the header if it has one. Blocks the thread.
    init(_ reading: InputReading, options: InferenceOptions) throws(InferenceError) {
        sample = options.sample
        sheet = reading.sheet
        let choice = ColumnChoice(options.columns)
        self.choice = choice
        omitted = options.omittedColumns
        let input: OpenedInput
        // The file may have columns that the schema of the store does not have.
        var importing = ImportOptions()
        importing.ignoresUnknownColumns = true
        do throws(InputError) {
            input = try OpenedInput(
                reading, format: options.format, encoding: options.encoding, layout: options.layout,
                usual: options.store?.importSettings ?? ImportSettings(),
                header: options.store.map { StoreHeader($0, importing) },
                batchRecords: ImportSource.recordsPerBatch)
        } catch {
            throw .input(ImportError(error))
        }
        guessedEncoding = input.isEncodingGuessed ? input.encoding.name : nil
        let layout = input.layout
        let beginning = try input.read { (csv: consuming CSVReader) throws(InferenceError) in
            try Self.beginning(of: csv, layout, choice, options)
        } json: { (elements: consuming JSONElementReader) throws(InferenceError) in
            let members = MemberReader(
                elements, choice: choice, types: options.types, omittedCount: options.omittedColumns.count)
            return Beginning(header: nil, delimiter: nil, state: State(reader: .json(members)))
        }
        header = beginning.header
        delimiter = beginning.delimiter
        state = Locked(beginning.state)
    }

    /// The state of an input after its first records were read.
    private struct Beginning: ~Copyable {
        let header: TableHeader?
        let delimiter: UInt8?
        let state: State
    }

    private static func beginning(
        of csv: consuming CSVReader, _ layout: TableLayout, _ choice: ColumnChoice, _ options: InferenceOptions
    ) throws(InferenceError) -> Beginning {
        var table: TableReader
        do throws(ImportError) { table = try TableReader(csv, layout: layout) } catch { throw .input(error) }
        let header = table.header
        let titles = header.names.map(\.trimmed)
        var columns: [InferenceColumn] = []
        do throws(InferenceError) {
            columns = try choice.columns(among: titles)
                .filter { !ImportColumns.rejectColumns.contains(titles[$0]) }
                .map { InferenceColumn(titles[$0], at: $0, types: options.types) }
            try columns.leaveOut(options.omittedColumns)
            try columns.requireFields()
        } catch {
            // If the first record is not a header, `headerFurtherDown` is more useful than the errors about columns.
            try requireHeader(header, above: firstBatch(of: &table, []), options)
            throw error
        }
        let ahead = try firstBatch(of: &table, columns)
        try requireHeader(header, above: ahead, options)
        return Beginning(
            header: header, delimiter: table.delimiter.byte,
            state: State(reader: .csv(table), columns: columns, ahead: ahead))
    }

    /// Throws if the first record is certainly not a header of the rows that follow. Also throws if these rows probably
    /// have another delimiter than the detected one. Nothing is checked if the options choose columns. If the options
    /// give the line of the header, only the delimiter is checked.
    private static func requireHeader(
        _ header: TableHeader, above batch: InferenceBatch?, _ options: InferenceOptions
    ) throws(InferenceError) {
        guard options.columns.isEmpty, header.isInInput, let batch else { return }
        let search = HeaderSearch(in: batch.records.batch)
        if case .automatic = options.format, let delimiter = search.delimiter(below: header.cells) {
            throw .input(.otherDelimiter(delimiter))
        }
        guard options.layout.headerLine == nil else { return }
        if let line = search.line(below: header.cells) { throw .headerFurtherDown(line: line) }
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
        /// The detected delimiter; nil for JSON.
        let delimiter: UInt8?
        /// The header of a CSV input; nil for JSON.
        let table: TableHeader?
        /// The unusual features of the sheet, if the input is a workbook.
        let sheetWarnings: [InputWarning]
    }

    /// Returns the facts about the columns. Call it after reading has ended.
    func found() throws(InferenceError) -> Found {
        var (columns, isSample, objects) = state.withLock { ($0.columns, $0.isSample, $0.reader.objectColumns) }
        // In JSON, any object may have the member that an option names, so the names are checked at the end.
        if header == nil { try columns.leaveOut(omitted) }
        let names = columns.map(\.name.header)
        let chosen =
            header == nil
            ? try choice.columns(among: names).filter { !objects.contains($0) } : Array(columns.indices)
        try chosen.map { columns[$0] }.requireFields()
        guard columns.count <= ImportColumns.mostColumns else {
            throw .input(.tooManyColumns(columns.count, most: ImportColumns.mostColumns))
        }
        return Found(
            columns: columns, chosen: chosen,
            headers: header?.names.map(\.trimmed) ?? names.indices.filter { !objects.contains($0) }.map { names[$0] },
            isSample: isSample, guessedEncoding: guessedEncoding, delimiter: delimiter, table: header,
            sheetWarnings: sheet?.warnings ?? [])
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

    /// Returns the next records as ``next()`` does, but throws an ``InferenceError``.
    func nextOrThrow() throws(InferenceError) -> InferenceBatch? {
        do throws(ByteStreamError) { return try next() } catch { throw .input(ImportError(error)) }
    }

    private static func firstBatch(
        of table: inout TableReader, _ columns: [InferenceColumn]
    ) throws(InferenceError) -> InferenceBatch? {
        let outcome = read(&table, columns)
        do throws(ByteStreamError) { return try outcome.get() } catch { throw .input(ImportError(error)) }
    }

    fileprivate static func read(
        _ table: inout TableReader, _ columns: [InferenceColumn]
    ) -> Result<InferenceBatch?, ByteStreamError> {
        let header = table.header
        // The records count as secret if some columns are not examined, because such a column may hold secrets.
        let isSecret = columns.count < header.names.count || columns.contains { $0.name.secrecy != .none }
        do throws(ByteStreamError) {
            guard let records = try table.next(containsSecrets: isSecret) else { return .success(nil) }
            return .success(InferenceBatch(records, columns: columns, header: header, bytesRead: table.bytesRead))
        } catch {
            return .failure(error)
        }
    }
}
