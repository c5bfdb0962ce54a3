internal import CSVStream
internal import Platform

/// Sorts records by the bytes of their keys. Memory use is bounded and does not grow with the number of records.
///
/// If the records need more memory than the limit, sorted runs of them are written to an encrypted file without a name,
/// and merged at the end. Records with equal keys may come in any order.
final class RecordSorter {
    /// A record: its key and its contents.
    struct Record {
        let key: [UInt8]
        let contents: [UInt8]
    }

    private struct Place {
        /// The first eight bytes of the key, which decide most comparisons.
        let prefix: UInt64
        let start: Int
        let keyCount: Int
        let count: Int
    }

    private let folder: String
    private let memory: Int
    /// The keys and the contents of the records in memory.
    private var bytes: [UInt8] = []
    private var places: [Place] = []
    private var file: RunFile?
    private var runs: [Range<Int64>] = []
    private var readers: [RunReader]?
    /// The number of records that were returned from memory.
    private var returned = 0

    /// - Parameters:
    ///   - folder: The folder of the encrypted file.
    ///   - memory: The memory limit in bytes. When the records reach this limit, they are written as a run.
    init(in folder: String, memory: Int = 32 << 20) {
        self.folder = folder
        self.memory = memory
    }

    /// Adds a record.
    ///
    /// - Throws: A `write` error if a run cannot be written.
    func add(key: [UInt8], _ contents: [UInt8]) throws(ByteStreamError) {
        places.append(
            Place(prefix: Self.prefix(of: key), start: bytes.count, keyCount: key.count, count: contents.count))
        bytes += key
        bytes += contents
        if bytes.count + places.count * MemoryLayout<Place>.stride >= memory { try writeRun() }
    }

    /// Sorts the records in memory, or prepares the merge of the runs. Then ``next()`` returns the records. No record
    /// may be added afterwards.
    func finish() throws(ByteStreamError) {
        guard let file else { return sort() }
        try writeRun()
        bytes = []
        places = []
        // All buffers together need about `memory` bytes. If there are more readers, each buffer is smaller.
        let buffer = max(1 << 12, min(1 << 18, memory / max(1, runs.count)))
        var readers = runs.map { RunReader($0, of: file, bufferBytes: buffer) }
        for index in readers.indices { try readers[index].advance() }
        readers.removeAll { $0.record == nil }
        for index in readers.indices.reversed() { Self.sink(index, in: &readers) }
        self.readers = readers
    }

    /// Returns the next record in the order of the keys; nil after the last one.
    ///
    /// - Throws: A `read` error if a run cannot be read.
    func next() throws(ByteStreamError) -> Record? {
        guard readers != nil else {
            guard returned < places.count else { return nil }
            defer { returned += 1 }
            let place = places[returned]
            let middle = place.start + place.keyCount
            return Record(
                key: Array(bytes[place.start..<middle]), contents: Array(bytes[middle..<middle + place.count]))
        }
        return try nextOfRuns()
    }

    private func nextOfRuns() throws(ByteStreamError) -> Record? {
        var readers = self.readers.take() ?? []
        defer { self.readers = readers }
        guard let record = readers.first?.record else { return nil }
        try readers[0].advance()
        if readers[0].record == nil {
            readers.swapAt(0, readers.count - 1)
            readers.removeLast()
        }
        Self.sink(0, in: &readers)
        return record
    }

    // MARK: Memory

    private func sort() {
        bytes.withUnsafeBufferPointer { bytes in
            places.sort { left, right in
                if left.prefix != right.prefix { return left.prefix < right.prefix }
                guard let start = bytes.baseAddress else { return false }
                let order = memcmp(start + left.start, start + right.start, min(left.keyCount, right.keyCount))
                return order != 0 ? order < 0 : left.keyCount < right.keyCount
            }
        }
    }

    private static func prefix(of key: [UInt8]) -> UInt64 {
        var prefix: UInt64 = 0
        for index in 0..<8 { prefix = prefix << 8 | UInt64(index < key.count ? key[index] : 0) }
        return prefix
    }

    private func writeRun() throws(ByteStreamError) {
        guard !places.isEmpty else { return }
        if file == nil { file = try RunFile(in: folder) }
        guard let file else { return }
        sort()
        let start = file.end
        var buffer: [UInt8] = []
        for place in places {
            buffer.append(length: UInt32(truncatingIfNeeded: place.keyCount))
            buffer.append(length: UInt32(truncatingIfNeeded: place.count))
            buffer += bytes[place.start..<place.start + place.keyCount + place.count]
            if buffer.count >= 1 << 18 {
                try file.append(buffer)
                buffer.removeAll(keepingCapacity: true)
            }
        }
        try file.append(buffer)
        runs.append(start..<file.end)
        bytes.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
    }

    // MARK: Merging

    /// Restores the heap: the reader with the least key is the first.
    private static func sink(_ start: Int, in readers: inout [RunReader]) {
        var parent = start
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < readers.count {
                if readers[child].precedes(readers[least]) { least = child }
            }
            if least == parent { return }
            readers.swapAt(parent, least)
            parent = least
        }
    }
}

/// The file of the runs.
private final class RunFile {
    private let file: EncryptedFile
    private(set) var end: Int64 = 0

    init(in folder: String) throws(ByteStreamError) { file = try EncryptedFile(in: folder) }

    func append(_ bytes: [UInt8]) throws(ByteStreamError) {
        try bytes.span.withUnsafeBytes { bytes throws(ByteStreamError) in try file.write(bytes, at: end) }
        end += Int64(bytes.count)
    }

    func bytes(_ range: Range<Int64>) throws(ByteStreamError) -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: range.count) { memory, initialized throws(ByteStreamError) in
            let bytes = UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: memory[..<range.count]))
            try file.fill(bytes, at: range.lowerBound)
            initialized = range.count
        }
    }
}

/// Reads one run from its first record to its last.
private struct RunReader {
    /// The current record; nil before the first `advance()` and at the end.
    private(set) var record: RecordSorter.Record?
    private var rest: Range<Int64>
    private var buffer: [UInt8] = []
    private var index = 0
    private let bufferBytes: Int
    private let file: RunFile

    init(_ run: Range<Int64>, of file: RunFile, bufferBytes: Int) {
        rest = run
        self.file = file
        self.bufferBytes = bufferBytes
    }

    mutating func advance() throws(ByteStreamError) {
        record = nil
        guard try read(8) else { return }
        let (keyCount, count) = (Int(buffer.length(at: index)), Int(buffer.length(at: index + 4)))
        index += 8
        guard try read(keyCount + count) else { return }
        let middle = index + keyCount
        record = RecordSorter.Record(
            key: Array(buffer[index..<middle]), contents: Array(buffer[middle..<middle + count]))
        index = middle + count
    }

    func precedes(_ other: RunReader) -> Bool {
        guard let record, let others = other.record else { return record != nil }
        return record.key.lexicographicallyPrecedes(others.key)
    }

    /// Reads until the buffer has at least `count` unread bytes. Returns false at the end of the run.
    private mutating func read(_ count: Int) throws(ByteStreamError) -> Bool {
        guard buffer.count - index < count else { return true }
        buffer.removeFirst(index)
        index = 0
        let wanted = min(Int64(max(bufferBytes, count - buffer.count)), rest.upperBound - rest.lowerBound)
        if wanted > 0 {
            buffer += try file.bytes(rest.lowerBound..<rest.lowerBound + wanted)
            rest = rest.lowerBound + wanted..<rest.upperBound
        }
        return buffer.count >= count
    }
}
