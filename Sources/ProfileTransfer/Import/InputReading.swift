package import CSVStream
internal import Platform
internal import ProfileStore
internal import Threads

/// One reading of an input: the source of its bytes, and an object that can interrupt a wait for bytes.
package struct InputReading: Sendable {
    package let source: ByteSource
    package let interruption: any Interruption
    /// The workbook whose rows the source may return as CSV; nil if the source returns the bytes of the input.
    package let sheet: (any SheetInput)?
    /// The repeatable input to which this reading belongs. Nil if the input cannot be read again.
    let repeatable: RepeatableInput?

    /// Starts reading an input.
    ///
    /// - Throws: ``ImportError`` if the input cannot be opened.
    package init(_ input: ImportInput) throws(ImportError) {
        switch input.origin {
        case .file(let open): try self.init(open())
        case .bytes(let bytes): try self.init(.bytes(bytes), ReadInterruption.ofInput())
        case .chunks(let start):
            let feed = start()
            self.init(feed.source, feed.interruption)
        case .reading(let start): self = try start()
        case .repeatable(let input): self = input.reading()
        }
    }

    /// Starts reading an open file at its current offset.
    init(_ file: OpenFile) throws(ImportError) {
        let interruption = try ReadInterruption.ofInput()
        let source = ByteSource.descriptor(file.descriptor, interruptedBy: interruption)
        self.init(
            ByteSource { buffer throws(ByteStreamError) in
                try withExtendedLifetime(file) { () throws(ByteStreamError) in try source.read(buffer) }
            }, interruption)
    }

    package init(
        _ source: ByteSource, _ interruption: any Interruption, sheet: (any SheetInput)? = nil,
        from repeatable: RepeatableInput? = nil
    ) {
        self.source = source
        self.interruption = interruption
        self.sheet = sheet
        self.repeatable = repeatable
    }
}

/// The input of a reading that may be a workbook. If it is, the reading returns the rows of a sheet as CSV: UTF-8 with
/// commas, one line for each row, apart from line breaks in cells.
package protocol SheetInput: Sendable {
    /// Returns whether the input is a workbook. Reads its first bytes. Blocks the thread.
    func isSheet() throws(ByteStreamError) -> Bool

    /// The unusual features that were found in the sheet so far.
    var warnings: [InputWarning] { get }
}

extension InputReading {
    /// Runs a blocking read on a thread. Cancelling the task interrupts the read.
    func blocking<Value: Sendable>(
        _ thread: ThreadPool, _ body: @escaping @Sendable () throws(ImportError) -> Value
    ) async throws(ImportError) -> Value {
        // After the read, the interruption is reset, because the input may be read again.
        defer { interruption.reset() }
        let outcome: Result<Value, ImportError> = await withTaskCancellationHandler {
            do throws(ImportError) {
                return .success(try await thread.importing(body))
            } catch {
                return .failure(error)
            }
        } onCancel: {
            interruption.interrupt()
        }
        // If the task was cancelled during the read, the result may be incomplete.
        if Task.isCancelled { throw .store(.cancelled) }
        return try outcome.get()
    }
}

/// An open file. If this object opened the file, it closes the file when it is deallocated.
final class OpenFile: Sendable {
    let descriptor: Int32
    private let isOwned: Bool

    /// Uses a file descriptor that the caller closes.
    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        isOwned = false
    }

    /// Opens a file.
    init(path: String) throws(ImportError) {
        // Without `O_NONBLOCK`, opening a named pipe would wait for a writer, and this wait could not be interrupted.
        // With `O_NONBLOCK`, the first read waits for the writer, and this wait can be interrupted.
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .opening(code: errno) }
        isOwned = true
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
    }

    deinit { if isOwned { close(descriptor) } }

    /// The range of the bytes from the current offset to the end of the file. Nil if this range is empty, or if the
    /// file cannot be read at explicit offsets.
    var unreadBytes: Range<Int64>? {
        var status = stat()
        let start = lseek(descriptor, 0, SEEK_CUR)
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, start >= 0, status.st_size > start
        else { return nil }
        return Int64(start)..<Int64(status.st_size)
    }
}

extension ReadInterruption {
    /// Creates an interruption for reading an input.
    static func ofInput() throws(ImportError) -> ReadInterruption {
        do throws(ByteStreamError) { return try ReadInterruption() } catch { throw ImportError(error) }
    }
}
