package import CSVStream
internal import Platform
internal import ProfileStore
internal import Threads

/// An input that is being read: where its bytes come from, and what ends the waiting for them.
package struct InputReading: Sendable {
    package let source: ByteSource
    package let interruption: any Interruption
    /// What it is read from, if it may be read again.
    let repeatable: RepeatableInput?

    /// Begins to read an input.
    ///
    /// - Throws: Why it cannot be opened.
    package init(_ input: ImportInput) throws(ImportError) {
        switch input.origin {
        case .file(let open): try self.init(open())
        case .bytes(let bytes): try self.init(.bytes(bytes), ReadInterruption.ofInput())
        case .chunks(let start):
            let feed = start()
            self.init(feed.source, feed.interruption)
        case .repeatable(let input): self = input.reading()
        }
    }

    /// Begins to read an open file from where it stands.
    init(_ file: OpenFile) throws(ImportError) {
        let interruption = try ReadInterruption.ofInput()
        let source = ByteSource.descriptor(file.descriptor, interruptedBy: interruption)
        self.init(
            ByteSource { buffer throws(ByteStreamError) in
                try withExtendedLifetime(file) { () throws(ByteStreamError) in try source.read(buffer) }
            }, interruption)
    }

    init(_ source: ByteSource, _ interruption: any Interruption, from repeatable: RepeatableInput? = nil) {
        self.source = source
        self.interruption = interruption
        self.repeatable = repeatable
    }
}

extension InputReading {
    /// Does what reads on a thread where it may block; it ends when the task is cancelled.
    func blocking<Value: Sendable>(
        _ thread: ThreadPool, _ body: @escaping @Sendable () throws(ImportError) -> Value
    ) async throws(ImportError) -> Value {
        // When nobody reads any more, the input may be read again.
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
        // What was read until then is not all.
        if Task.isCancelled { throw .store(.cancelled) }
        return try outcome.get()
    }
}

/// An open file, closed in the end if it was opened here.
final class OpenFile: Sendable {
    let descriptor: Int32
    private let isOwned: Bool

    /// Takes a file that somebody else closes.
    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        isOwned = false
    }

    /// Opens a file.
    init(path: String) throws(ImportError) {
        // A named pipe is opened without waiting for who writes into it: reading waits, and can be interrupted.
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .opening(code: errno) }
        isOwned = true
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
    }

    deinit { if isOwned { close(descriptor) } }

    /// Where the bytes lie that were not read yet; nil where they cannot be read by their positions.
    var unreadBytes: Range<Int64>? {
        var status = stat()
        let start = lseek(descriptor, 0, SEEK_CUR)
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, start >= 0, status.st_size > start
        else { return nil }
        return Int64(start)..<Int64(status.st_size)
    }
}

extension ReadInterruption {
    /// One for an input that is going to be read.
    static func ofInput() throws(ImportError) -> ReadInterruption {
        do throws(ByteStreamError) { return try ReadInterruption() } catch { throw ImportError(error) }
    }
}
