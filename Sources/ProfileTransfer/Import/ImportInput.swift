internal import CSVStream
internal import Platform

/// What profiles are imported from, and what a schema is found for: a file, bytes, or a sequence of chunks of bytes.
///
/// A file and bytes may be read as often as one likes. A sequence is iterated anew each time; one that can be iterated once
/// only is made fit for more by ``readableAgain(keptIn:)``.
public struct ImportInput: Sendable {
    /// What reports call it.
    public let name: String
    /// Nil where it is not known, as of a sequence.
    public let byteCount: UInt64?
    let origin: Origin

    enum Origin: Sendable {
        /// What opens it.
        case file(@Sendable () throws(ImportError) -> OpenFile)
        case bytes([UInt8])
        /// What begins to take chunks from a sequence.
        case chunks(@Sendable () -> ChunkFeed)
        case repeatable(RepeatableInput)
    }

    /// Reads a file, which is opened when it is read: ``ImportError/opening(code:)`` says why it cannot be.
    public init(path: String) {
        var status = stat()
        let isFile = stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        self.init(
            .file { () throws(ImportError) in try OpenFile(path: path) }, path,
            isFile ? UInt64(max(0, status.st_size)) : nil)
    }

    /// Reads bytes.
    public init(bytes: [UInt8], name: String) { self.init(.bytes(bytes), name, UInt64(bytes.count)) }

    /// Reads chunks of bytes as they come, as of the body of a request; they may be cut anywhere.
    ///
    /// A task of its own takes them, and no more of them than are needed next, so that a slow import slows the sequence
    /// down. It is cancelled when the input is read no more, whether or not it has come to its end. What the sequence
    /// throws is ``ImportError/readingStream(_:)``.
    ///
    /// - Parameters:
    ///   - chunks: `[UInt8]`, `ArraySlice<UInt8>`, `Data` or whatever else is a sequence of bytes.
    ///   - name: What reports call it.
    ///   - byteCount: How many bytes there are in all, if that is known, for showing progress.
    public init<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks, name: String, byteCount: UInt64? = nil)
    where Chunks.Element: Sequence<UInt8> {
        self.init(.chunks { ChunkFeed(chunks) }, name, byteCount)
    }

    /// Reads an open file from where it stands; it stays the caller's to close, and must not change meanwhile.
    package init(descriptor: Int32, name: String, byteCount: UInt64?) {
        self.init(.file { OpenFile(descriptor) }, name, byteCount)
    }

    private init(_ origin: Origin, _ name: String, _ byteCount: UInt64?) {
        self.origin = origin
        self.name = name
        self.byteCount = byteCount
    }

    /// The same input, fit to be read from its beginning more than once, as by an inference and an import after it.
    ///
    /// What is no file is kept while it is read for the first time, in a file without a name that nobody else can read.
    ///
    /// - Parameter folder: Where that file is made.
    /// - Returns: The input, which may be read again.
    /// - Throws: Why it cannot be made.
    public func readableAgain(keptIn folder: String) throws(ImportError) -> ImportInput {
        if isRepeatable { return self }
        let repeatable = try RepeatableInput(self, keptIn: folder)
        return ImportInput(.repeatable(repeatable), name, byteCount)
    }

    /// Whether it is kept for more than one reading.
    var isRepeatable: Bool { if case .repeatable = origin { true } else { false } }
}

extension [CChar] {
    /// A name of `mkstemp(3)` for a file that loses it as soon as it is open.
    package static func temporaryFileTemplate(in folder: String) -> [CChar] {
        Array("\(folder)/profiles-XXXXXX".utf8CString)
    }
}
