/// Splits a JSON input into its values, each as text. If the input begins with `[`, it is an array and its elements are
/// the values. Otherwise each line is a value. It reads the input incrementally, and its memory use does not grow with
/// the input.
///
/// A line ends with LF. A CR before the LF is part of the line. A byte order mark is skipped. If the mark is for UTF-16
/// or UTF-32, the reader also converts the input to UTF-8. The reader does not validate JSON. It uses only brackets and
/// strings to find the end of an element. The bytes are zeroed when they are discarded, because they may contain
/// secrets.
package struct JSONElementReader: ~Copyable, Sendable {
    /// One line, or one element of the array.
    package struct Element: Sendable {
        /// The physical line on which the element begins, from 1.
        package let line: Int
        /// The reason why the element has no value; nil if the element has a value. If an element is too long, its bytes
        /// are discarded.
        package let fault: Fault?
        /// The range of the element in `buffer`. It is valid until the next element is requested. See
        /// ``JSONElementReader/bytes(of:)``.
        fileprivate let range: Range<Int>
    }

    package enum Fault: Sendable {
        /// The element is longer than the limit.
        case tooLong
        /// A comma before the element is missing, or text follows the array.
        case outsideArray
        /// The input ends before the end of the array.
        case unclosedArray
    }

    /// The number of bytes read from the source so far, for showing progress.
    package var bytesRead: UInt64 { input.bytesRead }

    private var input: TextInput
    private let longest: Int
    /// The bytes that were read. `start` is the offset of the next element.
    private var buffer = ByteBuffer(isSecret: true)
    private var start = 0
    /// The offset that the search has reached so far. It searches for the end of the value at `start`.
    private var searched = 0
    /// Whether the bytes at `start` are the rest of a value that was too long.
    private var isTooLong = false
    private var line = 1
    private var place = Place.unknown
    /// The parsing state of the element at `start`.
    private var elementEnd = ElementEnd()

    private enum Place { case unknown, lines, beforeElement, afterElement, afterArray, end }

    private static let chunk = 1 << 18

    /// Makes a reader. It reads nothing before the first value is requested.
    ///
    /// - Parameters:
    ///   - source: The source of the bytes.
    ///   - longest: The maximum number of bytes of one value, without its line end.
    package init(source: ByteSource, longest: Int = 1 << 20) {
        self.init(text: TextInput(source: source), longest: longest)
    }

    /// Makes a reader for an input. The beginning of the input was already read.
    package init(text: consuming TextInput, longest: Int = 1 << 20) {
        input = text
        self.longest = max(1, longest)
    }

    /// Returns the next line or element; nil at the end of the input.
    ///
    /// - Throws: The error of the source. The next call continues at the same place.
    package mutating func next() throws(ByteStreamError) -> Element? {
        if place == .unknown { try findPlace() }
        return place == .lines ? try nextLine() : try nextElement()
    }

    /// Returns the bytes of the element that ``next()`` returned last.
    @_lifetime(borrow self)
    package func bytes(of element: Element) -> Span<UInt8> {
        buffer.span(at: element.range.lowerBound, count: element.range.count)
    }

    /// Detects whether the input is an array. The first character that is not white space decides.
    private mutating func findPlace() throws(ByteStreamError) {
        while true {
            while searched < buffer.count, Self.isSpace(byte(searched)) { searched += 1 }
            // If an input begins with more white space than the maximum length of a value, it is not treated as an
            // array.
            if searched < buffer.count || input.isAtEnd || searched > longest { break }
            try fill()
        }
        place = searched < buffer.count && byte(searched) == UInt8(ascii: "[") ? .beforeElement : .lines
        searched = start
        if place == .beforeElement {
            // Only white space precedes the bracket. Otherwise the input would not be an array.
            while byte(start) != UInt8(ascii: "[") { pass() }
            pass()
        }
    }

    private func byte(_ offset: Int) -> UInt8 { buffer.base.load(fromByteOffset: offset, as: UInt8.self) }

    /// Moves the remaining bytes to the front and appends more bytes.
    private mutating func fill() throws(ByteStreamError) {
        buffer.removeFirst(start)
        searched -= start
        start = 0
        try input.fill(&buffer, to: buffer.count + Self.chunk)
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
            || byte == UInt8(ascii: "\t")
    }
}

// MARK: Lines

