internal import CLinux
internal import Dispatch
internal import Platform
internal import Threads

/// Lets a command clean up when Ctrl-C is pressed: the current task is cancelled, and a second Ctrl-C kills the
/// process.
///
/// A process can start and stop catching SIGINT several times. A signal source of Dispatch would catch the signal only
/// the first time: on Linux, libdispatch installs its signal handler only once per process. When this type has restored
/// the original signal action, libdispatch does not install its handler again. So this type installs its own handler,
/// which wakes a read source of Dispatch.
enum Interruption {
    /// Catches SIGINT while the work runs. The work runs tasks with ``cancelling(isQuiet:_:)``, and SIGINT is also
    /// caught between these tasks. If a signal arrives between two tasks, the next task is cancelled as soon as it
    /// begins.
    static func watching<Value>(isQuiet: Bool, _ work: () async throws -> Value) async throws -> Value {
        let wake = interruptions.descriptor
        // Without a descriptor, the signal is not caught and ends the process. If an outer call of this method already
        // catches the signal, the outer call continues to handle it.
        guard wake >= 0, watch.withLock({ $0.begin() }) else { return try await work() }
        defer { watch.withLock { $0 = Watch() } }
        var former = sigaction()
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { _ in interruptions.post() }
        action.sa_flags = SA_RESTART
        sigaction(SIGINT, &action, &former)
        let source = DispatchSource.makeReadSource(fileDescriptor: wake, queue: .global())
        source.setEventHandler {
            // Two signals may have arrived since the last call.
            let count = interruptions.take()
            guard count > 0 else { return }
            if count > 1 || watch.withLock({ $0.interrupt() }) { ProcessSettings.die(of: SIGINT) }
            if !isQuiet { Output.error.note("\nInterrupted: finishing the batch. Ctrl-C again stops at once.") }
        }
        source.activate()
        defer {
            source.cancel()
            sigaction(SIGINT, &former, nil)
        }
        return try await work()
    }

    /// Whether SIGINT is caught now.
    static var isWatching: Bool { watch.withLock { $0.isWatching } }

    /// Runs the work in a task that SIGINT cancels.
    static func cancelling<Value: Sendable>(
        isQuiet: Bool, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await watching(isQuiet: isQuiet) {
            let task = Task { try await work() }
            watch.withLock { $0.run(task) }
            defer { watch.withLock { $0.task = nil } }
            return try await task.value
        }
    }
}

private let watch = Locked(Watch())

/// Whether SIGINT is caught, and the task that the signal cancels.
private struct Watch {
    private(set) var isWatching = false
    private var isInterrupted = false
    var task: (any CancellableTask)?

    /// - Returns: False if the signal is watched already.
    mutating func begin() -> Bool {
        defer { isWatching = true }
        return !isWatching
    }

    /// Sets the task that the signal cancels.
    mutating func run(_ task: any CancellableTask) {
        self.task = task
        if isInterrupted { task.cancel() }
    }

    /// - Returns: Whether an earlier signal has already interrupted the work.
    mutating func interrupt() -> Bool {
        defer { isInterrupted = true }
        task?.cancel()
        return isInterrupted
    }
}

private protocol CancellableTask: Sendable {
    func cancel()
}

extension Task: CancellableTask {}

private let interruptions = CaughtInterruptions()

/// A counter of the caught signals that were not handled yet. The kernel counts them (eventfd(2)).
///
/// The signal handler only calls `write`, which signal-safety(7) permits. The descriptor is opened before the handler
/// is installed, and is never closed.
private struct CaughtInterruptions: Sendable {
    /// The descriptor of the counter. Negative if the system could not create the counter.
    let descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))

    /// Counts one more signal. Safe in a signal handler.
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
