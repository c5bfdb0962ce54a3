internal import Dispatch
internal import Platform

/// Runs work that ends in order when Ctrl-C is pressed: its task is cancelled, and a second Ctrl-C kills the process.
enum Interruption {
    static func cancelling<Value: Sendable>(
        isQuiet: Bool, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        var former = sigaction()
        sigaction(SIGINT, nil, &former)
        let (isCaught, caught) = AsyncStream.makeStream(of: Never.self)
        let task = Task {
            for await _ in isCaught {}
            return try await work()
        }
        let source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        source.setEventHandler {
            if task.isCancelled {
                ProcessSettings.die(of: SIGINT)
            }
            task.cancel()
            if !isQuiet { Output.error.note("\nInterrupted: finishing the batch. Ctrl-C again stops at once.") }
        }
        // The work begins when the source is there: before that the signal ends the process, from then on libdispatch
        // catches it (on Linux by a handler of its own, which an ignored signal would not reach).
        source.setRegistrationHandler { caught.finish() }
        source.activate()
        defer {
            source.cancel()
            sigaction(SIGINT, &former, nil)
        }
        return try await task.value
    }
}
