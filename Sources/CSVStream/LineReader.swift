/// Splits an input into lines, pulling bytes as it goes, in memory that does not grow with the input.
///
/// A line ends with LF; a CR before it stays part of the line. A byte order mark is skipped, and tells UTF-16, which
/// arrives as UTF-8. The bytes are zeroed when they are given up, since they may hold secrets.
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

    /// The bytes read from the source so far, for showing progress.
    package var bytesRead: UInt64 { input.bytesRead }

    private var input: TextInput
    private let longestLine: Int
    /// What was read and not yet handed out begins at `start`.
    private var buffer = ByteBuffer(isSecret: true)
    private var start = 0
    /// Up to here the line at `start` has no end.
    private var searched = 0
    /// Whether the line at `start` is the rest of one that was too long.
    private var isTooLong = false
    private var number = 0

    private static let chunk = 1 << 18

    /// Makes a reader of lines up to a length in bytes, their ends not counted.
    package init(source: ByteSource, longestLine: Int = 1 << 20) {
        input = TextInput(source: source)
        self.longestLine = max(1, longestLine)
    }

    /// The next line; nil at the end of the input.
    ///
    /// - Throws: What the source throws. The reader goes on where it was if asked again.
    package mutating func next() throws(ByteStreamError) -> Line? {
        while true {
            let end = firstLineFeed(from: searched)
            if end < buffer.count { return takeLine(endingAt: end, next: end + 1) }
            searched = end
            if end - start > longestLine {
                isTooLong = true
                start = end
            }
            if input.isAtEnd { return start < end || isTooLong ? takeLine(endingAt: end, next: end) : nil }
            try fill()
        }
    }

    /// The bytes of the line that was handed out last.
    @_lifetime(borrow self)
    package func bytes(of line: Line) -> Span<UInt8> { buffer.span(at: line.range.lowerBound, count: line.range.count) }

    private mutating func takeLine(endingAt end: Int, next: Int) -> Line {
        number += 1
        let isTooLong = isTooLong || end - start > longestLine
        let line = Line(number: number, range: isTooLong ? end..<end : start..<end, isTooLong: isTooLong)
        start = next
        searched = next
        self.isTooLong = false
        return line
    }

    private func firstLineFeed(from offset: Int) -> Int {
        let lineFeed = UInt8(ascii: "\n")
        return ByteSearch(lineFeed, lineFeed, lineFeed)
            .firstOffset(in: UnsafeRawPointer(buffer.base), from: offset, to: buffer.count)
    }

    /// Moves what is left to the front and reads on behind it.
    private mutating func fill() throws(ByteStreamError) {
        buffer.removeFirst(start)
        searched -= start
        start = 0
        try input.fill(&buffer, to: buffer.count + Self.chunk)
    }
}
