internal import CLinux
internal import Dispatch
internal import Platform

/// Runs work that ends in order when Ctrl-C is pressed: its task is cancelled, and a second Ctrl-C kills the process.
///
/// A process may run such work several times, one after another. A signal source of Dispatch would catch the signal only
/// the first time: on Linux libdispatch installs its handler once for a process, and does not notice that the former
/// action was put back. So the signal has a handler of its own, which wakes an event source.
enum Interruption {
    static func cancelling<Value: Sendable>(
        isQuiet: Bool, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let wake = interruptions.descriptor
        // Without a descriptor the signal ends the process, as it does elsewhere.
        guard wake >= 0 else { return try await work() }
        var former = sigaction()
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { _ in interruptions.post() }
        action.sa_flags = SA_RESTART
        sigaction(SIGINT, &action, &former)
        let task = Task { try await work() }
        let source = DispatchSource.makeReadSource(fileDescriptor: wake, queue: .global())
        source.setEventHandler {
            // Two signals may have come by now.
            let count = interruptions.take()
            if task.isCancelled || count > 1 { ProcessSettings.die(of: SIGINT) }
            guard count > 0 else { return }
            task.cancel()
            if !isQuiet { Output.error.note("\nInterrupted: finishing the batch. Ctrl-C again stops at once.") }
        }
        source.activate()
        defer {
            source.cancel()
            sigaction(SIGINT, &former, nil)
        }
        return try await task.value
    }
}

private let interruptions = CaughtInterruptions()

/// The signals that were caught and not yet acted on, counted by the kernel (eventfd(2)).
///
/// The handler does nothing but `write`, which signal-safety(7) permits, to a descriptor that was opened before the handler
/// was installed and is never closed.
private struct CaughtInterruptions: Sendable {
    /// Negative if none could be opened.
    let descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))

    /// Counts one more. Safe in a signal handler.
    func post() {
        let code = errno
        var one: UInt64 = 1
        _ = write(descriptor, &one, 8)
        errno = code
    }

    /// - Returns: The number of signals since the last call.
    func take() -> UInt64 {
        var count: UInt64 = 0
        return read(descriptor, &count, 8) == 8 ? count : 0
    }
}
