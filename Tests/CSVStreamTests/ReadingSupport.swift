import CSVStream
import Platform
import Testing

/// A record as a value, for comparing.
struct Row: Equatable, CustomStringConvertible {
    var line: Int
    var number: Int
    var cells: [[UInt8]]
    var fault: RecordFault?

    init(line: Int, number: Int, cells: [[UInt8]], fault: RecordFault? = nil) {
        self.line = line
        self.number = number
        self.cells = cells
        self.fault = fault
    }

    var texts: [String] { cells.map { String(decoding: $0, as: UTF8.self) } }
    var description: String { "\(number)@\(line) \(texts) \(fault.map { "\($0)" } ?? "")" }
}

extension RecordBatch {
    func bytes(ofCell index: Int) -> [UInt8] {
        let span = cell(index)
        return span.indices.map { span[$0] }
    }

    var rows: [Row] {
        records.map { record in
            Row(
                line: record.line, number: record.number, cells: record.cells.map { bytes(ofCell: $0) },
                fault: record.fault)
        }
    }
}

func readAll(_ source: ByteSource, options: CSVOptions = CSVOptions()) throws -> [Row] {
    var reader = CSVReader(options: options, source: source)
    var batch = RecordBatch()
    var rows: [Row] = []
    while try reader.next(into: &batch) { rows += batch.rows }
    return rows
}

func readAll(_ bytes: [UInt8], options: CSVOptions = CSVOptions(), chunk: Int = .max) throws -> [Row] {
    try readAll(.bytes(bytes, chunk: chunk), options: options)
}

func readAll(_ text: String, options: CSVOptions = CSVOptions(), chunk: Int = .max) throws -> [Row] {
    try readAll(Array(text.utf8), options: options, chunk: chunk)
}

extension CSVOptions {
    static func separated(
        by byte: Character, maximumRecordBytes: Int = 1 << 20, batchBytes: Int = 1 << 20
    ) throws -> CSVOptions {
        let delimiter = try #require(byte.asciiValue.flatMap { CSVDelimiter($0) })
        return CSVOptions(
            delimiter: .character(delimiter), maximumRecordBytes: maximumRecordBytes, batchBytes: batchBytes)
    }
}

func utf16(_ text: String, bigEndian: Bool) -> [UInt8] { utf16([0xFEFF] + Array(text.utf16), bigEndian: bigEndian) }

func utf16(_ units: [UInt16], bigEndian: Bool) -> [UInt8] {
    units.flatMap { unit in
        let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
        return bigEndian ? [high, low] : [low, high]
    }
}