extension JSONElementReader {
    private mutating func nextLine() throws(ByteStreamError) -> Element? {
        while true {
            let end = firstLineFeed(from: searched)
            if end < buffer.count { return takeLine(endingAt: end, next: end + 1) }
            searched = end
            dropIfTooLong(to: end)
            if input.isAtEnd { return start < end || isTooLong ? takeLine(endingAt: end, next: end) : nil }
            try fill()
        }
    }

    private mutating func takeLine(endingAt end: Int, next: Int) -> Element {
        defer { line += 1 }
        return take(endingAt: end, next: next)
    }

    private func firstLineFeed(from offset: Int) -> Int {
        let lineFeed = UInt8(ascii: "\n")
        return ByteSearch(lineFeed, lineFeed, lineFeed)
            .firstOffset(in: UnsafeRawPointer(buffer.base), from: offset, to: buffer.count)
    }

    private mutating func dropIfTooLong(to end: Int) {
        guard end - start > longest else { return }
        isTooLong = true
        start = end
    }

    private mutating func take(endingAt end: Int, next: Int, fault: Fault? = nil) -> Element {
        let fault = isTooLong || end - start > longest ? .tooLong : fault
        let element = Element(line: line, fault: fault, range: fault == .tooLong ? end..<end : start..<end)
        start = next
        searched = next
        isTooLong = false
        return element
    }
}

// MARK: Elements of an array

extension JSONElementReader {
    private mutating func nextElement() throws(ByteStreamError) -> Element? {
        while place != .end {
            guard start < buffer.count else {
                if !input.isAtEnd {
                    try fill()
                    continue
                }
                let isClosed = place == .afterArray
                place = .end
                return isClosed ? nil : take(endingAt: start, next: start, fault: .unclosedArray)
            }
            switch byte(start) {
            case let space where Self.isSpace(space): pass()
            case UInt8(ascii: ",") where place == .afterElement:
                place = .beforeElement
                pass()
            case UInt8(ascii: "]") where place != .afterArray:
                place = .afterArray
                pass()
            default:
                return try takeElement()
            }
        }
        return nil
    }

    /// Skips the byte at `start`.
    private mutating func pass() {
        if byte(start) == UInt8(ascii: "\n") { line += 1 }
        start += 1
        searched = start
    }

    /// Returns the element at `start`, even if it is misplaced or incomplete.
    private mutating func takeElement() throws(ByteStreamError) -> Element {
        guard place != .afterArray else {
            // Text after the array is a fault. The rest of the input is not read.
            place = .end
            return take(endingAt: start, next: start, fault: .outsideArray)
        }
        while true {
            while searched < buffer.count {
                let step = elementEnd.step(byte(searched))
                if step != .stopsBefore { searched += 1 }
                if step != .goesOn { return takeElement(endingAt: searched) }
            }
            if searched - start > longest {
                isTooLong = true
                start = searched
            }
            if input.isAtEnd {
                place = .end
                return take(endingAt: searched, next: searched, fault: .unclosedArray)
            }
            try fill()
        }
    }

    private mutating func takeElement(endingAt end: Int) -> Element {
        let isMisplaced = place == .afterElement
        place = .afterElement
        defer {
            line += elementEnd.lineBreaks
            elementEnd = ElementEnd()
        }
        return take(endingAt: end, next: end, fault: isMisplaced ? .outsideArray : nil)
    }
}

/// A state machine that finds the end of an element. It uses only brackets and strings.
private struct ElementEnd {
    enum Step {
        case goesOn
        /// The byte is the last one of the element.
        case stopsBehind
        /// The element ends before this byte.
        case stopsBefore
    }

    private(set) var lineBreaks = 0
    private var isEmpty = true
    private var depth = 0
    private var isString = false
    private var isEscaped = false

    mutating func step(_ byte: UInt8) -> Step {
        let step = follow(byte)
        if step != .stopsBefore {
            isEmpty = false
            if byte == UInt8(ascii: "\n") { lineBreaks += 1 }
        }
        return step
    }

    private mutating func follow(_ byte: UInt8) -> Step {
        if isString {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isString = false
                return depth == 0 ? .stopsBehind : .goesOn
            }
            return .goesOn
        }
        switch byte {
        case UInt8(ascii: "\""): isString = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            // If no bracket is open, this closing bracket becomes an element of one byte. Without this rule, the reader
            // would not advance.
            guard depth > 0 else { return isEmpty ? .stopsBehind : .stopsBefore }
            depth -= 1
            if depth == 0 { return .stopsBehind }
        case UInt8(ascii: ","), UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"):
            if depth == 0 { return isEmpty ? .stopsBehind : .stopsBefore }
        default: break
        }
        return .goesOn
    }
}
