internal import CSVStream
internal import ProfileCore
internal import Synchronization

/// Hands out the records of an input, batch by batch, to whichever thread asks.
final class InferenceSource: Sendable {
    /// The name of the characters' encoding, where nothing but the look of the bytes tells it.
    let guessedEncoding: String?
    private let state: Mutex<State>
    private let sample: Int?

    private struct State: ~Copyable, Sendable {
        var reader: Reader
        /// Those that are known so far.
        var columns: [ColumnName] = []
        /// Records that were looked at to find the header, and are not handed out yet.
        var ahead: InferenceBatch?
        var rows = 0
        /// Whether there was more than the rows that were asked for.
        var isSample = false
    }

    private enum Reader: ~Copyable, Sendable {
        case csv(CSVReader, header: [String])
        case json(MemberReader)

        mutating func next(_ columns: inout [ColumnName]) throws(ByteStreamError) -> InferenceBatch? {
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
        let input: OpenedInput
        do throws(InputError) {
            input = try OpenedInput(
                source, format: options.format, encoding: options.encoding,
                batchRecords: ImportSource.recordsPerBatch)
        } catch {
            throw .input(ImportError(error))
        }
        guessedEncoding = input.isEncodingGuessed ? input.encoding.name : nil
        switch consume input.records {
        case .json(let elements): state = Mutex(State(reader: .json(MemberReader(elements))))
        case .csv(var csv):
            let header: [String]
            do throws(ImportError) { header = try ImportSource.header(of: &csv) } catch { throw .input(error) }
            let columns = header.map(ColumnName.init)
            let outcome = Self.read(&csv, columns, header)
            let ahead: InferenceBatch?
            do throws(ByteStreamError) { ahead = try outcome.get() } catch { throw .input(ImportError(error)) }
            if let ahead { try Self.requireHeader(header, above: ahead.records.batch, options) }
            state = Mutex(State(reader: .csv(csv, header: header), columns: columns, ahead: ahead))
        }
    }

    /// Refuses a first record that is certainly no header of what follows, unless somebody has said what it is.
    private static func requireHeader(
        _ header: [String], above records: borrowing RecordBatch, _ options: InferenceOptions
    ) throws(InferenceError) {
        guard options.columns.isEmpty else { return }
        let search = HeaderSearch(in: records)
        if case .automatic = options.format, let delimiter = search.delimiter(below: header) {
            throw .input(.otherDelimiter(delimiter))
        }
        if let line = search.line(below: header) { throw .headerFurtherDown(line: line) }
    }

    /// Those that are known so far.
    var columns: [ColumnName] { state.withLock { $0.columns } }

    /// Whether there was more to read than was asked for.
    var isSample: Bool { state.withLock { $0.isSample } }

    /// The next records; nil at the end of the input, or of what is looked at.
    func next() throws(ByteStreamError) -> InferenceBatch? {
        try state.withLock { state throws(ByteStreamError) in
            guard state.rows < sample ?? .max else { return nil }
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

    fileprivate static func read(
        _ csv: inout CSVReader, _ columns: [ColumnName], _ header: [String]
    ) -> Result<InferenceBatch?, ByteStreamError> {
        var records = RecordBatch(containsSecrets: columns.contains { $0.secrecy != .none })
        do throws(ByteStreamError) {
            guard try csv.next(into: &records) else { return .success(nil) }
        } catch {
            return .failure(error)
        }
        return .success(InferenceBatch(records, columns: columns, header: header, bytesRead: csv.bytesRead))
    }
}
