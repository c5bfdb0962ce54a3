internal import CSVStream
internal import Platform

/// The source of an import or of schema inference: a file, bytes, or a sequence of chunks of bytes.
///
/// A regular file at a path or an array of bytes may be read any number of times. Each reading of a sequence iterates
/// over it again. For a pipe, or for a sequence that can be iterated only once, ``readableAgain(keptIn:)`` returns an
/// input that can be read again.
public struct ImportInput: Sendable {
    /// The name of the input in reports.
    public let name: String
    /// The number of bytes. Nil if the number is unknown, for example for a sequence.
    public let byteCount: UInt64?
    let origin: Origin

    enum Origin: Sendable {
        /// A closure that opens the file.
        case file(@Sendable () throws(ImportError) -> OpenFile)
        case bytes([UInt8])
        /// A closure that starts reading chunks from a sequence.
        case chunks(@Sendable () -> ChunkFeed)
        /// A closure that starts a reading, for example of a workbook.
        case reading(@Sendable () throws(ImportError) -> InputReading)
        case repeatable(RepeatableInput)
    }

    /// Creates an input from the file at a path. The file is opened when the input is read. If that fails, reading
    /// throws ``ImportError/opening(code:)``.
    public init(path: String) {
        var status = stat()
        let isFile = stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        self.init(
            .file { () throws(ImportError) in try OpenFile(path: path) }, path,
            isFile ? UInt64(max(0, status.st_size)) : nil)
    }

    /// Creates an input from an array of bytes.
    public init(bytes: [UInt8], name: String) { self.init(.bytes(bytes), name, UInt64(bytes.count)) }

    /// Creates an input from chunks of bytes that arrive one after another, such as the body of a request. A chunk may
    /// end at any byte.
    ///
    /// A separate task reads the sequence. It takes only the chunks that the import needs next, so a slow import
    /// applies backpressure to the sequence. When the import stops reading, the task is cancelled, even if the sequence
    /// has not ended. If the sequence throws an error, the import throws ``ImportError/readingStream(_:)``.
    ///
    /// - Parameters:
    ///   - chunks: A sequence whose elements are `[UInt8]`, `ArraySlice<UInt8>`, `Data` or another sequence of bytes.
    ///   - name: The name of the input in reports.
    ///   - byteCount: The total number of bytes for the progress display, if it is known.
    public init<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks, name: String, byteCount: UInt64? = nil)
    where Chunks.Element: Sequence<UInt8> {
        self.init(.chunks { ChunkFeed(chunks) }, name, byteCount)
    }

    /// Creates an input from an open file. Reading starts at the current offset of the file. The file must not change
    /// during the import. The caller closes the file.
    package init(descriptor: Int32, name: String, byteCount: UInt64?) {
        self.init(.file { OpenFile(descriptor) }, name, byteCount)
    }

    /// Creates an input from a function that starts a reading. Every reading begins at the start.
    package init(
        name: String, byteCount: UInt64? = nil,
        reading: @escaping @Sendable () throws(ImportError) -> InputReading
    ) {
        self.init(.reading(reading), name, byteCount)
    }

    private init(_ origin: Origin, _ name: String, _ byteCount: UInt64?) {
        self.origin = origin
        self.name = name
        self.byteCount = byteCount
    }

    /// Returns an input that has the same content and can be read more than once. For example, a schema inference and
    /// then an import can read it.
    ///
    /// If the input is a stream, the first reading copies it to a temporary file that has no name. No other process can
    /// open this file.
    ///
    /// - Parameter folder: The folder for the temporary file.
    /// - Returns: The input that can be read again.
    /// - Throws: ``ImportError`` if the input cannot be prepared.
    public func readableAgain(keptIn folder: String) throws(ImportError) -> ImportInput {
        if isRepeatable { return self }
        let repeatable = try RepeatableInput(self, keptIn: folder)
        return ImportInput(.repeatable(repeatable), name, byteCount)
    }

    /// Returns an input that has the same content and can be read again, even if the original file is changed,
    /// shortened or removed between two readings. The first reading copies the file, in the same way as a stream.
    func independentlyReadable(keptIn folder: String) throws(ImportError) -> ImportInput {
        if case .repeatable(let input) = origin, !input.readsFile { return self }
        return ImportInput(
            .repeatable(try RepeatableInput(self, keptIn: folder, copiesFiles: true)), name, byteCount)
    }

    /// Whether the input can always be read again from its beginning: bytes, or an input of ``readableAgain(keptIn:)``.
    /// False for a file, because it may be a pipe.
    package var isReadableAgain: Bool {
        switch origin {
        case .bytes, .repeatable: true
        case .file, .chunks, .reading: false
        }
    }

    /// Whether the input can be read at any offset without a copy. Opens a file to find out.
    package var isSeekable: Bool {
        switch origin {
        case .bytes: true
        case .file(let open): (try? open())?.unreadBytes != nil
        case .chunks, .reading: false
        case .repeatable(let input): input.isInPlace
        }
    }

    /// Whether the input is already kept for more than one reading.
    var isRepeatable: Bool { if case .repeatable = origin { true } else { false } }
}

extension [CChar] {
    /// Returns a template for `mkstemp(3)`. The file is unlinked as soon as it is open.
    package static func temporaryFileTemplate(in folder: String) -> [CChar] {
        Array("\(folder)/profiles-XXXXXX".utf8CString)
    }
}
