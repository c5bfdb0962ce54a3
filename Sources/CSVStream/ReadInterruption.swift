internal import Platform

/// Interrupts reads that wait for more input.
package protocol Interruption: Sendable {
    /// Ends the current read and all later reads.
    func interrupt()

    /// Clears the interruption. Call it only while no thread is reading.
    func reset()

    /// Whether ``interrupt()`` was called since the last ``reset()``.
    var isInterrupted: Bool { get }
}

/// Wakes a thread that waits for input, for example from a pipe. Another thread cannot end a blocked read(2). So the
/// thread first waits with poll(2) for the input or for a byte that ``interrupt()`` writes.
package final class ReadInterruption: Interruption {
    /// The two ends of a pipe(7). The pipe is empty until ``interrupt()`` is called.
    private let readEnd: CInt
    private let writeEnd: CInt

    package init() throws(ByteStreamError) {
        var ends: (CInt, CInt) = (-1, -1)
        let status = withUnsafeMutableBytes(of: &ends) { pipe($0.bindMemory(to: CInt.self).baseAddress) }
        guard status == 0 else { throw ByteStreamError(operation: .read, code: errno) }
        (readEnd, writeEnd) = ends
        for end in [readEnd, writeEnd] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }

    package func interrupt() {
        var byte: UInt8 = 0
        while Platform.write(writeEnd, &byte, 1) < 0 && errno == EINTR {}
    }

    package func reset() {
        var byte: UInt8 = 0
        while isInterrupted, Platform.read(readEnd, &byte, 1) > 0 {}
    }

    package var isInterrupted: Bool {
        var waiting = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
        return poll(&waiting, 1, 0) > 0
    }

    /// Waits until the descriptor has bytes to read or is at its end.
    ///
    /// - Returns: False if the wait was interrupted.
    func waitUntilReadable(_ descriptor: CInt) -> Bool {
        let readable = Int16(POLLIN)
        var waiting = [
            pollfd(fd: descriptor, events: readable, revents: 0), pollfd(fd: readEnd, events: readable, revents: 0),
        ]
        // If poll(2) fails, the next read(2) reports the error.
        while poll(&waiting, nfds_t(waiting.count), -1) < 0 {
            if errno != EINTR { return true }
        }
        return waiting[1].revents == 0
    }
}
