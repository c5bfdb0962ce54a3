internal import ProfileCore
internal import ProfileStore
internal import Threads

/// The rows of a bulk load in the format that `COPY` reads. The stream can be used on any thread, but only by one task
/// at a time.
final class CopyStream<Load: BulkLoad>: Sendable {
    private let load: Load
    private let encoding: Locked<CopyEncoding>

    init(of load: Load, _ encoding: CopyEncoding) {
        self.load = load
        self.encoding = Locked(encoding)
    }

    /// Returns the next bytes, or nil if no bytes are left. Blocks the thread.
    func next() -> [UInt8]? { encoding.withLock { $0.next(load.nextNewRows()) } }

    /// The next id after the last row's id.
    var nextID: Int64 { encoding.withLock { $0.nextID } }

    /// Whether a value may be too long for an index.
    var mayExceedIndex: Bool { encoding.withLock { $0.longestRow > CopyEncoding.longestIndexedRow } }
}

/// Encodes new rows in the binary format of `COPY`: a header, the rows with a length before each value, and an end
/// marker. The section Binary Format in PostgreSQL's documentation of `COPY` describes this format.
struct CopyEncoding {
    private let table: ProfileTable
    private let version: Int
    private let time: Timestamp
    private(set) var nextID: Int64
    /// The maximum number of bytes of a row so far.
    private(set) var longestRow = 0
    private var hasBegun = false
    private var hasEnded = false

    /// No value of a row with at most this number of bytes is too long for an index. The server's limit is 2,704 bytes, for
    /// a value that may be compressed ("index row size exceeds btree version 4 maximum").
    static let longestIndexedRow = 2_600

    init(_ rules: RulesInForce, from firstID: Int64, at time: Timestamp) {
        table = rules.table
        version = rules.version
        self.time = time
        nextID = firstID
    }

    /// Returns the bytes of the rows in `new`. If `new` is nil, returns the end marker. After the end marker, returns
    /// nil.
    mutating func next(_ new: NewRows?) -> [UInt8]? {
        guard !hasEnded else { return nil }
        var bytes: [UInt8] = []
        if !hasBegun {
            bytes = Self.head
            hasBegun = true
        }
        guard let new else {
            hasEnded = true
            return bytes + [0xFF, 0xFF]
        }
        bytes.reserveCapacity(new.rows.bytes.count + new.new.count * (table.schema.fields.count * 4 + 120))
        for row in new.new { append(row, of: new.rows, to: &bytes) }
        return bytes
    }

    private static let head: [UInt8] =
        Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00] + [UInt8](repeating: 0, count: 8)

    private mutating func append(_ row: Int, of rows: ValidProfiles, to bytes: inout [UInt8]) {
        let bringsPassword = table.bringsPassword(row, of: rows)
        let start = bytes.count
        bytes.append(bigEndian: Int16(8 + rows.fieldCount))
        bytes.append(value: nextID)
        bytes.append(value: time.millisecondsSince1970)
        bytes.append(value: time.millisecondsSince1970)
        bytes.append(value: Int64(version))
        if bringsPassword {
            bytes.append(value: Int64(version))
            bytes.append(bigEndian: Int32(1))
            bytes.append(rows.hashIsJudged(row: row) ? 1 : 0)
        } else {
            bytes.append(bigEndian: Int32(-1))
            bytes.append(bigEndian: Int32(-1))
        }
        let key = rows.slot(row: row, field: table.schema.primaryKeyIndex)
        bytes.append(bigEndian: Int32(key.range.count))
        for byte in rows.bytes[key.range] { bytes.append(ProfileTable.folded(byte)) }
        bytes.append(value: 1)
        for field in 0..<rows.fieldCount {
            let slot = rows.slot(row: row, field: field)
            bytes.append(bigEndian: slot.isAbsent ? Int32(-1) : Int32(slot.range.count))
            if !slot.isAbsent { bytes.append(contentsOf: rows.bytes[slot.range]) }
        }
        nextID += 1
        longestRow = max(longestRow, bytes.count - start)
    }
}

extension [UInt8] {
    fileprivate mutating func append(bigEndian number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }

    /// Appends a `bigint`.
    fileprivate mutating func append(value: Int64) {
        append(bigEndian: Int32(8))
        append(bigEndian: value)
    }
}
