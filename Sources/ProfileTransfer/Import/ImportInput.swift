internal import CSVStream
internal import Platform

/// The source of an import or of schema inference: a file, bytes, or a sequence of chunks of bytes.
///
/// A file or an array of bytes may be read any number of times. A sequence is iterated again for each reading. For a
/// sequence that can be iterated only once, ``readableAgain(keptIn:)`` returns an input that can be read again.
public struct ImportInput: Sendable {
    /// The name of the input in reports.
    public let name: String
    /// The number of bytes, or nil if it is unknown, as with a sequence.
    public let byteCount: UInt64?
    let origin: Origin

    enum Origin: Sendable {
        /// A closure that opens the file.
        case file(@Sendable () throws(ImportError) -> OpenFile)
        case bytes([UInt8])
        /// A closure that starts reading chunks from a sequence.
        case chunks(@Sendable () -> ChunkFeed)
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
    /// A separate task reads the sequence and takes only the chunks needed next, so a slow import applies backpressure
    /// to the sequence. The task is cancelled when the import stops reading, whether or not the sequence has ended. If
    /// the sequence throws an error, the import throws ``ImportError/readingStream(_:)``.
    ///
    /// - Parameters:
    ///   - chunks: A sequence whose elements are `[UInt8]`, `ArraySlice<UInt8>`, `Data` or another sequence of bytes.
    ///   - name: The name of the input in reports.
    ///   - byteCount: The total number of bytes for the progress display, if it is known.
    public init<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks, name: String, byteCount: UInt64? = nil)
    where Chunks.Element: Sequence<UInt8> {
        self.init(.chunks { ChunkFeed(chunks) }, name, byteCount)
    }

    /// Creates an input from an open file, read from its current offset. The caller closes the file, which must not
    /// change during the import.
    package init(descriptor: Int32, name: String, byteCount: UInt64?) {
        self.init(.file { OpenFile(descriptor) }, name, byteCount)
    }

    private init(_ origin: Origin, _ name: String, _ byteCount: UInt64?) {
        self.origin = origin
        self.name = name
        self.byteCount = byteCount
    }

    /// Returns an input with the same content that can be read more than once, for example by a schema inference and
    /// then by an import.
    ///
    /// The first reading copies a stream to a file without a name, which no other process can open.
    ///
    /// - Parameter folder: The folder in which to create that file.
    /// - Returns: The input that can be read again.
    /// - Throws: ``ImportError`` if the input cannot be prepared.
    public func readableAgain(keptIn folder: String) throws(ImportError) -> ImportInput {
        if isRepeatable { return self }
        let repeatable = try RepeatableInput(self, keptIn: folder)
        return ImportInput(.repeatable(repeatable), name, byteCount)
    }

    /// Returns this input as one that can be read again even if the file is changed, shortened or removed between two
    /// readings. The first reading copies the file as it copies a stream.
    func independentlyReadable(keptIn folder: String) throws(ImportError) -> ImportInput {
        if case .repeatable(let input) = origin, !input.readsFile { return self }
        return ImportInput(
            .repeatable(try RepeatableInput(self, keptIn: folder, copiesFiles: true)), name, byteCount)
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
