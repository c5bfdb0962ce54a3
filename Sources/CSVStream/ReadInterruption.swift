internal import Platform

/// Ends the waiting for more of an input.
package protocol Interruption: Sendable {
    /// Ends every read that waits, and those to come.
    func interrupt()

    /// Takes back that it was told to interrupt, when nobody reads.
    func reset()

    /// Whether it was told to interrupt.
    var isInterrupted: Bool { get }
}

/// Wakes a thread that waits in read(2), as for what a person types into a pipe, since no other thread can end that
/// call.
package final class ReadInterruption: Interruption {
    /// A pipe(7) with nothing in it, until it was told to interrupt.
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

    /// Waits until there is something to read, or the end of the input.
    ///
    /// - Returns: False if it is not to be read any more.
    func waitUntilReadable(_ descriptor: CInt) -> Bool {
        let readable = Int16(POLLIN)
        var waiting = [
            pollfd(fd: descriptor, events: readable, revents: 0), pollfd(fd: readEnd, events: readable, revents: 0),
        ]
        // What poll(2) itself cannot wait for, read(2) answers for.
        while poll(&waiting, nfds_t(waiting.count), -1) < 0 {
            if errno != EINTR { return true }
        }
        return waiting[1].revents == 0
    }
}
