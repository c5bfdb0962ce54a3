/// Splits an input into lines, pulling bytes as it goes, in memory that does not grow with the input.
///
/// A line ends with LF; a CR before it stays part of the line. A UTF-8 byte order mark is skipped.
package struct LineReader: ~Copyable, Sendable {
    /// One physical line.
    package struct Line: Sendable {
        /// From 1.
        package let number: Int
        /// Where it lies in the reader's bytes, until the next line is asked for; see ``LineReader/bytes(of:)``.
        fileprivate let range: Range<Int>
        /// Longer than the limit: its bytes are gone.
        package let isTooLong: Bool
    }

    private let source: ByteSource
    private let longestLine: Int
    /// What was read and not yet handed out begins at `start`.
    private var buffer: [UInt8] = []
    private var start = 0
    private var isAtEnd = false
    private var number = 0
    /// The bytes read from the source so far, for showing progress.
    package private(set) var bytesRead: UInt64 = 0

    /// - Parameter longestLine: In bytes.
    package init(source: ByteSource, longestLine: Int = 1 << 20) {
        self.source = source
        self.longestLine = longestLine
    }

    /// The next line; nil at the end of the input.
    package mutating func next() throws(ByteStreamError) -> Line? {
        var searched = start
        var isTooLong = false
        while true {
            if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { start = end + 1 }
                return line(start..<end, isTooLong: isTooLong)
            }
            if buffer.count - start > longestLine {
                isTooLong = true
                start = buffer.count
            }
            guard !isAtEnd else {
                guard start < buffer.count || isTooLong else { return nil }
                defer { start = buffer.count }
                return line(start..<buffer.count, isTooLong: isTooLong)
            }
            try fill()
            searched = buffer.startIndex
        }
    }

    /// The bytes of the line that was handed out last.
    @_lifetime(borrow self)
    package func bytes(of line: Line) -> Span<UInt8> { buffer.span.extracting(line.range) }

    private mutating func line(_ range: Range<Int>, isTooLong: Bool) -> Line {
        number += 1
        let isTooLong = isTooLong || range.count > longestLine
        return Line(number: number, range: isTooLong ? range.lowerBound..<range.lowerBound : range, isTooLong: isTooLong)
    }

    /// Moves what is left to the front and reads on behind it.
    private mutating func fill() throws(ByteStreamError) {
        buffer.removeSubrange(..<start)
        start = 0
        let kept = buffer.count
        let source = source
        var failure: ByteStreamError?
        var chunk = [UInt8](unsafeUninitializedCapacity: 1 << 18) { memory, count in
            do throws(ByteStreamError) {
                count = try source.read(UnsafeMutableRawBufferPointer(memory))
            } catch {
                failure = error
                count = 0
            }
        }
        if let failure { throw failure }
        isAtEnd = chunk.isEmpty
        if bytesRead == 0, chunk.starts(with: [0xEF, 0xBB, 0xBF]) { chunk.removeFirst(3) }
        bytesRead += UInt64(chunk.count)
        buffer.reserveCapacity(kept + chunk.count)
        buffer += chunk
    }
}
