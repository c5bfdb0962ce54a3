internal import Dispatch
internal import Glibc

/// Runs work that ends in order when Ctrl-C is pressed: its task is cancelled, and a second Ctrl-C kills the process.
enum Interruption {
    static func cancelling<Value: Sendable>(
        isQuiet: Bool, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let task = Task(operation: work)
        // The source sees the signal beside its disposition, which must therefore do nothing.
        signal(SIGINT, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        source.setEventHandler {
            if task.isCancelled {
                ProcessSettings.die(of: SIGINT)
            }
            task.cancel()
            if !isQuiet { Output.error.note("\nInterrupted: finishing the batch. Ctrl-C again stops at once.") }
        }
        source.activate()
        defer {
            source.cancel()
            signal(SIGINT, SIG_DFL)
        }
        return try await task.value
    }
}
