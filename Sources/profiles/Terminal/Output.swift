internal import Platform
internal import ProfileCore
internal import Threads

/// Standard output or standard error, without a buffer in this process.
struct Output: Sendable {
    let descriptor: Int32
    private let name: String

    /// Standard output, for results.
    static let standard = Output(descriptor: STDOUT_FILENO, name: "Standard output")
    /// Standard error, for everything except results.
    static let error = Output(descriptor: STDERR_FILENO, name: "Standard error")

    var isTerminal: Bool { isatty(descriptor) == 1 }

    /// The size of the terminal's window in columns and rows. Nil if there is no terminal, or if the terminal does not
    /// know its size.
    var windowSize: (columns: Int, rows: Int)? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return nil }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Whether colours and progress bars may be drawn. The terminal must support them, and `NO_COLOR` must not be set
    /// (<https://no-color.org>).
    var takesControlCodes: Bool {
        guard isTerminal, Environment["NO_COLOR"] == nil else { return false }
        return !Environment.isTerminalDumb
    }

    /// Writes a result.
    ///
    /// - Throws: A failure without text if the output is a pipe and its reader has closed it, as in
    ///   `profiles list | head -1`.
    func write(_ text: String) throws(CommandFailure) {
        let code = writeAll(text)
        guard code == 0 else { throw .cannotWrite(name, code) }
    }

    /// Writes a result. If the result does not end with a line end, adds a line end.
    func print(_ text: String) throws(CommandFailure) {
        try write(text.utf8.last == UInt8(ascii: "\n") ? text : text + "\n")
    }

    /// Writes a result as indented JSON.
    func print(_ json: JSONValue) throws(CommandFailure) { try print(json.text(indented: true)) }

    /// Writes a secret and a line end.
    func write(_ secret: Secret) throws(CommandFailure) {
        let code = secret.bytes.withUnsafeBytes { FileDescriptor.writeAll($0, to: descriptor) }
        guard code == 0 else { throw .cannotWrite(name, code) }
        try write("\n")
    }

    /// Writes a line for the user, such as a note or an error message. An error is ignored, because there is nowhere to
    /// report it.
    func note(_ text: String) { _ = writeAll(text + "\n") }

    /// Runs work that writes to this output from time to time. Cancels the work as soon as the reader of a pipe has
    /// closed the pipe, as in `profiles watch | head -1`.
    ///
    /// - Throws: A failure without text if the reader has closed the pipe; otherwise the errors of the work.
    func whileRead(_ work: @escaping @Sendable () async throws -> Void) async throws {
        let task = Task { try await work() }
        // A separate thread waits until the reader closes the pipe, or until the process ends.
        do throws(ThreadError) {
            _ = try SystemThread(blockingSignals: true) { if self.isAbandoned(waitingForIt: true) { task.cancel() } }
        } catch {
            task.cancel()
            throw CommandFailure.cannotStartThread(error.code)
        }
        try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
        if isAbandoned(waitingForIt: false) { throw CommandFailure.cannotWrite(name, EPIPE) }
    }

    private func isAbandoned(waitingForIt waits: Bool) -> Bool {
        // If no events are requested, poll(2) reports only errors. For a pipe, this error means that the pipe has no
        // reader.
        var state = pollfd(fd: descriptor, events: 0, revents: 0)
        while poll(&state, 1, waits ? -1 : 0) < 0, errno == EINTR {}
        return state.revents != 0
    }

    /// Writes text unchanged. An error is ignored.
    func draw(_ text: String) { _ = writeAll(text) }

    /// - Returns: 0 for success, otherwise `errno`.
    private func writeAll(_ text: String) -> Int32 {
        var text = text
        return text.withUTF8 { bytes in FileDescriptor.writeAll(UnsafeRawBufferPointer(bytes), to: descriptor) }
    }
}
