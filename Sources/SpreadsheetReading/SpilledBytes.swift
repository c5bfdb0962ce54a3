internal import CSVStream
internal import Platform
internal import ProfileTransfer

/// Bytes that are appended once and read at any offset. If they exceed a limit, the rest is kept in an encrypted file
/// without a name.
struct SpilledBytes: ~Copyable {
    private(set) var count = 0
    /// The first bytes, in blocks of equal size.
    private var blocks: [[UInt8]] = []
    /// The number of blocks that stay in memory.
    private let mostBlocks: Int
    /// The last block, which is not full.
    private var last: [UInt8] = []
    private var file: EncryptedFile?
    private let folder: String
    private let pages = PageCache()

    private static let blockSize = 1 << 20

    init(limit: Int, folder: String) {
        mostBlocks = max(1, limit / Self.blockSize)
        self.folder = folder
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) throws(ByteStreamError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let taken = rest.prefix(Self.blockSize - last.count)
            last.append(contentsOf: taken)
            count += taken.count
            rest = rest.dropFirst(taken.count)
            if last.count == Self.blockSize { try keepBlock() }
        }
    }

    private mutating func keepBlock() throws(ByteStreamError) {
        if blocks.count < mostBlocks {
            blocks.append(last)
            last = []
            return
        }
        if file == nil { file = try EncryptedFile(in: folder) }
        let position = Int64(count - last.count - blocks.count * Self.blockSize)
        try last.span.withUnsafeBytes { bytes throws(ByteStreamError) in try file?.write(bytes, at: position) }
        last.removeAll(keepingCapacity: true)
    }

    /// Passes the bytes of a range to `body`, in one or several pieces.
    mutating func read(
        _ range: Range<Int>, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(ByteStreamError) {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "the range lies inside the bytes")
        let inMemory = blocks.count * Self.blockSize
        let lastStart = count - last.count
        var position = range.lowerBound
        while position < range.upperBound {
            let wanted = range.upperBound - position
            if position < inMemory {
                let (block, offset) = position.quotientAndRemainder(dividingBy: Self.blockSize)
                let length = min(wanted, Self.blockSize - offset)
                blocks[block].withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[offset..<offset + length])) }
                position += length
            } else if position >= lastStart {
                let offset = position - lastStart
                last.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[offset..<offset + wanted])) }
                position += wanted
            } else {
                let length = min(wanted, lastStart - position)
                position += try readPage(at: position - inMemory, upTo: length, body)
            }
        }
    }

    /// Passes bytes of one page of the file to `body`, and returns their number.
    private mutating func readPage(
        at position: Int, upTo length: Int, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(ByteStreamError) -> Int {
        let (page, offset) = position.quotientAndRemainder(dividingBy: PageCache.pageSize)
        if !pages.has(page) {
            // The file consists of whole blocks, and a block consists of whole pages.
            try file?.fill(pages.replace(with: page), at: Int64(page * PageCache.pageSize))
        }
        let length = min(length, PageCache.pageSize - offset)
        body(UnsafeRawBufferPointer(rebasing: pages.bytes(of: page)[offset..<offset + length]))
        return length
    }
}

/// A direct-mapped cache of the pages of a file.
///
/// This type is a class because of a compiler bug. With the optimiser of Swift 6.3, the destruction of a non-copyable
/// structure with this memory did not end.
private final class PageCache {
    static let pageSize = 4_096
    private static let places = 4_096

    private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var pages: [Int] = []

    deinit {
        if let start = memory.baseAddress { explicit_bzero(start, memory.count) }
        memory.deallocate()
    }

    func has(_ page: Int) -> Bool { !pages.isEmpty && pages[page % Self.places] == page }

    func bytes(of page: Int) -> UnsafeRawBufferPointer {
        let start = page % Self.places * Self.pageSize
        return UnsafeRawBufferPointer(rebasing: memory[start..<start + Self.pageSize])
    }

    /// Returns the memory of a page, for the caller to fill.
    func replace(with page: Int) -> UnsafeMutableRawBufferPointer {
        if pages.isEmpty {
            memory = .allocate(byteCount: Self.places * Self.pageSize, alignment: 16)
            pages = [Int](repeating: -1, count: Self.places)
        }
        let place = page % Self.places
        pages[place] = page
        return UnsafeMutableRawBufferPointer(rebasing: memory[place * Self.pageSize..<(place + 1) * Self.pageSize])
    }
}
